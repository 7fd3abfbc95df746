//! The buffers and the memory that values are decoded with on one thread.

use core::cell::{OnceCell, RefCell};
use core::ops::Range;

use argvalues::{ArgumentRange, HeapMemory, Scratch};

use crate::os_thread;

/// The buffers and the memory that values are decoded with on one thread.
pub(crate) struct ThreadDecoding {
    /// The operating system's id.
    pub(crate) id: u64,
    /// The bounds of the thread's stack; empty if unknown.
    bounds: Range<usize>,
    /// Made with the first decoded value.
    pub(crate) memory: OnceCell<HeapMemory>,
    pub(crate) scratch: RefCell<Scratch>,
    /// The ranges of the running call's arguments.
    pub(crate) ranges: RefCell<Vec<ArgumentRange>>,
}

impl ThreadDecoding {
    pub(crate) fn new() -> Self {
        Self {
            id: os_thread::thread_id(),
            bounds: os_thread::stack().unwrap_or(0..0),
            memory: OnceCell::new(),
            scratch: RefCell::default(),
            ranges: RefCell::default(),
        }
    }

    /// Returns the bounds of the thread's stack; empty if unknown.
    pub(crate) const fn bounds(&self) -> &Range<usize> {
        &self.bounds
    }

    /// Returns the range of the stack above the current frame, which has the variables of the callers. It is empty on another
    /// stack than the thread's, such as one that native code has made for a coroutine.
    pub(crate) fn stack(&self) -> Range<usize> {
        let here = os_thread::here();
        if self.bounds.contains(&here) { here..self.bounds.end } else { 0..0 }
    }
}
