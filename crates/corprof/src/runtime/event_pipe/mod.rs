//! EventPipe events: delivered ones, and those that the profiler writes. `nettrace` parses their metadata and payloads.

pub(crate) mod sessions;
mod value;

pub use value::EventValue;

use corprof_types::{EventPipeProviderId, Guid, ThreadId};

use crate::raw::info::Delivered;

/// An event of a session that the profiler has started.
///
/// `ICorProfilerCallback10::EventPipeEventDelivered`. Everything in it is borrowed from the callback.
#[derive(Clone, Copy, Debug)]
pub struct EventPipeEvent<'cb> {
    /// The provider; [`ProfilerInfo::event_pipe_provider_name`](crate::ProfilerInfo::event_pipe_provider_name) returns its name.
    pub provider: EventPipeProviderId,
    /// The event's number.
    pub id: u32,
    /// The version of the event's layout.
    pub version: u32,
    /// The metadata of the event, for [`EventPipeEvent::metadata`].
    pub metadata: &'cb [u8],
    /// The payload.
    pub data: &'cb [u8],
    /// The activity that the event belongs to.
    pub activity: Option<Guid>,
    /// The activity that caused this one.
    pub related_activity: Option<Guid>,
    /// The managed thread that has written the event; `None` for a native thread.
    pub thread: Option<ThreadId>,
    /// The addresses of the code on the stack, innermost first; empty for an event without a stack.
    pub stack: &'cb [usize],
    /// What the runtime has passed, whatever the public fields are changed to.
    pub(crate) delivered: Delivered<'cb>,
}

impl EventPipeEvent<'_> {
    /// Parses the metadata of the event: name, level, keywords and fields. [`nettrace::Metadata::decode`] decodes
    /// [`data`](Self::data) by them.
    ///
    /// # Errors
    /// The bytes end too early or are nested too deeply.
    pub fn metadata(&self) -> Result<nettrace::Metadata, nettrace::FieldError> {
        nettrace::Metadata::of_delivered_event(self.metadata)
    }
}
