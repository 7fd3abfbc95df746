//! The profiler of `tests/e2e/panics.rs`: panics wherever it is called, or in one callback only.
//!
//! `PANICS_IN` names the callback, or is `all`; `PANICS_HOOKS` is `fast` or `info`. When the program ends, a line is
//! written to `PANICS_OUT`: the number of panics, and the number of calls after the library had caught 100 panics.
#![allow(clippy::panic, reason = "the profiler's purpose")]

use std::cell::Cell;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use corprof::values::{GcReason, Generations, MovedRanges, SuspendReason};
use corprof::{
    ClassId, EnterFrame, Error, EventMask, FunctionHooks, FunctionId, HResult, Hooks, LeaveFrame, ModuleId,
    ObjectId, Profiler, ProfilerInfo, Result, TailcallFrame, ThreadId, export_profiler,
};

export_profiler!("{A1D7C0E4-3B52-4E8F-9C66-7F0B1D2E8A35}", [Panics]);

/// The number of panics that switches a profiler off, as in SAFETY.md.
const LIMIT: u64 = 100;

/// The profiler.
struct Panics {
    chosen: String,
    out: String,
    fast: bool,
    panics: AtomicU64,
    caught: AtomicU64,
    late: AtomicU64,
}

thread_local! {
    /// This thread has panicked, and has not been called since.
    static PANICKED: Cell<bool> = const { Cell::new(false) };
}

impl Panics {
    /// Counts a call.
    ///
    /// When a thread is called again, the library had caught and counted the thread's panic by then. Counted
    /// in this way, calls of other threads cannot pass the limit while a panic is being unwound.
    fn called(&self, callback: &str) {
        if PANICKED.replace(false) {
            self.caught.fetch_add(1, Ordering::SeqCst);
        }
        if self.caught.load(Ordering::SeqCst) >= LIMIT {
            self.late.fetch_add(1, Ordering::SeqCst);
        }
        if self.chosen == "all" || self.chosen == callback {
            self.panics.fetch_add(1, Ordering::SeqCst);
            PANICKED.set(true);
            panic!("on purpose in {callback}");
        }
    }
}

fn variable(name: &str) -> Result<String> {
    std::env::var(name).map_err(|error| Error::other(format!("{name}: {error}")))
}

impl Profiler for Panics {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let chosen = variable("PANICS_IN")?;
        let fast = variable("PANICS_HOOKS")? == "fast";
        let profiler = Self {
            out: variable("PANICS_OUT")?,
            fast,
            panics: AtomicU64::new(0),
            caught: AtomicU64::new(0),
            late: AtomicU64::new(0),
            chosen,
        };
        if profiler.chosen == "initialize" {
            profiler.called("initialize");
        }
        let calls = if fast { EventMask::ENTER_LEAVE } else { EventMask::CALLS_WITH_VALUES };
        info.set_event_mask(
            calls
                | EventMask::MODULE_LOADS
                | EventMask::CLASS_LOADS
                | EventMask::JIT_COMPILATION
                | EventMask::THREADS
                | EventMask::SUSPENDS
                | EventMask::GC
                | EventMask::EXCEPTIONS,
        )?;
        Ok(profiler)
    }

    fn hooks(&self) -> Hooks<Self> {
        if self.chosen == "hooks" {
            self.called("hooks");
        }
        if self.fast { Hooks::fast() } else { Hooks::with_info() }
    }

    fn shutdown(&self) {
        let (panics, late) = (self.panics.load(Ordering::SeqCst), self.late.load(Ordering::SeqCst));
        // An error cannot be reported here; the test notices the missing file.
        let _ = fs::write(&self.out, format!("{panics} {late}"));
        self.called("shutdown");
    }

    fn module_load_finished(&self, _: ModuleId, _: Result<(), HResult>) {
        self.called("module_load_finished");
    }

    fn class_load_finished(&self, _: ClassId, _: Result<(), HResult>) {
        self.called("class_load_finished");
    }

    fn jit_compilation_started(&self, _: FunctionId, _: bool) {
        self.called("jit_compilation_started");
    }

    fn jit_inlining(&self, _: FunctionId, _: FunctionId) -> bool {
        self.called("jit_inlining");
        true
    }

    fn thread_created(&self, _: ThreadId) {
        self.called("thread_created");
    }

    fn runtime_suspend_started(&self, _: SuspendReason) {
        self.called("runtime_suspend_started");
    }

    fn garbage_collection_started(&self, _: Generations<'_>, _: GcReason) {
        self.called("garbage_collection_started");
    }

    fn moved_references(&self, _: MovedRanges<'_>) {
        self.called("moved_references");
    }

    fn exception_thrown(&self, _: ObjectId<'_>) {
        self.called("exception_thrown");
    }

    fn exception_catcher_enter(&self, _: FunctionId, _: Option<ObjectId<'_>>) {
        self.called("exception_catcher_enter");
    }
}

impl FunctionHooks for Panics {
    type Function = ();

    fn map_function(&self, _: FunctionId) -> Option<()> {
        self.called("map_function");
        Some(())
    }

    fn enter(&self, (): &(), _: &EnterFrame<'_>) {
        self.called("enter");
    }

    fn leave(&self, (): &(), _: &LeaveFrame<'_>) {
        self.called("leave");
    }

    fn tailcall(&self, (): &(), _: &TailcallFrame<'_>) {
        self.called("tailcall");
    }
}
