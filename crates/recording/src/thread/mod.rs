//! The recorder of a thread.

mod values;

use core::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use argvalues::{NamesMark, RecordNames};

use crate::clock::Clock;
use crate::definition::FunctionNumber;
use crate::format::{HEAD, KIND_BITS, kind};
use crate::lane::{Advance, Producer};
use crate::limits::NAP;
use crate::recorder::{Defined, Shared, WhenFull};
use crate::repeated::Repeated;

pub use self::values::ValueSink;

/// Records the calls of one thread.
///
/// A call of only primitives is a few stores: a word of kind, function and time, and the bytes of the values. Nothing
/// is allocated or locked for it, and memory is bounded in every case.
pub struct ThreadRecorder {
    shared: Arc<Shared>,
    /// A copy of the recording's clock.
    clock: Clock,
    producer: Producer,
    /// The time of the record before.
    last: u64,
    /// The number of open calls.
    depth: u32,
    /// The records that there was no room for since the last one that there was.
    lost: u64,
    names: RecordNames,
    /// The position up to which names have been recorded.
    mark: NamesMark,
    values: Vec<u8>,
    /// The positions in `values` behind each of several values.
    ends: Vec<usize>,
    repeated: Repeated,
}

impl ThreadRecorder {
    /// The minimum size of a chunk: enough for its prologue, names, and a record of a few values.
    pub(crate) const LEAST: usize = 4096;
    /// The maximum size of the prologue of a chunk.
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
            ends: Vec::new(),
            repeated: Repeated::new(),
        };
        thread.prologue();
        thread
    }

    /// Returns the number of open calls.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// Records the beginning of a call whose arguments are all primitives by its definition. `word` returns each
    /// argument in the lowest bytes.
    ///
    /// Returns `false`, and records nothing, if `word` returns `None` or the arguments are of other types: record the
    /// call by [`enter_values`](Self::enter_values) or [`enter_failed`](Self::enter_failed).
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

    /// Records as [`enter`](Self::enter), if nothing else has to be done first, such as moving to another chunk.
    ///
    /// Returns `false`, and records nothing, otherwise, where `enter` cannot record either, and always with another
    /// clock than the processor's ([`ClockKind::TimeStampCounter`](crate::ClockKind)): record the call by another
    /// method. For the shortest path through a hook: it calls no function.
    #[inline(always)]
    pub fn enter_at_once(&mut self, function: &Defined, word: impl FnMut(usize) -> Option<u64>) -> bool {
        let Some(delta) = self.short_delta().filter(|_| function.arguments.is_some()) else { return false };
        let Some(()) = self.put_enter(function, delta, word) else { return false };
        self.depth += 1;
        true
    }

    /// Returns `None`, and records nothing, if `word` returns `None`, or the chunk is full.
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

    /// Records the end of a call whose result is a primitive by its definition, or that has none.
    ///
    /// Returns `false`, and records nothing, if `word` returns `None` or the result is of another type, as
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

    /// Records as [`leave`](Self::leave), if nothing else has to be done first, as
    /// [`enter_at_once`](Self::enter_at_once). The caller guarantees that `word` is the result, a primitive by its
    /// definition, or that there is no result.
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

    /// Records the end of a call. `write` writes the result, if there is one, and the targets of `ref` and `out`
    /// parameters.
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

    /// A call is suspended: it leaves the thread, and may be resumed later, on any thread.
    pub fn suspend(&mut self, function: FunctionNumber) {
        let delta = self.delta();
        self.put(kind::SUSPEND, function.0, delta, &[]);
        self.depth = self.depth.saturating_sub(1);
    }

    /// A call is resumed that was suspended.
    pub fn resume(&mut self, function: FunctionNumber) {
        let delta = self.delta();
        self.put(kind::RESUME, function.0, delta, &[]);
        self.depth += 1;
    }

    /// A call ends since an exception of this type leaves it.
    pub fn unwind(&mut self, function: FunctionNumber, exception: &str) {
        let delta = self.delta();
        self.put(kind::UNWIND, function.0, delta, exception.as_bytes());
        self.depth = self.depth.saturating_sub(1);
    }

    /// Records a head, a length and bytes; cut if they are longer than a chunk. Whether there was room.
    fn put(&mut self, kind: u32, function: u32, delta: u64, bytes: &[u8]) -> bool {
        let bytes = bytes.get(..self.longest()).unwrap_or(bytes);
        let has_length = !matches!(kind, kind::TAILCALL | kind::SUSPEND | kind::RESUME);
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

    /// Returns the maximum number of bytes behind a head and a length.
    fn longest(&self) -> usize {
        self.producer.longest().saturating_sub(Self::PROLOGUE + HEAD + 4)
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
        // The prologue of a chunk has the same facts.
        if self.producer.space(HEAD + 8).is_some() || self.next_chunk(Self::PROLOGUE) {
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

    /// Returns whether a record of this many bytes fits, after moving to the next chunk if needed. If not, it counts as
    /// lost.
    #[inline]
    fn has_room(&mut self, bytes: usize) -> bool {
        self.producer.space(bytes).is_some() || self.make_room(bytes)
    }

    #[cold]
    fn make_room(&mut self, bytes: usize) -> bool {
        let needed = bytes + Self::PROLOGUE;
        if needed <= self.producer.longest()
            && self.next_chunk(needed)
            && self.producer.space(bytes).is_some()
        {
            return true;
        }
        self.lost += 1;
        self.producer.count_lost();
        // A shorter record must not precede the record of this loss.
        self.producer.seal();
        false
    }

    /// Moves to the next chunk, with at least this many bytes if there is memory. A thread may have to wait for it.
    fn next_chunk(&mut self, least: usize) -> bool {
        loop {
            match self.producer.advance(least) {
                Advance::Begun => break,
                Advance::Full => {}
                Advance::NoMemory => return false,
            }
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

    /// Writes the prologue of a chunk: the time, and the number of lost records.
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
