//! The shared state for decoding the values of all calls.

use core::sync::atomic::{AtomicU64, Ordering};

use argvalues::{Decoder, Limits, Scratch};
use corprof::{Error, Names, Result};

use crate::decoding::ThreadDecoding;
use crate::moves::Moves;
use crate::options::LocalTime;
use crate::runtime::{ClrRuntime, Redact};

/// The source of the program's memory: the operating system checks every address.
pub(crate) type ProgramMemory = argvalues::Checked;

/// The runtime, the memory, the limits and the collections of a traced program.
pub(crate) struct Program {
    pub(crate) runtime: ClrRuntime,
    pub(crate) memory: ProgramMemory,
    limits: Limits,
    raw: bool,
    /// The number of garbage collections so far.
    collections: AtomicU64,
    pub(crate) moves: Moves,
}

impl Program {
    pub(crate) fn new(
        names: &Names,
        limits: Limits,
        raw: bool,
        local_time: Option<LocalTime>,
        redact: Option<Box<dyn Redact>>,
    ) -> Result<Self> {
        let memory = ProgramMemory::new().map_err(|error| {
            Error::other(format!(
                "the operating system does not let this process read its own memory ({error}); \
                 allow one of these in its sandbox"
            ))
        })?;
        let runtime = ClrRuntime::new(names)?;
        let runtime = match local_time {
            Some(offset) => runtime.local_time(offset),
            None => runtime,
        };
        let runtime = match redact {
            Some(redact) => runtime.redact(redact),
            None => runtime,
        };
        Ok(Self { runtime, memory, limits, raw, collections: AtomicU64::new(0), moves: Moves::default() })
    }

    /// The number of garbage collections so far.
    pub(crate) fn collections(&self) -> u64 {
        self.collections.load(Ordering::Relaxed)
    }

    /// Counts a collection that begins, and returns its number.
    pub(crate) fn collection_started(&self) -> u64 {
        self.collections.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A decoder for values of a call of the running thread.
    pub(crate) fn decoder<'d>(
        &'d self,
        thread: &ThreadDecoding,
        scratch: &'d mut Scratch,
    ) -> Decoder<'d, ProgramMemory, ClrRuntime> {
        Decoder::new(&self.memory, &self.runtime, self.limits, scratch).raw(self.raw).trust(thread.stack())
    }
}
