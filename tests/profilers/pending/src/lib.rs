//! The profiler of `tests/e2e/pending.rs`: makes calls of the runtime in a hook, while a collection waits for it.
//!
//! The collector does not know of the arguments that a hook's stub has saved, so no collection may run before the hook
//! has ended, whatever it calls. In each hook of the program's method the profiler waits until the runtime is being
//! suspended, makes one call, and counts the collections that begin meanwhile; the same in a callback with an object. In
//! one without objects the calls are allowed. `PENDING_HOOKS` is `fast` or `info`; `PENDING_OUT` names the file for the
//! results, a line of JSON for each call.

mod asked;

use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use corprof::values::{GcReason, Generations, SuspendReason};
use corprof::{
    EnterFrame, Error, EventMask, EventPipeEvent, EventPipeSession, FunctionHooks, FunctionId, Hooks, Names,
    ObjectId, Profiler, ProfilerInfo, Result, export_profiler,
};
use serde_json::json;

use crate::asked::{Asked, CALLS, OWN_EVENTS};

export_profiler!(Pending, "{C7E8A94B-50D1-4B7A-9F0E-2D1B6A3C8F54}");

/// How long a suspension is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time from the callback to the moment from which threads are stopped.
const SETTLING: Duration = Duration::from_millis(5);

/// The profiler.
struct Pending {
    names: Names,
    fast: bool,
    out: Mutex<File>,
    next: AtomicUsize,
    suspending: AtomicBool,
    collections: AtomicU64,
    /// Delivers the profiler's own events.
    _session: Option<EventPipeSession>,
}

fn variable(name: &str) -> Result<String> {
    std::env::var(name).map_err(|error| Error::other(format!("{name}: {error}")))
}

impl Pending {
    fn write(&self, line: &serde_json::Value) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // An error cannot be reported here; the test notices the missing line.
        let _ = writeln!(out, "{line}");
    }
}

impl Profiler for Pending {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let fast = variable("PENDING_HOOKS")? == "fast";
        let out = File::create(variable("PENDING_OUT")?).map_err(|error| Error::other(error.to_string()))?;
        let calls = if fast { EventMask::ENTER_LEAVE } else { EventMask::CALLS_WITH_VALUES };
        let events = if info.version() >= 12 { EventMask::EVENT_PIPE } else { EventMask::empty() };
        info.set_event_mask(
            calls
                | events
                | EventMask::SUSPENDS
                | EventMask::BASIC_GC
                | EventMask::EXCEPTIONS
                | EventMask::ENABLE_REJIT
                | EventMask::ENABLE_STACK_SNAPSHOT
                | EventMask::DISABLE_INLINING,
        )?;
        Ok(Self {
            names: Names::new(info),
            fast,
            out: Mutex::new(out),
            next: AtomicUsize::new(0),
            suspending: AtomicBool::new(false),
            collections: AtomicU64::new(0),
            _session: info.event_pipe_start_session(&[OWN_EVENTS], false).ok(),
        })
    }

    fn hooks(&self) -> Hooks<Self> {
        if self.fast { Hooks::fast() } else { Hooks::with_info() }
    }

    fn runtime_suspend_started(&self, _: SuspendReason) {
        self.suspending.store(true, Ordering::SeqCst);
    }

    fn runtime_resume_finished(&self) {
        self.suspending.store(false, Ordering::SeqCst);
    }

    fn exception_thrown(&self, _: ObjectId<'_>) {
        self.try_call("threads with an object", |info| Ok(format!("{:?}", info.threads()?)));
        self.try_call("force_gc with an object", |info| Ok(format!("{:?}", info.force_gc()?)));
    }

    fn exception_search_function_enter(&self, _: FunctionId) {
        let threads = self.names.info().threads().map_err(|error| error.to_string());
        self.write(&json!({ "threads without an object": threads.is_ok(), "error": threads.err() }));
    }

    fn event_pipe_event_delivered(&self, _: &EventPipeEvent<'_>) {
        let threads = self.names.info().threads().map_err(|error| error.to_string());
        self.write(&json!({ "threads in an event": threads.is_ok(), "error": threads.err() }));
    }

    fn garbage_collection_started(&self, _: Generations<'_>, _: GcReason) {
        self.collections.fetch_add(1, Ordering::SeqCst);
    }
}

impl FunctionHooks for Pending {
    type Function = Asked;

    fn map_function(&self, function: FunctionId) -> Option<Asked> {
        let method = self.names.method(function).ok()?;
        (method.plain_name() == "Pending.Program.Called").then(|| Asked::new(&self.names, &method))
    }

    fn enter(&self, asked: &Asked, _: &EnterFrame<'_>) {
        let next = self.next.fetch_add(1, Ordering::SeqCst);
        if let Some((name, call)) = CALLS.get(next) {
            self.try_call(name, |info| call(info, asked));
        }
    }
}

impl Pending {
    /// Makes a call while a collection waits for this thread.
    fn try_call(&self, name: &str, call: impl FnOnce(&ProfilerInfo) -> Result<String>) {
        let begin = Instant::now();
        while !self.suspending.load(Ordering::SeqCst) {
            if begin.elapsed() > PATIENCE {
                return self.write(&json!({ "call": name, "error": "no collection began" }));
            }
            std::thread::yield_now();
        }
        std::thread::sleep(SETTLING);
        self.write(&json!({ "begins": name }));
        let before = self.collections.load(Ordering::SeqCst);
        let result = call(self.names.info());
        let during = self.collections.load(Ordering::SeqCst) - before;
        let result = result.unwrap_or_else(|error| error.to_string());
        self.write(&json!({ "call": name, "collections": during, "result": result }));
    }
}
