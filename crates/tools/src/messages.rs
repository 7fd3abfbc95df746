//! The messages of exceptions.

use std::sync::OnceLock;
use std::time::Duration;

use argvalues::{Checked, Decoder, Limits, Memory as _, Scratch, Value, ValueBuilder};
use corprof::clrnames::metadata::Metadata as _;
use corprof::{Error, EventMask, Names, ObjectId, Result};
use corprof_calls::ClrRuntime;

use crate::limits::MESSAGE;

/// Reads the messages of exceptions.
///
/// The message is read from memory: no code of the program runs, so an overridden `Message` is not called.
pub struct Messages {
    names: Names,
    runtime: ClrRuntime,
    memory: Checked,
    /// The offset of the stack trace, if it was found.
    trace: OnceLock<Option<usize>>,
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
        Ok(Self { names: names.clone(), runtime: ClrRuntime::new(names)?, memory, trace: OnceLock::new() })
    }

    /// Returns the message of an exception: `None` if it was constructed without one, or it cannot be read. A long message
    /// is truncated.
    #[must_use]
    pub fn of(&self, exception: ObjectId<'_>) -> Option<String> {
        self.details(exception).0
    }

    /// Returns the message, and whether the exception has a stack trace: it was thrown before, and is thrown again by `throw;` or by
    /// `ExceptionDispatchInfo`, as `await` does.
    pub(crate) fn details(&self, exception: ObjectId<'_>) -> (Option<String>, bool) {
        let limits =
            Limits { depth: 1, items: 0, chars: MESSAGE, bytes: 4096, time: Duration::from_millis(20) };
        let mut scratch = Scratch::new();
        let mut value = ValueBuilder::new();
        Decoder::new(&self.memory, &self.runtime, limits, &mut scratch)
            .object(exception.as_raw(), &mut value);
        let message =
            value.finish().as_ref().and_then(|value: &Value| value.get("_message")?.to_string_lossy());
        (message, self.has_trace(exception).unwrap_or(false))
    }

    /// Returns whether the field `_stackTrace` is not null; `None` if it cannot be read.
    fn has_trace(&self, exception: ObjectId<'_>) -> Option<bool> {
        let offset = match self.trace.get() {
            Some(offset) => *offset,
            None => {
                let offset = trace_offset(&self.names, exception).ok().flatten();
                *self.trace.get_or_init(|| offset)
            }
        }?;
        let mut word = [0; size_of::<usize>()];
        self.memory.read(exception.as_raw().checked_add(offset)?, &mut word).ok()?;
        Some(word != [0; size_of::<usize>()])
    }
}

/// Returns the offset of `System.Exception._stackTrace` in an exception.
fn trace_offset(names: &Names, exception: ObjectId<'_>) -> Result<Option<usize>> {
    let info = names.info();
    let mut class = Some(info.class_of_object(exception)?);
    while let Some(current) = class {
        if *names.class(current)? == *"System.Exception" {
            let class = info.class_info(current)?;
            let metadata = info.metadata_rows(class.module)?;
            for field in info.class_layout(current)?.fields {
                if metadata.field(field.field)?.name == "_stackTrace" {
                    return Ok(usize::try_from(field.offset).ok());
                }
            }
        }
        class = info.class_info(current)?.parent;
    }
    Ok(None)
}
