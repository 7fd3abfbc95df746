//! The type arguments and arguments of a call.
#![forbid(unsafe_code)]

use corprof_types::ArgumentRange;

use super::register_words::Ranges;
use crate::raw::evidence::FrameInfo;

/// Where a call's type arguments and arguments are.
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

    /// Where the arguments are, in order, `this` first. Usually one range for each; the contract allows one
    /// for several that lie side by side. Empty without `ENABLE_FUNCTION_ARGS`.
    ///
    /// With fast hooks one for each location; of length 0 at address 0 where that is not known.
    #[inline]
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = ArgumentRange> + Clone + 'a {
        self.ranges
    }

    /// The bytes of an argument of 1, 2, 4 or 8 bytes, in the lowest bytes of a number: what is above them is not of the
    /// argument. `None` if it has another size, or is not known where it is. Counts as [`ranges`](Self::ranges) do.
    ///
    /// With fast hooks it is worked out at each call where the argument is in what the stub has saved;
    /// [`Locations::argument_word`](super::Locations::argument_word) does that once.
    #[inline]
    #[must_use]
    pub fn word(&self, index: usize) -> Option<u64> {
        self.ranges.word(index)
    }
}
