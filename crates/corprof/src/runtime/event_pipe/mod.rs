//! EventPipe: events that are delivered, and those that the profiler writes. Their payloads are bytes whose layout
//! the event's metadata describes; both are read here with checked lengths.

mod metadata;
mod payload;
pub(crate) mod sessions;

pub use metadata::{EventField, EventMetadata, EventType};
pub(crate) use payload::Writer;
pub use payload::{EventError, EventValue};

use corprof_types::Guid;
use corprof_types::{EventPipeProviderId, ThreadId};

/// An event of a session that the profiler has started
/// (`ICorProfilerCallback10::EventPipeEventDelivered`). Everything in it is lent for the callback.
#[derive(Clone, Copy, Debug)]
pub struct EventPipeEvent<'cb> {
    /// Who has written it; [`ProfilerInfo::event_pipe_provider_name`](crate::ProfilerInfo::event_pipe_provider_name) knows the name.
    pub provider: EventPipeProviderId,
    /// The event's number.
    pub id: u32,
    /// The version of the event's layout.
    pub version: u32,
    /// The description of the event, for [`EventPipeEvent::metadata`].
    pub metadata: &'cb [u8],
    /// The payload.
    pub data: &'cb [u8],
    /// The activity that the event belongs to.
    pub activity: Option<Guid>,
    /// The activity that caused this one.
    pub related_activity: Option<Guid>,
    /// The managed thread that has written it; `None` for one that is not managed.
    pub thread: Option<ThreadId>,
    /// The addresses of the code on the stack, innermost first; empty for an event without a stack.
    pub stack: &'cb [usize],
}

impl EventPipeEvent<'_> {
    /// The description of the event: its name, level, keywords and fields.
    ///
    /// # Errors
    /// Where the bytes end too early or are nested too deeply.
    pub fn metadata(&self) -> Result<EventMetadata, EventError> {
        EventMetadata::parse(self.metadata)
    }

    /// The fields with their values, in order.
    ///
    /// # Errors
    /// Where description or payload end too early, or have a type of which the layout is not known.
    pub fn fields(&self) -> Result<Vec<(String, EventValue)>, EventError> {
        let fields = self.metadata()?.fields;
        payload::read(&fields, self.data)
    }
}
