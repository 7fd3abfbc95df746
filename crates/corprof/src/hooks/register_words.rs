//! Arguments and results of up to 8 bytes, located once and loaded in a few instructions.
//!
//! [`EnterArguments::word`](super::EnterArguments::word) interprets a [`Location`](super::Location) at each call: the kind
//! of place, whether the register exists, whether the size is that of a number. All of that is known when the locations
//! are. An offset, its base and a mask are left.
//!
//! Contract of the unsafe code here: an offset is made for one kind of area by the file that declares it and stays
//! within that area; with `on_stack` it is that of an argument of one function, as the contract of `load` requires.
//! Areas live until the hook returns,
//! and so does what the runtime has located.
#![allow(unsafe_code)]

use corprof_sys as sys;
use corprof_types::ArgumentRange;

use super::fast::{EnterArea, LeaveArea};
use super::locations::{Location, Locations};

/// The precomputed location of an argument of 1, 2, 4 or 8 bytes.
///
/// [`Locations::argument_word`] makes it, and [`EnterRegisters::word`](super::EnterRegisters::word) loads the argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentWord {
    /// In bytes, from the area or from where the arguments on the stack begin.
    offset: u32,
    on_stack: bool,
    /// The value's own bits.
    mask: u64,
}

/// The precomputed location of a result of 1, 2, 4 or 8 bytes.
///
/// [`Locations::result_word`] makes it, and [`LeaveRegisters::word`](super::LeaveRegisters::word) loads the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultWord {
    /// In bytes, from the area.
    offset: u32,
    /// The value's own bits.
    mask: u64,
}

impl ArgumentWord {
    /// No argument: 0 at each call. For arrays of a fixed length.
    pub const NONE: Self = Self { offset: 0, on_stack: false, mask: 0 };

    /// A value of so many bytes in the area.
    ///
    /// # Safety
    /// Every [`EnterArea`] has 8 bytes there.
    #[cfg_attr(windows, allow(dead_code, reason = "all arguments are in slots on the stack"))]
    pub(super) unsafe fn in_area(offset: usize, length: u32) -> Option<Self> {
        Some(Self { offset: u32::try_from(offset).ok()?, on_stack: false, mask: mask(length)? })
    }

    /// A value of so many bytes among the arguments on the stack.
    pub(super) fn on_stack(offset: u32, length: u32) -> Option<Self> {
        Some(Self { offset, on_stack: true, mask: mask(length)? })
    }

    /// Loads it.
    ///
    /// # Safety
    /// The word is one of the function that was called when the stub saved the area.
    #[inline(always)]
    pub(super) unsafe fn load(self, area: &EnterArea) -> u64 {
        let own = core::ptr::from_ref(area).expose_provenance();
        // A choice between two numbers, and no jump.
        let base = if self.on_stack { area.stack() } else { own };
        let at = core::ptr::with_exposed_provenance::<u64>(base.wrapping_add(self.offset as usize));
        // SAFETY: the area has 8 bytes there; or the program's caller has put an argument of this function there, which
        // takes 8 bytes whatever its size.
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
    /// Returns the precomputed location of an argument, for fast-path hooks.
    ///
    /// Cache it with the function: loading the argument then takes a few instructions. `index` is the position in
    /// [`arguments`](Self::arguments). `None` beyond the last argument, for an argument of a size other than 1, 2, 4 or 8
    /// bytes, and for an unknown location.
    #[must_use]
    pub fn argument_word(&self, index: usize) -> Option<ArgumentWord> {
        EnterArea::word_at(*self.arguments.get(index)?)
    }

    /// Returns the precomputed location of the result, for fast-path hooks.
    ///
    /// `None` for `void`, for a result of a size other than 1, 2, 4 or 8 bytes, and for an unknown location.
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

/// Where the arguments of a call are.
#[derive(Clone, Copy)]
pub(super) struct Ranges<'a>(Located<'a>);

#[derive(Clone, Copy)]
enum Located<'a> {
    WithInfo(&'a [sys::COR_PRF_FUNCTION_ARGUMENT_RANGE]),
    Fast(&'a EnterArea, &'a [Location]),
}

impl<'a> Ranges<'a> {
    /// # Safety
    /// The runtime has located the arguments for the hook that is running, which the lifetime does not outlast.
    #[inline(always)]
    pub(super) unsafe fn of_runtime(ranges: &'a [sys::COR_PRF_FUNCTION_ARGUMENT_RANGE]) -> Self {
        Self(Located::WithInfo(ranges))
    }

