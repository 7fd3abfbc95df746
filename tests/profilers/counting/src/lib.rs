//! The profiler of `tests/e2e/async_variants.rs`: counts the calls of every method, the framework's too, and reads nothing.
//!
//! `COUNTING_HOOKS` is `fast` or `with-info`; `COUNTING_OUT` names the file for the numbers of enters, leaves and tail calls.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{
    EnterFrame, Error, EventMask, FunctionHooks, FunctionId, Hooks, LeaveFrame, Profiler, ProfilerInfo,
    Result, TailcallFrame, export_profiler,
};

export_profiler!("{5D0C9B1E-3A64-4F0B-8E0D-7C2A9F41B6D3}", [Counting]);

/// The profiler.
struct Counting {
    fast: bool,
    out: PathBuf,
    enters: AtomicU64,
    leaves: AtomicU64,
    tailcalls: AtomicU64,
}

fn variable(name: &str) -> Result<String> {
    std::env::var(name).map_err(|error| Error::other(format!("{name}: {error}")))
}

impl Profiler for Counting {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let fast = variable("COUNTING_HOOKS")? == "fast";
        info.set_event_mask(if fast { EventMask::ENTER_LEAVE } else { EventMask::CALLS_WITH_VALUES })?;
        Ok(Self {
            fast,
            out: variable("COUNTING_OUT")?.into(),
            enters: AtomicU64::new(0),
            leaves: AtomicU64::new(0),
            tailcalls: AtomicU64::new(0),
        })
    }

    fn hooks(&self) -> Hooks<Self> {
        if self.fast { Hooks::fast() } else { Hooks::with_info() }
    }

    fn shutdown(&self) {
        let [enters, leaves, tailcalls] =
            [&self.enters, &self.leaves, &self.tailcalls].map(|count| count.load(Ordering::Relaxed));
        // An error cannot be reported here; the test notices the missing file.
        let _ = std::fs::write(&self.out, format!("{enters} {leaves} {tailcalls}\n"));
    }
}

impl FunctionHooks for Counting {
    type Function = ();

    fn map_function(&self, _: FunctionId) -> Option<()> {
        Some(())
    }

    fn enter(&self, (): &(), _: &EnterFrame<'_>) {
        self.enters.fetch_add(1, Ordering::Relaxed);
    }

    fn leave(&self, (): &(), _: &LeaveFrame<'_>) {
        self.leaves.fetch_add(1, Ordering::Relaxed);
    }

    fn tailcall(&self, (): &(), _: &TailcallFrame<'_>) {
        self.tailcalls.fetch_add(1, Ordering::Relaxed);
    }
}
