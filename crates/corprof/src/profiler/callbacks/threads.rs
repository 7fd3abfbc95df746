//! Threads, transitions between managed and native code, suspension of the runtime.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::callbacks;
use crate::event_mask::EventMask;
use crate::runtime::in_suspend_finished;
use crate::values::{SuspendReason, TransitionReason};
use corprof_types::{FunctionId, ThreadId};

callbacks! {
    ThreadCreated(id: Option<ThreadId>)
        => |p, given| {
            let id = given.created_thread(id)?;
            given.if_wanted(EventMask::THREADS, || p.thread_created(id));
        };
    ThreadAssignedToOSThread(id: Option<ThreadId>, os_thread: u32)
        => |p, given| {
            let id = id?;
            given.if_wanted(EventMask::THREADS, || p.thread_assigned_to_os_thread(id, os_thread));
        };
    UnmanagedToManagedTransition(id: Option<FunctionId>, reason: sys::COR_PRF_TRANSITION_REASON)
        => |p, given| p.unmanaged_to_managed_transition(given.function(id), TransitionReason(reason.0));
    ManagedToUnmanagedTransition(id: Option<FunctionId>, reason: sys::COR_PRF_TRANSITION_REASON)
        => |p, given| p.managed_to_unmanaged_transition(given.function(id), TransitionReason(reason.0));
    RuntimeSuspendStarted(reason: sys::COR_PRF_SUSPEND_REASON)
        => |p, _| p.runtime_suspend_started(SuspendReason(reason.0));
    RuntimeSuspendFinished()
        => |p, _| in_suspend_finished(|| p.runtime_suspend_finished());
    RuntimeSuspendAborted() => |p, _| p.runtime_suspend_aborted();
    RuntimeResumeStarted() => |p, _| p.runtime_resume_started();
    RuntimeResumeFinished() => |p, _| p.runtime_resume_finished();
    RuntimeThreadSuspended(id: Option<ThreadId>)
        => |p, _| p.runtime_thread_suspended(id?);
    RuntimeThreadResumed(id: Option<ThreadId>)
        => |p, _| p.runtime_thread_resumed(id?);
    ThreadNameChanged(id: Option<ThreadId>, name: &[u16])
        => |p, given| {
            let (id, name) = (id?, widestring::U16Str::from_slice(name));
            given.if_wanted(EventMask::THREADS, || p.thread_name_changed(id, name));
        };
}
