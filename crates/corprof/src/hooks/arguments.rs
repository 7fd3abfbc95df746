//! The type arguments and arguments of a call, at the locations of its function or where the runtime has located them.
//!
//! What reads them does not look at which of both it is.
//!
//! Contract of the unsafe code here: locations and words are those of the function that is called, and what the runtime has
//! located lives until the hook returns, as areas do. The offset of a word is made for one kind of area and stays within it;
//! with `on_stack` it is that of an argument of one function.
#![allow(unsafe_code)]

use corprof_sys as sys;
use corprof_types::ArgumentRange;

use super::fast::EnterArea;
use super::locations::{Location, Locations};
use super::registers::{ArgumentWord, EnterRegisters};
use crate::raw::evidence::FrameInfo;

/// The generic context and the arguments of a call, located by the runtime or in the registers that a stub has saved.
#[derive(Clone, Copy)]
pub struct EnterArguments<'a>(Located<'a>);

/// Where the arguments of a call are.
#[derive(Clone, Copy)]
enum Located<'a> {
    /// In the ranges that the runtime reports.
    WithInfo(FrameInfo<'a>, &'a [sys::COR_PRF_FUNCTION_ARGUMENT_RANGE]),
    /// In registers and on the stack. The words are empty, or those of all arguments.
    Fast(&'a EnterArea, &'a Locations, &'a [ArgumentWord]),
}

impl<'a> EnterArguments<'a> {
    /// # Safety
    /// The runtime has located the arguments for the hook that is running, which the lifetime does not outlast.
    #[inline(always)]
    pub(super) unsafe fn of_runtime(
        frame: FrameInfo<'a>,
        ranges: &'a [sys::COR_PRF_FUNCTION_ARGUMENT_RANGE],
    ) -> Self {
        Self(Located::WithInfo(frame, ranges))
    }

    /// The call's generic context, for [`ProfilerInfo::function_instance`](crate::ProfilerInfo::function_instance).
    #[must_use]
    #[inline]
    pub fn frame(&self) -> FrameInfo<'a> {
        match self.0 {
            Located::WithInfo(frame, _) => frame,
            // SAFETY: the locations are those of the function that is called.
            Located::Fast(area, locations, _) => unsafe { EnterRegisters(area).frame(locations.context) },
        }
    }

    /// Returns the memory ranges of the arguments in order, `this` first.
    ///
    /// Slow-path hooks usually have one range for each argument; the API permits one range for adjacent arguments. Empty
    /// without `ENABLE_FUNCTION_ARGS`.
    ///
    /// Fast-path hooks have one range for each location. A range of an unknown location has length 0 and address 0.
    #[inline]
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = ArgumentRange> + Clone + 'a {
        match self.0 {
            Located::WithInfo(_, ranges) => Ranges::WithInfo(ranges),
            Located::Fast(area, locations, _) => Ranges::Fast(area, &locations.arguments),
        }
    }

    /// Returns an argument of 1, 2, 4 or 8 bytes in the lowest bytes of a number. The bytes above are unspecified.
    ///
    /// `index` is the position in [`ranges`](Self::ranges). `None` for an argument of another size or an unknown location.
    ///
    /// With fast-path hooks each call computes the position in the saved registers, unless there are
    /// [words](Self::with_words).
    #[inline]
    #[must_use]
    pub fn word(&self, index: usize) -> Option<u64> {
        match self.0 {
            Located::WithInfo(_, ranges) => range_word(ranges.get(index)?),
            Located::Fast(area, locations, words) => {
                let word = match words.get(index) {
                    Some(word) => *word,
                    None => EnterArea::word_at(*locations.arguments.get(index)?)?,
                };
                // SAFETY: the locations and the words are those of the function that is called.
                Some(unsafe { EnterRegisters(area).word(word) })
            }
        }
    }

    /// Returns an argument of a method with `count` arguments as [`word`](Self::word) does, if it takes a few instructions.
    ///
    /// `None` if more is to do: with fast-path hooks without [words](Self::with_words), and with slow-path hooks where the runtime
    /// has located several arguments in one range.
    #[inline(always)]
    #[must_use]
    pub fn word_of(&self, index: usize, count: usize) -> Option<u64> {
        match self.0 {
            Located::WithInfo(_, ranges) if ranges.len() == count => range_word(ranges.get(index)?),
            Located::WithInfo(..) => None,
            // SAFETY: the words are those of the function that is called.
            Located::Fast(area, _, words) => Some(unsafe { EnterRegisters(area).word(*words.get(index)?) }),
        }
    }

    /// Adds the precomputed words of all arguments, in order; nothing with slow-path hooks.
    ///
    /// # Safety
    /// They come from [`Locations::argument_word`] of the locations that these arguments have.
    #[inline(always)]
    #[must_use]
    pub unsafe fn with_words(self, words: &'a [ArgumentWord]) -> Self {
        match self.0 {
            Located::WithInfo(..) => self,
            Located::Fast(area, locations, _) => Self(Located::Fast(area, locations, words)),
        }
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
        EnterArguments(Located::Fast(self.0, locations, &[]))
    }

    /// Returns the word of an argument, the bytes above its size cleared. A few instructions.
    ///
    /// # Safety
    /// The word comes from [`Locations::argument_word`] of locations that are those of the function that is called.
    /// Another function's may lie beyond the end of the stack.
    #[must_use]
    #[inline(always)]
    pub unsafe fn word(&self, word: ArgumentWord) -> u64 {
        let area = core::ptr::from_ref(self.0).expose_provenance();
        // A choice between two numbers, and no jump.
        let base = if word.on_stack { self.0.stack() } else { area };
        let at = core::ptr::with_exposed_provenance::<u64>(base.wrapping_add(word.offset as usize));
        // SAFETY: the area has 8 bytes there; or the program's caller has put an argument of this function there, which
        // takes 8 bytes whatever its size.
        unsafe { at.read_unaligned() & word.mask }
    }
}

/// The ranges that are left.
#[derive(Clone, Copy)]
enum Ranges<'a> {
    WithInfo(&'a [sys::COR_PRF_FUNCTION_ARGUMENT_RANGE]),
    Fast(&'a EnterArea, &'a [Location]),
}

/// The same range in the crate's own type.
#[inline(always)]
const fn range_of(range: sys::COR_PRF_FUNCTION_ARGUMENT_RANGE) -> ArgumentRange {
    ArgumentRange { address: range.startAddress, length: range.length }
}

impl Iterator for Ranges<'_> {
    type Item = ArgumentRange;

    #[inline(always)]
    fn next(&mut self) -> Option<ArgumentRange> {
        match self {
            Self::WithInfo(ranges) => {
                let (range, rest) = ranges.split_first()?;
                *ranges = rest;
                Some(range_of(*range))
            }
            Self::Fast(area, locations) => {
                let (location, rest) = locations.split_first()?;
                *locations = rest;
                // SAFETY: the locations are those of the function that is called.
                Some(unsafe { area.range(location) })
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

/// The bytes of an argument that the runtime has located for the hook that is running.
#[inline(always)]
fn range_word(range: &sys::COR_PRF_FUNCTION_ARGUMENT_RANGE) -> Option<u64> {
    // SAFETY: the runtime has located the argument, as the contract above says.
    unsafe { read_word(range.startAddress, range.length) }
}

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
