//! The type arguments and arguments of a call.
#![forbid(unsafe_code)]

use corprof_types::ArgumentRange;

use super::register_words::Ranges;
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
