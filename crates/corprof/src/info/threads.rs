//! Threads, and the application domains that they run in.
#![allow(unsafe_code)]

use core::cell::Cell;
use core::ptr::null_mut;

use super::{Enumerator, call, fill, fill_wide, room_of};
use crate::ids::{AppDomainId, ModuleId, ThreadId};
use crate::{Error, HResult, ProfilerInfo, Result};

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

/// What an application domain is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppDomainInfo {
    /// Its name: usually that of the program.
    pub name: String,
    /// The process that it is in.
    pub process_id: usize,
}

impl ProfilerInfo {
    /// The managed threads that there are now (`ICorProfilerInfo4::EnumThreads`). What an attached profiler has
    /// missed.
    ///
    /// # Errors
    /// `CORPROF_E_SUSPENSION_IN_PROGRESS` while the runtime suspends threads: ask again later. On .NET 9 this library gives
    /// the same error in `runtime_suspend_finished`, where asking would stop the program for ever
    /// ([dotnet/runtime#110062](https://github.com/dotnet/runtime/issues/110062)); in `garbage_collection_started` and
    /// `runtime_resume_started` all threads stand still as well, and the runtime answers.
    #[doc(alias = "EnumThreads")]
    pub fn threads(&self) -> Result<Enumerator<ThreadId>> {
        const CALL: &str = "ICorProfilerInfo4::EnumThreads";
        if IN_SUSPEND_FINISHED.get() && self.runtime_info()?.major == 9 {
            return Err(Error::Call { call: CALL, hresult: HResult::CORPROF_E_SUSPENSION_IN_PROGRESS });
        }
        let mut out = null_mut();
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo4::EnumThreads(&raw mut out)) }?;
        // SAFETY: the runtime has given the enumerator, with a reference.
        unsafe { Enumerator::<ThreadId>::from_raw(CALL, out) }
    }

    /// Prepares a thread of the profiler's own for calls of the runtime that may have to wait
    /// (`ICorProfilerInfo4::InitializeCurrentThread`). Best called first thing on the thread; without it, such a call
    /// may deadlock at its first use of the thread's memory.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "InitializeCurrentThread")]
    pub fn initialize_current_thread(&self) -> Result<()> {
        // SAFETY: no pointers are passed.
        unsafe { call!(self, ICorProfilerInfo4::InitializeCurrentThread()) }.map(drop)
    }

    /// The operating system's handle of a managed thread (`ICorProfilerInfo::GetHandleFromThread`), as a number: a
    /// `HANDLE` on Windows, which the runtime owns, and elsewhere nothing that is of use outside of the runtime.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetHandleFromThread")]
    pub fn thread_handle(&self, thread: ThreadId) -> Result<usize> {
        let mut handle = null_mut();
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo::GetHandleFromThread(thread.as_raw(), &raw mut handle)) }?;
        Ok(handle.addr())
    }

    /// The application domain that a thread runs in (`ICorProfilerInfo2::GetThreadAppDomain`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetThreadAppDomain")]
    #[doc(alias = "GetThreadContext")]
    pub fn thread_app_domain(&self, thread: ThreadId) -> Result<AppDomainId> {
        const CALL: &str = "ICorProfilerInfo2::GetThreadAppDomain";
        let mut domain = 0;
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo2::GetThreadAppDomain(thread.as_raw(), &raw mut domain)) }?;
        AppDomainId::from_raw(domain).ok_or(Error::Null { call: CALL, what: "application domain" })
    }

    /// What an application domain is (`ICorProfilerInfo::GetAppDomainInfo`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetAppDomainInfo")]
    pub fn app_domain_info(&self, app_domain: AppDomainId) -> Result<AppDomainInfo> {
        let mut process_id = 0;
        let name = fill_wide("ICorProfilerInfo::GetAppDomainInfo", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo::GetAppDomainInfo(
                        app_domain.as_raw(),
                        room_of(room),
                        &raw mut needed,
                        room.as_mut_ptr(),
                        &raw mut process_id,
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(AppDomainInfo { name, process_id })
    }

    /// The application domains that a module is loaded in (`ICorProfilerInfo3::GetAppDomainsContainingModule`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetAppDomainsContainingModule")]
    pub fn app_domains_containing_module(&self, module: ModuleId) -> Result<Vec<AppDomainId>> {
        let domains = fill("ICorProfilerInfo3::GetAppDomainsContainingModule", |room: &mut [usize]| {
            let mut count = 0;
            // SAFETY: a local, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo3::GetAppDomainsContainingModule(
                        module.as_raw(),
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(domains.iter().filter_map(|domain| AppDomainId::from_raw(*domain)).collect())
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
