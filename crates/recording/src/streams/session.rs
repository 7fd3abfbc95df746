//! Sessions and streams: emitting rows from any thread.

use core::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, TryLockError};

use crate::bytes::{put_count, put_text};
use crate::format::{block, session};
use crate::journal::{Kind, Purpose};
use crate::lane::{Advance, Plan};
use crate::limits::MAX_TEXT;
use crate::recorder::{Recorder, Shared};
use crate::rows;
use crate::sessions::{FieldType, LANES, Schema, State, Value, WrittenSession, lock};

/// The chunks of a lane, and the sizes that they may have.
const CHUNKS: usize = 4;
const CHUNK_BYTES: core::ops::RangeInclusive<usize> = 4 << 10..=1 << 20;

/// What a session begins with.
#[derive(Clone, Copy, Debug)]
pub struct SessionStart<'s> {
    /// The name of the tool.
    pub tool: &'s str,
    /// Its settings: names and values.
    pub settings: &'s [(&'s str, &'s str)],
    /// Its effects on the program, in words for people.
    pub effects: &'s [&'s str],
    /// The memory for rows that are not written yet, in bytes; allocated when the session begins.
    pub memory: usize,
}

impl Default for SessionStart<'_> {
    /// No name, settings or effects; 1 MiB of memory.
    fn default() -> Self {
        Self { tool: "", settings: &[], effects: &[], memory: 1 << 20 }
    }
}

/// The result of [`Stream::emit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Emitted {
    /// The row will be in the file.
    Kept,
    /// There is no memory for the row, because the file is written more slowly, and it is counted: the file has the number of the
    /// rows of each stream that are missing. Or the session has ended: then it is not counted.
    Dropped,
    /// The row has other values than its schema says: a mistake of the caller's. It is not counted.
    Malformed,
}

/// A session of a tool: it begins, its streams have rows, and it ends.
///
/// A session that is dropped ends without a reason.
pub struct Session {
    shared: Arc<Shared>,
    number: u32,
    state: Arc<State>,
}

impl Recorder {
    /// Begins a session. `None` if there have been 1024 already, if it has more than 256 KiB of settings, or if its beginning cannot be
    /// recorded because the memory for definitions is full.
    #[must_use]
    pub fn session(&self, start: &SessionStart<'_>) -> Option<Session> {
        let shared = self.shared();
        let mut facts = vec![session::BEGINS];
        facts.extend_from_slice(&self.ticks().to_le_bytes());
        let put = |facts: &mut Vec<u8>, text: &str| {
            put_text(facts, text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text));
        };
        put(&mut facts, start.tool);
        put_count(&mut facts, start.settings.len() as u64);
        for (name, value) in start.settings {
            put(&mut facts, name);
            put(&mut facts, value);
        }
        put_count(&mut facts, start.effects.len() as u64);
        for effect in start.effects {
            put(&mut facts, effect);
        }
        let number = self.interned(|interned, put| interned.session(put, &facts))?;
        let bytes = (start.memory / LANES / CHUNKS).clamp(*CHUNK_BYTES.start(), *CHUNK_BYTES.end());
        let purpose =
            shared.journal.clone().map(|journal| Purpose { journal, kind: Kind::Rows, thread: number });
        let plan = Plan { chunks: CHUNKS, bytes, longest: bytes, purpose, keeps: true };
        let mut consumers = Vec::new();
        let lanes = [(); LANES].map(|()| {
            let (producer, consumer) = plan.clone().lane();
            consumers.push(consumer);
            Mutex::new(Some(producer))
        });
        let state = Arc::new(State { lanes, streams: Mutex::default(), end: Mutex::default() });
        shared.announce_session(WrittenSession::new(number, consumers, Arc::clone(&state)));
        Some(Session { shared: Arc::clone(shared), number, state })
    }
}

