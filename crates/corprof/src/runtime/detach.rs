//! Leaving a process that goes on.
#![forbid(unsafe_code)]

use core::time::Duration;

use crate::error::Result;
use crate::runtime::ProfilerInfo;

impl ProfilerInfo {
    /// Asks the runtime to let go of the profiler (`ICorProfilerInfo3::RequestProfilerDetach`). Callbacks may go on
    /// until [`Profiler::profiler_detach_succeeded`](crate::Profiler::profiler_detach_succeeded); then the profiler is
    /// dropped, and each of its later calls is refused with [`Error::Ended`](crate::Error::Ended). Its library stays
    /// mapped: static variables keep their values. `expected` is how long its
    /// code may still be on some stack: the runtime looks for the first time when that is over; for zero it
    /// takes 2.5 seconds. From a thread of the profiler's own: .NET Core 3.1 refuses to be asked in a callback. Of several
    /// profilers that ask at the same time, .NET 9 lets half go, and the others when somebody asks again.
    ///
    /// # Errors
    /// `CORPROF_E_IMMUTABLE_FLAGS_SET`, `CORPROF_E_IRREVERSIBLE_INSTRUMENTATION_PRESENT` or
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` for a profiler that cannot be detached: one with hooks, one that has
    /// changed IL, one that sets flags of [`EventMask::immutable_on`](crate::EventMask::immutable_on);
    /// `CORPROF_E_PROFILER_DETACHING` when it was asked before.
    #[doc(alias = "RequestProfilerDetach")]
    pub fn request_detach(&self, expected: Duration) -> Result<()> {
        self.raw().request_detach(u32::try_from(expected.as_millis()).unwrap_or(u32::MAX))
    }
}
