//! The buffers that values are decoded with on one thread.

use core::cell::RefCell;
use core::ops::Range;

use argvalues::{ArgumentRange, Scratch};

use crate::os_thread;

/// The buffers that values are decoded with on one thread.
pub(crate) struct ThreadDecoding {
    /// The operating system's id.
    pub(crate) id: u64,
    stack_top: usize,
    pub(crate) scratch: RefCell<Scratch>,
    /// The ranges of the running call's arguments.
    pub(crate) ranges: RefCell<Vec<ArgumentRange>>,
}

impl ThreadDecoding {
    pub(crate) fn new() -> Self {
        Self {
            id: os_thread::thread_id(),
            stack_top: os_thread::stack_top().unwrap_or(0),
            scratch: RefCell::default(),
            ranges: RefCell::default(),
        }
    }

    /// Returns the range of the stack above the current frame, which has the variables of the callers.
    pub(crate) fn stack(&self) -> Range<usize> {
        os_thread::here()..self.stack_top
    }
}
