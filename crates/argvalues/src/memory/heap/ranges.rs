//! The ranges of the managed heap between two collections.
//!
//! Contract of the unsafe code here: that of [`super`].

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

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
    /// It is readable.
    InUse,
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
    kept: Vec<HeapRange>,
    /// Those of the running epoch.
    current: Vec<HeapRange>,
}

impl HeapRanges {
    /// Creates a heap without known ranges.
    #[must_use]
    pub const fn new() -> Self {
        Self { epoch: AtomicU64::new(0), lists: Mutex::new(Lists { kept: Vec::new(), current: Vec::new() }) }
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

    /// Sets the ranges that belong to every epoch.
    ///
    /// # Safety
    ///
    /// As for [`begin`](Self::begin), for the life of the process.
    pub unsafe fn keep(&self, ranges: Vec<HeapRange>) {
        self.lock().kept = sorted(ranges);
    }

    /// Looks up a page for a thread that has the page's epoch.
    pub(super) fn find(&self, page: usize, epoch: u64) -> Found {
        // A hook does not wait here: the page is read through the operating system then.
        let lists = match self.lists.try_lock() {
            Ok(lists) => lists,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Found::NotNow,
        };
        if self.epoch() != epoch {
            return Found::NotNow;
        }
        match find(&lists.current, page) {
            Found::Nowhere => find(&lists.kept, page),
            found => found,
        }
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

fn find(ranges: &[HeapRange], page: usize) -> Found {
    let next = ranges.partition_point(|range| page_of(range.start) <= page);
    let Some(range) = next.checked_sub(1).and_then(|last| ranges.get(last)) else { return Found::Nowhere };
    let (used, all) = range.ends();
    if page < used {
        Found::InUse
    } else if page < all {
        Found::Stays(all)
    } else {
        Found::Nowhere
    }
}

fn sorted(mut ranges: Vec<HeapRange>) -> Vec<HeapRange> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges
}
