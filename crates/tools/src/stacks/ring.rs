//! The ring of a thread: its signal handler writes samples, the draining thread reads them.

#[cfg(not(loom))]
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::stacks::limits::RING;

/// A queue of samples with one writer and one reader.
///
/// Both only use atomic loads and stores: no operation waits, and none allocates.
#[derive(Debug)]
pub(crate) struct Ring {
    words: Box<[AtomicU64]>,
    /// The numbers of words that were written and read so far.
    written: AtomicUsize,
    read: AtomicUsize,
}

/// A sample that is being written. It becomes visible with [`Entry::finish`].
#[derive(Debug)]
pub(crate) struct Entry<'r> {
    ring: &'r Ring,
    begin: usize,
    end: usize,
    /// The position up to which words may be written.
    limit: usize,
}

impl Ring {
    pub(crate) fn new() -> Self {
        let words = core::iter::repeat_with(|| AtomicU64::new(0)).take(RING).collect();
        Self { words, written: AtomicUsize::new(0), read: AtomicUsize::new(0) }
    }

    fn word(&self, position: usize) -> Option<&AtomicU64> {
        self.words.get(position % RING)
    }

    /// Begins a sample behind the last one.
    pub(crate) fn begin(&self) -> Entry<'_> {
        let begin = self.written.load(Ordering::Relaxed);
        let limit = self.read.load(Ordering::Acquire).wrapping_add(RING);
        // The first word is the sample's length.
        Entry { ring: self, begin, end: begin.wrapping_add(1), limit }
    }

    /// Returns whether all samples have been read.
    pub(crate) fn is_empty(&self) -> bool {
        self.written.load(Ordering::Acquire) == self.read.load(Ordering::Relaxed)
    }

    /// Calls `visit` with the words of each sample that is there now.
    pub(crate) fn drain(&self, words: &mut Vec<u64>, mut visit: impl FnMut(&[u64])) {
        let written = self.written.load(Ordering::Acquire);
        let mut read = self.read.load(Ordering::Relaxed);
        while read != written {
            let load = |position| self.word(position).map_or(0, |word| word.load(Ordering::Relaxed));
            let length = usize::try_from(load(read)).unwrap_or(0).clamp(1, RING);
            words.clear();
            words.extend((1..length).map(|offset| load(read.wrapping_add(offset))));
            read = read.wrapping_add(length);
            self.read.store(read, Ordering::Release);
            visit(words);
        }
    }
}

impl Entry<'_> {
    /// Appends a word; `false` if the ring is full.
    pub(crate) fn push(&mut self, word: u64) -> bool {
        // Positions wrap: their difference counts.
        if self.limit.wrapping_sub(self.end) == 0 || self.limit.wrapping_sub(self.end) > RING {
            return false;
        }
        let Some(slot) = self.ring.word(self.end) else { return false };
        slot.store(word, Ordering::Relaxed);
        self.end = self.end.wrapping_add(1);
        true
    }

    /// Replaces a word that was appended.
    pub(crate) fn set(&mut self, index: usize, word: u64) {
        let position = self.begin.wrapping_add(1).wrapping_add(index);
        if let Some(slot) = self.ring.word(position) {
            slot.store(word, Ordering::Relaxed);
        }
    }

    /// Makes the sample visible to the reader.
    pub(crate) fn finish(self) {
        let length = self.end.wrapping_sub(self.begin);
        if let Some(slot) = self.ring.word(self.begin) {
            slot.store(length as u64, Ordering::Relaxed);
        }
        self.ring.written.store(self.end, Ordering::Release);
    }
}

/// Every order of what a handler and the reader do, in a ring of eight words (`cargo xtask loom`).
#[cfg(all(test, loom))]
mod model {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    #[test]
    fn a_reader_gets_whole_samples_in_order_and_none_is_overwritten_before() {
        loom::model(|| {
            let ring = Arc::new(Ring::new());
            let writer = Arc::clone(&ring);
            // Samples of four words with their length: the third one fits only behind one that has been read.
            let handler = thread::spawn(move || {
                let fits = |number: &u64| {
                    let mut entry = writer.begin();
                    let fits = (0..3).all(|_| entry.push(*number));
                    if fits {
                        entry.finish();
                    }
                    fits
                };
                (1..=3).filter(fits).collect::<Vec<u64>>()
            });
            let (mut read, mut words) = (Vec::new(), Vec::new());
            let mut drain = || {
                ring.drain(&mut words, |words| {
                    assert_eq!(words, [words[0]; 3]);
                    read.push(words[0]);
                });
            };
            drain();
            let written = handler.join().unwrap();
            drain();
            assert_eq!(read, written);
            assert!(ring.is_empty());
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn write(ring: &Ring, words: &[u64]) -> bool {
        let mut entry = ring.begin();
        let fits = words.iter().all(|word| entry.push(*word));
        if fits {
            entry.finish();
        }
        fits
    }

    #[test]
    fn samples_are_read_in_order_over_many_rounds() {
        let (ring, mut buffer) = (Ring::new(), Vec::new());
        let mut expected = 0_u64;
        for round in 0..1_000_u64 {
            let count = round % 7 + 1;
            for number in 0..count {
                assert!(write(&ring, &[round, number, 9][..2 + usize::try_from(number % 2).unwrap()]));
            }
            let mut number = 0;
            ring.drain(&mut buffer, |words| {
                assert_eq!(words[..2], [round, number]);
                assert_eq!(words.len() as u64, 2 + number % 2);
                number += 1;
                expected += 1;
            });
            assert!(number == count && ring.is_empty());
        }
        assert_eq!(expected, (0..1_000).map(|round| round % 7 + 1).sum::<u64>());
    }

    #[test]
    fn a_sample_that_does_not_fit_leaves_the_others_whole() {
        let (ring, mut buffer) = (Ring::new(), Vec::new());
        let sample = vec![7; 999];
        assert_eq!((0..5).filter(|_| write(&ring, &sample)).count(), 4);
        let mut count = 0;
        ring.drain(&mut buffer, |words| {
            assert_eq!(words, sample);
            count += 1;
        });
        assert_eq!(count, 4);
        assert!(write(&ring, &sample));
    }

    #[test]
    fn a_reader_beside_a_writer_gets_whole_samples() {
        let ring = std::sync::Arc::new(Ring::new());
        let writer = std::sync::Arc::clone(&ring);
        let thread = std::thread::spawn(move || {
            let mut written = 0_u64;
            while written < 20_000 {
                let length = usize::try_from(written % 50).unwrap() + 1;
                written += u64::from(write(&writer, &vec![written; length]));
            }
        });
        let (mut buffer, mut next) = (Vec::new(), 0);
        while next < 20_000 {
            ring.drain(&mut buffer, |words| {
                assert_eq!(words.len() as u64, next % 50 + 1);
                assert!(words.iter().all(|word| *word == next));
                next += 1;
            });
        }
        thread.join().unwrap();
    }
}
