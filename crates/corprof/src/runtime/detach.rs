//! Detaching from a process that continues.
#![forbid(unsafe_code)]

use core::time::Duration;

use crate::error::Result;
use crate::event_mask::EventMask;
use crate::runtime::ProfilerInfo;

impl ProfilerInfo {
    /// Requests the detach of the profiler.
    ///
    /// `ICorProfilerInfo3::RequestProfilerDetach`. Callbacks are delivered until
    /// [`Profiler::profiler_detach_succeeded`](crate::Profiler::profiler_detach_succeeded). Then the profiler is
    /// dropped, and each later call returns [`Error::Ended`](crate::Error::Ended). Its library stays mapped: static
    /// variables keep their values. Profilers that are exported under one class id are detached together.
    ///
    /// `expected` is the time for which the profiler's code may still be on a stack: the runtime checks for the first
    /// time after it; zero means 2.5 seconds.
    ///
    /// The request stops the [sessions](crate::EventPipeSession) of the profiler: the runtime would let them go on, and deliver their
    /// events to the profiler that is attached next. On .NET 9 to 11 it also ends the callbacks about exceptions, for which the crate keeps exceptions in their places: the
    /// runtime would not let it during the detach. A request that the runtime refuses because of the event mask, of hooks or of
    /// changed IL ends nothing; after another refusal these callbacks stay off, and the sessions stopped.
    ///
    /// In a part that a [`PartHost`](crate::PartHost) has added, it requests the removal of that part only.
    ///
    /// Must be called on a thread of the profiler's own: .NET Core 3.1 refuses the call in a callback. If several
    /// profilers detach at the same time, .NET 9 detaches half of them, and the others at the next request.
    ///
    /// # Errors
    /// `CORPROF_E_IMMUTABLE_FLAGS_SET`: the event mask has flags of
    /// [`EventMask::immutable_on`](crate::EventMask::immutable_on). `CORPROF_E_IRREVERSIBLE_INSTRUMENTATION_PRESENT`:
    /// the profiler has ELT hooks or has changed IL. `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: called in a
    /// callback of .NET Core 3.1. [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, in a callback with an object, of a
    /// collection or of a suspension, or on a thread that has suspended the runtime.
    /// `CORPROF_E_PROFILER_DETACHING`: the detach was requested before. Any other failure of the call.
    #[doc(alias = "RequestProfilerDetach")]
    pub fn request_detach(&self, expected: Duration) -> Result<()> {
        self.raw().check_detach()?;
        if self.request_removal()? {
            return Ok(());
        }
        // The runtime creates and destroys no handles during the detach, so they go before it is requested. A request that is
        // known to be refused leaves them.
        if !self.is_detach_refused()? {
            if self.end_exceptions()? {
                self.release_exceptions();
            }
            self.raw().event_pipe_stop_sessions()?;
        }
        self.raw().request_detach(u32::try_from(expected.as_millis()).unwrap_or(u32::MAX))
    }

    /// Returns whether the runtime refuses a detach because of what the profiler has done.
    fn is_detach_refused(&self) -> Result<bool> {
        let immutable = self.runtime_info()?.major;
        Ok(self.raw().is_irreversible()
            || self.whole_event_mask()?.intersects(EventMask::immutable_on(immutable)))
    }
}
