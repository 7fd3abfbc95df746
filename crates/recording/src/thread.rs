//! What a thread records with.

use core::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use argvalues::{NamesMark, RecordNames, RecordWriter};

use crate::bytes::put_count;
use crate::clock::Clock;
use crate::format::{HEAD, KIND_BITS, kind};
use crate::lane::Producer;
use crate::recorder::{Defined, FunctionNumber, Shared, WhenFull};

/// How long a thread that waits for room sleeps between two looks.
const NAP: Duration = Duration::from_micros(100);
/// About how many bytes of names go into one record.
const NAMES_PIECE: usize = 512;

/// Records the calls of one thread.
///
/// A call of only primitives is a handful of stores: a word that says what and when, and the values as they are. Nothing
/// is allocated or locked then, and the memory is bounded in every case.
pub struct ThreadRecorder {
    shared: Arc<Shared>,
    /// The recording's, at hand.
    clock: Clock,
    producer: Producer,
    /// The time of the record before.
    last: u64,
    /// How many calls are open.
    depth: u32,
    /// The records that there was no room for since the last one that there was.
    lost: u64,
    names: RecordNames,
    /// How much of the names has been recorded.
    mark: NamesMark,
    values: Vec<u8>,
}

/// Where the values of a call are put that are not all primitives.
pub struct ValueSink<'t> {
    bytes: &'t mut Vec<u8>,
    names: &'t mut RecordNames,
}

impl ValueSink<'_> {
    /// Writes the next values: all arguments in order, `this` first; or the result, if there is one.
    pub fn writer(&mut self) -> RecordWriter<'_> {
        RecordWriter::new(self.bytes, self.names)
    }

    /// Writes what a `ref` or `out` parameter refers to after the call: one value. Behind the result.
    pub fn out(&mut self, parameter: usize) -> RecordWriter<'_> {
        put_count(self.bytes, parameter as u64);
        self.writer()
    }
}

impl fmt::Debug for ValueSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ValueSink")
    }
}

impl ThreadRecorder {
    /// No chunk is shorter: what stands at its beginning, names, and a record of a few values have room.
    pub(crate) const LEAST: usize = 4096;
    /// How many bytes what stands at the beginning of a chunk has at most.
    const PROLOGUE: usize = 2 * HEAD + 8 + 12;

    pub(crate) fn new(shared: Arc<Shared>, producer: Producer) -> Self {
        let mut thread = Self {
            last: shared.clock.now(),
            clock: shared.clock,
            shared,
            producer,
            depth: 0,
            lost: 0,
            names: RecordNames::new(),
            mark: NamesMark::default(),
            values: Vec::new(),
        };
        thread.prologue();
        thread
    }

    /// How many calls are open.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// A call begins whose arguments are all primitives, as the definition says: `word` gives each, in the lowest bytes.
    ///
    /// When `word` does not know one, or they are not, nothing is recorded and the answer is `false`: the call has to be
    /// recorded by [`enter_values`](Self::enter_values) or [`enter_failed`](Self::enter_failed).
    #[inline]
    pub fn enter(&mut self, function: &Defined, mut word: impl FnMut(usize) -> Option<u64>) -> bool {
        if self.enter_at_once(function, &mut word) {
            return true;
        }
        if function.arguments.is_none() {
            return false;
        }
        let delta = self.delta();
        if self.has_room(HEAD + 8 * function.sizes.len()) && self.put_enter(function, delta, word).is_none() {
            return false;
        }
        self.depth += 1;
        true
    }

    /// [`enter`](Self::enter), if nothing else has to be done first, such as going on to another chunk. Otherwise, and where
    /// `enter` cannot either, nothing is recorded and the answer is `false`: the call has to be recorded by another method.
    /// So it always is with another clock than the processor's ([`ClockKind::TimeStampCounter`](crate::ClockKind)).
    ///
    /// For the shortest way through a hook: it calls no function.
    #[inline(always)]
    pub fn enter_at_once(&mut self, function: &Defined, word: impl FnMut(usize) -> Option<u64>) -> bool {
        let Some(delta) = self.short_delta().filter(|_| function.arguments.is_some()) else { return false };
        let Some(()) = self.put_enter(function, delta, word) else { return false };
        self.depth += 1;
        true
    }

    /// `None`, and nothing is recorded, if `word` does not know one, or there is no room.
    #[inline(always)]
    fn put_enter(
        &mut self,
        function: &Defined,
        delta: u64,
        word: impl FnMut(usize) -> Option<u64>,
    ) -> Option<()> {
        let head = head(kind::ENTER, function.number.0, delta);
        self.producer.put_words(head, &function.sizes, word)?;
        self.last = self.last.wrapping_add(delta);
        Some(())
    }

