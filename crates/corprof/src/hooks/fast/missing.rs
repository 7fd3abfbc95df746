//! Architectures and conventions without stubs: there are no fast-path hooks, and so no areas.

use corprof_sys as sys;
use corprof_types::ArgumentRange;

use crate::error::{Error, Result};
use crate::hooks::locations::Location;
use crate::hooks::register_words::{ArgumentWord, ResultWord};

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

pub(in crate::hooks) type Hook = unsafe extern "system" fn(sys::FunctionIDOrClientID);

pub(in crate::hooks) struct Stubs {
    pub(in crate::hooks) enter: Hook,
    pub(in crate::hooks) leave: Hook,
    pub(in crate::hooks) tailcall: Hook,
}

pub(in crate::hooks) fn for_this_processor<R>() -> Result<Stubs> {
    Err(Error::other(
        "there are no fast hooks for this architecture: x86-64 outside of Windows only; use hooks with info",
    ))
}
