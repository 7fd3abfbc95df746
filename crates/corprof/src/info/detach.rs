//! Leaving a process that goes on.
#![allow(unsafe_code)]

use core::time::Duration;

use super::call;
use crate::{ProfilerInfo, Result};

impl ProfilerInfo {
    /// Asks the runtime to let go of the profiler (`ICorProfilerInfo3::RequestProfilerDetach`). Callbacks may go on
    /// until [`Profiler::profiler_detach_succeeded`](crate::Profiler::profiler_detach_succeeded); then the profiler is
    /// dropped and its library unloaded, so none of its threads may be running any more. `expected` is how long its
    /// code may still be on some stack: the runtime looks for the first time when that is over; for zero it
    /// takes 2.5 seconds. From a thread of the profiler's own: .NET Core 3.1 refuses to be asked in a callback. Of several
    /// profilers that ask at the same time, .NET 9 lets half go, and the others when somebody asks again.
    ///
    /// # Errors
    /// `CORPROF_E_IMMUTABLE_FLAGS_SET`, `CORPROF_E_IRREVERSIBLE_INSTRUMENTATION_PRESENT` or
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` for a profiler that cannot be detached: one with hooks, one that has
    /// changed IL, one that sets flags of [`EventMask::IMMUTABLE`](crate::EventMask::IMMUTABLE);
    /// `CORPROF_E_PROFILER_DETACHING` when it was asked before.
    #[doc(alias = "RequestProfilerDetach")]
    pub fn request_detach(&self, expected: Duration) -> Result<()> {
        let milliseconds = u32::try_from(expected.as_millis()).unwrap_or(u32::MAX);
        // SAFETY: no pointers are passed.
        unsafe { call!(self, ICorProfilerInfo3::RequestProfilerDetach(milliseconds)) }.map(drop)
    }
}
