//! A session: from the profiler's start to its end.

use core::sync::atomic::{AtomicBool, Ordering};

use corprof::{EventMask, HResult, Profiler};

use super::Profilers;
use super::callback::{Callback, Entry};
use crate::Runtime;
use crate::model::{APP_DOMAIN, Handles, Model, Profiling, State};

/// A profiler in a runtime. Its methods are the steps of the script; the profiler gets the callbacks of its event mask.
///
/// Every step runs on the calling thread; see [`Session::thread`] for others. Dropping a session releases the profiler
/// without a callback, as when a process is killed; [`Session::shutdown`] is the end of a program.
pub struct Session<'r, P: Profilers> {
    pub(super) runtime: &'r Runtime,
    pub(super) callback: Callback<P>,
    has_ended: AtomicBool,
}

impl Runtime {
    /// Loads a profiler at the start of a program. With a tuple, such as `start::<(A, B)>()`, loads several that are
    /// [exported](corprof::export_profiler) under one class id; [`Session::part`] returns each.
    ///
    /// Modules of an earlier session stay loaded without new callbacks; use another runtime for another start.
    ///
    /// # Errors
    /// The failure code of `initialize`.
    pub fn start<P: Profilers>(&self) -> Result<Session<'_, P>, HResult> {
        Session::start(self, Entry::<P>::of(), None)
    }

    /// Attaches a profiler to a running program, with client data.
    ///
    /// The core library and this thread exist; modules of an earlier session stay loaded.
    ///
    /// # Errors
    /// The failure code of `initialize_for_attach`.
    pub fn attach<P: Profilers>(&self, client_data: &[u8]) -> Result<Session<'_, P>, HResult> {
        Session::start(self, Entry::<P>::of(), Some(client_data))
    }

    /// Loads a profiler through the entry point of its library.
    ///
    /// # Errors
    /// As for [`Runtime::start`]; also the failure codes of the entry point and the class factory.
    pub fn start_library<P: Profilers>(&self, entry: Entry<P>) -> Result<Session<'_, P>, HResult> {
        Session::start(self, entry, None)
    }
}

impl<'r, P: Profilers> Session<'r, P> {
    pub(crate) fn start(
        runtime: &'r Runtime,
        entry: Entry<P>,
        client_data: Option<&[u8]>,
    ) -> Result<Self, HResult> {
        let callback = Callback::create(&entry, runtime.version().callback())?;
        runtime.model().profiling = Profiling { is_attached: client_data.is_some(), ..Profiling::default() };
        let session = Self { runtime, callback, has_ended: AtomicBool::new(false) };
        session.callback.attach_to(runtime.shared());
        if client_data.is_some() {
            // The program is already running; the profiler gets no callbacks for its start.
            session.begin();
        }
        let info = runtime.shared().info();
        let code = match client_data {
            None => session.callback.initialize(info),
            Some(data) => session.callback.initialize_for_attach(info, data),
        };
        if let Err(code) = code.ok() {
            runtime.model().profiling = Profiling::default();
            return Err(code);
        }
        runtime.model().profiling.is_initialized = true;
        if client_data.is_some() {
            session.callback.attach_complete();
        } else {
            session.begin();
        }
        Ok(session)
    }

    /// The start of every program: first thread, application domain, core library.
    fn begin(&self) {
        let is_begun = self.model().modules.first().is_some_and(|core| core.state == State::Loaded);
        if is_begun {
            return;
        }
        self.begin_thread(None);
        self.load(self.runtime.core_lib());
        if self.wants(EventMask::APP_DOMAIN_LOADS) {
            self.callback.app_domain_creation_started(APP_DOMAIN);
            self.callback.app_domain_creation_finished(APP_DOMAIN, 0);
        }
    }

    /// One of the profilers that are loaded together; `None` for one that has not started.
    #[must_use]
    pub fn part<A: Profiler>(&self) -> Option<&A> {
        self.callback.part()
    }

    /// The callbacks that have returned a failure code, in order. A panic makes a callback fail.
    #[must_use]
    pub fn failures(&self) -> Vec<(&'static str, HResult)> {
        self.callback.failures()
    }

    /// The runtime of the session.
    #[must_use]
    pub fn runtime(&self) -> &'r Runtime {
        self.runtime
    }

    pub(super) fn model(&self) -> std::sync::MutexGuard<'r, Model> {
        self.runtime.model()
    }

    /// Returns whether the event mask has one of these flags.
    pub(super) fn wants(&self, events: EventMask) -> bool {
        self.runtime.event_mask().intersects(events)
    }

    /// Ends the program (`Shutdown`) and releases the profiler.
    pub fn shutdown(self) {
        self.shutdown_while_running();
    }

    /// Calls `Shutdown` and continues: later events on other threads must not reach the profiler.
    pub fn shutdown_while_running(&self) {
        self.callback.shutdown();
        self.has_ended.store(true, Ordering::SeqCst);
        // They end with the runtime.
        self.model().handles = Handles::default();
    }

    /// Detaches a profiler that has requested it (`ProfilerDetachSucceeded`).
    ///
    /// # Panics
    /// If it has not requested it; see [`Runtime::wants_detach`].
    #[track_caller]
    pub fn finish_detach(self) {
        assert!(self.runtime.wants_detach(), "the profiler has not asked to be detached");
        self.callback.detach_succeeded();
        let runtime = self.runtime;
        drop(self);
        runtime.model().profiling = Profiling::default();
    }
}

impl<P: Profiler> Session<'_, P> {
    /// The profiler.
    ///
    /// # Panics
    /// Never: it has been initialised.
    #[must_use]
    pub fn profiler(&self) -> &P {
        crate::some(self.callback.part())
    }
}

impl<P: Profilers> Drop for Session<'_, P> {
    fn drop(&mut self) {
        self.callback.detach_from(self.runtime.shared());
        if self.callback.has_panicked() {
            self.runtime.shared().misused("the profiler has panicked".to_owned());
        }
    }
}

impl<P: Profilers> core::fmt::Debug for Session<'_, P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let ended = if self.has_ended.load(Ordering::SeqCst) { ", ended" } else { "" };
        write!(f, "Session({:?}{ended})", self.runtime)
    }
}
