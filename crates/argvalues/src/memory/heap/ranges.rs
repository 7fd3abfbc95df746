//! The ranges of the managed heap between two collections.
//!
//! Contract of the unsafe code here: that of [`super`].

#[cfg(not(loom))]
use core::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::{Mutex, MutexGuard};
use std::sync::{PoisonError, TryLockError};

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(loom)]
use loom::sync::{Mutex, MutexGuard};

use super::pages::{PAGE, page_of};

/// A range of the managed heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapRange {
    /// The address at which it begins.
    pub start: usize,
    /// How many bytes of it are in use.
    pub used: usize,
    /// How many bytes it may grow to.
    pub reserved: usize,
    /// Whether memory of the range that is readable remains so, beyond the bytes that were in use.
    pub stays: bool,
}

impl HeapRange {
    /// The addresses above the pages in use, and above all pages.
    fn ends(&self) -> (usize, usize) {
        let up = |address: usize| page_of(address.saturating_add(PAGE - 1));
        let used =
            if self.used == 0 { page_of(self.start) } else { up(self.start.saturating_add(self.used)) };
        let all = if self.stays { page_of(self.start.saturating_add(self.reserved)) } else { used };
        (used, all.max(used))
    }
}

/// The result of a lookup of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It is readable: it is in use, or the operating system has found it to be readable in this epoch.
    Readable,
    /// If it is readable it remains so, as all pages up to this address.
    Stays(usize),
    /// It lies in no range.
    Nowhere,
    /// The ranges are being replaced, or are those of another epoch.
    NotNow,
}

/// The ranges of the managed heap, of all threads. They hold for one epoch, which is at most the time between two
/// collections.
#[derive(Debug)]
pub struct HeapRanges {
    epoch: AtomicU64,
    lists: Mutex<Lists>,
}

/// The ranges, sorted by their beginnings.
#[derive(Debug)]
struct Lists {
    /// Those of every epoch.
    kept: Vec<Listed>,
    /// Those of the running epoch.
    current: Vec<Listed>,
}

impl Lists {
    const NONE: Self = Self { kept: Vec::new(), current: Vec::new() };
}

/// A range, and its pages that the operating system has found to be readable, so that it is called once for all threads.
#[derive(Debug)]
struct Listed {
    range: HeapRange,
    /// A bit for each page of the range, as far as one has been found.
    readable: Vec<u64>,
}

impl Listed {
    /// The place of a page's bit.
    fn bit(&self, page: usize) -> Option<(usize, u64)> {
        let number = page.checked_sub(page_of(self.range.start))? / PAGE;
        Some((number / 64, 1 << (number % 64)))
    }

    fn is_readable(&self, page: usize) -> bool {
        let bit = self.bit(page);
        bit.is_some_and(|(word, bit)| self.readable.get(word).is_some_and(|bits| bits & bit != 0))
    }

    fn note(&mut self, page: usize) {
        let Some((word, bit)) = self.bit(page).filter(|_| page < self.range.ends().1) else { return };
        if self.readable.len() <= word {
            self.readable.resize(word + 1, 0);
        }
        if let Some(bits) = self.readable.get_mut(word) {
            *bits |= bit;
        }
    }
}

