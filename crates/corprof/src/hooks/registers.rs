//! The registers that fast-path stubs have saved: words of arguments and results, and the type arguments in them.
//!
//! [`EnterArguments::word`](super::EnterArguments::word) interprets a [`Location`](super::Location) at each call: the kind
//! of location, whether the register exists, whether the size is that of a number. All of that is known when the locations
//! are. An [`ArgumentWord`] has what is left: an offset, its base and a mask.
//!
//! Contract of the unsafe code here: locations, words and the generic context are those of the function that is called. An
//! offset is made for one kind of area by the file that declares it and stays within that area. Areas live until the hook
//! returns. [`SharedBy`] determines the context from the function's signature, and is used with calls of that function only.
#![allow(unsafe_code)]

use clrnames::metadata::Metadata as _;
use corprof_types::{ArgumentRange, ClassId, FunctionId, ModuleId};
use sigparse::token::TypeDef;
use sigparse::{MethodSig, Type};

use super::fast::{EnterArea, LeaveArea};
use super::locations::{GenericContext, Locations};
use crate::error::Result;
use crate::raw::evidence::{Context, FrameInfo};
use crate::runtime::ProfilerInfo;

/// The precomputed location of an argument of 1, 2, 4 or 8 bytes.
///
/// [`Locations::argument_word`] makes it, and [`EnterRegisters::word`](super::EnterRegisters::word) loads the argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentWord {
    /// In bytes, from the area or from where the arguments on the stack begin.
    pub(super) offset: u32,
    pub(super) on_stack: bool,
    /// The value's own bits.
    pub(super) mask: u64,
}

/// The precomputed location of a result of 1, 2, 4 or 8 bytes.
///
/// [`Locations::result_word`] makes it, and [`LeaveRegisters::word`](super::LeaveRegisters::word) loads the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultWord {
    /// In bytes, from the area.
    offset: u32,
    /// The value's own bits.
    mask: u64,
}

impl ArgumentWord {
    /// No argument: 0 at each call. For arrays of a fixed length.
    pub const NONE: Self = Self { offset: 0, on_stack: false, mask: 0 };

    /// A value of so many bytes in the area.
    ///
    /// # Safety
    /// Every [`EnterArea`] has 8 bytes there.
    #[cfg_attr(windows, allow(dead_code, reason = "all arguments are in slots on the stack"))]
    pub(super) unsafe fn in_area(offset: usize, length: u32) -> Option<Self> {
        Some(Self { offset: u32::try_from(offset).ok()?, on_stack: false, mask: mask(length)? })
    }

    /// A value of so many bytes among the arguments on the stack.
    pub(super) fn on_stack(offset: u32, length: u32) -> Option<Self> {
        Some(Self { offset, on_stack: true, mask: mask(length)? })
    }
}

impl ResultWord {
    /// No result: 0 at each call.
    pub const NONE: Self = Self { offset: 0, mask: 0 };

    /// A value of so many bytes in the area.
    ///
    /// # Safety
    /// Every [`LeaveArea`] has 8 bytes there.
    pub(super) unsafe fn in_area(offset: usize, length: u32) -> Option<Self> {
        Some(Self { offset: u32::try_from(offset).ok()?, mask: mask(length)? })
    }
}

impl Locations {
    /// Returns the precomputed location of an argument, for fast-path hooks.
    ///
    /// Cache it with the function: loading the argument then takes a few instructions. `index` is the position in
    /// [`arguments`](Self::arguments). `None` beyond the last argument, for an argument of a size other than 1, 2, 4 or 8
    /// bytes, and for an unknown location.
    #[must_use]
    pub fn argument_word(&self, index: usize) -> Option<ArgumentWord> {
        EnterArea::word_at(*self.arguments.get(index)?)
    }

    /// Returns the precomputed location of the result, for fast-path hooks.
    ///
    /// `None` for `void`, for a result of a size other than 1, 2, 4 or 8 bytes, and for an unknown location.
    #[must_use]
    pub fn result_word(&self) -> Option<ResultWord> {
        LeaveArea::word_at(self.result)
    }
}

