//! Suspending the runtime: all managed threads, with their stacks and thread statics.
#![forbid(unsafe_code)]

use corprof_types::{AppDomainId, ClassId, ObjectId, ThreadId};
use sigparse::FieldDef;

use super::stack::{StackFrame, StackWalk, Walked, walked};
use crate::error::Result;
use crate::raw::evidence::NoCollection;
use crate::raw::info::Suspended;
use crate::runtime::ProfilerInfo;
use crate::runtime::visitor::VisitorResult;

/// The runtime, suspended: no managed thread runs and no object moves until this is dropped.
///
/// A wait for a managed thread meanwhile never ends: hold the guard shortly, take no lock that the program may hold, and
/// allocate little. The guard is not `Send`: the thread that suspends the runtime resumes it. Until then, calls on this
/// thread that would wait for the end of the suspension are refused ([`Error::Misplaced`](crate::Error::Misplaced)).
///
/// ```
/// use corprof::{ProfilerInfo, Result, StackWalk, ThreadId};
///
/// /// Returns the number of frames of each managed thread.
/// fn depths(info: &ProfilerInfo) -> Result<Vec<(ThreadId, usize)>> {
///     let suspension = info.suspend_runtime()?;
///     let mut depths = Vec::new();
///     for thread in suspension.threads()? {
///         let mut depth = 0;
///         suspension.walk_stack(thread, StackWalk::default(), |_| depth += 1)?;
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
    /// Suspends all managed threads until the guard is dropped.
    ///
    /// `ICorProfilerInfo10::SuspendRuntime`, `ICorProfilerInfo10::ResumeRuntime`. Call it on a thread of the profiler's own: a
    /// callback may come with a lock of the runtime, which the threads to suspend wait for. A thread has one suspension at a
    /// time: of two, the runtime would resume none.
    ///
    /// # Errors
    /// `CORPROF_E_SUSPENSION_IN_PROGRESS`: another thread suspends the runtime, a collection for instance. Try again later.
    /// [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, in a callback except those about the profiler's
    /// own start and end, or on a thread that has suspended the runtime. Any other failure of the call.
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

    /// Walks the stack of a thread, as [`ProfilerInfo::walk_stack`] does for the calling thread.
    ///
    /// Needs [`ENABLE_STACK_SNAPSHOT`](crate::EventMask::ENABLE_STACK_SNAPSHOT). `ICorProfilerInfo2::DoStackSnapshot`.
    ///
    /// # Errors
    /// [`Error::Unloaded`](crate::Error::Unloaded): the thread has been destroyed. Others as for
    /// [`ProfilerInfo::walk_stack`].
    ///
    /// # Panics
    /// When `visit` does: the walk is ended first.
    pub fn walk_stack<R: VisitorResult>(
        &self,
        thread: ThreadId,
        how: StackWalk<'_>,
        visit: impl FnMut(StackFrame<'_>) -> R,
    ) -> Result<Walked<R::Break>> {
        walked(visit, |look| self.raw.walk_stack(thread, (how.registers, how.seed), look))
    }

    /// Visits every object on the heap.
    ///
    /// `ICorProfilerInfo15::EnumerateGCHeapObjects`. `visit` may not wait for a managed thread. A visitor that returns `()`
    /// visits every object; one that returns [`ControlFlow`](core::ops::ControlFlow) can break. An id is borrowed from its
    /// visit, since the object may move after the suspension.
    ///
    /// # Errors
    /// Any failure of the call.
    ///
    /// # Panics
    /// When `visit` does: the enumeration is ended first.
    #[doc(alias = "EnumerateGCHeapObjects")]
    pub fn visit_heap_objects<R: VisitorResult>(
        &self,
        mut visit: impl FnMut(ObjectId<'_>) -> R,
    ) -> Result<R::Outcome> {
        self.info.raw().visit_heap_objects(|object| visit(object).into_control_flow()).map(R::outcome)
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
