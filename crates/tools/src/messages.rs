//! The messages of exceptions.

use std::time::Duration;

use argvalues::{Checked, Decoder, Limits, Scratch, Value, ValueBuilder};
use corprof::{Error, EventMask, Names, ObjectId, Result};
use corprof_calls::ClrRuntime;

use crate::limits::MESSAGE;

/// Reads the messages of exceptions.
///
/// The message is read from memory: no code of the program runs, so an overridden `Message` is not called.
pub struct Messages {
    runtime: ClrRuntime,
    memory: Checked,
}

impl core::fmt::Debug for Messages {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Messages")
    }
}

impl Messages {
    /// The flags that the event mask must have.
    pub const EVENTS: EventMask = ClrRuntime::EVENTS;

    /// Creates a reader.
    ///
    /// # Errors
    /// The operating system does not let the process read its own memory. Any failure of the query for the layout of
    /// strings.
    pub fn new(names: &Names) -> Result<Self> {
        let memory = Checked::new()
            .map_err(|error| Error::other(format!("this process may not read its own memory: {error}")))?;
        Ok(Self { runtime: ClrRuntime::new(names)?, memory })
    }

    /// Returns the message of an exception: `None` if it was constructed without one, or it cannot be read. A long message
    /// is truncated.
    #[must_use]
    pub fn of(&self, exception: ObjectId<'_>) -> Option<String> {
        let limits =
            Limits { depth: 1, items: 0, chars: MESSAGE, bytes: 4096, time: Duration::from_millis(20) };
        let mut scratch = Scratch::new();
        let mut value = ValueBuilder::new();
        Decoder::new(&self.memory, &self.runtime, limits, &mut scratch)
            .object(exception.as_raw(), &mut value);
        value.finish().as_ref().and_then(|value: &Value| value.get("_message"))?.to_string_lossy()
    }
}
