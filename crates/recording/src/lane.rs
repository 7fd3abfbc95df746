//! The memory between a recording thread and the writer thread.
//!
//! A lane is a ring of chunks of bytes. The recording thread fills one chunk after the other and publishes the length
//! after each record. The writer reads published bytes, also from chunks that are not full yet, and returns a chunk
//! when it is full and read. Neither waits for the other, and neither takes a lock.
//!
//! The memory of a chunk is allocated when the thread first fills it: a small one at first, each next one twice as
//! large, up to a limit for one and a limit for all. The writer frees it again if the thread has filled fewer than two
//! chunks since the writer last drained the whole lane. A lane that keeps its memory has all of it from the
//! beginning. The memory is that of a [`Journal`](crate::Journal), if there is one with room, and otherwise the heap's.
//!
//! A record may refer to bytes of the chunk that will be in the same piece: [`Cuts`] keeps the two sides in agreement.
//!
//! Contract of the unsafe code here: a lane has one [`Producer`] and one [`Consumer`]. An open chunk, one that is not
//! `closed`, belongs to the producer with its memory. The consumer only reads the chunk that is being filled: the bytes
//! up to its `length` are both sides' to read, those behind it the producer's to write. Only the producer increases
//! `length`: it stores it with release after the bytes, and the consumer loads it with acquire before it reads them.
//! The producer gives a chunk memory before it closes the previous chunk with release, and the consumer accesses a
//! chunk after it has seen, with acquire, that the previous one is closed. A closed chunk belongs to the consumer
//! alone, its memory too, until the consumer has set `length` to 0 and then `closed` to false.
#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::ptr::NonNull;
use core::slice;

use argvalues::Primitive;

use crate::cuts::Cuts;
use crate::format::HEAD;
use crate::journal::{CHUNK_HEADER, Journal, Mark, Purpose, Run};
use crate::sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Ordering, Witness};

/// A thread that fills this many chunks between two drains of the whole lane keeps their memory.
const BUSY: usize = 2;
/// The size of the first chunk.
const FIRST: usize = 4096;

/// The number of bytes of a chunk that have a witness.
const WITNESSED: usize = if cfg!(loom) { 2 } else { 0 };

/// The state that both sides share.
pub(crate) struct Lane {
    chunks: Box<[Chunk]>,
    /// The maximum size of a chunk, and of all chunks together.
    most: usize,
    most_of_all: usize,
    /// The maximum size of a record, for which a chunk may be larger.
    longest: usize,
    /// The journal that the memory belongs to.
    purpose: Option<Purpose>,
    /// Whether no memory is freed.
    keeps: bool,
    /// The size of all chunks.
    allocated: AtomicUsize,
    /// The producer has been dropped: no more bytes follow.
    pub(crate) ended: AtomicBool,
    /// The number of records that were dropped for lack of memory.
    pub(crate) lost: AtomicU64,
}

/// The memory of a chunk.
enum Memory {
    Heap(Box<[UnsafeCell<u8>]>),
    Journal(Run),
}

impl Default for Memory {
    fn default() -> Self {
        Self::Heap(Box::default())
    }
}

impl Memory {
    fn len(&self) -> usize {
        match self {
            Self::Heap(bytes) => bytes.len(),
            Self::Journal(run) => run.capacity(),
        }
    }

    fn begin(&self) -> NonNull<UnsafeCell<u8>> {
        match self {
            Self::Heap(bytes) => NonNull::from(&**bytes).cast(),
            Self::Journal(run) => run.bytes(),
        }
    }

    fn run(&self) -> Option<&Run> {
        match self {
            Self::Heap(_) => None,
            Self::Journal(run) => Some(run),
        }
    }
}

/// On cache lines of its own: the producer writes `length` with each record.
#[repr(align(128))]
struct Chunk {
    bytes: UnsafeCell<Memory>,
    /// The published length, unless the memory is a journal's, which has it.
    length: AtomicUsize,
    closed: AtomicBool,
    cuts: Cuts,
    /// Of `bytes`, which memory that is, and of the first ones of that memory.
    memory: Witness,
    contents: [Witness; WITNESSED],
}

