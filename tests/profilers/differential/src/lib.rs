//! Compares the locations of fast-path hooks with those of the runtime, in each call of a program.
//!
//! Slow-path hooks query the runtime for the locations of arguments and return value. In the same hook, the registers that its
//! stub has
//! saved make the frame of a fast-path hook (`EnterFrame::with_saved_registers`), in which values are located by the calling convention, as
//! in `corprof-calls`. For each call the lengths, the bytes or addresses, and the type arguments are compared. Nothing is
//! written meanwhile; `DIFFERENTIAL_OUT` names the file for the findings of the whole run, as JSON.
//!
//! With `DIFFERENTIAL_SELF_TEST`, locations are self-tested as on a runtime on which they were not measured.
//!
//! `DIFFERENTIAL_MOST` limits the number of compared calls of each function. With `DIFFERENTIAL_SKEW`, fast-path hooks
//! get wrong locations, to verify that the comparison can fail.
//!
//! | file | subject |
//! |---|---|
//! | `call` | the comparison of one call |
//! | `function` | the data of a method |
//! | `tally` | the findings, as counts and with the first differences |

mod call;
mod function;
mod tally;

use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use argvalues::Direct;
use corprof::{
    EnterFrame, Error, EventMask, FunctionHooks, FunctionId, Hooks, LeaveFrame, Names, Profiler,
    ProfilerInfo, Result, TailcallFrame, export_profiler,
};
use corprof_calls::ClrRuntime;

use crate::function::Function;
use crate::tally::Tally;

export_profiler!("{9F4E1B63-58D2-4A0C-8E17-B6C3D20A95F4}", [Differential]);

/// The profiler.
struct Differential {
    names: Names,
    runtime: ClrRuntime,
    memory: Direct,
    tally: Tally,
    /// The number of compared calls of each function.
    most: u64,
    /// Whether fast-path hooks get wrong locations.
    skew: bool,
    out: Mutex<File>,
}

impl Profiler for Differential {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let path = std::env::var_os("DIFFERENTIAL_OUT")
            .ok_or_else(|| Error::other("DIFFERENTIAL_OUT names no file to write to"))?;
        let out = File::create(&path).map_err(|error| Error::other(format!("DIFFERENTIAL_OUT: {error}")))?;
        info.set_event_mask(EventMask::CALLS_WITH_VALUES | ClrRuntime::EVENTS)?;
        let names = Names::new(info);
        let runtime = ClrRuntime::new(&names)?;
        let is_self_tested = std::env::var_os("DIFFERENTIAL_SELF_TEST").is_some();
        let runtime = if is_self_tested { runtime.self_tested() } else { runtime };
        let most = match std::env::var("DIFFERENTIAL_MOST") {
            Ok(most) => most.parse().map_err(|error| Error::other(format!("DIFFERENTIAL_MOST: {error}")))?,
            Err(_) => u64::MAX,
        };
        Ok(Self {
            runtime,
            names,
            memory: call::memory(),
            tally: Tally::default(),
            most,
            skew: std::env::var_os("DIFFERENTIAL_SKEW").is_some(),
            out: Mutex::new(out),
        })
    }

    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }

    fn shutdown(&self) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // An error cannot be reported here; the test notices the missing file.
        let _ = writeln!(out, "{}", self.tally.to_json());
    }
}

impl FunctionHooks for Differential {
    type Function = Function;

    fn map_function(&self, function: FunctionId) -> Option<Function> {
        Some(Function::new(function))
    }

    fn enter(&self, function: &Function, frame: &EnterFrame<'_>) {
        Tally::add(&self.tally.calls, 1);
        if !function.is_due(self.most) {
            return;
        }
        Tally::add(&self.tally.compared, 1);
        if let Err(error) = self.compare_enter(function, frame) {
            self.tally.failed(&error);
        }
    }

    fn leave(&self, function: &Function, frame: &LeaveFrame<'_>) {
        Tally::add(&self.tally.leaves, 1);
        if function.is_done(self.most) {
            return;
        }
        if let Err(error) = self.compare_leave(function, frame) {
            self.tally.failed(&error);
        }
    }

    fn tailcall(&self, _: &Function, _: &TailcallFrame<'_>) {
        Tally::add(&self.tally.tailcalls, 1);
    }
}
