//! Stopping all managed threads, and looking at them meanwhile.
#![forbid(unsafe_code)]

use core::ops::ControlFlow;

use corprof_types::{AppDomainId, ClassId, ThreadId};
use sigparse::FieldDef;

use super::stack::{StackFrame, StackWalk, Walked, walked};
use crate::error::Result;
use crate::raw::evidence::NoCollection;
use crate::raw::info::Suspended;
use crate::runtime::ProfilerInfo;

/// The runtime, suspended: no managed thread runs and no object moves until this is dropped.
///
/// Whatever waits for a managed thread meanwhile waits for ever: hold it shortly, take no lock that the program may
/// hold, and allocate little. It stays on its thread.
///
/// ```
/// use core::ops::ControlFlow;
/// use corprof::{ProfilerInfo, Result, StackWalk, ThreadId};
///
/// /// How many frames each managed thread has.
/// fn depths(info: &ProfilerInfo) -> Result<Vec<(ThreadId, usize)>> {
///     let suspension = info.suspend_runtime()?;
///     let mut depths = Vec::new();
///     for thread in suspension.threads()? {
///         let mut depth = 0;
///         let _ = suspension.walk_stack::<()>(thread, StackWalk::default(), |_| {
///             depth += 1;
///             ControlFlow::Continue(())
///         })?;
///         depths.push((thread, depth));
///     }
///     Ok(depths)
/// }
/// ```
#[derive(Debug)]
#[must_use = "the runtime continues when this is dropped"]
pub struct RuntimeSuspension<'i> {
    info: &'i ProfilerInfo,
    raw: Suspended<'i>,
}

impl<'s> From<&'s RuntimeSuspension<'_>> for NoCollection<'s> {
    fn from(suspension: &'s RuntimeSuspension<'_>) -> Self {
        Self::from(&suspension.raw)
    }
}

impl ProfilerInfo {
    /// Stops all managed threads until the guard is dropped (`ICorProfilerInfo10::SuspendRuntime`,
    /// `ICorProfilerInfo10::ResumeRuntime`).
    ///
    /// From a thread of the profiler's own; not from a callback that the runtime makes while it is suspended or suspends.
    ///
    /// # Errors
    /// `CORPROF_E_SUSPENSION_IN_PROGRESS`: another thread suspends it, a collection for instance. Try again later.
    /// Any other failure of the call.
    #[doc(alias = "SuspendRuntime")]
    #[doc(alias = "ResumeRuntime")]
    pub fn suspend_runtime(&self) -> Result<RuntimeSuspension<'_>> {
        Ok(RuntimeSuspension { info: self, raw: self.raw().suspend()? })
    }
}

impl RuntimeSuspension<'_> {
    /// Returns the managed threads (`ICorProfilerInfo4::EnumThreads`). None is freed as long as the suspension lasts.
    ///
    /// # Errors
    /// Any failure of the call.
    pub fn threads(&self) -> Result<Vec<ThreadId>> {
        self.info.threads()
    }

    /// Walks the stack of a thread (`ICorProfilerInfo2::DoStackSnapshot`), as
    /// [`ProfilerInfo::walk_stack`] does for the calling thread.
    ///
    /// # Errors
    /// [`Error::Unloaded`](crate::Error::Unloaded): the thread has been destroyed. Others as for
    /// [`ProfilerInfo::walk_stack`].
    ///
    /// # Panics
    /// When `visit` does: the walk is ended first.
    pub fn walk_stack<B>(
        &self,
        thread: ThreadId,
        how: StackWalk<'_>,
        visit: impl FnMut(StackFrame<'_>) -> ControlFlow<B>,
    ) -> Result<Walked<B>> {
        walked(visit, |look| self.raw.walk_stack(thread, (how.registers, how.seed), look))
    }

    /// Returns the address of a thread's own static field (`ICorProfilerInfo3::GetThreadStaticAddress2`), as
    /// [`ProfilerInfo::thread_static_address`] does for the calling thread.
    ///
    /// # Errors
    /// [`Error::Unloaded`](crate::Error::Unloaded): the thread has been destroyed. Others as for
    /// [`ProfilerInfo::thread_static_address`].
    pub fn thread_static_address(
        &self,
        class: ClassId,
        field: FieldDef,
        app_domain: AppDomainId,
        thread: ThreadId,
    ) -> Result<usize> {
        Ok(self.info.raw().thread_static_address(class, field, app_domain, thread)?.0)
    }
}