impl Chunk {
    fn new() -> Self {
        Self {
            bytes: UnsafeCell::new(Memory::default()),
            length: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            cuts: Cuts::none(),
            memory: Witness::default(),
            contents: [(); WITNESSED].map(|()| Witness::default()),
        }
    }

    /// Returns the published length of the chunk, which has this memory.
    fn published<'c>(&'c self, memory: &'c Memory) -> &'c AtomicUsize {
        #[cfg(not(loom))]
        if let Memory::Journal(run) = memory {
            return run.length();
        }
        let _ = memory;
        &self.length
    }

    /// The witnesses of a part of the memory.
    #[inline(always)]
    fn contents(&self, part: core::ops::Range<usize>) -> impl Iterator<Item = &Witness> {
        self.contents.iter().skip(part.start).take(part.len())
    }
}

// SAFETY: the bytes are shared by the contract above; the rest is atomic.
unsafe impl Sync for Lane {}
// SAFETY: it owns all of its memory.
unsafe impl Send for Lane {}

/// The recording side, with a copy of the chunk's state that each record needs.
pub(crate) struct Producer {
    lane: Arc<Lane>,
    chunk: usize,
    /// The bytes of the chunk, how many they are, and where its `length` is: in the lane, which lives as long as this, or in
    /// the memory of the chunk, which is not replaced while this fills it.
    bytes: NonNull<UnsafeCell<u8>>,
    capacity: usize,
    published: NonNull<AtomicUsize>,
    /// The filled length of the chunk, at most its size.
    length: usize,
}

// SAFETY: the pointers are into the lane, which may be on any thread; they are used only by the single producer.
unsafe impl Send for Producer {}

/// The side that writes.
pub(crate) struct Consumer {
    lane: Arc<Lane>,
    chunk: usize,
    /// The length of the chunk that has been read.
    taken: usize,
    /// The number of chunks that were filled since the lane was last drained.
    filled: usize,
}

/// The memory of a lane.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The number of chunks, at least 2.
    pub(crate) chunks: usize,
    /// The maximum size of a chunk.
    pub(crate) bytes: usize,
    /// The maximum size of a record, if a chunk may be larger for it.
    pub(crate) longest: usize,
    /// The journal that the memory belongs to, if there is one.
    pub(crate) purpose: Option<Purpose>,
    /// Whether all memory is allocated at first and none is freed before the end.
    pub(crate) keeps: bool,
}

/// Both sides of a new lane with room for at least two chunks of at least one byte.
#[cfg(test)]
pub(crate) fn lane(chunks: usize, bytes: usize) -> (Producer, Consumer) {
    Plan { chunks, bytes, longest: bytes, purpose: None, keeps: false }.lane()
}

impl Plan {
    /// Returns both sides of a new lane.
    pub(crate) fn lane(self) -> (Producer, Consumer) {
        new_lane(self)
    }
}

fn new_lane(plan: Plan) -> (Producer, Consumer) {
    let (chunks, most) = (plan.chunks.max(2), plan.bytes.max(1));
    // Small chunks have places of their own, so that as much fits before the writer comes.
    let small = (most / FIRST).checked_ilog2().unwrap_or(0);
    let all = chunks.saturating_add(small as usize);
    let lane = Arc::new(Lane {
        chunks: (0..all).map(|_| Chunk::new()).collect(),
        most,
        most_of_all: chunks.saturating_mul(most),
        longest: plan.longest.max(most),
        purpose: plan.purpose,
        keeps: plan.keeps,
        allocated: AtomicUsize::new(0),
        ended: AtomicBool::new(false),
        lost: AtomicU64::new(0),
    });
    let mut producer = Producer {
        lane: Arc::clone(&lane),
        chunk: 0,
        bytes: NonNull::dangling(),
        capacity: 0,
        published: NonNull::dangling(),
        length: 0,
    };
    // Without memory there is no space in it, and the next chunk is tried.
    producer.has_memory(0, FIRST, 0);
    if plan.keeps {
        // The consumer is not in use yet, and no chunk is closed.
        for chunk in 0..all {
            producer.has_memory(chunk, most, 0);
        }
    }
    producer.begin(0);
    (producer, Consumer { lane, chunk: 0, taken: 0, filled: 0 })
}