    /// # Safety
    /// The locations are those of the function that was called when the stub saved the area.
    #[inline(always)]
    pub(super) unsafe fn of_area(area: &'a EnterArea, locations: &'a [Location]) -> Self {
        Self(Located::Fast(area, locations))
    }

    /// The bytes of an argument, as [`EnterArguments::word`](super::EnterArguments::word) returns them.
    #[inline]
    pub(super) fn word(&self, index: usize) -> Option<u64> {
        match self.0 {
            Located::WithInfo(ranges) => {
                let range = ranges.get(index)?;
                // SAFETY: the runtime has located the argument, for the hook that is running.
                unsafe { read_word(range.startAddress, range.length) }
            }
            Located::Fast(area, locations) => {
                let word = EnterArea::word_at(*locations.get(index)?)?;
                // SAFETY: the contract of `of_area`: the locations are those of the function.
                Some(unsafe { word.load(area) })
            }
        }
    }
}

/// The same range in the crate's own type.
#[inline(always)]
const fn range_of(range: sys::COR_PRF_FUNCTION_ARGUMENT_RANGE) -> ArgumentRange {
    ArgumentRange { address: range.startAddress, length: range.length }
}

/// Those that are left.
impl Iterator for Ranges<'_> {
    type Item = ArgumentRange;

    #[inline(always)]
    fn next(&mut self) -> Option<ArgumentRange> {
        match &mut self.0 {
            Located::WithInfo(ranges) => {
                let (range, rest) = ranges.split_first()?;
                *ranges = rest;
                Some(range_of(*range))
            }
            Located::Fast(area, locations) => {
                let (location, rest) = locations.split_first()?;
                *locations = rest;
                // SAFETY: the contract of `of_area`: the locations are those of the function.
                Some(unsafe { area.range(location) })
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = match self.0 {
            Located::WithInfo(ranges) => ranges.len(),
            Located::Fast(_, locations) => locations.len(),
        };
        (count, Some(count))
    }
}

impl ExactSizeIterator for Ranges<'_> {}

/// The bytes at an address, in the lowest bytes of a number, if they are as many as a number has.
///
/// # Safety
/// There is so much to read.
#[inline(always)]
unsafe fn read_word(address: usize, length: u32) -> Option<u64> {
    let at = core::ptr::with_exposed_provenance::<u8>(address);
    // Most have 4 or 8 bytes. Two jumps that the processor foresees are quicker than a table of all lengths.
    // SAFETY: the contract of this function.
    unsafe {
        match length {
            _ if address == 0 => None,
            4 => Some(at.cast::<u32>().read_unaligned().into()),
            8 => Some(at.cast::<u64>().read_unaligned()),
            _ => read_short(at, length),
        }
    }
}

/// The same for other lengths.
///
/// # Safety
/// As for [`read_word`].
#[inline(never)]
unsafe fn read_short(at: *const u8, length: u32) -> Option<u64> {
    // SAFETY: the contract of this function.
    unsafe {
        match length {
            1 => Some(at.read().into()),
            2 => Some(at.cast::<u16>().read_unaligned().into()),
            _ => None,
        }
    }
}

/// Memory of a value that the runtime has located for the hook that is running.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedValue<'a> {
    range: ArgumentRange,
    hook: core::marker::PhantomData<&'a ()>,
}

impl LocatedValue<'_> {
    /// # Safety
    /// The runtime has located the value for the hook that is running, which the lifetime does not outlast.
    #[inline(always)]
    pub(super) unsafe fn new(range: sys::COR_PRF_FUNCTION_ARGUMENT_RANGE) -> Self {
        Self { range: range_of(range), hook: core::marker::PhantomData }
    }

    #[inline]
    pub(super) fn range(&self) -> ArgumentRange {
        self.range
    }

    /// Its bytes, if it has 1, 2, 4 or 8.
    #[inline(always)]
    pub(super) fn word(&self) -> Option<u64> {
        // SAFETY: the runtime has located the value.
        unsafe { read_word(self.range.address, self.range.length) }
    }
}
