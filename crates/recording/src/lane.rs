//! The memory between a thread that records and the thread that writes.
//!
//! A lane is a ring of chunks of bytes. The recording thread fills one chunk after the other and says after each record
//! how far it has come; the writer takes what is there, of chunks that are not full yet too, and gives a chunk back when
//! it is full and taken. Neither waits for the other, and neither takes a lock.
//!
//! Contract of the unsafe code here: there is one [`Producer`] and one [`Consumer`] of a lane. Of a chunk, the bytes up to
//! its `length` belong to the consumer to read, those behind it to the producer to write. `length` grows by the producer,
//! who stores it with release after the bytes, and the consumer loads it with acquire before it reads them. A closed chunk
//! is the consumer's alone, until it has set `length` to 0 and then `closed` to false.
#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::ptr::NonNull;
use core::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use argvalues::Primitive;

use crate::format::HEAD;

/// What both sides see.
pub(crate) struct Lane {
    chunks: Box<[Chunk]>,
    /// No producer any more: what is there is all.
    pub(crate) ended: AtomicBool,
    /// How many records there was no room for.
    pub(crate) lost: AtomicU64,
}

/// On cache lines of its own: the producer writes `length` with each record.
#[repr(align(128))]
struct Chunk {
    bytes: Box<[UnsafeCell<u8>]>,
    length: AtomicUsize,
    closed: AtomicBool,
}

// SAFETY: the bytes are shared as the contract above says; the rest is atomic.
unsafe impl Sync for Lane {}
// SAFETY: it owns all of its memory.
unsafe impl Send for Lane {}

/// The side that records. What it needs of its chunk for each record is at hand.
pub(crate) struct Producer {
    lane: Arc<Lane>,
    chunk: usize,
    /// The bytes of the chunk, how many they are, and where its `length` is: in the lane, which lives as long as this.
    bytes: NonNull<UnsafeCell<u8>>,
    capacity: usize,
    published: NonNull<AtomicUsize>,
    /// How much of the chunk is filled; no more than it has.
    length: usize,
}

// SAFETY: the pointers are into the lane, which any thread may have; what they are used for needs the only producer.
unsafe impl Send for Producer {}

/// The side that writes.
pub(crate) struct Consumer {
    lane: Arc<Lane>,
    chunk: usize,
    /// How much of the chunk is taken.
    taken: usize,
}

/// Both sides of a new lane with so many chunks of so many bytes, at least two of at least one.
pub(crate) fn lane(chunks: usize, bytes: usize) -> (Producer, Consumer) {
    let chunk = || Chunk {
        bytes: (0..bytes.max(1)).map(|_| UnsafeCell::new(0)).collect(),
        length: AtomicUsize::new(0),
        closed: AtomicBool::new(false),
    };
    let chunks = (0..chunks.max(2)).map(|_| chunk()).collect();
    let lane = Arc::new(Lane { chunks, ended: AtomicBool::new(false), lost: AtomicU64::new(0) });
    let mut producer = Producer {
        lane: Arc::clone(&lane),
        chunk: 0,
        bytes: NonNull::dangling(),
        capacity: 0,
        published: NonNull::dangling(),
        length: 0,
    };
    producer.begin(0);
    (producer, Consumer { lane, chunk: 0, taken: 0 })
}

/// How many bytes of a word are recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size(usize);

impl Size {
    /// Nothing.
    pub(crate) const NONE: Self = Self(0);
    /// All that a word has.
    const MOST: usize = size_of::<u64>();

    /// Those of a primitive.
    pub(crate) const fn of(primitive: Primitive) -> Self {
        let bytes = primitive.size();
        assert!(bytes <= Self::MOST);
        Self(bytes)
    }
}