impl HeapRanges {
    /// Creates a heap without known ranges.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new() -> Self {
        Self { epoch: AtomicU64::new(0), lists: Mutex::new(Lists::NONE) }
    }

    /// As for programs, but not constant: `loom` notes what it creates.
    #[cfg(loom)]
    pub fn new() -> Self {
        Self { epoch: AtomicU64::new(0), lists: Mutex::new(Lists::NONE) }
    }

    /// The number of the epoch.
    #[inline]
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Begins an epoch with these ranges.
    ///
    /// # Safety
    ///
    /// Until the next call of this function, and afterwards for a thread that was in a hook at that time and stays in the
    /// same one:
    ///
    /// - the bytes of each range that are in use are readable;
    /// - if [`stays`](HeapRange::stays) is set, a byte of the range that can be read once can be read again.
    pub unsafe fn begin(&self, ranges: Vec<HeapRange>) {
        let mut lists = self.lock();
        lists.current = sorted(ranges);
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// Replaces the ranges of an epoch by others, which include them. Does nothing if the epoch has ended. Returns whether
    /// there are more than before.
    ///
    /// # Safety
    ///
    /// As for [`begin`](Self::begin), from the beginning of the epoch on.
    pub unsafe fn extend(&self, epoch: u64, ranges: Vec<HeapRange>) -> bool {
        let mut lists = self.lock();
        if self.epoch() != epoch {
            return false;
        }
        let is_more = ranges.len() > lists.current.len();
        lists.current = sorted(ranges);
        is_more
    }

    /// Sets the ranges that belong to every epoch. They include those that were set before, or the same memory.
    ///
    /// # Safety
    ///
    /// As for [`begin`](Self::begin), for the life of the process.
    pub unsafe fn keep(&self, ranges: Vec<HeapRange>) {
        let mut kept = sorted(ranges);
        let mut lists = self.lock();
        for listed in &mut kept {
            let before = lists.kept.binary_search_by_key(&listed.range.start, |before| before.range.start);
            if let Some(before) = before.ok().and_then(|index| lists.kept.get_mut(index)) {
                listed.readable = core::mem::take(&mut before.readable);
            }
        }
        lists.kept = kept;
    }

    /// Looks up a page for a thread that has the page's epoch.
    pub(super) fn find(&self, page: usize, epoch: u64) -> Found {
        let Some(lists) = self.of_epoch(epoch) else { return Found::NotNow };
        match find(&lists.current, page) {
            Found::Nowhere => find(&lists.kept, page),
            found => found,
        }
    }

    /// Notes that the operating system has found pages of an epoch to be readable, which the last lookup has found to stay so.
    pub(super) fn note(&self, pages: &[usize], epoch: u64) {
        let Some(mut lists) = self.of_epoch(epoch) else { return };
        let Lists { current, kept } = &mut *lists;
        for page in pages {
            let is_in =
                |list: &[Listed]| index_of(list, *page).filter(|_| find(list, *page) != Found::Nowhere);
            let found = match is_in(current) {
                Some(index) => current.get_mut(index),
                None => is_in(kept).and_then(|index| kept.get_mut(index)),
            };
            if let Some(listed) = found {
                listed.note(*page);
            }
        }
    }

    /// Returns the ranges of an epoch; `None` if it has ended, or they are being replaced.
    fn of_epoch(&self, epoch: u64) -> Option<MutexGuard<'_, Lists>> {
        // A hook does not wait here: the page is read through the operating system then.
        let lists = match self.lists.try_lock() {
            Ok(lists) => lists,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        (self.epoch() == epoch).then_some(lists)
    }

    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for HeapRanges {
    fn default() -> Self {
        Self::new()
    }
}

fn find(ranges: &[Listed], page: usize) -> Found {
    let Some(listed) = index_of(ranges, page).and_then(|index| ranges.get(index)) else {
        return Found::Nowhere;
    };
    let (used, all) = listed.range.ends();
    if page < used || listed.is_readable(page) {
        Found::Readable
    } else if page < all {
        Found::Stays(all)
    } else {
        Found::Nowhere
    }
}

/// Returns the index of the last range that begins on the page or before it.
fn index_of(ranges: &[Listed], page: usize) -> Option<usize> {
    ranges.partition_point(|listed| page_of(listed.range.start) <= page).checked_sub(1)
}

fn sorted(mut ranges: Vec<HeapRange>) -> Vec<Listed> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.into_iter().map(|range| Listed { range, readable: Vec::new() }).collect()
}

/// Every order of what a hook and the end of a collection do (`cargo xtask loom`).
#[cfg(all(test, loom))]
mod model {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// A page in use in the first epoch, which is in no range afterwards.
    const UNLOADED: usize = PAGE;
    /// A page that is in a range of both epochs, and is not in use.
    const SPARE: usize = 8 * PAGE;

    const fn range(page: usize, used: usize, stays: bool) -> HeapRange {
        HeapRange { start: page, used: used * PAGE, reserved: PAGE, stays }
    }

    #[test]
    fn what_is_found_and_noted_is_of_the_epoch_of_the_hook() {
        loom::model(|| {
            let ranges = Arc::new(HeapRanges::new());
            let (first, second) =
                ([range(UNLOADED, 1, false), range(SPARE, 0, true)], [range(SPARE, 0, true)]);
            // SAFETY: nothing is read.
            unsafe { ranges.begin(first.to_vec()) };
            let hook = {
                let ranges = Arc::clone(&ranges);
                thread::spawn(move || {
                    let epoch = ranges.epoch();
                    let found = ranges.find(UNLOADED, epoch);
                    let expected = if epoch == 1 { Found::Readable } else { Found::Nowhere };
                    assert!(found == expected || found == Found::NotNow, "{found:?} in {epoch}");
                    ranges.note(&[SPARE], epoch);
                    // A list that the runtime has returned in the epoch, and that arrives late.
                    // SAFETY: nothing is read.
                    unsafe {
                        ranges.extend(epoch, if epoch == 1 { first.to_vec() } else { second.to_vec() })
                    };
                    epoch
                })
            };
            // SAFETY: nothing is read.
            unsafe { ranges.begin(second.to_vec()) };
            let of_hook = hook.join().unwrap();
            assert_eq!((ranges.epoch(), ranges.find(UNLOADED, 1)), (2, Found::NotNow));
            assert_eq!(ranges.find(UNLOADED, 2), Found::Nowhere);
            if of_hook == 1 {
                assert_eq!(ranges.find(SPARE, 2), Found::Stays(SPARE + PAGE));
            }
        });
    }
}
