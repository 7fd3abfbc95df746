//! Architectures and conventions without stubs: there are no fast-path hooks, and so no areas.
//!
//! Contract of the unsafe code here: there is none in this file, except a function that cannot be called.
#![allow(unsafe_code)]

use corprof_types::ArgumentRange;

use super::receiver::{Receiver, Stubs};
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
