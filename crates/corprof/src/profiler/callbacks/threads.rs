//! Threads, transitions between managed and native code, suspension of the runtime.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;
use corprof_types::{FunctionId, ThreadId};
use widestring::U16Str;

use super::callbacks;
use crate::values::{SuspendReason, TransitionReason};

callbacks! {
    ThreadCreated(id: Option<ThreadId>) => |given| thread_created(id = given.created_thread(id)?);
    ThreadAssignedToOSThread(id: Option<ThreadId>, os_thread: u32)
        => |given| thread_assigned_to_os_thread(id = given.thread(id)?, os_thread);
    ThreadNameChanged(id: Option<ThreadId>, name: &[u16])
        => |given| thread_name_changed(id = given.thread(id)?, name = U16Str::from_slice(name));
    UnmanagedToManagedTransition(id: Option<FunctionId>, reason: sys::COR_PRF_TRANSITION_REASON)
        => |given| unmanaged_to_managed_transition(id = given.function(id), reason = TransitionReason(reason.0));
    ManagedToUnmanagedTransition(id: Option<FunctionId>, reason: sys::COR_PRF_TRANSITION_REASON)
        => |given| managed_to_unmanaged_transition(id = given.function(id), reason = TransitionReason(reason.0));
    RuntimeSuspendStarted(reason: sys::COR_PRF_SUSPEND_REASON)
        => |_| runtime_suspend_started(reason = SuspendReason(reason.0));
    RuntimeSuspendFinished() => |_| runtime_suspend_finished();
    RuntimeSuspendAborted() => |_| runtime_suspend_aborted();
    RuntimeResumeStarted() => |_| runtime_resume_started();
    RuntimeResumeFinished() => |_| runtime_resume_finished();
    RuntimeThreadSuspended(id: Option<ThreadId>) => |given| runtime_thread_suspended(id = given.thread(id)?);
    RuntimeThreadResumed(id: Option<ThreadId>) => |given| runtime_thread_resumed(id = given.thread(id)?);
}
