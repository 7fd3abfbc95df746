//! Where the arguments of a call are, and what of them can be had at once.
//!
//! Contract of the unsafe code here: what the runtime has told of arguments, and what a stub has saved, is lent for the
//! duration of the hook, and can be read so long.
#![allow(unsafe_code)]

use corprof_sys as sys;

use super::fast::EnterArea;
use super::locations::Location;
use crate::ids::FrameInfo;

/// A stretch of memory that holds an argument, or several that lie side by side, or a return value
/// (`COR_PRF_FUNCTION_ARGUMENT_RANGE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentRange {
    /// Where it begins; valid as long as the hook runs.
    pub address: usize,
    /// Its length in bytes.
    pub length: u32,
}

impl From<sys::COR_PRF_FUNCTION_ARGUMENT_RANGE> for ArgumentRange {
    #[inline]
    fn from(range: sys::COR_PRF_FUNCTION_ARGUMENT_RANGE) -> Self {
        Self { address: range.startAddress, length: range.length }
    }
}

/// Where a call's type arguments and arguments are.
#[derive(Clone, Copy)]
pub struct EnterArguments<'a> {
    pub(super) frame: FrameInfo<'a>,
    pub(super) ranges: Ranges<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Ranges<'a> {
    WithInfo(&'a [sys::COR_PRF_FUNCTION_ARGUMENT_RANGE]),
    Fast(&'a EnterArea, &'a [Location]),
}

impl<'a> EnterArguments<'a> {
    /// The call's generic context, for [`ProfilerInfo::function_instance`](crate::ProfilerInfo::function_instance).
    #[must_use]
    #[inline]
    pub fn frame(&self) -> FrameInfo<'a> {
        self.frame
    }

    /// Where the arguments are, in order, `this` first. Usually one range for each; the contract allows one
    /// for several that lie side by side. Empty without `ENABLE_FUNCTION_ARGS`.
    ///
    /// With fast hooks one for each location; of length 0 at address 0 where that is not known.
    #[inline]
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = ArgumentRange> + Clone + 'a {
        self.ranges
    }
}

/// Those that are left.
impl Iterator for Ranges<'_> {
    type Item = ArgumentRange;

    #[inline(always)]
    fn next(&mut self) -> Option<ArgumentRange> {
        match self {
            Self::WithInfo(ranges) => {
                let (range, rest) = ranges.split_first()?;
                *ranges = rest;
                Some(ArgumentRange::from(*range))
            }
            Self::Fast(area, locations) => {
                let (location, rest) = locations.split_first()?;
                *locations = rest;
                Some(area.range(location))
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = match self {
            Self::WithInfo(ranges) => ranges.len(),
            Self::Fast(_, locations) => locations.len(),
        };
        (count, Some(count))
    }
}

impl ExactSizeIterator for Ranges<'_> {}

impl EnterArguments<'_> {
    /// The bytes of an argument of 1, 2, 4 or 8 bytes, in the lowest bytes of a number: what is above them is not of the
    /// argument. `None` if it has another size, or is not known where it is. Counts as [`ranges`](Self::ranges) do.
    ///
    /// With fast hooks it is worked out at each call where the argument is in what the stub has saved;
    /// [`Locations::argument_word`](super::Locations::argument_word) does that once.
    #[inline]
    #[must_use]
    pub fn word(&self, index: usize) -> Option<u64> {
        match self.ranges {
            Ranges::WithInfo(ranges) => {
                let range = ranges.get(index)?;
                // SAFETY: the runtime has told where the argument is, to the hook that is running.
                unsafe { read_word(range.startAddress, range.length) }
            }
            Ranges::Fast(area, locations) => Some(EnterArea::word_at(*locations.get(index)?)?.load(area)),
        }
    }
}

/// The bytes at an address, in the lowest bytes of a number, if they are as many as a number has.
///
/// # Safety
/// There is so much to read.
#[inline(always)]
pub(super) unsafe fn read_word(address: usize, length: u32) -> Option<u64> {
    let at = core::ptr::with_exposed_provenance::<u8>(address);
    // Most have 4 or 8 bytes. Two jumps that the processor foresees are quicker than a table of all lengths.
    // SAFETY: says the caller.
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
    // SAFETY: says the caller.
    unsafe {
        match length {
            1 => Some(at.read().into()),
            2 => Some(at.cast::<u16>().read_unaligned().into()),
            _ => None,
        }
    }
}
