//! The events of a recording: calls and their values.

use std::sync::Arc;

use argvalues::{Primitive, RecordNames, RecordReader, Visitor};

use crate::bytes::Cursor;
use crate::definition::{Function, Thread};
use crate::error::ValuesError;

/// Something that has happened on a thread.
#[derive(Clone, Debug)]
pub struct Event<'r> {
    /// The thread.
    pub thread: Thread,
    /// When, in ticks; [`Timeline`](crate::Timeline) converts them.
    pub ticks: u64,
    /// The number of recorded calls that were open below this one: the same for the beginning and the end of a call.
    pub depth: u32,
    /// The kind of the event.
    pub kind: EventKind<'r>,
}

/// The kind of an event.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EventKind<'r> {
    /// A call has begun, with these arguments.
    Enter(&'r Arc<Function>, Values<'r>),
    /// The end of a call: the result, and the targets of `ref` and `out` parameters.
    Leave(&'r Arc<Function>, Values<'r>),
    /// A call has ended with a tail call.
    Tailcall(&'r Arc<Function>),
    /// A call has been left by an exception of this type.
    Unwind(&'r Arc<Function>, &'r str),
    /// A call has been suspended: it has left the thread.
    Suspend(&'r Arc<Function>),
    /// A call that was suspended goes on, often on another thread.
    Resume(&'r Arc<Function>),
    /// So many records of the thread are missing here.
    Lost(u64),
    /// The end of the thread, with the total number of its lost records.
    ThreadEnd(u64),
}

/// The values of a call's beginning or end, visited one after the other.
#[derive(Clone, Debug)]
pub struct Values<'r>(pub(crate) Source<'r>);

/// Values that are kept beyond their event: [`Reader::keep_values`](crate::Reader::keep_values).
#[derive(Clone, Debug, Default)]
pub struct KeptValues {
    pub(crate) kind: u32,
    pub(crate) function: u32,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) enum Source<'r> {
    Primitives(&'r [Primitive], &'r [u8]),
    Record { reader: RecordReader<'r>, all: &'r [u8], names: &'r RecordNames },
    Failed(&'r str),
}

impl<'r> Values<'r> {
    pub(crate) fn record(all: &'r [u8], names: &'r RecordNames) -> Self {
        Self(Source::Record { reader: RecordReader::new(all, names), all, names })
    }

    /// Why the values are not known, if they are not.
    #[must_use]
    pub const fn failure(&self) -> Option<&'r str> {
        match self.0 {
            Source::Failed(message) => Some(message),
            _ => None,
        }
    }

    /// Returns whether all values have been visited.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        match &self.0 {
            Source::Primitives(types, _) => types.is_empty(),
            Source::Record { reader, .. } => reader.is_at_end(),
            Source::Failed(_) => true,
        }
    }

    /// Visits the next value. Returns `false` if there is none.
    ///
    /// # Errors
    /// When the values are damaged.
    pub fn visit_next<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Result<bool, ValuesError> {
        match &mut self.0 {
            Source::Primitives(types, bytes) => {
                let Some((primitive, other_types)) = types.split_first() else { return Ok(false) };
                let (value, rest) = bytes.split_at_checked(primitive.size()).unwrap_or((bytes, &[]));
                let mut word = [0; 8];
                word.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
                primitive.visit_bits(u64::from_le_bytes(word), visitor);
                (*types, *bytes) = (other_types, rest);
                Ok(true)
            }
            Source::Record { reader, .. } if !reader.is_at_end() => {
                reader.value(visitor)?;
                Ok(true)
            }
            Source::Record { .. } | Source::Failed(_) => Ok(false),
        }
    }

    /// At the end of a call, behind the result: the number of the parameter whose value comes next.
    ///
    /// # Errors
    /// When the values are damaged.
    pub fn parameter(&mut self) -> Result<Option<usize>, ValuesError> {
        let Source::Record { reader, all, names } = &mut self.0 else { return Ok(None) };
        if reader.is_at_end() {
            return Ok(None);
        }
        let mut cursor = Cursor { bytes: all, at: reader.offset() };
        let number = cursor.small().map_err(|error| ValuesError { offset: error.at, what: error.what })?;
        let rest = all.get(cursor.at..).unwrap_or_default();
        *self = Self::record(rest, names);
        Ok(usize::try_from(number).ok())
    }
}
