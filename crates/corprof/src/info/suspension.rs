//! Stopping all managed threads.
#![allow(unsafe_code)]

use core::marker::PhantomData;

use super::call;
use crate::{ProfilerInfo, Result};

/// The runtime, suspended: no managed thread runs and no object moves until this is dropped.
///
/// Whatever waits for a managed thread meanwhile waits for ever: hold it shortly, take no lock that the program may
/// hold, and allocate little. It stays on its thread.
#[derive(Debug)]
#[must_use = "the runtime goes on when this is dropped"]
pub struct RuntimeSuspension<'i> {
    info: &'i ProfilerInfo,
    thread_bound: PhantomData<*mut ()>,
}

impl ProfilerInfo {
    /// Stops all managed threads (`ICorProfilerInfo10::SuspendRuntime`) until the guard is dropped
    /// (`ICorProfilerInfo10::ResumeRuntime`). From a thread of the profiler's own; not from a callback that the
    /// runtime makes while it is suspended or suspends.
    ///
    /// # Errors
    /// `CORPROF_E_SUSPENSION_IN_PROGRESS` while somebody else suspends it; what else the runtime reports.
    #[doc(alias = "SuspendRuntime")]
    #[doc(alias = "ResumeRuntime")]
    pub fn suspend_runtime(&self) -> Result<RuntimeSuspension<'_>> {
        // SAFETY: no pointers are passed.
        unsafe { call!(self, ICorProfilerInfo10::SuspendRuntime()) }?;
        Ok(RuntimeSuspension { info: self, thread_bound: PhantomData })
    }
}

impl Drop for RuntimeSuspension<'_> {
    fn drop(&mut self) {
        // SAFETY: this thread has suspended the runtime, and resumes it once.
        if let Err(error) = unsafe { call!(self.info, ICorProfilerInfo10::ResumeRuntime()) } {
            tracing::error!("the runtime stays suspended: {error}");
        }
    }
}
