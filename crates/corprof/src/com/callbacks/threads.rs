//! Threads, transitions between managed and native code, suspension of the runtime.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::{callbacks, deliver, list};
use crate::Profiler;
use crate::ids::ThreadId;
use crate::info::in_suspend_finished;
use crate::values::{SuspendReason, TransitionReason};

callbacks! {
    ICorProfilerCallback: ThreadCreated(id: sys::ThreadID)
        => |p, _| p.thread_created(ThreadId::from_raw(id)?);
    ICorProfilerCallback: ThreadDestroyed(id: sys::ThreadID)
        => |p, _| p.thread_destroyed(ThreadId::from_raw(id)?);
    ICorProfilerCallback: ThreadAssignedToOSThread(id: sys::ThreadID, os_thread: sys::DWORD)
        => |p, _| p.thread_assigned_to_os_thread(ThreadId::from_raw(id)?, os_thread);
    ICorProfilerCallback: UnmanagedToManagedTransition(id: sys::FunctionID, reason: sys::COR_PRF_TRANSITION_REASON)
        => |p, given| p.unmanaged_to_managed_transition(given.function(id), TransitionReason(reason.0));
    ICorProfilerCallback: ManagedToUnmanagedTransition(id: sys::FunctionID, reason: sys::COR_PRF_TRANSITION_REASON)
        => |p, given| p.managed_to_unmanaged_transition(given.function(id), TransitionReason(reason.0));
    ICorProfilerCallback: RuntimeSuspendStarted(reason: sys::COR_PRF_SUSPEND_REASON)
        => |p, _| p.runtime_suspend_started(SuspendReason(reason.0));
    ICorProfilerCallback: RuntimeSuspendFinished()
        => |p, _| in_suspend_finished(|| p.runtime_suspend_finished());
    ICorProfilerCallback: RuntimeSuspendAborted() => |p, _| p.runtime_suspend_aborted();
    ICorProfilerCallback: RuntimeResumeStarted() => |p, _| p.runtime_resume_started();
    ICorProfilerCallback: RuntimeResumeFinished() => |p, _| p.runtime_resume_finished();
    ICorProfilerCallback: RuntimeThreadSuspended(id: sys::ThreadID)
        => |p, _| p.runtime_thread_suspended(ThreadId::from_raw(id)?);
    ICorProfilerCallback: RuntimeThreadResumed(id: sys::ThreadID)
        => |p, _| p.runtime_thread_resumed(ThreadId::from_raw(id)?);
    ICorProfilerCallback2: ThreadNameChanged(id: sys::ThreadID, length: sys::ULONG, name: *mut sys::WCHAR)
        => |p, _| p.thread_name_changed(ThreadId::from_raw(id)?, widestring::U16Str::from_slice(list(name, length)));
}
