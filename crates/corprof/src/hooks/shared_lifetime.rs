//! Deferred ownership of shared code: whether a function is unloaded with a module, where only a call can tell.
//!
//! The code of a shared generic instantiation is unloaded with the modules of those type arguments that are value types.
//! The function alone does not determine them. A call does: hooks with info query the runtime, fast hooks read the
//! register in which the code itself gets its type arguments. Which register that is may depend on whether the address of
//! a large result comes first. The address is one of the caller's stack and never a class id.
//!
//! Contract of the unsafe code here: [`SharedBy::of`] has determined from the function's signature how its code finds its
//! type arguments, and a word counts as a class only if that class has been seen to be loaded.
#![allow(unsafe_code)]

use core::sync::atomic::{AtomicU8, Ordering};

use sigparse::token::TypeDef;
use sigparse::{MethodSig, Type};

use super::frame::{EnterFrame, EnterRegisters};
use super::function_hooks::FunctionHooks;
use super::hooked::Hooked;
use super::locations::GenericContext;
use crate::error::{Error, Result};
use crate::last_error::LastError;
use crate::limits::MAX_DOUBTFUL_CALLS;
use crate::raw::alive::Held;
use crate::raw::evidence::FrameInfo;
use crate::runtime::Lifetime;
use crate::runtime::ProfilerInfo;
use corprof_types::{FunctionId, ModuleId};

/// Whether the lifetime of a function is still unknown, and how a call determines it.
pub(super) struct SharedLifetime {
    /// 0 if the lifetime is known, else 1 more than the number of calls still to be examined.
    calls: AtomicU8,
    shared_by: SharedBy,
}

/// How shared code finds its type arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SharedBy {
    /// By `this`, an object of this type or one that derives from it.
    This(ModuleId, TypeDef),
    /// By the class, an instance of this type, in this integer register or the next.
    Class(ModuleId, TypeDef, u8),
    /// By the method, in this integer register.
    Method(u8),
    /// Not determined by the signature alone, and not needed with hooks with info.
    Unknown,
}

impl SharedLifetime {
    /// For a function with the lifetime that the mapper has determined.
    pub(super) fn new(info: &ProfilerInfo, function: FunctionId, lifetime: Lifetime) -> Self {
        let calls = if lifetime == Lifetime::Doubtful { 1 + MAX_DOUBTFUL_CALLS } else { 0 };
        let shared_by = match calls {
            1.. if info.has_fast_hooks() => SharedBy::of(info, function).unwrap_or(SharedBy::Unknown),
            _ => SharedBy::Unknown,
        };
        Self { calls: AtomicU8::new(calls), shared_by }
    }

    /// Returns whether a call has to be [settled](settle).
    #[inline]
    pub(super) fn is_unknown(&self) -> bool {
        self.calls.load(Ordering::Relaxed) != 0
    }

    /// The lifetime becomes known. Returns `true` to one caller only.
    fn becomes_known(&self) -> bool {
        self.calls.swap(0, Ordering::Relaxed) != 0
    }

    /// Returns whether a call has to be examined.
    fn wants_call(&self) -> bool {
        self.calls.load(Ordering::Relaxed) > 1
    }

    /// A call could not tell.
    fn call_could_not_tell(&self) {
        let one_less = |calls: u8| (calls > 1).then(|| calls - 1);
        let _ = self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
    }
}

/// Determines with a call whether the function is unloaded with a module.
///
/// The unload of any module would refuse a function of which this is unknown. The guard prevents that during the call.
/// There is none for a function of a known lifetime.
#[cold]
pub(super) fn settle<'h, P: FunctionHooks>(
    hooked: &'h Hooked<P>,
    frame: &EnterFrame<'_>,
    hook: &'static str,
) -> Option<Held<'h>> {
    let _kept = LastError::keep();
    let Hooked { running, function, lifetime, .. } = hooked;
    if !lifetime.is_unknown() {
        return None;
    }
    let info = &running.info;
    let held = running.deliver(hook, |_| info.hold(*function))?;
    if !lifetime.wants_call() {
        return Some(held);
    }
    let find = |_: &P| match frame.registers() {
        Some(registers) => {
            let frame =
                lifetime.shared_by.frame(info, &registers).ok_or_else(|| Error::other("not known"))?;
            Ok(info.called_function_owners_seen(*function, frame))
        }
        None => frame.arguments(|call| info.called_function_owners_seen(*function, call.frame())),
    };
    match running.deliver(hook, find) {
        Some(Ok(Lifetime::Module)) => {
            if lifetime.becomes_known() {
                hooked.goes_with_module();
            }
        }
        Some(Ok(Lifetime::Process)) => {
            lifetime.becomes_known();
        }
        // What is kept stays loaded, unless another call tells.
        Some(Ok(Lifetime::Doubtful) | Err(_)) | None => lifetime.call_could_not_tell(),
    }
    Some(held)
}

impl SharedBy {
    fn of(info: &ProfilerInfo, function: FunctionId) -> Result<Self> {
        let module = info.function_info(function)?.module;
        let (metadata, token) = info.function_metadata(function)?;
        let method = metadata.method(token)?;
        let Ok(signature) = MethodSig::parse(method.signature) else { return Ok(Self::Unknown) };
        let first = u8::from(signature.has_this());
        if signature.generic_param_count() > 0 {
            let is_first = !may_be_large(&signature.return_type().ty());
            return Ok(if is_first { Self::Method(first) } else { Self::Unknown });
        }
        let Some(type_def) = method.declaring_type else { return Ok(Self::Unknown) };
        Ok(match signature.has_this() && metadata.is_class(type_def)? {
            true => Self::This(module, type_def),
            false => Self::Class(module, type_def, first),
        })
    }

    /// The type arguments of the running call.
    fn frame<'r>(self, info: &ProfilerInfo, registers: &'r EnterRegisters<'_>) -> Option<FrameInfo<'r>> {
        let context = match self {
            Self::This(module, type_def) => Some(GenericContext::This(module, type_def)),
            Self::Method(register) => Some(GenericContext::Method(register)),
            Self::Class(module, type_def, first) => [first, first + 1]
                .into_iter()
                .find(|register| {
                    let word = registers.integer(*register);
                    word.is_some_and(|word| info.is_instance_of(word, module, type_def))
                })
                .map(GenericContext::Class),
            Self::Unknown => None,
        };
        // SAFETY: `of` and `is_instance_of` have determined that the function's code finds its type arguments so.
        context.map(|context| unsafe { registers.frame(context) })
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

    fn unknown() -> SharedLifetime {
        SharedLifetime { calls: AtomicU8::new(1 + MAX_DOUBTFUL_CALLS), shared_by: SharedBy::Unknown }
    }

    #[test]
    fn one_caller_learns_that_the_lifetime_became_known() {
        let lifetime = unknown();
        assert!(lifetime.is_unknown());
        assert!(lifetime.becomes_known());
        assert!(!lifetime.becomes_known() && !lifetime.is_unknown());
    }

    #[test]
    fn after_some_calls_no_more_are_examined() {
        let lifetime = unknown();
        for call in 0..MAX_DOUBTFUL_CALLS {
            assert!(lifetime.wants_call(), "{call}");
            lifetime.call_could_not_tell();
        }
        assert!(!lifetime.wants_call() && lifetime.is_unknown());
        lifetime.call_could_not_tell();
        assert!(lifetime.is_unknown());
        // An unload of which another call has told.
        assert!(lifetime.becomes_known() && !lifetime.is_unknown());
    }

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
