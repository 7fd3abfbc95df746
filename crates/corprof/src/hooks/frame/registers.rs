//! What is in the registers when a fast hook is called.
//!
//! Contract of the unsafe code here: as in [`super`].
#![allow(unsafe_code)]

use crate::hooks::arguments::EnterArguments;
use crate::hooks::fast::{EnterArea, LeaveArea};
use crate::hooks::locations::{GenericContext, Locations};
use crate::hooks::register_words::{ArgumentWord, Ranges, ResultWord};
use crate::raw::evidence::Context;
use crate::raw::evidence::FrameInfo;
use corprof_types::{ArgumentRange, ClassId, FunctionId};

/// What is in the registers when a fast hook is called for a call that begins.
#[derive(Clone, Copy)]
pub struct EnterRegisters<'a>(pub(super) &'a EnterArea);

/// What is in the registers when a fast hook is called for a call that ends.
#[derive(Clone, Copy)]
pub struct LeaveRegisters<'a>(pub(super) &'a LeaveArea);

impl<'a> LeaveRegisters<'a> {
    /// The word of a result, the bytes above its size cleared. One load.
    #[must_use]
    #[inline]
    pub fn word(&self, word: ResultWord) -> u64 {
        word.load(self.0)
    }

    /// The memory of the result, at the location of the function that returns; of length 0 at address 0 if the location is
    /// unknown.
    #[must_use]
    #[inline(always)]
    pub fn result(&self, locations: &Locations) -> ArgumentRange {
        self.0.range(&locations.result)
    }
}

impl<'a> EnterRegisters<'a> {
    /// The value of an integer register that carries arguments, counted in the order of the convention. It need not be an
    /// argument of the running call.
    #[must_use]
    #[inline]
    pub fn integer(&self, register: u8) -> Option<usize> {
        self.0.integer(register)
    }

    /// The word of an argument, the bytes above its size cleared. A few instructions.
    ///
    /// # Safety
    /// The word comes from [`Locations::argument_word`] of locations that are those of the function that is called.
    /// Another function's may lie beyond the end of the stack.
    #[must_use]
    #[inline(always)]
    pub unsafe fn word(&self, word: ArgumentWord) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { word.load(self.0) }
    }

    /// The type arguments and arguments of the call.
    ///
    /// # Safety
    /// The locations are those of the function that is called.
    #[must_use]
    #[inline(always)]
    pub unsafe fn arguments(&self, locations: &'a Locations) -> EnterArguments<'a> {
        // SAFETY: the caller's promise.
        let context = unsafe { context_of(self.0, locations.context) };
        // SAFETY: the caller's promise.
        let ranges = unsafe { Ranges::of_area(self.0, &locations.arguments) };
        EnterArguments { frame: FrameInfo::of_context(context), ranges }
    }

    /// The type arguments of the call, if its code finds them by this generic context.
    ///
    /// # Safety
    /// The code of the function that is called finds its type arguments by `context`: a register holds the id of a class
    /// or a method, or `this` is an object. The runtime crashes on any other value.
    #[must_use]
    pub unsafe fn frame(&self, context: GenericContext) -> FrameInfo<'a> {
        // SAFETY: the caller's promise.
        FrameInfo::of_context(unsafe { context_of(self.0, context) })
    }
}

/// The generic context of a call.
///
/// # Safety
/// As for [`EnterRegisters::frame`].
#[inline]
unsafe fn context_of(area: &EnterArea, place: GenericContext) -> Context {
    match place {
        GenericContext::None => Context::None,
        // SAFETY: the caller's promise.
        place => unsafe { shared_context_of(area, place) },
    }
}

/// The same where the code may be shared.
///
/// # Safety
/// As for [`EnterRegisters::frame`].
unsafe fn shared_context_of(area: &EnterArea, place: GenericContext) -> Context {
    let found = match place {
        GenericContext::None | GenericContext::Unknown => None,
        GenericContext::This(module, type_def) => {
            let this = area.integer(0).filter(|this| *this != 0);
            let header = this.map(|this| {
                // SAFETY: `this` is the first argument and a reference to an object, which begins with the word that
                // identifies its class: the caller's promise.
                unsafe { core::ptr::with_exposed_provenance::<usize>(this).read() }
            });
            // A collection marks objects in the lowest bits.
            // SAFETY: the rest of the word is the id of the object's class.
            let class = header.and_then(|header| unsafe { ClassId::from_raw(header & !0b111) });
            class.map(|class| Context::Derived(class, module, type_def))
        }
        GenericContext::Class(register) => {
            // SAFETY: the register has the id of a class: the caller's promise.
            area.integer(register).and_then(|word| unsafe { ClassId::from_raw(word) }).map(Context::Class)
        }
        GenericContext::Method(register) => {
            // SAFETY: the register has the id of a function: the caller's promise.
            area.integer(register).and_then(|word| unsafe { FunctionId::from_raw(word) }).map(Context::Method)
        }
    };
    found.unwrap_or(Context::None)
}
