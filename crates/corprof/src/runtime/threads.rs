//! Managed threads and application domains.
#![forbid(unsafe_code)]

use corprof_types::{AppDomainId, ModuleId, ThreadId};

use crate::error::{Error, Result};
use crate::raw::info::all_of;
use crate::runtime::ProfilerInfo;

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
    /// `ICorProfilerInfo4::EnumThreads`, `ICorProfilerThreadEnum::Next`. May be called during a collection and while the thread has
    /// suspended the runtime.
    ///
    /// # Errors
    /// `CORPROF_E_SUSPENSION_IN_PROGRESS`: the runtime is suspending threads. Try again later.
    /// [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, or in a callback with an object; on .NET 9 also in
    /// `runtime_suspend_finished`, where the call would block the program for ever
    /// ([dotnet/runtime#110062](https://github.com/dotnet/runtime/issues/110062)). Any other failure of the call.
    #[doc(alias = "EnumThreads")]
    #[doc(alias = "Next")]
    pub fn threads(&self) -> Result<Vec<ThreadId>> {
        const CALL: &str = "ICorProfilerInfo4::EnumThreads";
        let threads = all_of(CALL, self.raw().threads()?)?;
        // The list may contain some that have ended, which stay refused.
        threads.iter().for_each(|thread| self.raw().alive().reported((*thread).into()));
        Ok(threads)
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