    /// A call ends whose result is a primitive, as the definition says, or which has none.
    ///
    /// When `word` does not know it, or it is something else, nothing is recorded and the answer is `false`, as for
    /// [`enter`](Self::enter).
    #[inline]
    pub fn leave(&mut self, function: &Defined, word: impl FnOnce() -> Option<u64>) -> bool {
        let word = match function.result {
            None if function.has_plain_end => 0,
            None => return false,
            Some(_) => match word() {
                Some(word) => word,
                None => return false,
            },
        };
        if self.leave_at_once(function, word) {
            return true;
        }
        let delta = self.delta();
        if self.has_room(HEAD + 8) && self.put_leave(function, delta, word).is_none() {
            return false;
        }
        self.depth = self.depth.saturating_sub(1);
        true
    }

    /// [`leave`](Self::leave), if nothing else has to be done first, as [`enter_at_once`](Self::enter_at_once). The caller
    /// knows that `word` is the result, a primitive as the definition says, or that there is nothing to tell of the end.
    #[inline(always)]
    pub fn leave_at_once(&mut self, function: &Defined, word: u64) -> bool {
        let Some(delta) = self.short_delta() else { return false };
        let Some(()) = self.put_leave(function, delta, word) else { return false };
        self.depth = self.depth.saturating_sub(1);
        true
    }

    /// `None`, and nothing is recorded, if there is no room.
    #[inline(always)]
    fn put_leave(&mut self, function: &Defined, delta: u64, word: u64) -> Option<()> {
        let head = head(kind::LEAVE, function.number.0, delta);
        self.producer.put_word(head, function.result_size, word)?;
        self.last = self.last.wrapping_add(delta);
        Some(())
    }

