//! The functions that fast-path stubs call, whatever the architecture and the convention.
//!
//! Contract of the unsafe code here: there is none in this file; it declares what the stubs and their receiver promise.
#![allow(unsafe_code)]

use corprof_sys as sys;

use super::{EnterArea, LeaveArea};

/// The functions that the stubs call.
///
/// # Safety
/// Nothing unwinds out of the functions.
pub(in crate::hooks) unsafe trait Receiver {
    /// A method has been called.
    ///
    /// # Safety
    /// `client` is what the mapper has returned for the method; `area` is the stub's and is gone afterwards.
    unsafe extern "C" fn enter(client: usize, area: &EnterArea);

    /// A method is about to return.
    ///
    /// # Safety
    /// As for [`Receiver::enter`].
    unsafe extern "C" fn leave(client: usize, area: &LeaveArea);

    /// A method is about to end with a tail call.
    ///
    /// # Safety
    /// As for [`Receiver::enter`].
    unsafe extern "C" fn tailcall(client: usize, area: &LeaveArea);
}

/// A hook, as the interface declares it. Its convention is not one that the language has.
pub(in crate::hooks) type Hook = unsafe extern "system" fn(sys::FunctionIDOrClientID);

/// The three hooks for one receiver.
#[derive(Clone, Copy)]
pub(in crate::hooks) struct Stubs {
    pub(in crate::hooks) enter: Hook,
    pub(in crate::hooks) leave: Hook,
    pub(in crate::hooks) tailcall: Hook,
}
