//! Memory of a process with a managed heap: most of it is read in place, the rest through the operating system.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | [`HeapMemory`]: which bytes are read how |
//! | `ranges` | [`HeapRanges`]: the ranges of the heap between two collections and their readable pages, for all threads |
//! | `pages` | the pages that a thread has found to be readable |
//!
//! Contract of the unsafe code here: a byte is read in place only if it lies in the part of the running thread's stack
//! that the caller of [`HeapMemory::enter`] guarantees, or in a page that is cached. A page is cached if the caller of
//! [`HeapRanges::begin`] or [`HeapRanges::extend`] guarantees that it is readable, or that it remains readable and the
//! operating system has read a byte of it since that call. The cache is emptied when the guarantee ends, which is when the
//! epoch changes.
#![allow(unsafe_code)]

mod pages;
mod ranges;

use core::cell::Cell;
use core::ops::Range;
use std::sync::Arc;

use self::pages::{KnownPages, PAGE, page_of};
pub use self::ranges::{HeapRange, HeapRanges};
use super::direct::copy;
use super::{Checked, LOWEST_ADDRESS, Memory, MemoryError};

/// The memory of this process for one thread: the thread's stack and the managed heap are read in place as far as they are
/// known to be readable; every other address is read through the operating system, as with [`Checked`].
///
/// A bad address is an error, wherever it points.
#[derive(Debug)]
pub struct HeapMemory {
    checked: Checked,
    heap: Arc<HeapRanges>,
    pages: KnownPages,
    /// The bounds of the part of the stack that is readable.
    stack: [Cell<usize>; 2],
}

impl HeapMemory {
    /// Creates the memory for one thread. Until [`enter`](Self::enter) is called, everything is read through the operating
    /// system.
    #[must_use]
    pub fn new(checked: Checked, heap: Arc<HeapRanges>) -> Self {
        Self { checked, heap, pages: KnownPages::new(), stack: [const { Cell::new(0) }; 2] }
    }

    /// Begins to read in a hook of the runtime. `stack` is the part of the thread's stack above the hook; it may be empty.
    ///
    /// # Safety
    ///
    /// Until the next call of this function or of [`leave`](Self::leave), as long as this value is used to read:
    ///
    /// - the running thread is in one hook of the runtime, or elsewhere where the runtime waits for the thread before it
    ///   collects;
    /// - every byte of `stack` is readable.
    #[inline]
    pub unsafe fn enter(&self, stack: Range<usize>) {
        self.stack[0].set(stack.start);
        self.stack[1].set(stack.end);
        self.pages.keep_of(self.heap.epoch());
    }

    /// Reads everything through the operating system, until [`enter`](Self::enter) is called again.
    pub fn leave(&self) {
        self.stack[0].set(0);
        self.stack[1].set(0);
        self.pages.clear();
    }

    /// Returns whether many pages have been read that lie in no range, so that [`HeapRanges::extend`] may pay.
    #[inline]
    #[must_use]
    pub fn needs_ranges(&self) -> bool {
        self.pages.has_met_strangers()
    }

    /// Notes that the ranges have been read again; `found` is whether there are more than before.
    pub fn ranges_were_read(&self, found: bool) {
        self.pages.forgive_strangers(found);
    }

    /// Returns whether the bytes may be read in place.
    #[inline]
    fn knows(&self, address: usize, length: usize) -> bool {
        let Some(last) = address.checked_add(length.wrapping_sub(1)) else { return false };
        if length == 0 || address < LOWEST_ADDRESS {
            return false;
        }
        if address >= self.stack[0].get() && last < self.stack[1].get() {
            return true;
        }
        let (first, last) = (page_of(address), page_of(last));
        self.knows_page(first) && (first == last || self.knows_pages(first + PAGE, last))
    }

    #[inline]
    fn knows_page(&self, page: usize) -> bool {
        self.pages.contains(page) || self.pages.find(page, &self.heap, &self.checked)
    }

    #[cold]
    fn knows_pages(&self, first: usize, last: usize) -> bool {
        (first..=last).step_by(PAGE).all(|page| self.knows_page(page))
    }
}

impl Memory for HeapMemory {
    #[inline]
    fn reads_ahead(&self) -> bool {
        true
    }

    #[inline]
    fn read_in_place(&self, address: usize, buffer: &mut [u8]) -> bool {
        if !self.knows(address, buffer.len()) {
            return false;
        }
        // SAFETY: every byte lies in the guaranteed part of the stack, or in a page that was found to be readable in this
        // epoch; the check shows that the range does not wrap.
        unsafe { copy(address, buffer) };
        true
    }

    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        self.checked.read(address, buffer)
    }
}

#[cfg(test)]
mod tests;
