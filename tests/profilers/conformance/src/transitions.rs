//! `transitions`: calls of native code, and calls of managed code from there; and `elttransitions`: which of
//! these functions have an enter and a leave.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use corprof::values::TransitionReason;
use corprof::{EventMask, FunctionId, ProfilerInfo, Result};

use crate::program;
use crate::row::{HooksOf, Row};
use crate::{locked, say};

/// A part of the names of the functions that are called in this way, in either direction.
const CALLED: [&str; 2] = ["Forward", "Reverse"];

/// The transitions of the program's own functions, and their calls.
pub(crate) struct Transitions {
    info: ProfilerInfo,
    hooks: HooksOf,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    transitions: Vec<String>,
    /// The numbers of enters and leaves of functions.
    calls: BTreeMap<String, (u32, u32)>,
}

impl Transitions {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        Self::of(info, HooksOf::None, EventMask::empty())
    }

    /// With hooks.
    pub(crate) fn with_calls(info: &ProfilerInfo, hooks: HooksOf) -> Result<Self> {
        Self::of(info, hooks, EventMask::CALLS_WITH_VALUES)
    }

    fn of(info: &ProfilerInfo, hooks: HooksOf, more: EventMask) -> Result<Self> {
        info.set_event_mask(EventMask::CODE_TRANSITIONS | EventMask::DISABLE_INLINING | more)?;
        Ok(Self { info: info.clone(), hooks, seen: Mutex::default() })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        locked(&self.seen)
    }
}

impl Row for Transitions {
    fn hooks(&self) -> HooksOf {
        self.hooks
    }

    fn hooked(&self, function: FunctionId) -> Option<String> {
        program::name(&self.info, function).filter(|name| CALLED.iter().any(|called| name.contains(called)))
    }

    fn entered(&self, name: &str) {
        self.seen().calls.entry(name.to_owned()).or_default().0 += 1;
    }

    fn left(&self, name: &str) {
        self.seen().calls.entry(name.to_owned()).or_default().1 += 1;
    }

    fn transition(&self, to_managed: bool, function: Option<FunctionId>, reason: TransitionReason) {
        let Some(name) = function.and_then(|function| program::name(&self.info, function)) else { return };
        let direction = if to_managed { "UnmanagedToManaged" } else { "ManagedToUnmanaged" };
        self.seen().transitions.push(format!("{direction} {reason:?} {name}"));
    }

    fn say(&self) {
        let seen = self.seen();
        for transition in &seen.transitions {
            say("transition", transition);
        }
        for (name, (entered, left)) in &seen.calls {
            say(format_args!("call.{name}"), format_args!("entered {entered}, left {left}"));
        }
    }
}
