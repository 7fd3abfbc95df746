//! The version of the runtime, and the calling thread.
#![forbid(unsafe_code)]

use corprof_types::{HResult, RuntimeInfo, ThreadId};

use crate::error::{Error, Result};
use crate::runtime::ProfilerInfo;

impl ProfilerInfo {
    /// Returns the kind and version of the runtime.
    ///
    /// `ICorProfilerInfo3::GetRuntimeInformation`. Called once; the result is cached.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetRuntimeInformation")]
    pub fn runtime_info(&self) -> Result<&RuntimeInfo> {
        if let Some(known) = self.shared.runtime.get() {
            return Ok(known);
        }
        let asked = self.raw().runtime_info()?;
        Ok(self.shared.runtime.get_or_init(|| asked))
    }

    /// Returns the runtime's major version, if it has reported one: 4 on .NET Core 3.1.
    #[inline]
    pub(crate) fn major_version(&self) -> Option<u16> {
        self.shared.runtime.get().map(|info| info.major)
    }

    /// Returns whether the runtime itself suspends methods that return tasks.
    pub(crate) fn suspends_methods(&self) -> bool {
        self.shared.suspends_methods
    }

    /// Returns the calling managed thread; `None` on a thread that is not managed.
    ///
    /// `ICorProfilerInfo::GetCurrentThreadID`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetCurrentThreadID")]
    pub fn current_thread(&self) -> Result<Option<ThreadId>> {
        match self.raw().current_thread() {
            Err(Error::Call { hresult: HResult::CORPROF_E_NOT_MANAGED_THREAD, .. }) => Ok(None),
            thread => thread.inspect(|thread| {
                thread.iter().for_each(|thread| self.raw().alive().reported((*thread).into()));
            }),
        }
    }

    /// Returns the operating system's id of a managed thread.
    ///
    /// `ICorProfilerInfo::GetThreadInfo`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetThreadInfo")]
    pub fn os_thread_id(&self, thread: ThreadId) -> Result<u32> {
        self.raw().os_thread_id(thread)
    }
}
