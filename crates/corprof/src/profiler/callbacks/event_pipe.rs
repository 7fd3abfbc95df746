//! EventPipe: events of the sessions that the profiler has started.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use super::{CallbackObject, deliver};
use crate::event_mask::Callback;
use crate::profiler::Profiler;
use crate::raw::info::in_callback_about;
use crate::runtime::event_pipe::EventPipeEvent;
use corprof_types::{EventPipeProviderId, HResult};

pub(super) fn EventPipeEventDelivered(object: &CallbackObject, event: Option<EventPipeEvent<'_>>) -> HResult {
    deliver(object, Callback::EventPipeEventDelivered, |_| {
        let event = event?;
        Some(move |p: &dyn Profiler| {
            in_callback_about(event.provider, || p.event_pipe_event_delivered(&event));
        })
    })
}

pub(super) fn EventPipeProviderCreated(object: &CallbackObject, id: Option<EventPipeProviderId>) -> HResult {
    deliver(object, Callback::EventPipeProviderCreated, |_| {
        let id = id?;
        Some(move |p: &dyn Profiler| in_callback_about(id, || p.event_pipe_provider_created(id)))
    })
}
