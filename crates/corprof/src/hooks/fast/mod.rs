//! Hooks that the compiled code calls directly, without the runtime in between: their stubs, and the functions that the stubs
//! call.
//!
//! | file | subject |
//! |---|---|
//! | `aarch64` | the stubs for arm64 outside of Windows |
//! | `x86_64_sysv` | the stubs for x86-64 outside of Windows |
//! | `x86_64_windows` | the stubs for x86-64 on Windows |
//! | `width` | the width of the processor's vector registers, for x86-64 |
//!
//! Another architecture or convention is another file with stubs, areas and the values found in them. Where there is none, a
//! profiler that requests these hooks is refused.
//!
//! Contract of the unsafe code here: this file declares what the stubs and their receiver promise to each other.
#![allow(unsafe_code)]

#[cfg(all(target_arch = "aarch64", unix))]
#[path = "aarch64.rs"]
mod stubs;
#[cfg(all(target_arch = "x86_64", unix))]
#[path = "x86_64_sysv.rs"]
mod stubs;
#[cfg(all(target_arch = "x86_64", windows))]
#[path = "x86_64_windows.rs"]
mod stubs;
#[cfg(target_arch = "x86_64")]
mod width;

use corprof_sys as sys;

#[cfg(all(target_arch = "aarch64", unix))]
pub(super) use stubs::Vector;
pub(super) use stubs::{EnterArea, LeaveArea, for_this_processor};
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix))]
pub(super) use stubs::{FLOAT_ARGUMENTS, INTEGER_ARGUMENTS};

/// The functions that the stubs call.
///
/// # Safety
/// Nothing unwinds out of the functions.
pub(in crate::hooks) unsafe trait Receiver {
    /// A method has been called.
    ///
    /// # Safety
    /// `client` is what the mapper has returned for the method; `area` is the stub's and is not valid afterwards.
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

/// Architectures and conventions without stubs: there are no areas.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", unix))))]
mod stubs {
    use corprof_types::ArgumentRange;

    use super::{Receiver, Stubs};
    use crate::error::{Error, Result};
    use crate::hooks::locations::Location;
    use crate::hooks::registers::{ArgumentWord, ResultWord};

    /// Has no value.
    pub(crate) enum EnterArea {}
    /// Has no value.
    pub(crate) enum LeaveArea {}

    impl EnterArea {
        pub(crate) fn integer(&self, _: u8) -> Option<usize> {
            match *self {}
        }

        pub(crate) fn stack(&self) -> usize {
            match *self {}
        }

        /// # Safety
        /// None: there is no area.
        pub(crate) unsafe fn range(&self, _: &Location) -> ArgumentRange {
            match *self {}
        }

        pub(crate) fn word_at(_: Location) -> Option<ArgumentWord> {
            None
        }
    }

    impl LeaveArea {
        pub(crate) fn stack(&self) -> usize {
            match *self {}
        }

        pub(crate) fn range(&self, _: &Location) -> ArgumentRange {
            match *self {}
        }

        pub(crate) fn word_at(_: Location) -> Option<ResultWord> {
            None
        }
    }

    pub(in crate::hooks) fn for_this_processor<R: Receiver>() -> Result<Stubs> {
        Err(Error::other(
            "there are no fast hooks for this platform: x86-64 has them, and arm64 outside of Windows; use hooks with info",
        ))
    }
}
