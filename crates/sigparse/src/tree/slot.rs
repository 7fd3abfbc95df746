//! What trees are made of.

use crate::ElementType;

/// Eight bytes of a tree: a type, or a part of one that needs more than that.
///
/// What is nested in the same thing stands side by side, in a row that `value` gives the first of:
///
/// | slot | `small` | `value` | the row |
/// |---|---|---|---|
/// | whole types | | | |
/// | CLASS, VALUETYPE | | token | |
/// | VAR, MVAR | | number | |
/// | INTERNAL | | row | the halves of the handle |
/// | PTR, BYREF, SZARRAY, PINNED | | row | the target |
/// | CMOD_REQD, CMOD_OPT | | row | the modifier's token, the modified type |
/// | CMOD_INTERNAL | required? | row | the halves of the handle, the modified type |
/// | GENERICINST | count | row | the definition (and the halves of its handle), the arguments |
/// | ARRAY | | row | the element type, the shape |
/// | a shape | counts | row | the sizes, the lower bounds |
/// | FNPTR | | row | a head |
/// | a head | generic parameters | count | after it: the types of the signature |
///
/// Tokens are coded indexes, as in the blob. Every tree begins with a head, but for that of a type by itself. The element
/// of a head is the first byte of the signature, that of a shape the rank. The count of a generic method's arguments is
/// where others have generic parameters.
///
/// No row is longer than the bytes that it stands for, so that a tree has at most as many slots as the blob bytes.
///
/// It is one number, so that it is written at once: the element in the lowest byte, the mark of a SENTINEL above it, then
/// `small` and `value`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Slot(u64);

impl Slot {
    /// Nothing yet. The slot after it is filled next.
    pub(super) const EMPTY: Self = Self(0);

    const SENTINEL: u64 = 0x100;

    #[inline]
    pub(super) const fn new(element: ElementType, small: u16, value: u32) -> Self {
        Self(element.0 as u64 | (small as u64) << 16 | (value as u64) << 32)
    }

    /// Nothing yet, at the end of its row: this slot is filled next. It is never the first.
    #[inline]
    pub(super) const fn last(next: u32) -> Self {
        Self(next as u64)
    }

    /// What is filled after an empty slot that is here.
    #[inline]
    pub(super) const fn next(self, here: u32) -> u32 {
        if self.0 == 0 { here + 1 } else { (self.0 & 0xFFFF_FFFF) as u32 }
    }

    #[inline]
    pub(super) const fn element(self) -> ElementType {
        ElementType((self.0 & 0xFF) as u8)
    }

    #[inline]
    pub(super) const fn small(self) -> u16 {
        (self.0 >> 16 & 0xFFFF) as u16
    }

    #[inline]
    pub(super) const fn value(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    pub(super) const fn with_small(self, small: u16) -> Self {
        Self(self.0 & !(0xFFFF << 16) | (small as u64) << 16)
    }

    /// Whether it is the first parameter after a SENTINEL.
    #[inline]
    pub(super) const fn is_after_sentinel(self) -> bool {
        self.0 & Self::SENTINEL != 0
    }

    /// As the first parameter after a SENTINEL.
    pub(super) const fn after_sentinel(self) -> Self {
        Self(self.0 | Self::SENTINEL)
    }
}

/// The halves of a handle, the lower first.
#[inline]
pub(super) const fn halves(handle: usize) -> [u32; 2] {
    let handle = handle as u64;
    [(handle & 0xFFFF_FFFF) as u32, (handle >> 32) as u32]
}

/// The handle of these halves.
#[inline]
pub(super) const fn handle(halves: [u32; 2]) -> usize {
    let [low, high] = halves;
    // It came from a `usize`.
    #[allow(clippy::cast_possible_truncation)]
    let handle = ((high as u64) << 32 | low as u64) as usize;
    handle
}
