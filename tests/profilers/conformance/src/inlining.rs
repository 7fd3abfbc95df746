//! `inlining`: the profiler forbids or allows inlining a method; and `dynamicoptimization`: it changes that at run time.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use corprof::{Error, EventMask, FunctionId, ProfilerInfo, Result};

use crate::program;
use crate::row::{HooksOf, Row};
use crate::{locked, say};

/// The method that is inlined, or not.
const INLINEE: &str = "Inlinee";
/// The method into which it is not inlined.
const BLOCKED: &str = "BlockInlining";
/// The methods that call it.
const CALLERS: [&str; 3] = ["Inlining", BLOCKED, "NoResponse"];

/// The number of enters of the method, by calling method.
pub(crate) struct Inlining {
    info: ProfilerInfo,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// The method of [`CALLERS`] that is running; the program has one thread that calls them.
    running: Option<String>,
    entered: BTreeMap<String, u32>,
}

impl Inlining {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::ENTER_LEAVE | EventMask::JIT_COMPILATION)?;
        Ok(Self { info: info.clone(), seen: Mutex::default() })
    }
}

impl Row for Inlining {
    fn hooks(&self) -> HooksOf {
        // With slow-path hooks code is not optimised, so nothing is inlined.
        HooksOf::Fast
    }

    fn hooked(&self, function: FunctionId) -> Option<String> {
        program::name(&self.info, function).filter(|name| name == INLINEE || CALLERS.contains(&name.as_str()))
    }

    fn entered(&self, name: &str) {
        let mut seen = locked(&self.seen);
        if name == INLINEE {
            let running = seen.running.clone().unwrap_or_default();
            *seen.entered.entry(running).or_default() += 1;
        } else {
            seen.running = Some(name.to_owned());
            seen.entered.entry(name.to_owned()).or_default();
        }
    }

    fn left(&self, name: &str) {
        if name != INLINEE {
            locked(&self.seen).running = None;
        }
    }

    fn jit_inlining(&self, caller: FunctionId, callee: FunctionId) -> bool {
        let is = |function, wanted| program::name(&self.info, function).is_some_and(|name| name == wanted);
        !(is(callee, INLINEE) && is(caller, BLOCKED))
    }

    fn say(&self) {
        for (caller, entered) in &locked(&self.seen).entered {
            say(format_args!("entered.{caller}"), entered);
        }
    }
}

/// Whether methods of the loaded assembly may be inlined, as set by the program.
pub(crate) struct Switched {
    info: ProfilerInfo,
    forbidden: AtomicBool,
}

impl Switched {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::JIT_COMPILATION)?;
        Ok(Self { info: info.clone(), forbidden: AtomicBool::new(false) })
    }
}

impl Row for Switched {
    fn told(&self, command: &str) -> Result<()> {
        if let "inlining off" | "inlining on" = command {
            self.forbidden.store(command == "inlining off", Ordering::SeqCst);
            return Ok(());
        }
        let unknown = || Error::other(format!("there is no {command:?} in this row"));
        let (verb, name) = command.split_once(' ').ok_or_else(unknown)?;
        let flag = match name {
            "DISABLE_OPTIMIZATIONS" => EventMask::DISABLE_OPTIMIZATIONS,
            "DISABLE_INLINING" => EventMask::DISABLE_INLINING,
            _ => return Err(unknown()),
        };
        let before = self.info.event_mask()?;
        let answer = self.info.set_event_mask(if verb == "set" { before | flag } else { before - flag });
        let answer = answer.map_or_else(|error| error.hresult().name().unwrap_or("?"), |()| "taken");
        say(format_args!("flag.{command}"), answer);
        say(format_args!("flag.is_set {name}"), self.info.event_mask()?.contains(flag));
        Ok(())
    }

    fn jit_inlining(&self, _: FunctionId, callee: FunctionId) -> bool {
        !(self.forbidden.load(Ordering::SeqCst) && program::in_plugin(&self.info, callee))
    }

    fn say(&self) {}
}