/// The bits of a value of so many bytes in a word, if it is one.
const fn mask(length: u32) -> Option<u64> {
    match length {
        1 => Some(0xFF),
        2 => Some(0xFFFF),
        4 => Some(0xFFFF_FFFF),
        8 => Some(u64::MAX),
        _ => None,
    }
}

/// The registers at a fast-path enter hook.
#[derive(Clone, Copy)]
pub struct EnterRegisters<'a>(pub(super) &'a EnterArea);

/// The registers at a fast-path leave or tailcall hook.
#[derive(Clone, Copy)]
pub struct LeaveRegisters<'a>(pub(super) &'a LeaveArea);

impl<'a> LeaveRegisters<'a> {
    /// Returns the word of a result, the bytes above its size cleared. One load.
    #[must_use]
    #[inline]
    pub fn word(&self, word: ResultWord) -> u64 {
        // SAFETY: the area has 8 bytes there.
        let bits = unsafe {
            core::ptr::from_ref(self.0).cast::<u64>().byte_add(word.offset as usize).read_unaligned()
        };
        bits & word.mask
    }

    /// Returns the memory of the result, at the location of the function that returns; of length 0 at address 0 if the
    /// location is unknown.
    #[must_use]
    #[inline(always)]
    pub fn result(&self, locations: &Locations) -> ArgumentRange {
        self.0.range(&locations.result)
    }
}

impl<'a> EnterRegisters<'a> {
    /// Returns the value of an integer register that can pass an argument, by its position in the calling convention.
    ///
    /// The running call may pass no argument in it. `None` if the convention has no such register.
    #[must_use]
    #[inline]
    pub fn integer(&self, register: u8) -> Option<usize> {
        self.0.integer(register)
    }

    /// Returns the generic context of the call, read from where the shared code finds it.
    ///
    /// # Safety
    /// The code of the function that is called finds its type arguments by `context`: a register holds the id of a class
    /// or a method, or `this` is an object. The runtime crashes on any other value.
    #[must_use]
    #[inline]
    pub unsafe fn frame(&self, context: GenericContext) -> FrameInfo<'a> {
        // SAFETY: the contract of this function.
        FrameInfo::of_context(unsafe { context_of(self.0, context) })
    }
}

/// The generic context of a call.
///
/// # Safety
/// As for [`EnterRegisters::frame`].
#[inline]
unsafe fn context_of(area: &EnterArea, context: GenericContext) -> Context {
    match context {
        GenericContext::None => Context::None,
        // SAFETY: the contract of this function.
        context => unsafe { shared_context_of(area, context) },
    }
}

/// The same where the code may be shared. Out of line, since every other call would jump through a table.
///
/// # Safety
/// As for [`EnterRegisters::frame`].
#[inline(never)]
unsafe fn shared_context_of(area: &EnterArea, context: GenericContext) -> Context {
    let found = match context {
        GenericContext::None | GenericContext::Unknown => None,
        GenericContext::This(module, type_def) => {
            let this = area.integer(0).filter(|this| *this != 0);
            let header = this.map(|this| {
                // SAFETY: `this` is the first argument and a reference to an object, which begins with the word that
                // identifies its class: the contract of this function.
                unsafe { core::ptr::with_exposed_provenance::<usize>(this).read() }
            });
            // A collection marks objects in the lowest bits.
            // SAFETY: the rest of the word is the id of the object's class.
            let class = header.and_then(|header| unsafe { ClassId::from_raw(header & !0b111) });
            class.map(|class| Context::Derived(class, module, type_def))
        }
        GenericContext::Class(register) => {
            // SAFETY: the register has the id of a class: the contract of this function.
            area.integer(register).and_then(|word| unsafe { ClassId::from_raw(word) }).map(Context::Class)
        }
        GenericContext::Method(register) => {
            // SAFETY: the register has the id of a function: the contract of this function.
            area.integer(register).and_then(|word| unsafe { FunctionId::from_raw(word) }).map(Context::Method)
        }
    };
    found.unwrap_or(Context::None)
}

