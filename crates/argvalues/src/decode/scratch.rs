//! The decoder's working memory.

use super::{ahead::Ahead, classes::Classes};

/// Working memory of a [`Decoder`](crate::Decoder), to be kept from call to call so that nothing is allocated.
///
/// It grows to what the limits allow and no further: the bytes of the objects and structs that are open at one
/// time, and the units of one string. Shapes of classes are kept too, where the runtime lets them be; a scratch is
/// therefore used with one runtime in all its life.
#[derive(Debug)]
pub struct Scratch {
    /// Copies of what is open, the innermost last, and behind them room.
    pub(super) bytes: Vec<u8>,
    /// Where the room begins.
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

    /// Room for so many bytes on top, and where it is. What is in it is left over from before.
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

    /// Takes away what was reserved there and since.
    #[inline]
    pub(super) fn release(&mut self, at: usize) {
        self.top = at;
    }
}
