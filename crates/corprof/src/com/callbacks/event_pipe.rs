//! EventPipe: events of the sessions that the profiler has started.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::{callbacks, deliver, list};
use crate::event_pipe::EventPipeEvent;
use crate::ids::{EventPipeProviderId, ThreadId};
use crate::{Guid, Profiler};

callbacks! {
    ICorProfilerCallback10: EventPipeEventDelivered(
        provider: sys::EVENTPIPE_PROVIDER, id: sys::DWORD, version: sys::DWORD,
        metadata_length: sys::ULONG, metadata: sys::LPCBYTE, data_length: sys::ULONG, data: sys::LPCBYTE,
        activity: sys::LPCGUID, related_activity: sys::LPCGUID, thread: sys::ThreadID,
        frames: sys::ULONG, stack: *mut sys::UINT_PTR
    ) => |p, _| p.event_pipe_event_delivered(&EventPipeEvent {
        provider: EventPipeProviderId::from_raw(provider)?,
        id,
        version,
        metadata: list(metadata, metadata_length),
        data: list(data, data_length),
        activity: activity.as_ref().copied().map(Guid),
        related_activity: related_activity.as_ref().copied().map(Guid),
        thread: ThreadId::from_raw(thread),
        stack: list(stack, frames),
    });
    ICorProfilerCallback10: EventPipeProviderCreated(id: sys::EVENTPIPE_PROVIDER)
        => |p, _| p.event_pipe_provider_created(EventPipeProviderId::from_raw(id)?);
}