/// How the shared code of a function finds its type arguments, as far as its signature determines it.
///
/// Which register has them may depend on whether the address of a large result comes first. That address is one of the
/// caller's stack and never a class id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedBy {
    function: FunctionId,
    found_by: FoundBy,
}

/// Whether the address of a buffer for a large result is in an integer register for arguments, before the type arguments.
/// On arm64 it has a register of its own.
const BUFFER_IS_ARGUMENT: bool = !cfg!(target_arch = "aarch64");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FoundBy {
    /// By `this`, an object of this type or one that derives from it.
    This(ModuleId, TypeDef),
    /// By the class, an instance of this type, in this integer register or the next.
    Class(ModuleId, TypeDef, u8),
    /// By the method, in this integer register.
    Method(u8),
}

impl SharedBy {
    /// Reads the signature of a function whose code may be shared. Returns `None` if the signature alone does not determine
    /// the register.
    pub(super) fn of(info: &ProfilerInfo, function: FunctionId) -> Result<Option<Self>> {
        let module = info.function_info(function)?.module;
        let (metadata, token) = info.function_rows(function)?;
        let method = metadata.method(token)?;
        let Ok(signature) = MethodSig::parse(method.signature) else { return Ok(None) };
        let first = u8::from(signature.has_this());
        let found_by = if signature.generic_param_count() > 0 {
            let is_first = !BUFFER_IS_ARGUMENT || !may_be_large(&signature.return_type().ty());
            is_first.then_some(FoundBy::Method(first))
        } else {
            let Some(type_def) = method.declaring_type else { return Ok(None) };
            Some(match signature.has_this() && metadata.is_class(type_def)? {
                true => FoundBy::This(module, type_def),
                false => FoundBy::Class(module, type_def, first),
            })
        };
        Ok(found_by.map(|found_by| Self { function, found_by }))
    }

    /// Returns the type arguments of a call in a fast-path hook. Returns `None` for a call of another function.
    pub(super) fn frame<'r>(
        self,
        info: &ProfilerInfo,
        function: FunctionId,
        registers: EnterRegisters<'r>,
    ) -> Option<FrameInfo<'r>> {
        if function != self.function {
            return None;
        }
        let context = match self.found_by {
            FoundBy::This(module, type_def) => GenericContext::This(module, type_def),
            FoundBy::Method(register) => GenericContext::Method(register),
            FoundBy::Class(module, type_def, first) => (first..=first + u8::from(BUFFER_IS_ARGUMENT))
                .find(|register| {
                    let word = registers.integer(*register);
                    word.is_some_and(|word| info.is_instance_of(word, module, type_def))
                })
                .map(GenericContext::Class)?,
        };
        // SAFETY: `of` and `is_instance_of` have determined that the code of this function finds its type arguments so.
        Some(unsafe { registers.frame(context) })
    }
}

/// Returns whether a result of this type may be larger than the registers, so that the caller passes its address.
fn may_be_large(ty: &Type<'_>) -> bool {
    match ty {
        Type::ValueType(_) | Type::Var(_) | Type::MVar(_) | Type::TypedByRef => true,
        Type::GenericInst(instance) => instance.is_value_type(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_types_and_type_parameters_may_be_large() {
        let large = |signature: &[u8]| may_be_large(&MethodSig::parse(signature).unwrap().return_type().ty());
        // int, double, string, List<int>, T[]; then a structure, List<int>.Enumerator, T, M's T.
        for signature in [
            &[0, 0, 0x08][..],
            &[0, 0, 0x0D],
            &[0, 0, 0x0E],
            &[0, 0, 0x15, 0x12, 9, 1, 8],
            &[0, 0, 0x1D, 0x13, 0],
        ] {
            assert!(!large(signature), "{signature:?}");
        }
        for signature in
            [&[0, 0, 0x11, 9][..], &[0, 0, 0x15, 0x11, 9, 1, 8], &[0, 0, 0x13, 0], &[0, 0, 0x1E, 0]]
        {
            assert!(large(signature), "{signature:?}");
        }
    }
}