/// The chunks that are drained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drain {
    /// Those that are full.
    Full,
    /// Also the one that is being filled, unless a referring record is about to be published in it.
    All,
    /// All, and nothing is drained afterwards.
    Last,
}

/// The result of moving to the next chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    /// The next chunk is being filled.
    Begun,
    /// The writer has not given it back.
    Full,
    /// There is no memory for it.
    NoMemory,
}

impl Lane {
    /// New memory of at least `least` bytes and about `wanted`, if there is any.
    fn allocate(&self, wanted: usize, least: usize) -> Option<Memory> {
        if let Some(purpose) = &self.purpose
            && let Some(run) = Journal::allocate(purpose, wanted, least)
        {
            return Some(Memory::Journal(run));
        }
        let mut memory = Vec::new();
        memory.try_reserve_exact(wanted).ok()?;
        memory.resize_with(wanted, || UnsafeCell::new(0));
        Some(Memory::Heap(memory.into()))
    }
}

/// The number of recorded bytes of a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size(usize);

impl Size {
    /// Nothing.
    pub(crate) const NONE: Self = Self(0);
    /// All that a word has.
    const MOST: usize = size_of::<u64>();

    /// Returns the size of a primitive.
    pub(crate) const fn of(primitive: Primitive) -> Self {
        let bytes = primitive.size();
        assert!(bytes <= Self::MOST);
        Self(bytes)
    }
}

impl Producer {
    /// Writes a head and words behind it, each in its size, and publishes them as one record. Returns `None`, and
    /// publishes nothing, if `word` returns `None`, or the chunk has no [`space`](Self::space) for as many whole words.
    #[inline(always)]
    pub(crate) fn put_words(
        &mut self,
        head: [u8; HEAD],
        sizes: &[Size],
        mut word: impl FnMut(usize) -> Option<u64>,
    ) -> Option<()> {
        let begin = self.space(HEAD + Size::MOST * sizes.len())?.as_mut_ptr();
        // SAFETY: the space has room for the head and for a whole word for each size. A word is put no further behind the
        // one before than that is long, since no size is more than a word has.
        let bytes = unsafe {
            begin.cast::<[u8; HEAD]>().write(head);
            let mut at = begin.add(HEAD);
            for (index, size) in sizes.iter().enumerate() {
                // The next write overwrites the excess bytes.
                at.cast::<[u8; Size::MOST]>().write(word(index)?.to_le_bytes());
                at = at.add(size.0);
            }
            at.offset_from_unsigned(begin)
        };
        self.publish_more(bytes);
        Some(())
    }

    /// Writes a head and one word.
    #[inline(always)]
    pub(crate) fn put_word(&mut self, head: [u8; HEAD], size: Size, word: u64) -> Option<()> {
        let space = self.space(HEAD + Size::MOST)?;
        let (begin, value) = space.split_first_chunk_mut()?;
        *begin = head;
        *value.first_chunk_mut()? = word.to_le_bytes();
        self.publish_more(HEAD + size.0);
        Some(())
    }

    /// Publishes a number of bytes of a space that has at least as many.
    #[inline(always)]
    fn publish_more(&mut self, bytes: usize) {
        #[cfg(loom)]
        if let Some(chunk) = self.lane.chunks.get(self.chunk) {
            chunk.contents(self.length..self.length + bytes).for_each(Witness::write);
        }
        self.length += bytes;
        // SAFETY: it is in the lane, which is alive, or in the memory of the chunk, which stays while the chunk is open.
        unsafe { self.published.as_ref() }.store(self.length, Ordering::Release);
    }

