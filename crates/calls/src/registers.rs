//! Values in the registers and on the stack of a call, by the locations of its function.
//!
//! Contract of the unsafe code here: the locations and words come from [`Function`](crate::function::Function), which
//! works them out at a call of the function that it is kept with, and the registers are those of a call of that function:
//! both are handed to the same hook. A generic context comes from `convention::locate`, which derives it from the
//! signature of the called function, or has found the id of a loaded class in the register.
#![allow(unsafe_code)]

use corprof::{ArgumentWord, EnterArguments, EnterRegisters, FrameInfo, GenericContext, Locations};

/// The locations of a function's arguments.
#[derive(Clone, Copy)]
pub(crate) struct ReadyPlaces<'c> {
    /// Empty if not every argument is a word.
    pub(crate) words: &'c [ArgumentWord],
    pub(crate) locations: &'c Locations,
}

/// Loads an argument.
#[inline(always)]
pub(crate) fn argument_word(registers: EnterRegisters<'_>, word: ArgumentWord) -> u64 {
    // SAFETY: the word is one of the function that is called.
    unsafe { registers.word(word) }
}

/// The arguments at these locations.
#[inline(always)]
pub(crate) fn arguments<'c>(registers: EnterRegisters<'c>, locations: &'c Locations) -> EnterArguments<'c> {
    // SAFETY: the locations are those of the function that is called.
    unsafe { registers.arguments(locations) }
}

/// The type arguments, found by this generic context.
pub(crate) fn frame(registers: EnterRegisters<'_>, context: GenericContext) -> FrameInfo<'_> {
    // SAFETY: the context is that of the function that is called.
    unsafe { registers.frame(context) }
}
