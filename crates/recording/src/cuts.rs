//! The cuts of a chunk that is being filled, where the writer has taken a part of it as a block.
//!
//! A record may refer to bytes of its own block only. One word has the length of the chunk at the last cut, and the length
//! that it has with the last referring record. The thread sets the second before it publishes such a record, if the bytes
//! that it refers to are behind the cut. The writer sets the first to a length that the chunk has, if that is not less than
//! the second. Both replace the whole word, and only if it has not changed, so the two are in an order:
//!
//! - The record comes first: the cut is behind it, since the chunk has not the record's length before it is published.
//! - The cut comes first: the thread sees it, and refers to bytes behind it only.
//!
//! Neither waits for the other. If a record is about to be published, the writer takes nothing, and returns later.

use crate::sync::{AtomicU64, Ordering, pause};

/// The number of times that the writer looks whether a record has been published. It takes a thread some nanoseconds,
/// unless it is preempted.
const LOOKS: usize = if cfg!(loom) { 1 } else { 100 };

/// The word of a chunk.
pub(crate) struct Cuts(AtomicU64);

/// The halves of the word.
#[derive(Clone, Copy)]
struct Both {
    /// The length at the last cut.
    cut: u32,
    /// The length with the last referring record.
    referring: u32,
}

impl Both {
    #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
    const fn of(word: u64) -> Self {
        Self { cut: word as u32, referring: (word >> 32) as u32 }
    }

    const fn word(self) -> u64 {
        self.cut as u64 | (self.referring as u64) << 32
    }
}

impl Cuts {
    /// Those of an empty chunk.
    pub(crate) fn none() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The chunk is empty again.
    pub(crate) fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Returns the length of the chunk at the last cut, for the thread. There may be another cut by now.
    #[inline(always)]
    pub(crate) fn last(&self) -> usize {
        Both::of(self.0.load(Ordering::Relaxed)).cut as usize
    }

    /// Returns whether a record may be published with which the chunk has a length, and which refers to bytes from `least`
    /// on. If so, it must be published at once.
    #[inline(always)]
    pub(crate) fn may_refer(&self, least: usize, length: usize) -> bool {
        let Ok(referring) = u32::try_from(length) else { return false };
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let cut = Both::of(word).cut;
            if least < cut as usize {
                return false;
            }
            let new = Both { cut, referring }.word();
            match self.0.compare_exchange_weak(word, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(changed) => word = changed,
            }
        }
    }

    /// Cuts the chunk at the length that it has. Returns that length, or `None` if a referring record is about to be
    /// published.
    pub(crate) fn cut(&self, published: impl Fn() -> usize) -> Option<usize> {
        for _ in 0..LOOKS {
            let word = self.0.load(Ordering::Acquire);
            let length = published();
            let referring = Both::of(word).referring;
            // Nothing refers to bytes behind the last place that there is a number for.
            let cut = u32::try_from(length).unwrap_or(u32::MAX);
            if cut < referring {
                pause();
                continue;
            }
            let new = Both { cut, referring }.word();
            if self.0.compare_exchange(word, new, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return Some(length);
            }
        }
        None
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_record_refers_to_bytes_behind_the_cut() {
        let cuts = Cuts::none();
        assert!(cuts.may_refer(0, 30));
        // The record has not been published.
        assert_eq!(cuts.cut(|| 20), None);
        assert_eq!((cuts.cut(|| 30), cuts.last()), (Some(30), 30));
        assert!(!cuts.may_refer(29, 40));
        assert!(cuts.may_refer(30, 40));
        assert_eq!(cuts.cut(|| 50), Some(50));
        cuts.clear();
        assert!(cuts.may_refer(0, 10));
    }

    #[test]
    fn places_without_a_number_are_not_referred_to() {
        let cuts = Cuts::none();
        let most = u32::MAX as usize;
        assert!(cuts.may_refer(0, most) && !cuts.may_refer(0, most + 1));
        assert_eq!(cuts.cut(|| most + 7), Some(most + 7));
        assert!(!cuts.may_refer(most - 1, most));
    }
}
