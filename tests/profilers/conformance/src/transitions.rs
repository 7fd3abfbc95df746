//! `transitions`: calls of code that is not managed, and calls of managed code from there.

use std::sync::{Mutex, PoisonError};

use corprof::values::TransitionReason;
use corprof::{EventMask, FunctionId, ProfilerInfo, Result};

use crate::program;
use crate::row::Row;
use crate::say;

/// The transitions of the program's own functions.
pub(crate) struct Transitions {
    info: ProfilerInfo,
    seen: Mutex<Vec<String>>,
}

impl Transitions {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CODE_TRANSITIONS | EventMask::DISABLE_INLINING)?;
        Ok(Self { info: info.clone(), seen: Mutex::default() })
    }
}

impl Row for Transitions {
    fn transition(&self, to_managed: bool, function: Option<FunctionId>, reason: TransitionReason) {
        let Some(name) = function.and_then(|function| program::name(&self.info, function)) else { return };
        let direction = if to_managed { "UnmanagedToManaged" } else { "ManagedToUnmanaged" };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push(format!("{direction} {reason:?} {name}"));
    }

    fn say(&self) {
        for transition in &*self.seen.lock().unwrap_or_else(PoisonError::into_inner) {
            say("transition", transition);
        }
    }
}
