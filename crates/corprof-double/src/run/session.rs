//! A session: from the profiler's start to its end.

use core::sync::atomic::{AtomicBool, Ordering};

use corprof::{EventMask, HResult, Profiler};

use super::callback::{Callback, Entry};
use crate::Runtime;
use crate::model::{APP_DOMAIN, Handles, Model, Profiling, State};

/// A profiler in a runtime: its methods make things happen, and the profiler is told of what its event mask asks for.
///
/// Everything happens on the thread that calls; see [`Session::thread`] for others. Dropping a session lets go of the
/// profiler without a word, as when a process is killed; [`Session::shutdown`] is the end of a program.
pub struct Session<'r, P: Profiler> {
    pub(super) runtime: &'r Runtime,
    pub(super) callback: Callback<P>,
    has_ended: AtomicBool,
}

impl<'r, P: Profiler> Session<'r, P> {
    pub(crate) fn start(
        runtime: &'r Runtime,
        entry: Entry<P>,
        client_data: Option<&[u8]>,
    ) -> Result<Self, HResult> {
        let callback = Callback::create(&entry, runtime.version().callback())?;
        runtime.model().profiling = Profiling { is_attached: client_data.is_some(), ..Profiling::default() };
        let session = Self { runtime, callback, has_ended: AtomicBool::new(false) };
        if client_data.is_some() {
            // The program runs already; the profiler is not told.
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

    /// What every program begins with: its first thread, its core library, its domain.
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

    /// The profiler.
    ///
    /// # Panics
    /// Never: it has been initialised.
    #[must_use]
    pub fn profiler(&self) -> &P {
        crate::some(self.callback.profiler())
    }

    /// The callbacks that the profiler has answered with a failure, in order: because it has panicked.
    #[must_use]
    pub fn failures(&self) -> Vec<(&'static str, HResult)> {
        self.callback.failures()
    }

    /// The runtime that it runs in.
    #[must_use]
    pub fn runtime(&self) -> &'r Runtime {
        self.runtime
    }

    pub(super) fn model(&self) -> std::sync::MutexGuard<'r, Model> {
        self.runtime.model()
    }

    /// Whether the profiler has asked for one of these events.
    pub(super) fn wants(&self, events: EventMask) -> bool {
        self.runtime.event_mask().intersects(events)
    }

    /// The program ends (`Shutdown`), and the profiler is let go.
    pub fn shutdown(self) {
        self.shutdown_while_running();
    }

    /// Tells the profiler that the program ends, and goes on: what still happens on other threads then must not reach it.
    pub fn shutdown_while_running(&self) {
        self.callback.shutdown();
        self.has_ended.store(true, Ordering::SeqCst);
        // They end with the runtime.
        self.model().handles = Handles::default();
    }

    /// Lets go of a profiler that has asked for it (`ProfilerDetachSucceeded`).
    ///
    /// # Panics
    /// If it has not; see [`Runtime::wants_detach`].
    #[track_caller]
    pub fn finish_detach(self) {
        assert!(self.runtime.wants_detach(), "the profiler has not asked to be detached");
        self.callback.detach_succeeded();
        let runtime = self.runtime;
        drop(self);
        runtime.model().profiling = Profiling::default();
    }
}

impl<P: Profiler> Drop for Session<'_, P> {
    fn drop(&mut self) {
        if self.callback.has_panicked() {
            self.runtime.shared().misused("the profiler has panicked".to_owned());
        }
    }
}

impl<P: Profiler> core::fmt::Debug for Session<'_, P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let ended = if self.has_ended.load(Ordering::SeqCst) { ", ended" } else { "" };
        write!(f, "Session({:?}{ended})", self.runtime)
    }
}