    /// A call begins; `write` writes all of its arguments, one value each, `this` first.
    pub fn enter_values(&mut self, function: &Defined, write: impl FnOnce(&mut ValueSink<'_>)) {
        self.put_values(kind::ENTER_VALUES, function, write);
        self.depth += 1;
    }

    /// A call ends; `write` writes the result, if there is one, and what `ref` and `out` parameters refer to.
    pub fn leave_values(&mut self, function: &Defined, write: impl FnOnce(&mut ValueSink<'_>)) {
        self.put_values(kind::LEAVE_VALUES, function, write);
        self.depth = self.depth.saturating_sub(1);
    }

    /// A call begins whose arguments are not known, and why.
    pub fn enter_failed(&mut self, function: &Defined, message: &str) {
        let delta = self.delta();
        self.put(kind::ENTER_FAILED, function.number.0, delta, message.as_bytes());
        self.depth += 1;
    }

    /// A call ends with a tail call.
    pub fn tailcall(&mut self, function: FunctionNumber) {
        let delta = self.delta();
        self.put(kind::TAILCALL, function.0, delta, &[]);
        self.depth = self.depth.saturating_sub(1);
    }

    /// A call ends since an exception of this type leaves it.
    pub fn unwind(&mut self, function: FunctionNumber, exception: &str) {
        let delta = self.delta();
        self.put(kind::UNWIND, function.0, delta, exception.as_bytes());
        self.depth = self.depth.saturating_sub(1);
    }

    fn put_values(&mut self, kind: u32, function: &Defined, write: impl FnOnce(&mut ValueSink<'_>)) {
        let delta = self.delta();
        self.values.clear();
        write(&mut ValueSink { bytes: &mut self.values, names: &mut self.names });
        if !self.put_names() {
            return;
        }
        let values = core::mem::take(&mut self.values);
        if values.len() > self.longest() {
            let message = format!("the {} bytes of values do not fit into a chunk", values.len());
            // The kind of what failed is the next one.
            self.put(kind + 1, function.number.0, delta, message.as_bytes());
        } else {
            self.put(kind, function.number.0, delta, &values);
        }
        self.values = values;
    }

    /// Records the names that are new, which what follows refers to. Whether there was room.
    fn put_names(&mut self) -> bool {
        loop {
            let mut additions = self.names.additions(self.mark);
            if additions.is_empty() {
                return true;
            }
            let mut piece = Vec::new();
            additions.write(&mut piece, NAMES_PIECE);
            let mark = additions.mark();
            if !self.put(kind::NAMES, 0, 0, &piece) {
                return false;
            }
            self.mark = mark;
        }
    }

    /// Records a head, a length and bytes; cut if they are longer than a chunk. Whether there was room.
    fn put(&mut self, kind: u32, function: u32, delta: u64, bytes: &[u8]) -> bool {
        let bytes = bytes.get(..self.longest()).unwrap_or(bytes);
        let has_length = kind != kind::TAILCALL;
        let length = if has_length { 4 + bytes.len() } else { 0 };
        if !self.has_room(HEAD + length) {
            return false;
        }
        let Some(space) = self.producer.space(HEAD + length) else { return false };
        put_head(space, kind, function, delta);
        if has_length
            && let Some((size, content)) = space.get_mut(HEAD..).and_then(<[u8]>::split_first_chunk_mut)
        {
            *size = u32::try_from(bytes.len()).unwrap_or_default().to_le_bytes();
            content.copy_from_slice(bytes);
        }
        self.last = self.last.wrapping_add(delta);
        self.producer.publish(HEAD + length);
        true
    }

    /// How many bytes behind a head and a length there can be.
    fn longest(&self) -> usize {
        self.producer.capacity().saturating_sub(Self::PROLOGUE + HEAD + 4)
    }

    /// The time since the record before, if it fits into a head, and if the clock is one that is read at once.
    #[inline(always)]
    fn short_delta(&self) -> Option<u64> {
        let delta = self.clock.now_at_once()?.wrapping_sub(self.last);
        (delta <= u64::from(u32::MAX)).then_some(delta)
    }

    /// The time since the record before, which fits into a head: if it did not, the time itself has been recorded.
    fn delta(&mut self) -> u64 {
        let now = self.clock.now();
        let delta = now.wrapping_sub(self.last);
        if delta > u64::from(u32::MAX) { self.set_time(now) } else { delta }
    }

    /// Records the time itself. It may also be earlier, where processors do not quite agree.
    #[cold]
    fn set_time(&mut self, now: u64) -> u64 {
        self.last = now;
        // What is at the beginning of a chunk says the same.
        if self.producer.space(HEAD + 8).is_some() || self.next_chunk() {
            self.put_time();
        }
        0
    }

    fn put_time(&mut self) {
        if let Some(space) = self.producer.space(HEAD + 8) {
            put_head(space, kind::TIME, 0, 0);
            if let Some(time) = space.get_mut(HEAD..).and_then(|rest| rest.first_chunk_mut()) {
                *time = self.last.to_le_bytes();
            }
            self.producer.publish(HEAD + 8);
        }
    }

    /// Whether there is room for a record of so many bytes, if need be in the next chunk. If not, it counts as lost.
    #[inline]
    fn has_room(&mut self, bytes: usize) -> bool {
        self.producer.space(bytes).is_some() || self.make_room(bytes)
    }

    #[cold]
    fn make_room(&mut self, bytes: usize) -> bool {
        if bytes + Self::PROLOGUE <= self.producer.capacity() && self.next_chunk() {
            return true;
        }
        self.lost += 1;
        self.producer.count_lost();
        // A shorter record must not come before what says that this one is missing.
        self.producer.seal();
        false
    }

    /// Goes on to the next chunk, for which a thread may have to wait.
    fn next_chunk(&mut self) -> bool {
        while !self.producer.advance() {
            let is_over = self.shared.over.load(Ordering::Acquire);
            if is_over || self.shared.options.when_full == WhenFull::Drop {
                return false;
            }
            self.shared.wake();
            std::thread::sleep(NAP);
        }
        self.shared.wake();
        self.prologue();
        true
    }

    /// What stands at the beginning of each chunk: the time, and what is missing.
    fn prologue(&mut self) {
        self.put_time();
        let lost = core::mem::take(&mut self.lost);
        if lost == 0 {
            return;
        }
        if let Some(space) = self.producer.space(HEAD + 12) {
            put_head(space, kind::LOST, 0, 0);
            if let Some((count, depth)) = space.get_mut(HEAD..).and_then(<[u8]>::split_first_chunk_mut) {
                *count = lost.to_le_bytes();
                depth.copy_from_slice(&self.depth.to_le_bytes());
            }
            self.producer.publish(HEAD + 12);
        }
    }
}

/// The first word of a record: kind, function, time since the record before.
#[inline]
fn head(kind: u32, function: u32, delta: u64) -> [u8; HEAD] {
    (u64::from(kind | function << KIND_BITS) | delta << 32).to_le_bytes()
}

#[inline]
fn put_head(space: &mut [u8], kind: u32, function: u32, delta: u64) {
    if let Some(begin) = space.first_chunk_mut() {
        *begin = head(kind, function, delta);
    }
}

impl fmt::Debug for ThreadRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadRecorder").field("depth", &self.depth).finish_non_exhaustive()
    }
}
