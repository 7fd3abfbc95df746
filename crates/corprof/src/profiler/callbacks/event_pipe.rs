//! EventPipe: events of the sessions that the profiler has started.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use super::{CallbackObject, deliver};
use crate::event_mask::Callback;
use crate::profiler::Profiler;
use crate::raw::info::{Delivering, in_callback_about};
use crate::runtime::event_pipe::EventPipeEvent;
use corprof_in_process::LastError;
use corprof_types::{EventPipeProviderId, HResult};

/// An event is delivered to the parts whose sessions enable it.
pub(super) fn EventPipeEventDelivered(object: &CallbackObject, event: Option<EventPipeEvent<'_>>) -> HResult {
    let callback = Callback::EventPipeEventDelivered;
    let Some(parts) = object.parts().filter(|parts| !parts.have_ended()) else { return HResult::S_OK };
    let _kept = LastError::keep();
    let Some(event) = event else { return super::each(parts, callback, None::<fn(&dyn Profiler)>) };
    in_callback_about(event.provider, || {
        let mut receivers = None;
        parts.note(callback.name(), || receivers = parts.info.receivers(&event));
        let _delivering = Delivering::begin();
        parts.each(callback, |part, profiler| {
            if receivers.is_none_or(|receivers| receivers & part.bit() != 0) {
                profiler.event_pipe_event_delivered(&event);
            }
        })
    })
}

pub(super) fn EventPipeProviderCreated(object: &CallbackObject, id: Option<EventPipeProviderId>) -> HResult {
    deliver(object, Callback::EventPipeProviderCreated, |_| {
        let id = id?;
        Some(move |p: &dyn Profiler| in_callback_about(id, || p.event_pipe_provider_created(id)))
    })
}
