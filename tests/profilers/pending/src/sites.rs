//! Calls from where they must be refused: in callbacks of a collection or suspension, in a callback that comes because a hook
//! drops a handle, in a hook on a thread of the profiler's own, and on a thread that has suspended the runtime.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use corprof::{
    EventPipeProviderConfig, HResult, HandleKind, ObjectHandle, ObjectId, ProfilerInfo, Result,
    RuntimeSuspension,
};
use serde_json::{Value, json};

/// The name of the program's event source.
const SOURCE: EventPipeProviderConfig<'_> =
    EventPipeProviderConfig { name: "Pending-Source", keywords: u64::MAX, level: 5, filter: None };

/// How long a suspension is tried.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the calls are made in each callback.
const TURNS: u32 = 2;

type Call = fn(&ProfilerInfo) -> Result<()>;

/// What waits for the end of a collection or of a suspension.
const WAITING: &[(&str, Call)] = &[
    ("force_gc", |info| info.own_thread()?.force_gc()),
    ("suspend_runtime", |info| info.suspend_runtime().map(drop)),
    ("start_session", |info| info.event_pipe_start_session(&[SOURCE], false).map(drop)),
    ("create_provider", |info| info.event_pipe_create_provider("Pending-Refused").map(drop)),
];

/// The callbacks in which they are made.
const CALLBACKS: usize = 5;

thread_local! {
    /// Whether the thread is in a hook that drops a handle.
    static DROPS: Cell<bool> = const { Cell::new(false) };
    /// Whether the thread is one of the profiler's own.
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// What has been tried, and the lines about it.
#[derive(Default)]
pub(crate) struct Sites {
    turns: [AtomicU32; CALLBACKS],
    handle: Mutex<Option<ObjectHandle>>,
    is_started: AtomicBool,
}

fn line(call: &str, place: &str, result: Result<()>) -> Value {
    json!({ "site": format!("{call} {place}"), "refusal": result.err().map(|error| error.to_string()) })
}

/// Suspends the runtime between two collections of the program.
fn suspend(info: &ProfilerInfo) -> Result<RuntimeSuspension<'_>> {
    let begin = Instant::now();
    loop {
        match info.suspend_runtime() {
            Err(error)
                if error.hresult() == HResult::CORPROF_E_SUSPENSION_IN_PROGRESS
                    && begin.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            answer => return answer,
        }
    }
}

impl Sites {
    /// A callback of a collection or suspension.
    pub(crate) fn stopped(&self, number: usize, name: &str, info: &ProfilerInfo, write: impl Fn(Value)) {
        if IS_OWN.get() || self.turns[number].fetch_add(1, Ordering::SeqCst) >= TURNS {
            return;
        }
        for (call, make) in WAITING {
            write(line(call, &format!("in {name}"), make(info)));
        }
    }

    /// Keeps an object for a later hook.
    pub(crate) fn keep(&self, info: &ProfilerInfo, object: ObjectId<'_>) {
        *self.handle.lock().unwrap_or_else(PoisonError::into_inner) =
            info.create_handle(object, HandleKind::Strong).ok();
    }

    /// In a hook: drops the handle, which the runtime reports at once.
    pub(crate) fn drop_handle(&self) {
        let handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner).take();
        DROPS.set(true);
        drop(handle);
        DROPS.set(false);
    }

    /// A handle was destroyed.
    pub(crate) fn destroyed(&self, info: &ProfilerInfo, write: impl Fn(Value)) {
        if DROPS.get() {
            write(line("threads", "in handle_destroyed inside of a hook", info.threads().map(drop)));
            write(line("modules", "in handle_destroyed inside of a hook", info.modules().map(drop)));
        }
    }

    /// In a hook of the program's event source.
    pub(crate) fn commanded(&self, info: &ProfilerInfo, write: impl Fn(Value)) {
        if IS_OWN.get() {
            write(line("threads", "in a hook on an own thread", info.threads().map(drop)));
        }
    }

    /// The program is ready: a thread of the profiler's own starts.
    pub(crate) fn start(&self, info: &ProfilerInfo, write: impl Fn(Value) + Send + 'static) {
        if self.is_started.swap(true, Ordering::SeqCst) {
            return;
        }
        let info = info.clone();
        std::thread::spawn(move || {
            IS_OWN.set(true);
            write(json!({ "own": info.threads().is_ok() }));
            // Before the runtime knows the thread, which older runtimes refuse then.
            let own = info.own_thread();
            match own.as_ref().ok().zip(suspend(&info).ok()) {
                Some((own, suspension)) => {
                    write(line("suspend_runtime", "while suspended", info.suspend_runtime().map(drop)));
                    write(line("force_gc", "while suspended", own.force_gc()));
                    drop(suspension);
                }
                None => write(json!({ "own": false })),
            }
            write(json!({ "own": info.own_thread().is_ok() }));
            // The source's command runs on this thread, which the runtime knows from then on.
            let session = info.event_pipe_start_session(&[SOURCE], false);
            write(json!({ "own": session.is_ok() && info.own_thread().is_ok() }));
            // The program ends when the source is disabled.
            drop(session);
        });
    }
}
