//! Managed threads and application domains.
#![forbid(unsafe_code)]

use core::cell::Cell;

use corprof_types::{AppDomainId, HResult, ModuleId, ThreadId};

use crate::error::{Error, Result};
use crate::raw::info::all_of;
use crate::runtime::ProfilerInfo;

thread_local! {
    /// Whether this thread is in `RuntimeSuspendFinished`.
    static IN_SUSPEND_FINISHED: Cell<bool> = const { Cell::new(false) };
}

/// Runs that callback of the profiler's.
pub(crate) fn in_suspend_finished(callback: impl FnOnce()) {
    /// A panic ends the callback too.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            IN_SUSPEND_FINISHED.set(false);
        }
    }
    IN_SUSPEND_FINISHED.set(true);
    let _end = End;
    callback();
}

/// The name and the process of an application domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppDomainInfo {
    /// Its name: usually that of the program.
    pub name: String,
    /// The process that it is in.
    pub process_id: usize,
}

impl ProfilerInfo {
    /// Returns the managed threads.
    ///
    /// `ICorProfilerInfo4::EnumThreads`, `ICorProfilerThreadEnum::Next`.
    ///
    /// # Errors
    /// `CORPROF_E_SUSPENSION_IN_PROGRESS`: the runtime is suspending threads. Try again later. On .NET 9 this crate
    /// returns the same code in `runtime_suspend_finished`, where the call would block the program for ever
    /// ([dotnet/runtime#110062](https://github.com/dotnet/runtime/issues/110062)); in `garbage_collection_started` and
    /// `runtime_resume_started` the call succeeds. `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: called in a hook, or in a callback
    /// with an object. Any other failure of the call.
    #[doc(alias = "EnumThreads")]
    #[doc(alias = "Next")]
    pub fn threads(&self) -> Result<Vec<ThreadId>> {
        const CALL: &str = "ICorProfilerInfo4::EnumThreads";
        if IN_SUSPEND_FINISHED.get() && self.runtime_info()?.major == 9 {
            return Err(Error::Call { call: CALL, hresult: HResult::CORPROF_E_SUSPENSION_IN_PROGRESS });
        }
        all_of(CALL, self.raw().threads()?)
    }

    /// Returns whether the running thread is the profiler's own, so that calls which suspend the runtime cannot deadlock: it is in
    /// no callback and no hook, and runs no managed code.
    ///
    /// `ICorProfilerInfo::GetCurrentThreadID`, at the first call on a thread: some calls make a thread managed, such as requests
    /// for ReJIT.
    #[must_use]
    pub fn is_on_own_thread(&self) -> bool {
        self.raw().is_on_own_thread()
    }

    /// Initialises a thread of the profiler's own for calls that may block.
    ///
    /// `ICorProfilerInfo4::InitializeCurrentThread`. Should be the first call on the thread: without it, a call that
    /// blocks may deadlock when the runtime first allocates its data of the thread.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "InitializeCurrentThread")]
    pub fn initialize_current_thread(&self) -> Result<()> {
        self.raw().initialize_current_thread()
    }

    /// Returns the operating system handle of a managed thread.
    ///
    /// `ICorProfilerInfo::GetHandleFromThread`. On Windows a `HANDLE` that the runtime owns; elsewhere a number that
    /// has no use outside of the runtime.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetHandleFromThread")]
    pub fn thread_handle(&self, thread: ThreadId) -> Result<usize> {
        Ok(self.raw().thread_handle(thread)?.0)
    }

    /// Returns the application domain of a thread.
    ///
    /// `ICorProfilerInfo2::GetThreadAppDomain`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetThreadAppDomain")]
    #[doc(alias = "GetThreadContext")]
    pub fn thread_app_domain(&self, thread: ThreadId) -> Result<AppDomainId> {
        let call = "ICorProfilerInfo2::GetThreadAppDomain";
        self.raw().thread_app_domain(thread)?.ok_or(Error::Null { call, what: "application domain" })
    }

    /// Returns the name and the process of an application domain.
    ///
    /// `ICorProfilerInfo::GetAppDomainInfo`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetAppDomainInfo")]
    pub fn app_domain_info(&self, app_domain: AppDomainId) -> Result<AppDomainInfo> {
        let (name, process_id) = self.raw().app_domain_info(app_domain)?;
        Ok(AppDomainInfo { name, process_id })
    }

    /// Returns the application domains in which a module is loaded.
    ///
    /// `ICorProfilerInfo3::GetAppDomainsContainingModule`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetAppDomainsContainingModule")]
    pub fn app_domains_containing_module(&self, module: ModuleId) -> Result<Vec<AppDomainId>> {
        self.raw().app_domains_containing_module(module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_ends_with_the_callback() {
        in_suspend_finished(|| assert!(IN_SUSPEND_FINISHED.get()));
        assert!(!IN_SUSPEND_FINISHED.get());
        let panicked = std::panic::catch_unwind(|| in_suspend_finished(|| panic!("a profiler's")));
        assert!(panicked.is_err() && !IN_SUSPEND_FINISHED.get());
    }
}