impl Session {
    /// Returns its number in the recording, from 1.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Declares a stream. `None` if there are 1024 others already, if its names have more than 64 KiB, or if it cannot be recorded because the memory for definitions is full.
    #[must_use]
    pub fn stream(&self, schema: &'static Schema) -> Option<Stream> {
        let put = |kind: u32, content: &[u8]| self.shared.put_at_once(kind, content);
        let number = self.shared.interned().stream(&put, schema)?;
        let mut streams = lock(&self.state.streams);
        let known = streams.iter().find(|(other, _)| *other == number).map(|(_, lost)| Arc::clone(lost));
        let lost = known.unwrap_or_else(|| {
            let lost = Arc::new(AtomicU64::new(0));
            streams.push((number, Arc::clone(&lost)));
            lost
        });
        drop(streams);
        let types = schema.fields().iter().map(|field| Some(field.field_type())).collect();
        let (shared, state) = (Arc::clone(&self.shared), Arc::clone(&self.state));
        Some(Stream { shared, state, number, forms: schema.forms(), types, lost })
    }

    /// Records the content of a region of memory at this moment: the counters of a coverage, a table. `layout` says what is in it, for
    /// who reads it. Returns `false` if it cannot be recorded: it is longer than about 16 MiB, or the memory for definitions is full.
    pub fn region(&self, name: &str, layout: &str, content: &[u8]) -> bool {
        let mut facts = Vec::new();
        put_count(&mut facts, self.number.into());
        facts.extend_from_slice(&self.shared.clock.now().to_le_bytes());
        for text in [name, layout] {
            put_text(&mut facts, text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text));
        }
        facts.extend_from_slice(content);
        self.shared.put_at_once(block::REGION, &facts)
    }

    /// Ends the session. Rows that its streams emit later are dropped. Ending it again has no effect.
    ///
    /// Waits for other threads that are emitting a row.
    pub fn end(&self, reason: &str) {
        let ticks = self.shared.clock.now();
        let reason = reason.get(..reason.floor_char_boundary(MAX_TEXT)).unwrap_or(reason).to_owned();
        let mut end = lock(&self.state.end);
        // The first lane is closed last: the session ends once.
        if lock(&self.state.lanes[0]).is_some() {
            *end = Some((ticks, reason));
            // The writing thread takes the reason after all lanes have ended.
            drop(end);
            for lane in &self.state.lanes {
                lock(lane).take();
            }
            self.shared.wake();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end("");
    }
}

/// A stream of a session, for emitting rows from any thread.
pub struct Stream {
    shared: Arc<Shared>,
    state: Arc<State>,
    number: u16,
    forms: u32,
    types: Box<[Option<FieldType>]>,
    lost: Arc<AtomicU64>,
}

impl Stream {
    /// Emits a row: a value for each field of the schema, of its type.
    ///
    /// It costs a few stores. It never waits and does not allocate. Rows of several threads may be in another order in the file than
    /// they were emitted; those of one thread are in order unless several threads emit at the same time. Not to be called by a
    /// signal handler.
    ///
    /// Once this has returned [`Kept`](Emitted::Kept), the row survives the end of the process if the recording has a
    /// [journal](crate::Journal).
    pub fn emit(&self, row: &[Value]) -> Emitted {
        let types = row.iter().map(|value| value.field_type());
        if row.len() != self.types.len() || !types.eq(self.types.iter().copied()) {
            return Emitted::Malformed;
        }
        let bytes = rows::bytes(row.len());
        for lane in &self.state.lanes {
            let mut lane = match lane.try_lock() {
                Ok(lane) => lane,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => continue,
            };
            let Some(producer) = lane.as_mut() else { return Emitted::Dropped };
            if producer.space(bytes).is_none() {
                if producer.advance(bytes) != Advance::Begun {
                    continue;
                }
                self.shared.wake();
            }
            if let Some(space) = producer.space(bytes) {
                rows::put(space, self.number, self.forms, row.iter().map(|value| value.word()));
                producer.publish(bytes);
                return Emitted::Kept;
            }
        }
        self.lost.fetch_add(1, Ordering::Relaxed);
        Emitted::Dropped
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("number", &self.number).finish_non_exhaustive()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("number", &self.number).finish_non_exhaustive()
    }
}
