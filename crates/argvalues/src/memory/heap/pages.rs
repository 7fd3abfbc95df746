//! The pages that a thread has found to be readable.

use core::cell::{Cell, OnceCell};

use super::ranges::{Found, HeapRanges};
use crate::memory::checked::{Checked, MOST_AT_ONCE};

/// The size of a page here: the smallest of all systems, so that a page here lies in one page of the system and is readable
/// if one of its bytes is.
pub(super) const PAGE: usize = 4096;

/// The number of cached pages; a power of two.
const PAGES: usize = 512;

/// The number of pages in no range after which the ranges are read again.
const STRANGERS: u32 = 16;

/// The beginning of the page with an address.
#[inline]
pub(super) const fn page_of(address: usize) -> usize {
    address & !(PAGE - 1)
}

/// The readable pages that a thread has met in an epoch.
#[derive(Debug)]
pub(super) struct KnownPages {
    epoch: Cell<u64>,
    /// The addresses of pages, each in the slot of its number; 0 in empty slots. Allocated with the first page.
    slots: OnceCell<Box<[Cell<usize>; PAGES]>>,
    /// The number of pages since the ranges were read that lie in none of them.
    strangers: Cell<u32>,
    /// The number of these pages that is not worth reading the ranges.
    patience: Cell<u32>,
}

impl KnownPages {
    pub(super) const fn new() -> Self {
        Self {
            epoch: Cell::new(0),
            slots: OnceCell::new(),
            strangers: Cell::new(0),
            patience: Cell::new(STRANGERS),
        }
    }

    /// Forgets the pages of other epochs.
    #[inline]
    pub(super) fn keep_of(&self, epoch: u64) {
        if self.epoch.get() != epoch {
            self.clear();
            self.epoch.set(epoch);
            self.forgive_strangers(true);
        }
    }

    #[cold]
    pub(super) fn clear(&self) {
        if let Some(slots) = self.slots.get() {
            slots.iter().for_each(|slot| slot.set(0));
        }
    }

    /// Returns whether a page is cached. No page begins at 0.
    #[inline]
    pub(super) fn contains(&self, page: usize) -> bool {
        self.slots.get().is_some_and(|slots| slots[slot(page)].get() == page)
    }

    /// Looks for a page that is not cached.
    #[cold]
    pub(super) fn find(&self, page: usize, heap: &HeapRanges, checked: &Checked) -> bool {
        match heap.find(page, self.epoch.get()) {
            Found::Readable => {
                self.put(page);
                true
            }
            Found::Stays(end) => {
                // The pages behind too, since a program that allocates reaches them next.
                let mut pages = [0; MOST_AT_ONCE];
                let count = pages.iter_mut().zip((page..end).step_by(PAGE)).map(|(to, at)| *to = at).count();
                let readable = checked.readable(&pages[..count]);
                pages[..readable].iter().for_each(|page| self.put(*page));
                heap.note(&pages[..readable], self.epoch.get());
                readable > 0
            }
            Found::Nowhere => {
                self.strangers.set(self.strangers.get().saturating_add(1));
                false
            }
            Found::NotNow => false,
        }
    }

    fn put(&self, page: usize) {
        let slots = self.slots.get_or_init(|| Box::new([const { Cell::new(0) }; PAGES]));
        slots[slot(page)].set(page);
    }

    #[inline]
    pub(super) fn has_met_strangers(&self) -> bool {
        self.strangers.get() >= self.patience.get()
    }

    /// Counts anew. The next reading is later if the last one has found nothing.
    pub(super) fn forgive_strangers(&self, found: bool) {
        let patience = if found { STRANGERS } else { self.patience.get().saturating_mul(2) };
        self.patience.set(patience);
        self.strangers.set(0);
    }
}

#[inline]
const fn slot(page: usize) -> usize {
    (page / PAGE) % PAGES
}
