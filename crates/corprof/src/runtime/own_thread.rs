//! Threads of the profiler's own, and what only they may do.
#![forbid(unsafe_code)]

use core::marker::PhantomData;

use crate::error::Result;
use crate::runtime::ProfilerInfo;

/// Evidence that the running thread is the profiler's own: it is in no callback, hook or visitor, runs no managed code, and has
/// not suspended the runtime.
///
/// What takes it waits for threads of the program, which may wait for a thread that runs their code. Callbacks and hooks cannot
/// make one, and it is not `Send`.
///
/// ```
/// use corprof::{ProfilerInfo, Result};
///
/// fn collect_later(info: &ProfilerInfo) {
///     let info = info.clone();
///     std::thread::spawn(move || -> Result<()> { info.own_thread()?.force_gc() });
/// }
/// ```
#[derive(Debug)]
pub struct OwnThread<'i> {
    info: &'i ProfilerInfo,
    thread_bound: PhantomData<*mut ()>,
}

impl ProfilerInfo {
    /// Returns the evidence that the running thread is the profiler's own.
    ///
    /// `ICorProfilerInfo::GetCurrentThreadID`, until a thread is known to be: some calls make a thread managed, such as requests
    /// for ReJIT. A thread that the program makes managed later is not the profiler's own any more.
    ///
    /// # Errors
    /// [`Error::Misplaced`](crate::Error::Misplaced): it is not, and where it is instead.
    pub fn own_thread(&self) -> Result<OwnThread<'_>> {
        self.raw().require_own_thread("ProfilerInfo::own_thread")?;
        Ok(OwnThread { info: self, thread_bound: PhantomData })
    }
}

impl OwnThread<'_> {
    /// Collects all generations, and returns when the collection has finished.
    ///
    /// `ICorProfilerInfo::ForceGC`. The thread must never have run managed code.
    ///
    /// # Errors
    /// [`Error::Misplaced`](crate::Error::Misplaced): the thread has suspended the runtime meanwhile.
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: the runtime knows the thread. Any other failure of the call.
    #[doc(alias = "ForceGC")]
    pub fn force_gc(&self) -> Result<()> {
        self.info.raw().force_gc()
    }
}
