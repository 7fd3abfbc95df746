//! The moves of the targets of open calls' `ref` and `out` parameters by garbage collections.
//!
//! Collections are reported while no managed thread runs, and a collection waits for hooks: when one begins, a call is
//! either not entered yet or entirely entered.

use core::ops::Range;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use argvalues::SavedRefs;
use corprof::GenerationRange;
use corprof::values::{Generations, MovedRange, MovedRanges, SurvivingRanges};

use crate::limits::MAX_RANGES;

/// The collections since the oldest open call with saved references began.
#[derive(Default)]
pub(crate) struct Moves {
    log: Mutex<Log>,
    /// The number of open calls with saved references.
    open: Arc<AtomicUsize>,
}

#[derive(Default)]
struct Log {
    /// The collections, the oldest first.
    collections: VecDeque<Collection>,
    ranges: usize,
    /// The number of the last collection that has been dropped.
    dropped: u64,
}

/// One garbage collection.
struct Collection {
    number: u64,
    /// The parts of the heap that it collects, from where to where.
    collected: Vec<(usize, usize)>,
    /// The ranges that survived.
    survivors: Vec<MovedRange>,
}

/// Keeps collections recorded while a call with saved references is open.
pub(crate) struct Tracked(Arc<AtomicUsize>);

impl Drop for Tracked {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Moves {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call begins that saved references. Collections are recorded only while there is one.
    pub(crate) fn track(&self) -> Tracked {
        self.open.fetch_add(1, Ordering::Relaxed);
        Tracked(Arc::clone(&self.open))
    }

    /// A collection with this number begins; `bounds` returns the bounds of the generations before it.
    pub(crate) fn started(
        &self,
        number: u64,
        generations: Generations<'_>,
        bounds: impl FnOnce() -> Option<Vec<GenerationRange>>,
    ) {
        let bounds = (self.open.load(Ordering::Relaxed) > 0).then(bounds);
        let mut log = self.log();
        let Some(bounds) = bounds else {
            *log = Log { dropped: number, ..Log::default() };
            return;
        };
        let collected = match bounds {
            Some(bounds) => bounds
                .iter()
                .filter(|range| generations.contains(range.generation.0 as usize))
                .map(|range| (range.start, range.start.saturating_add(range.length)))
                .collect(),
            // Only the survivors are known then.
            None => vec![(0, usize::MAX)],
        };
        log.collections.push_back(Collection { number, collected, survivors: Vec::new() });
    }

    /// Ranges that the running collection moves.
    pub(crate) fn moved(&self, ranges: MovedRanges<'_>) {
        self.log().survived(ranges.iter());
    }

    /// Ranges that the running collection leaves in place.
    pub(crate) fn stayed(&self, ranges: SurvivingRanges<'_>) {
        let in_place = ranges.iter().map(|range| MovedRange {
            old: range.start,
            new: range.start,
            length: range.length,
        });
        self.log().survived(in_place);
    }

    /// Follows a call's saved references through the collections up to `now`, except those into the thread's `stack`.
    pub(crate) fn follow(&self, saved: &mut SavedRefs, now: u64, stack: &Range<usize>) {
        let since = saved.collections();
        if since != now && !saved.is_empty() {
            let log = self.log();
            saved.relocate(now, |address| match stack.contains(&address) {
                true => Some(address),
                false => log.follow(address, since),
            });
        }
    }
}

impl Log {
    fn survived(&mut self, ranges: impl Iterator<Item = MovedRange>) {
        let Some(running) = self.collections.back_mut() else { return };
        let before = running.survivors.len();
        running.survivors.extend(ranges);
        running.survivors.sort_unstable_by_key(|range| range.old);
        self.ranges += running.survivors.len() - before;
        while self.ranges > MAX_RANGES {
            let Some(oldest) = self.collections.pop_front() else { return };
            self.ranges -= oldest.survivors.len();
            self.dropped = oldest.number;
        }
    }

    /// Returns the current address of the memory at `address` after `since` collections; `None` if unknown.
    fn follow(&self, address: usize, since: u64) -> Option<usize> {
        if since < self.dropped {
            return None;
        }
        self.collections
            .iter()
            .filter(|collection| collection.number > since)
            .try_fold(address, |address, collection| collection.follow(address))
    }
}

impl Collection {
    fn follow(&self, address: usize) -> Option<usize> {
        let next = self.survivors.partition_point(|range| range.old <= address);
        let range = next.checked_sub(1).and_then(|last| self.survivors.get(last));
        if let Some(range) = range.filter(|range| address - range.old < range.length) {
            return Some(range.new.wrapping_add(address - range.old));
        }
        // Memory outside of the collected ranges stays in place. Inside of them it did not survive.
        let is_collected = self.collected.iter().any(|(start, end)| (*start..*end).contains(&address));
        (!is_collected).then_some(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(old: usize, new: usize, length: usize) -> MovedRange {
        MovedRange { old, new, length }
    }

    fn log() -> Log {
        let first = Collection {
            number: 3,
            collected: vec![(0x1000, 0x2000)],
            survivors: vec![range(0x1100, 0x1000, 0x80), range(0x1800, 0x1080, 0x40)],
        };
        let second = Collection {
            number: 4,
            collected: vec![(0x1000, 0x1100)],
            survivors: vec![range(0x1000, 0x9000, 0x90)],
        };
        Log { collections: [first, second].into(), ranges: 3, dropped: 2 }
    }

    #[test]
    fn an_address_is_followed_from_collection_to_collection() {
        let log = log();
        assert_eq!(log.follow(0x1104, 2), Some(0x9004));
        assert_eq!(log.follow(0x1004, 3), Some(0x9004));
        assert_eq!(log.follow(0x1104, 3), Some(0x1104));
        assert_eq!(log.follow(0x7fff_0000, 2), Some(0x7fff_0000));
    }

    #[test]
    fn addresses_of_the_dead_and_of_dropped_collections_are_unknown() {
        let log = log();
        assert_eq!(log.follow(0x1180, 2), None);
        assert_eq!(log.follow(0x1830, 2), None);
        assert_eq!(log.follow(0x7fff_0000, 1), None);
    }

    #[test]
    fn the_oldest_ranges_go_when_there_are_too_many() {
        let mut log = log();
        log.survived((0..MAX_RANGES).map(|index| range(0x10_0000 + index, 0, 1)));
        assert!(log.ranges <= MAX_RANGES);
        assert_eq!(log.follow(0x7fff_0000, 2), None);
    }
}
