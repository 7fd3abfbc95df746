//! Words of a call, found in a fast hook with nothing left to decide.
//!
//! [`EnterArguments::word`](super::EnterArguments::word) looks at a [`Location`](super::Location) at each call: which kind
//! of place, whether the register exists, whether the size is one of a number. All of that is known when the locations
//! are. What is left is an offset, what it counts from, and which bytes are the value's.
//!
//! Contract of the unsafe code here: an offset is made for one kind of area by the file that declares it, and stays
//! within that area or, with `on_stack`, is that of an argument on the stack. Areas live until the hook returns.
#![allow(unsafe_code)]

use super::fast::{EnterArea, LeaveArea};
use super::locations::Locations;

/// Where an argument of 1, 2, 4 or 8 bytes is at each call of a function: [`EnterRegisters::word`](super::EnterRegisters::word)
/// loads it. From [`Locations::argument_word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentWord {
    /// In bytes, from the area or from where the arguments on the stack begin.
    offset: u32,
    on_stack: bool,
    /// The value's own bits.
    mask: u64,
}

/// Where a result of 1, 2, 4 or 8 bytes is at the end of each call of a function:
/// [`LeaveRegisters::word`](super::LeaveRegisters::word) loads it. From [`Locations::result_word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultWord {
    /// In bytes, from the area.
    offset: u32,
    /// The value's own bits.
    mask: u64,
}

impl ArgumentWord {
    /// No argument: 0 at each call. For lists of a fixed length.
    pub const NONE: Self = Self { offset: 0, on_stack: false, mask: 0 };

    /// A value of so many bytes in the area.
    ///
    /// # Safety
    /// Every [`EnterArea`] has 8 bytes there.
    pub(super) unsafe fn in_area(offset: usize, length: u32) -> Option<Self> {
        Some(Self { offset: u32::try_from(offset).ok()?, on_stack: false, mask: mask(length)? })
    }

    /// A value of so many bytes among the arguments on the stack.
    pub(super) fn on_stack(offset: u32, length: u32) -> Option<Self> {
        Some(Self { offset, on_stack: true, mask: mask(length)? })
    }

    /// Loads it.
    #[inline(always)]
    pub(super) fn load(self, area: &EnterArea) -> u64 {
        let own = core::ptr::from_ref(area).expose_provenance();
        // A choice between two numbers, and no jump.
        let base = if self.on_stack { area.stack() } else { own };
        let at = core::ptr::with_exposed_provenance::<u64>(base.wrapping_add(self.offset as usize));
        // SAFETY: the area has 8 bytes there; or the caller has put an argument there, which takes 8 bytes whatever its
        // size.
        unsafe { at.read_unaligned() & self.mask }
    }
}

impl ResultWord {
    /// No result: 0 at each call.
    pub const NONE: Self = Self { offset: 0, mask: 0 };

    /// A value of so many bytes in the area.
    ///
    /// # Safety
    /// Every [`LeaveArea`] has 8 bytes there.
    pub(super) unsafe fn in_area(offset: usize, length: u32) -> Option<Self> {
        Some(Self { offset: u32::try_from(offset).ok()?, mask: mask(length)? })
    }

    /// Loads it.
    #[inline(always)]
    pub(super) fn load(self, area: &LeaveArea) -> u64 {
        // SAFETY: the area has 8 bytes there.
        let word = unsafe {
            core::ptr::from_ref(area).cast::<u64>().byte_add(self.offset as usize).read_unaligned()
        };
        word & self.mask
    }
}

impl Locations {
    /// Where an argument is at each call, for fast hooks: to be kept with the function, since then each call takes a few
    /// instructions to find it. Counts as [`arguments`](Self::arguments) do.
    ///
    /// `None` if it has another size than 1, 2, 4 or 8 bytes or is not known where it is, and beyond the last one.
    #[must_use]
    pub fn argument_word(&self, index: usize) -> Option<ArgumentWord> {
        EnterArea::word_at(*self.arguments.get(index)?)
    }

    /// Where the result is at the end of each call, for fast hooks.
    ///
    /// `None` if it has another size than 1, 2, 4 or 8 bytes or is not known where it is, and for `void`.
    #[must_use]
    pub fn result_word(&self) -> Option<ResultWord> {
        LeaveArea::word_at(self.result)
    }
}

/// The bits of a value of so many bytes in a word, if it is one.
const fn mask(length: u32) -> Option<u64> {
    match length {
        1 => Some(0xFF),
        2 => Some(0xFFFF),
        4 => Some(0xFFFF_FFFF),
        8 => Some(u64::MAX),
        _ => None,
    }
}
