//! EventPipe: events of the sessions that the profiler has started.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use super::callbacks;
use crate::raw::info::in_callback_about;
use crate::runtime::event_pipe::EventPipeEvent;
use corprof_types::EventPipeProviderId;

// An event that a hook writes is delivered at once, inside of the hook.
callbacks! {
    without_collection;
    EventPipeEventDelivered(event: Option<EventPipeEvent<'_>>) => |p, _| {
        let event = event?;
        in_callback_about(event.provider, || p.event_pipe_event_delivered(&event));
    };
    EventPipeProviderCreated(id: Option<EventPipeProviderId>)
        => |p, _| {
            let id = id?;
            in_callback_about(id, || p.event_pipe_provider_created(id));
        };
}
