//! A call that begins.
//!
//! Contract of the unsafe code here: as in [`super`].
#![allow(unsafe_code)]

use corprof_sys as sys;

use super::registers::context_of;
use super::{Call, EnterRegisters, Source, no_locations};
use crate::Result;
use crate::hooks::arguments::{EnterArguments, Ranges};
use crate::hooks::fast::EnterArea;
use crate::hooks::locations::Locations;
use crate::hooks::save_area::SaveArea;
use crate::ids::{FrameInfo, FunctionId};

/// A call that begins.
#[derive(Clone, Copy)]
pub struct EnterFrame<'cb>(pub(in crate::hooks) Call<'cb, EnterArea>);

impl<'cb> EnterFrame<'cb> {
    /// The method that is called.
    #[must_use]
    #[inline]
    pub fn function(&self) -> FunctionId {
        *self.0.function
    }

    /// The stack pointer of the caller, as it was before the call: the address above the return address. The frames
    /// that a call is made from have higher ones. Not known with hooks with info on Windows and on other processors than
    /// x86-64.
    #[must_use]
    #[inline]
    pub fn caller_stack_pointer(&self) -> Option<usize> {
        self.0.caller_stack_pointer(EnterArea::stack)
    }

    /// With fast hooks, what is in the registers; `None` with hooks with info.
    ///
    /// The shortest way to arguments that are numbers or references: where they are is found once, as an
    /// [`ArgumentWord`](crate::ArgumentWord), and kept in [`FunctionHooks::Function`](crate::FunctionHooks::Function).
    ///
    /// ```
    /// use std::sync::OnceLock;
    /// use corprof::{ArgumentWord, EnterFrame, Locations};
    ///
    /// /// What is kept with a function: its first two arguments, from its second call on.
    /// struct Function {
    ///     words: OnceLock<[ArgumentWord; 2]>,
    /// }
    ///
    /// fn locate(function: &Function, locations: &Locations) {
    ///     let words = [0, 1].map(|index| locations.argument_word(index).unwrap_or(ArgumentWord::NONE));
    ///     let _ = function.words.set(words);
    /// }
    ///
    /// fn enter(function: &Function, frame: &EnterFrame<'_>) -> Option<[u64; 2]> {
    ///     let (registers, words) = (frame.registers()?, function.words.get()?);
    ///     Some(words.map(|word| registers.word(word)))
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

    /// With fast hooks, the call's type arguments and arguments, which are where `locations` says until the hook returns.
    /// The shortest way, for a profiler that has worked the locations out at an earlier call. `None` with hooks with info.
    #[inline]
    #[must_use]
    pub fn arguments_at<'f>(&'f self, locations: &'f Locations) -> Option<EnterArguments<'f>> {
        let Source::Fast(area) = self.0.source else { return None };
        Some(arguments_of(area, locations))
    }

    /// [`arguments_by`](Self::arguments_by) for a profiler that has hooks with info only.
    ///
    /// # Errors
    /// What the runtime reports. With fast hooks always: they cannot know where the arguments are.
    #[inline(always)]
    pub fn arguments<R>(&self, read: impl FnOnce(EnterArguments<'_>) -> R) -> Result<R> {
        // Not by way of `arguments_by`: there `read` is in two places, and the compiler inlines it in neither.
        match self.0.source {
            Source::Fast(_) => Err(no_locations()),
            Source::WithInfo(elt) => self.ask(elt, read),
        }
    }

    /// Finds the call's type arguments and arguments and lends them to `read`. They are gone when it returns.
    ///
    /// With hooks with info, the runtime is asked (`ICorProfilerInfo3::GetFunctionEnter3Info`), and `locations` is not
    /// called. On runtimes whose answer damages the program's floating-point arguments (.NET Core 3.1), the damage is
    /// undone afterwards.
    ///
    /// With fast hooks, `locations` says where things are. It should work that out at the first call and keep it in
    /// [`FunctionHooks::Function`](crate::FunctionHooks::Function), which [`LocationsCell`](crate::LocationsCell) does; the
    /// rest is a few loads.
    ///
    /// # Errors
    /// What the runtime or `locations` reports.
    #[doc(alias = "GetFunctionEnter3Info")]
    #[inline(always)]
    pub fn arguments_by<'l, R>(
        &self,
        locations: impl FnOnce(EnterRegisters<'_>) -> Result<&'l Locations>,
        read: impl FnOnce(EnterArguments<'_>) -> R,
    ) -> Result<R> {
        match self.0.source {
            Source::Fast(area) => {
                let locations = locations(EnterRegisters(area))?;
                Ok(read(arguments_of(area, locations)))
            }
            Source::WithInfo(elt) => self.ask(elt, read),
        }
    }

    /// Asks the runtime for what [`arguments_by`](Self::arguments_by) hands out. One call of `read`, so that it is inlined.
    #[inline(always)]
    fn ask<R>(&self, elt: sys::COR_PRF_ELT_INFO, read: impl FnOnce(EnterArguments<'_>) -> R) -> Result<R> {
        // SAFETY: `elt` is the runtime's, for this hook.
        let _restored_on_drop = unsafe { SaveArea::guard(self.0.info, elt) };
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        unsafe {
            self.0.info.enter_info(
                *self.0.function,
                elt,
                #[inline(always)]
                |found| {
                    let ranges = Ranges::WithInfo(found.ranges);
                    read(EnterArguments { frame: FrameInfo::in_callback(found.frame), ranges })
                },
            )
        }
    }
}

/// What a fast hook hands out.
#[inline(always)]
fn arguments_of<'a>(area: &'a EnterArea, locations: &'a Locations) -> EnterArguments<'a> {
    let frame = FrameInfo::of_context(context_of(area, locations.context));
    EnterArguments { frame, ranges: Ranges::Fast(area, &locations.arguments) }
}
