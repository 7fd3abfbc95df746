//! For architectures and conventions without stubs: there are no fast hooks, and so no areas.
//!
//! Contract of the unsafe code here: nothing is called, since no area can be made; the trait is that of the stubs.

use corprof_sys as sys;
use corprof_types::ArgumentRange;

use crate::error::{Error, Result};
use crate::hooks::locations::Location;
use crate::hooks::register_words::{ArgumentWord, ResultWord};

/// There is none.
pub(crate) enum EnterArea {}
/// There is none.
pub(crate) enum LeaveArea {}

impl EnterArea {
    pub(crate) fn integer(&self, _: u8) -> Option<usize> {
        match *self {}
    }

    pub(crate) fn stack(&self) -> usize {
        match *self {}
    }

    pub(crate) fn range(&self, _: &Location) -> ArgumentRange {
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

/// Who would be called.
///
/// # Safety
/// Nothing unwinds out of the functions.
pub(super) unsafe trait Receiver {
    unsafe extern "C" fn enter(client: usize, area: &EnterArea);
    unsafe extern "C" fn leave(client: usize, area: &LeaveArea);
    unsafe extern "C" fn tailcall(client: usize, area: &LeaveArea);
}

type Hook = unsafe extern "system" fn(sys::FunctionIDOrClientID);

pub(super) struct Stubs {
    pub(super) enter: Hook,
    pub(super) leave: Hook,
    pub(super) tailcall: Hook,
}

pub(super) fn for_this_processor<R: Receiver>() -> Result<Stubs> {
    Err(Error::other(
        "there are no fast hooks for this architecture: x86-64 outside of Windows only; use hooks with info",
    ))
}
