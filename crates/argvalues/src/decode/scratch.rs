//! The decoder's working memory.

/// Working memory of a [`Decoder`](crate::Decoder), to be kept from call to call so that nothing is allocated.
///
/// It grows to what the limits allow and no further: the bytes of the objects and structs that are open at one
/// time, and the units of one string.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Copies of what is open, the innermost last.
    pub(super) bytes: Vec<u8>,
    /// The string that is being shown.
    pub(super) units: Vec<u16>,
    /// The addresses of the objects that are open, the innermost last.
    pub(super) ancestors: Vec<usize>,
}

impl Scratch {
    /// An empty one. Nothing is allocated until something is decoded.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), units: Vec::new(), ancestors: Vec::new() }
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.units.clear();
        self.ancestors.clear();
    }

    /// Room for so many bytes on top, and where it is.
    #[inline]
    pub(super) fn reserve(&mut self, size: usize) -> usize {
        let at = self.bytes.len();
        self.bytes.resize(at + size, 0);
        at
    }

    /// Takes away what was reserved there and since.
    #[inline]
    pub(super) fn release(&mut self, at: usize) {
        self.bytes.truncate(at);
    }
}