    /// Returns the next bytes of the chunk, to be filled. `None` if the chunk has fewer.
    #[inline]
    pub(crate) fn space(&mut self, bytes: usize) -> Option<&mut [u8]> {
        if self.capacity - self.length < bytes {
            return None;
        }
        // SAFETY: these bytes are in the chunk and behind `length`, and it is not closed, so they are the producer's, which
        // is borrowed for as long as they are; `UnsafeCell<u8>` has the layout of `u8`.
        Some(unsafe {
            let space = self.bytes.as_ptr().add(self.length);
            slice::from_raw_parts_mut(UnsafeCell::raw_get(space), bytes)
        })
    }

    /// So many bytes of the space have been filled: the writer may have them.
    #[inline]
    pub(crate) fn publish(&mut self, bytes: usize) {
        self.publish_more(bytes.min(self.capacity - self.length));
    }

    /// Publishes so many bytes of the space as a record that refers to bytes of the chunk from `least` on. Returns `false`,
    /// and publishes nothing, if they will be in another piece.
    #[inline(always)]
    pub(crate) fn publish_referring(&mut self, bytes: usize, least: usize) -> bool {
        let bytes = bytes.min(self.capacity - self.length);
        let chunk = self.lane.chunks.get(self.chunk);
        let may_refer = chunk.is_some_and(|chunk| chunk.cuts.may_refer(least, self.length + bytes));
        if may_refer {
            self.publish_more(bytes);
        }
        may_refer
    }

    /// Returns the bytes of the chunk up to now, and the position from which on a record may refer to them.
    #[inline(always)]
    pub(crate) fn filled(&self) -> (&[u8], usize) {
        let cut = self.lane.chunks.get(self.chunk).map_or(self.length, |chunk| chunk.cuts.last());
        // SAFETY: these bytes are in the chunk, which is not closed, and before `length`: nobody writes them while this is
        // borrowed. Memory is initialised when it is allocated.
        let filled = unsafe { slice::from_raw_parts(UnsafeCell::raw_get(self.bytes.as_ptr()), self.length) };
        (filled, cut)
    }

    /// Returns whether a chunk of the producer has at least `least` bytes, after allocating memory if needed: `wanted`
    /// bytes, as far as the limit for all chunks leaves them. The limit never keeps a chunk from having `least` bytes: the
    /// writer frees memory only when the lane moves on.
    fn has_memory(&mut self, chunk: usize, wanted: usize, least: usize) -> bool {
        let Some(chunk) = self.lane.chunks.get(chunk) else { return false };
        chunk.memory.write();
        // SAFETY: the chunk is open, and not the one that the consumer may read of.
        let memory = unsafe { &mut *chunk.bytes.get() };
        let has = memory.len();
        let lane = &*self.lane;
        // A record of the least length fits, in a journal too.
        let least = least.max(FIRST - CHUNK_HEADER).min(lane.longest);
        let wanted = wanted.max(least).min(lane.most.max(least));
        let is_oversized = has > lane.most && wanted <= lane.most;
        if has + CHUNK_HEADER >= wanted && has >= least && !is_oversized {
            return true;
        }
        let others = lane.allocated.load(Ordering::Relaxed).saturating_sub(has);
        let new = wanted.min(lane.most_of_all.saturating_sub(others)).max(least);
        let new = Some(new).filter(|new| *new > has || is_oversized);
        if let Some(new) = new.and_then(|new| lane.allocate(new, least)) {
            lane.allocated.fetch_add(new.len(), Ordering::Relaxed);
            lane.allocated.fetch_sub(has, Ordering::Relaxed);
            *memory = new;
        }
        memory.len() >= least
    }

    /// Goes on with an empty chunk, which has memory.
    fn begin(&mut self, chunk: usize) {
        if let Some(found) = self.lane.chunks.get(chunk) {
            found.memory.read();
            // SAFETY: the chunk is open, so only the producer replaces its memory.
            let memory = unsafe { &*found.bytes.get() };
            if let Some(run) = memory.run() {
                run.begin();
            }
            (self.chunk, self.length, self.capacity) = (chunk, 0, memory.len());
            self.bytes = memory.begin();
            self.published = NonNull::from(found.published(memory));
        }
    }

    /// From now on there is no space in the chunk.
    pub(crate) fn seal(&mut self) {
        self.length = self.capacity;
    }

