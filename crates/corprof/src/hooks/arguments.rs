//! The type arguments and arguments of a call, at the locations of its function or where the runtime has located them.
//!
//! Contract of the unsafe code here: locations are those of the function that is called, and what the runtime has located
//! lives until the hook returns, as areas do.
#![allow(unsafe_code)]

use corprof_sys as sys;
use corprof_types::ArgumentRange;

use super::fast::EnterArea;
use super::locations::{Location, Locations};
use super::registers::EnterRegisters;
use crate::raw::evidence::FrameInfo;

/// The generic context and the argument locations of a call.
#[derive(Clone, Copy)]
pub struct EnterArguments<'a> {
    pub(super) frame: FrameInfo<'a>,
    pub(super) ranges: Ranges<'a>,
}

impl<'a> EnterArguments<'a> {
    /// The call's generic context, for [`ProfilerInfo::function_instance`](crate::ProfilerInfo::function_instance).
    #[must_use]
    #[inline]
    pub fn frame(&self) -> FrameInfo<'a> {
        self.frame
    }

    /// Returns the memory ranges of the arguments in order, `this` first.
    ///
    /// Slow-path hooks usually have one range for each argument; the API permits one range for adjacent arguments. Empty
    /// without `ENABLE_FUNCTION_ARGS`.
    ///
    /// Fast-path hooks have one range for each location. A range of an unknown location has length 0 and address 0.
    #[inline]
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = ArgumentRange> + Clone + 'a {
        self.ranges
    }

    /// Returns an argument of 1, 2, 4 or 8 bytes in the lowest bytes of a number. The bytes above are unspecified.
    ///
    /// `index` is the position in [`ranges`](Self::ranges). `None` for an argument of another size or an unknown location.
    ///
    /// With fast-path hooks each call computes the position in the saved registers.
    /// [`Locations::argument_word`](super::Locations::argument_word) computes it once.
    #[inline]
    #[must_use]
    pub fn word(&self, index: usize) -> Option<u64> {
        self.ranges.word(index)
    }
}

impl<'a> EnterRegisters<'a> {
    /// Returns the generic context and the arguments of the call.
    ///
    /// # Safety
    /// The locations are those of the function that is called.
    #[must_use]
    #[inline(always)]
    pub unsafe fn arguments(&self, locations: &'a Locations) -> EnterArguments<'a> {
        // SAFETY: the contract of this function.
        let frame = unsafe { self.frame(locations.context) };
        // SAFETY: the contract of this function.
        let ranges = unsafe { Ranges::of_area(self.0, &locations.arguments) };
        EnterArguments { frame, ranges }
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
                Some(unsafe { EnterRegisters(area).word(word) })
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