impl Producer {
    /// Puts a head and words behind it, of each as many bytes as its size says, and publishes them as one record. `None`, and
    /// nothing is published, if `word` does not know one, or there is no [`space`](Self::space) for as many whole words.
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
                // The next one covers what is not its own.
                at.cast::<[u8; Size::MOST]>().write(word(index)?.to_le_bytes());
                at = at.add(size.0);
            }
            at.offset_from_unsigned(begin)
        };
        self.publish_more(bytes);
        Some(())
    }

    /// The same with one word.
    #[inline(always)]
    pub(crate) fn put_word(&mut self, head: [u8; HEAD], size: Size, word: u64) -> Option<()> {
        let space = self.space(HEAD + Size::MOST)?;
        let (begin, value) = space.split_first_chunk_mut()?;
        *begin = head;
        *value.first_chunk_mut()? = word.to_le_bytes();
        self.publish_more(HEAD + size.0);
        Some(())
    }

    /// Publishes so many bytes of a space, which had no fewer.
    #[inline(always)]
    fn publish_more(&mut self, bytes: usize) {
        self.length += bytes;
        // SAFETY: it is in the lane, which is alive.
        unsafe { self.published.as_ref() }.store(self.length, Ordering::Release);
    }

    /// The next so many bytes of the chunk, to be filled. `None` if there are not so many.
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

    /// Goes on with an empty chunk.
    fn begin(&mut self, chunk: usize) {
        if let Some(found) = self.lane.chunks.get(chunk) {
            (self.chunk, self.length, self.capacity) = (chunk, 0, found.bytes.len());
            self.bytes = NonNull::from(&*found.bytes).cast();
            self.published = NonNull::from(&found.length);
        }
    }

    /// From now on there is no space in the chunk.
    pub(crate) fn seal(&mut self) {
        self.length = self.capacity;
    }

    /// Goes on to the next chunk if the writer has given it back.
    pub(crate) fn advance(&mut self) -> bool {
        let next = (self.chunk + 1) % self.lane.chunks.len();
        let (Some(this), Some(free)) = (self.lane.chunks.get(self.chunk), self.lane.chunks.get(next)) else {
            return false;
        };
        if free.closed.load(Ordering::Acquire) {
            return false;
        }
        this.closed.store(true, Ordering::Release);
        self.begin(next);
        true
    }

    /// How many bytes a chunk has.
    pub(crate) const fn capacity(&self) -> usize {
        self.capacity
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
    /// Hands what has been published to `take`, piece by piece; each is whole records. With `partial` also of the chunk
    /// that is being filled. How many pieces there were.
    pub(crate) fn drain(&mut self, partial: bool, mut take: impl FnMut(&[u8])) -> usize {
        let mut pieces = 0;
        loop {
            let Some(chunk) = self.lane.chunks.get(self.chunk) else { return pieces };
            // Before `length`, which is final then.
            let closed = chunk.closed.load(Ordering::Acquire);
            if !closed && !partial {
                return pieces;
            }
            let length = chunk.length.load(Ordering::Acquire);
            if let Some(new) = chunk.bytes.get(self.taken..length).filter(|new| !new.is_empty()) {
                // SAFETY: these bytes are before `length`, so nobody writes them until the chunk is given back, below.
                take(unsafe { slice::from_raw_parts(UnsafeCell::raw_get(new.as_ptr()), new.len()) });
                pieces += 1;
            }
            self.taken = length;
            if !closed {
                return pieces;
            }
            chunk.length.store(0, Ordering::Relaxed);
            chunk.closed.store(false, Ordering::Release);
            (self.chunk, self.taken) = ((self.chunk + 1) % self.lane.chunks.len(), 0);
        }
    }

    /// Whether nothing will come any more. What came before has to be drained afterwards.
    pub(crate) fn has_ended(&self) -> bool {
        self.lane.ended.load(Ordering::Acquire)
    }

    /// How many records there was no room for.
    pub(crate) fn lost(&self) -> u64 {
        self.lane.lost.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(producer: &mut Producer, bytes: &[u8]) -> bool {
        let Some(space) = producer.space(bytes.len()) else { return false };
        space.copy_from_slice(bytes);
        producer.publish(bytes.len());
        true
    }

    fn drained(consumer: &mut Consumer, partial: bool) -> Vec<u8> {
        let mut all = Vec::new();
        consumer.drain(partial, |bytes| all.extend_from_slice(bytes));
        all
    }

    #[test]
    fn chunks_go_round_and_back() {
        let (mut producer, mut consumer) = lane(2, 4);
        assert!(put(&mut producer, b"abc") && !put(&mut producer, b"de"));
        assert_eq!(drained(&mut consumer, false), b"");
        assert_eq!(drained(&mut consumer, true), b"abc");
        assert!(put(&mut producer, b"d") && producer.advance() && put(&mut producer, b"efgh"));
        // The first chunk has not been given back.
        assert!(!producer.advance());
        assert_eq!(drained(&mut consumer, false), b"d");
        assert!(producer.advance());
        assert_eq!(drained(&mut consumer, true), b"efgh");
        drop(producer);
        assert!(consumer.has_ended());
    }

    #[test]
    fn what_one_thread_puts_another_takes_in_order() {
        const RECORDS: u32 = if cfg!(miri) { 300 } else { 300_000 };
        let (mut producer, mut consumer) = lane(3, 64);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for number in 0..RECORDS {
                    while !put(&mut producer, &number.to_le_bytes()) {
                        if !producer.advance() {
                            std::thread::yield_now();
                        }
                    }
                }
            });
            let mut next = 0;
            loop {
                let ended = consumer.has_ended();
                consumer.drain(true, |bytes| {
                    let (words, rest) = bytes.as_chunks();
                    assert!(rest.is_empty());
                    for word in words {
                        assert_eq!(u32::from_le_bytes(*word), next);
                        next += 1;
                    }
                });
                if ended {
                    break;
                }
            }
            assert_eq!(next, RECORDS);
        });
    }
}