    /// Moves to the next chunk, with at least this many bytes, if the writer has returned it and there is memory.
    pub(crate) fn advance(&mut self, least: usize) -> Advance {
        let next = (self.chunk + 1) % self.lane.chunks.len();
        let is_free = self.lane.chunks.get(next).is_some_and(|next| !next.closed.load(Ordering::Acquire));
        if !is_free {
            return Advance::Full;
        }
        if !self.has_memory(next, self.capacity.saturating_mul(2), least) {
            return Advance::NoMemory;
        }
        if let Some(this) = self.lane.chunks.get(self.chunk) {
            this.closed.store(true, Ordering::Release);
        }
        self.begin(next);
        Advance::Begun
    }

    /// Returns the maximum size of a record.
    pub(crate) fn longest(&self) -> usize {
        self.lane.longest
    }

    /// One more record has found no room.
    pub(crate) fn count_lost(&self) {
        self.lane.lost.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.lane.ended.store(true, Ordering::Release);
    }
}

impl Consumer {
    /// Passes the published bytes to `take`, in pieces of whole records. A record refers only to bytes of its own piece. Each
    /// piece comes with its end in a journal. Returns the number of pieces.
    ///
    /// Each chunk is read once: all that was published before the call is in them. A thread that records faster than
    /// `take` writes would never let it end otherwise.
    pub(crate) fn drain(&mut self, which: Drain, mut take: impl FnMut(&[u8], Option<Mark<'_>>)) -> usize {
        let mut pieces = 0;
        for _ in 0..self.lane.chunks.len() {
            let Some(chunk) = self.lane.chunks.get(self.chunk) else { return pieces };
            // Before `length`, which is final then.
            let closed = chunk.closed.load(Ordering::Acquire);
            if !closed && which == Drain::Full {
                return pieces;
            }
            chunk.memory.read();
            // SAFETY: the chunk is closed or the one that is being filled: the producer does not change its memory.
            let memory = unsafe { &*chunk.bytes.get() };
            let published = || chunk.published(memory).load(Ordering::Acquire).min(memory.len());
            let length = if closed || which == Drain::Last {
                published()
            } else {
                let Some(length) = chunk.cuts.cut(published) else { return pieces };
                length
            };
            chunk.contents(self.taken..length).for_each(Witness::read);
            if let Some(more) = length.checked_sub(self.taken).filter(|more| *more > 0) {
                let mark = memory.run().map(|run| Mark { run, until: length });
                // SAFETY: these bytes are in the memory and before `length`, so they are not written until the chunk is
                // returned, below.
                let new = unsafe {
                    let begin = memory.begin().as_ptr().add(self.taken);
                    slice::from_raw_parts(UnsafeCell::raw_get(begin), more)
                };
                take(new, mark);
                pieces += 1;
            }
            self.taken = length;
            if !closed {
                self.filled = 0;
                return pieces;
            }
            self.filled += 1;
            if which != Drain::Full && self.filled < BUSY && !self.lane.keeps {
                chunk.memory.write();
                // SAFETY: the chunk is closed, so it is the consumer's with its memory.
                let memory = core::mem::take(unsafe { &mut *chunk.bytes.get() });
                self.lane.allocated.fetch_sub(memory.len(), Ordering::Relaxed);
            } else if let Some(run) = memory.run() {
                run.clear();
            }
            chunk.length.store(0, Ordering::Relaxed);
            chunk.cuts.clear();
            chunk.closed.store(false, Ordering::Release);
            (self.chunk, self.taken) = ((self.chunk + 1) % self.lane.chunks.len(), 0);
        }
        pieces
    }

    /// Returns whether nothing will come any more. What came before has to be drained afterwards.
    pub(crate) fn has_ended(&self) -> bool {
        self.lane.ended.load(Ordering::Acquire)
    }

    /// Returns the number of records that were dropped for lack of memory.
    pub(crate) fn lost(&self) -> u64 {
        self.lane.lost.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, loom))]
#[path = "lane_model.rs"]
mod model;

#[cfg(test)]
#[path = "lane_tests.rs"]
mod tests;
