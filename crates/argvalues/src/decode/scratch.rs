//! The decoder's working memory.

use super::{ahead::Ahead, classes::Classes};

/// Working memory of a [`Decoder`](crate::Decoder). Keep it from call to call, so that nothing is allocated.
///
/// It grows to the limits and no further: the bytes of the objects and structs that are open at one time, and the units
/// of one string. It also caches shapes of classes where the runtime allows it. Use a scratch with one runtime only.
#[derive(Debug)]
pub struct Scratch {
    /// Copies of open values, the innermost last, and free space behind them.
    pub(super) bytes: Vec<u8>,
    /// The start of the free space.
    top: usize,
    /// The string that is being shown.
    pub(super) units: Vec<u16>,
    /// The addresses of the objects that are open, the innermost last.
    pub(super) ancestors: Vec<usize>,
    pub(super) classes: Classes,
    pub(super) ahead: Ahead,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Scratch {
    /// An empty one. Nothing is allocated until something is decoded.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            top: 0,
            units: Vec::new(),
            ancestors: Vec::new(),
            classes: Classes::new(),
            ahead: Ahead::new(),
        }
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.top = 0;
        self.ancestors.clear();
    }

    /// Reserves bytes on top and returns their position. They have unspecified contents.
    #[inline]
    pub(super) fn reserve(&mut self, size: usize) -> usize {
        let at = self.top;
        self.top += size;
        if self.top > self.bytes.len() {
            self.grow();
        }
        at
    }

    #[cold]
    fn grow(&mut self) {
        self.bytes.resize(self.top.next_power_of_two(), 0);
    }

    /// Releases a reservation and all later ones.
    #[inline]
    pub(super) fn release(&mut self, at: usize) {
        self.top = at;
    }
}
