//! An event of a trace.

use core::fmt;

use crate::runtime_events::{DecodeError, RundownEvent, RuntimeEvent};

use crate::error::FieldError;
use crate::fields::Value;
use crate::labels::Labels;
use crate::metadata::{Known, Metadata};

/// A stack: the addresses of the code, innermost first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Stack<'r> {
    pub(crate) bytes: &'r [u8],
    pub(crate) pointer_size: usize,
}

impl<'r> Stack<'r> {
    /// Returns the addresses, innermost first.
    pub fn addresses(self) -> impl ExactSizeIterator<Item = u64> + use<'r> {
        self.bytes.chunks_exact(self.pointer_size).map(|address| {
            let mut bytes = [0; 8];
            bytes.iter_mut().zip(address).for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(bytes)
        })
    }

    /// Returns whether there is no address.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.len() < self.pointer_size
    }
}

impl fmt::Debug for Stack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.addresses()).finish()
    }
}

/// An event. Its parts are borrowed from the reader.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Event<'r> {
    /// The metadata of the event: its provider, number and fields.
    pub metadata: &'r Metadata,
    /// The time in ticks; [`Trace::elapsed`](crate::Trace::elapsed) converts it.
    pub time: u64,
    /// The thread that the event is about, by its number in the operating system.
    pub thread: u64,
    /// The process of that thread; 0 if the trace is of one process.
    pub process: u64,
    /// The name of that thread, since version 6.
    pub thread_name: Option<&'r str>,
    /// The thread that has written the event.
    pub capture_thread: u64,
    /// The processor.
    pub processor: u32,
    /// The number that the thread has given to the event.
    pub sequence: u32,
    /// Whether no later event of the trace has an earlier time.
    pub is_sorted: bool,
    /// The activity, in the order of the text.
    pub activity: Option<[u8; 16]>,
    /// The activity that has caused this one.
    pub related_activity: Option<[u8; 16]>,
    /// The labels, since version 6; `None` for an event without any.
    pub labels: Option<&'r Labels>,
    /// The stack; `None` for an event without one.
    pub stack: Option<Stack<'r>>,
    /// The fields, not decoded.
    pub payload: &'r [u8],
    pub(crate) pointer_size: usize,
}

impl<'r> Event<'r> {
    /// Returns the opcode: that of the labels, or else of the metadata.
    #[must_use]
    pub fn opcode(&self) -> u8 {
        self.labels.and_then(|labels| labels.opcode).unwrap_or(self.metadata.opcode)
    }

    /// Returns the keywords: those of the labels, or else of the metadata.
    #[must_use]
    pub fn keywords(&self) -> u64 {
        self.labels.and_then(|labels| labels.keywords).unwrap_or(self.metadata.keywords)
    }

    /// Returns the level: that of the labels, or else of the metadata.
    #[must_use]
    pub fn level(&self) -> u32 {
        self.labels.and_then(|labels| labels.level).map_or(self.metadata.level, u32::from)
    }

    /// Returns the version of the event's layout: that of the labels, or else of the metadata.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.labels.and_then(|labels| labels.version).map_or(self.metadata.version, u32::from)
    }

    /// Decodes the fields of an event of the runtime's own provider. `None` for events of other providers, and for those that
    /// [`runtime_events`](crate::runtime_events) does not know.
    ///
    /// # Errors
    /// [`DecodeError`]: the payload is too short for the version.
    pub fn runtime_event(&self) -> Result<Option<RuntimeEvent<'r>>, DecodeError> {
        let Metadata { known, event_id, .. } = self.metadata;
        match known {
            Known::Runtime => {
                RuntimeEvent::decode(*event_id, self.version(), self.payload, self.pointer_size)
            }
            _ => Ok(None),
        }
    }

    /// Decodes the fields of a rundown event. `None` for events of other providers.
    ///
    /// # Errors
    /// [`DecodeError`]: the payload is too short for the version.
    pub fn rundown_event(&self) -> Result<Option<RundownEvent<'r>>, DecodeError> {
        let Metadata { known, event_id, .. } = self.metadata;
        match known {
            Known::Rundown => {
                RundownEvent::decode(*event_id, self.version(), self.payload, self.pointer_size)
            }
            _ => Ok(None),
        }
    }

    /// Decodes the fields by their metadata, in order. Events of the runtime itself have no fields there.
    ///
    /// # Errors
    /// [`FieldError`]: the payload ends too early, or a field has a type of unknown layout.
    pub fn fields(&self) -> Result<Vec<(&'r str, Value<'r>)>, FieldError> {
        self.metadata.decode(self.payload)
    }
}
