//! Values in the registers and on the stack of a call, by the locations of its function.
//!
//! Contract of the unsafe code here: the locations and words come from [`Function`](crate::function::Function), which
//! works them out at a call of the function that it is kept with, and the registers are those of a call of that function:
//! both are handed to the same hook. A generic context comes from `convention::locate`, which derives it from the
//! signature of the called function, or has found the id of a loaded class in the register.
#![allow(unsafe_code)]

use corprof::{
    ArgumentWord, EnterArguments, EnterRegisters, FrameInfo, GenericContext, Location, Locations, ResultWord,
};

use crate::passed::Slots;

/// Where the values of a function's calls are in registers and on the stack, or how they are passed.
pub(crate) struct ValueLocations {
    pub(crate) locations: Locations,
    /// The arguments, if each is a word; else empty.
    words: Box<[ArgumentWord]>,
    /// The result, if it is a word; no bits of it for `void`.
    pub(crate) result: Option<ResultWord>,
    /// How inserted code passes the values.
    pub(crate) slots: Slots,
}

impl ValueLocations {
    /// Those of a function, which returns a value or not.
    pub(crate) fn new(locations: Locations, returns: bool) -> Self {
        let words = (0..locations.arguments.len()).map(|index| locations.argument_word(index));
        let words = words.collect::<Option<_>>().unwrap_or_default();
        Self { words, result: result_word(&locations, returns), locations, slots: Slots::none() }
    }

    /// For calls whose values are found without them.
    pub(crate) fn none() -> Self {
        Self::passed(Slots::none())
    }

    /// For calls whose values inserted code passes.
    pub(crate) fn passed(slots: Slots) -> Self {
        let (context, arguments, result) = (GenericContext::None, Box::default(), Location::UNKNOWN);
        Self {
            locations: Locations { context, arguments, result },
            words: Box::default(),
            result: None,
            slots,
        }
    }

    /// The arguments at these locations.
    #[inline(always)]
    pub(crate) fn arguments<'c>(&'c self, registers: EnterRegisters<'c>) -> EnterArguments<'c> {
        // SAFETY: the locations are those of the function that is called, and the words are theirs.
        unsafe { registers.arguments(&self.locations).with_words(&self.words) }
    }
}

/// The result, if it is a word; no bits of it for `void`.
pub(crate) fn result_word(locations: &Locations, returns: bool) -> Option<ResultWord> {
    if returns { locations.result_word() } else { Some(ResultWord::NONE) }
}

/// Loads an argument.
pub(crate) fn argument_word(registers: EnterRegisters<'_>, word: ArgumentWord) -> u64 {
    // SAFETY: the word is one of the function that is called.
    unsafe { registers.word(word) }
}

/// The type arguments, found by this generic context.
pub(crate) fn frame(registers: EnterRegisters<'_>, context: GenericContext) -> FrameInfo<'_> {
    // SAFETY: the context is that of the function that is called.
    unsafe { registers.frame(context) }
}
