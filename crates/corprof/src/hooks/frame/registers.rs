//! What is in the registers when a fast hook is called.
//!
//! Contract of the unsafe code here: as in [`super`].
#![allow(unsafe_code)]

use crate::hooks::fast::{EnterArea, LeaveArea};
use crate::hooks::locations::{Context, GenericContext};
use crate::hooks::words::{ArgumentWord, ResultWord};
use crate::ids::{ClassId, FrameInfo, FunctionId};

/// What is in the registers when a fast hook is called for a call that begins.
#[derive(Clone, Copy)]
pub struct EnterRegisters<'a>(pub(super) &'a EnterArea);

/// What is in the registers when a fast hook is called for a call that ends.
#[derive(Clone, Copy)]
pub struct LeaveRegisters<'a>(pub(super) &'a LeaveArea);

impl LeaveRegisters<'_> {
    /// What the call returns, the bytes above it cleared. A load; the same as
    /// [`LeaveFrame::return_word`](crate::LeaveFrame::return_word) finds, if it is a word of the running function's
    /// [`Locations`](crate::Locations).
    #[must_use]
    #[inline]
    pub fn word(&self, word: ResultWord) -> u64 {
        word.load(self.0)
    }
}

impl EnterRegisters<'_> {
    /// What is in an integer register that carries arguments, counted in the order of the convention. It need not be
    /// an argument of the running call.
    #[must_use]
    #[inline]
    pub fn integer(&self, register: u8) -> Option<usize> {
        self.0.integer(register)
    }

    /// An argument of the running call, the bytes above it cleared. A load; the same as
    /// [`EnterArguments::word`](crate::EnterArguments::word) finds, if it is a word of the running function's
    /// [`Locations`](crate::Locations). That of another function may be read where the stack has ended, which crashes the
    /// process.
    #[must_use]
    #[inline]
    pub fn word(&self, word: ArgumentWord) -> u64 {
        word.load(self.0)
    }

    /// The type arguments of the running call, if its code knows them in this way. What is in the registers is taken for
    /// what `context` says, as ids are: what does not hold for the running function may crash the process.
    #[must_use]
    pub fn frame(&self, context: GenericContext) -> FrameInfo<'_> {
        FrameInfo::of_context(context_of(self.0, context))
    }
}

/// What a call's type arguments are known by.
#[inline]
pub(super) fn context_of(area: &EnterArea, place: GenericContext) -> Context {
    match place {
        GenericContext::None => Context::None,
        place => shared_context_of(area, place),
    }
}

/// The same, where the code may be shared.
fn shared_context_of(area: &EnterArea, place: GenericContext) -> Context {
    let found = match place {
        GenericContext::None | GenericContext::Unknown => None,
        GenericContext::This(module, type_def) => {
            let this = area.integer(0).filter(|this| *this != 0);
            let header = this.map(|this| {
                // SAFETY: `this` is the first argument, and a reference to an object, which begins with the word that
                // identifies its class.
                unsafe { core::ptr::with_exposed_provenance::<usize>(this).read() }
            });
            // A collection marks objects in the lowest bits.
            let class = header.and_then(|header| ClassId::from_raw(header & !0b111));
            class.map(|class| Context::Derived(class, module, type_def))
        }
        GenericContext::Class(register) => {
            area.integer(register).and_then(ClassId::from_raw).map(Context::Class)
        }
        GenericContext::Method(register) => {
            area.integer(register).and_then(FunctionId::from_raw).map(Context::Method)
        }
    };
    found.unwrap_or(Context::None)
}
