//! The profiler of `tests/e2e/pending.rs`: makes calls of the runtime in a hook, while a collection waits for it.
//!
//! The collector does not know of the arguments that a hook's stub has saved, so no collection may run before the hook
//! has ended, whatever it calls. In each hook of the program's method the profiler waits until the runtime is being
//! suspended, makes one call, and counts the collections that begin meanwhile; the same in a callback with an object. In
//! one without objects the calls are allowed. `sites` makes calls from elsewhere. `PENDING_HOOKS` is `fast` or `info`; `PENDING_OUT` names the file for the
//! results, a line of JSON for each call.

mod asked;
mod sites;

use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use corprof::GcHandleId;
use corprof::values::{GcReason, Generations, SuspendReason};
use corprof::{
    ClassId, EnterFrame, Error, EventMask, EventPipeEvent, EventPipeSession, FunctionHooks, FunctionId,
    Hooks, Names, ObjectId, Profiler, ProfilerInfo, Result, export_profiler,
};
use serde_json::json;

use crate::asked::{Asked, CALLS, OWN_EVENTS};
use crate::sites::Sites;

export_profiler!("{C7E8A94B-50D1-4B7A-9F0E-2D1B6A3C8F54}", [Pending]);

/// How long a suspension is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time from the callback to the moment from which threads are stopped.
const SETTLING: Duration = Duration::from_millis(5);

/// The profiler.
struct Pending {
    names: Names,
    fast: bool,
    out: Arc<Mutex<File>>,
    next: AtomicUsize,
    suspending: AtomicBool,
    collections: AtomicU64,
    sites: Sites,
    /// Delivers the profiler's own events.
    _session: Option<EventPipeSession>,
}

fn variable(name: &str) -> Result<String> {
    std::env::var(name).map_err(|error| Error::other(format!("{name}: {error}")))
}

fn write(out: &Mutex<File>, line: &serde_json::Value) {
    let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
    // An error cannot be reported here; the test notices the missing line.
    let _ = writeln!(out, "{line}");
}

impl Pending {
    fn write(&self, line: &serde_json::Value) {
        write(&self.out, line);
    }

    /// Makes the calls that a callback of a collection or suspension must refuse.
    fn stopped(&self, number: usize, name: &str) {
        self.sites.stopped(number, name, self.names.info(), |line| self.write(&line));
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
                | EventMask::GC
                | EventMask::EXCEPTIONS
                | EventMask::ENABLE_REJIT
                | EventMask::ENABLE_STACK_SNAPSHOT
                | EventMask::DISABLE_INLINING,
        )?;
        Ok(Self {
            names: Names::new(info),
            fast,
            out: Arc::new(Mutex::new(out)),
            next: AtomicUsize::new(0),
            suspending: AtomicBool::new(false),
            collections: AtomicU64::new(0),
            sites: Sites::default(),
            _session: info.event_pipe_start_session(&[OWN_EVENTS], false).ok(),
        })
    }

    fn hooks(&self) -> Hooks<Self> {
        if self.fast { Hooks::fast() } else { Hooks::with_info() }
    }

    fn runtime_suspend_started(&self, _: SuspendReason) {
        self.suspending.store(true, Ordering::SeqCst);
        self.stopped(0, "runtime_suspend_started");
    }

    fn runtime_suspend_finished(&self) {
        self.stopped(1, "runtime_suspend_finished");
    }

    fn runtime_resume_started(&self) {
        self.stopped(2, "runtime_resume_started");
    }

    fn runtime_resume_finished(&self) {
        self.suspending.store(false, Ordering::SeqCst);
    }

    fn exception_thrown(&self, object: ObjectId<'_>) {
        self.sites.keep(self.names.info(), object);
        self.try_call("threads with an object", |info| Ok(format!("{:?}", info.threads()?)));
        self.try_call("force_gc with an object", |info| Ok(format!("{:?}", info.own_thread()?.force_gc()?)));
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
        self.stopped(3, "garbage_collection_started");
    }

    fn garbage_collection_finished(&self) {
        self.stopped(4, "garbage_collection_finished");
    }

    fn object_references(&self, _: ObjectId<'_>, _: ClassId, _: &[Option<ObjectId<'_>>]) -> bool {
        false
    }

    fn handle_destroyed(&self, _: GcHandleId) {
        self.sites.destroyed(self.names.info(), |line| self.write(&line));
    }
}

/// What a hooked method is for.
#[derive(Clone, Copy)]
enum Of {
    Called,
    Ready,
    Commanded,
}

const HOOKED: &[(&str, Of)] = &[
    ("Pending.Program.Called", Of::Called),
    ("Pending.Program.Ready", Of::Ready),
    ("Pending.Source.Commanded", Of::Commanded),
];

impl FunctionHooks for Pending {
    type Function = (Of, Asked);

    fn map_function(&self, function: FunctionId) -> Option<(Of, Asked)> {
        let method = self.names.method(function).ok()?;
        let of = HOOKED.iter().find(|of| of.0 == method.plain_name())?.1;
        Some((of, Asked::new(&self.names, &method)))
    }

    fn enter(&self, (of, asked): &(Of, Asked), _: &EnterFrame<'_>) {
        let info = self.names.info();
        match of {
            Of::Called => {}
            Of::Ready => {
                let out = Arc::clone(&self.out);
                return self.sites.start(info, move |line| write(&out, &line));
            }
            Of::Commanded => return self.sites.commanded(info, |line| self.write(&line)),
        }
        let next = self.next.fetch_add(1, Ordering::SeqCst);
        if let Some((name, call)) = CALLS.get(next) {
            self.try_call(name, |info| call(info, asked));
        } else {
            self.sites.drop_handle();
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
