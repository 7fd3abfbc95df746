//! A call that begins.
#![forbid(unsafe_code)]

use super::{Call, Source};
use crate::error::Result;
use crate::hooks::arguments::EnterArguments;
use crate::hooks::fast::EnterArea;
use crate::hooks::registers::EnterRegisters;
use corprof_types::FunctionId;

/// The call that a running enter hook reports.
#[derive(Clone, Copy)]
pub struct EnterFrame<'cb>(pub(in crate::hooks) Call<'cb, EnterArea>);

impl<'cb> EnterFrame<'cb> {
    /// The method that is called.
    #[must_use]
    #[inline]
    pub fn function(&self) -> FunctionId {
        *self.0.function
    }

    /// Returns the caller's stack pointer before the call: the address above the return address.
    ///
    /// Frames of outer calls have higher stack pointers. `None` in slow-path hooks on processors other than x86-64 and arm64.
    #[must_use]
    #[inline]
    pub fn caller_stack_pointer(&self) -> Option<usize> {
        self.0.caller_stack_pointer(EnterArea::stack)
    }

    /// Returns the registers that a fast-path stub has saved; `None` in slow-path hooks.
    ///
    /// This is the fastest access to arguments that are numbers or references. A profiler computes an
    /// [`ArgumentWord`](crate::ArgumentWord) for each of them once and caches it in
    /// [`FunctionHooks::Function`](crate::FunctionHooks::Function). The crate `corprof-calls` does this, and its users need no
    /// unsafe code.
    ///
    /// ```
    /// # #![allow(unsafe_code)]
    /// use std::sync::OnceLock;
    /// use corprof::{ArgumentWord, EnterFrame, Locations};
    ///
    /// /// The data of a function: its first two arguments.
    /// struct Function {
    ///     words: OnceLock<[ArgumentWord; 2]>,
    /// }
    ///
    /// /// Keeps the words of a function. These locations are its own.
    /// fn locate(function: &Function, locations: &Locations) {
    ///     let words = [0, 1].map(|index| locations.argument_word(index).unwrap_or(ArgumentWord::NONE));
    ///     let _ = function.words.set(words);
    /// }
    ///
    /// fn enter(function: &Function, frame: &EnterFrame<'_>) -> Option<[u64; 2]> {
    ///     let (registers, words) = (frame.registers()?, function.words.get()?);
    ///     // SAFETY: the words are those of the function that is called.
    ///     Some(words.map(|word| unsafe { registers.word(word) }))
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn registers(&self) -> Option<EnterRegisters<'_>> {
        match self.0.source {
            Source::Fast(area) => Some(EnterRegisters(area)),
            Source::WithInfo(_) => None,
        }
    }

    /// Returns the value of an integer register that can pass an argument, by its position in the calling convention, with either kind
    /// of hooks.
    ///
    /// The running call may pass no argument in it. `None` if the convention has no such register, and in a slow-path hook whose
    /// runtime saves it in an unknown location.
    #[must_use]
    pub fn integer_register(&self, register: u8) -> Option<usize> {
        match self.registers() {
            Some(registers) => registers.integer(register),
            None => self.with_saved_registers(|frame| frame.registers()?.integer(register))?,
        }
    }

    /// Calls `read` with the generic context and the arguments. `ICorProfilerInfo3::GetFunctionEnter3Info`.
    ///
    /// Their memory is reused after `read` has returned. On .NET Core 3.1 this method of the runtime overwrites the program's
    /// floating-point arguments; they are restored afterwards.
    ///
    /// # Errors
    /// Always in fast-path hooks, which have [`registers`](Self::registers) instead. Any failure of the call.
    #[doc(alias = "GetFunctionEnter3Info")]
    #[inline(always)]
    pub fn arguments<R>(&self, read: impl FnOnce(EnterArguments<'_>) -> R) -> Result<R> {
        self.0.enter_info(read)
    }
}
