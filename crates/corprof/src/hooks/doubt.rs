//! Whether what is kept with a function goes away with a module, where only a call can tell.
//!
//! Code that is shared by instances of a generic type goes away with those of its type arguments that are value types. The
//! function alone does not know them. A call does: hooks with info ask the runtime, fast hooks look where the code itself
//! is given its type arguments. Which register that is may depend on whether the address for a large result comes first;
//! an address of the caller's stack is no class, so there is nothing to mistake.

use core::sync::atomic::{AtomicU8, Ordering};

use sigparse::token::TypeDef;
use sigparse::{MethodSig, Type, TypeDefOrRef};

use super::frame::{EnterFrame, EnterRegisters};
use super::hooked::Hooked;
use super::{FunctionHooks, GenericContext};
use crate::ids::{ClassId, FrameInfo, FunctionId, ModuleId};
use crate::info::Lifetime;
use crate::metadata::Metadata;
use crate::{Error, ProfilerInfo, Result};

/// How many calls are asked: one may have no `this`.
const CALLS: u8 = 4;

/// The doubt about a function, and how to take it away.
pub(super) struct Doubt {
    /// How many more calls are asked; 0 if there is no doubt, or no hope.
    calls: AtomicU8,
    shared_by: SharedBy,
}

/// How shared code knows its type arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SharedBy {
    /// By `this`, an object of this type or one that derives from it.
    This(ModuleId, TypeDef),
    /// By the class, an instance of this type, in this integer register or the next.
    Class(ModuleId, TypeDef, u8),
    /// By the method, in this integer register.
    Method(u8),
    /// It cannot be told without knowing more of the types. With hooks with info it need not.
    Unknown,
}

impl Doubt {
    /// About a function of which the mapper has found this.
    pub(super) fn about(info: &ProfilerInfo, function: FunctionId, lifetime: Lifetime) -> Self {
        let calls = if lifetime == Lifetime::Doubtful { CALLS } else { 0 };
        let shared_by = match calls {
            1.. if info.has_fast_hooks() => SharedBy::of(info, function).unwrap_or(SharedBy::Unknown),
            _ => SharedBy::Unknown,
        };
        Self { calls: AtomicU8::new(calls), shared_by }
    }

    #[inline]
    pub(super) fn is_left(&self) -> bool {
        self.calls.load(Ordering::Relaxed) != 0
    }

    /// There is none any more. Whether there was until now: one caller is told so.
    fn end(&self) -> bool {
        self.calls.swap(0, Ordering::Relaxed) != 0
    }

    /// This call could not tell.
    fn remains(&self) {
        let _ = self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |calls| calls.checked_sub(1));
    }
}

/// Finds out with a call whether a function goes away with a module. It does not while this call lasts.
#[cold]
pub(super) fn settle<P: FunctionHooks>(hooked: &Hooked<P>, frame: &EnterFrame<'_>, hook: &'static str) {
    let Hooked { running, function, doubt, .. } = hooked;
    let info = &running.info;
    let find = |_: &P| match frame.registers() {
        Some(registers) => {
            let frame = doubt.shared_by.frame(info, &registers).ok_or_else(|| Error::other("not known"))?;
            Ok(info.called_function_owners_seen(*function, frame))
        }
        None => frame.arguments(|call| info.called_function_owners_seen(*function, call.frame())),
    };
    match running.deliver(hook, find) {
        Some(Ok(Lifetime::Module)) => {
            if doubt.end() {
                hooked.goes_with_module();
            }
        }
        Some(Ok(Lifetime::Process)) => {
            doubt.end();
        }
        // What is kept stays, unless another call tells.
        Some(Ok(Lifetime::Doubtful) | Err(_)) | None => doubt.remains(),
    }
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
        Ok(match signature.has_this() && has_objects(&metadata, type_def)? {
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
                .find(|register| is_instance(info, registers.integer(*register), (module, type_def)))
                .map(GenericContext::Class),
            Self::Unknown => None,
        };
        context.map(|context| registers.frame(context))
    }
}

/// Whether a word is a class that has been seen, and is an instance of this type.
fn is_instance(info: &ProfilerInfo, word: Option<usize>, of: (ModuleId, TypeDef)) -> bool {
    let class = word.and_then(ClassId::from_raw).filter(|class| info.is_known_class(*class));
    class.and_then(|class| info.class_info(class).ok()).is_some_and(|info| (info.module, info.type_def) == of)
}

/// Whether a type has objects that say what they are: not structures and interfaces.
fn has_objects(metadata: &Metadata, type_def: TypeDef) -> Result<bool> {
    let base = match metadata.type_def(type_def)?.extends {
        None => return Ok(false),
        // An instance of a generic class.
        Some(TypeDefOrRef::TypeSpec(_)) => return Ok(true),
        Some(TypeDefOrRef::TypeDef(base)) => metadata.type_def(base)?.name,
        Some(TypeDefOrRef::TypeRef(base)) => metadata.type_ref(base)?.name,
    };
    Ok(!matches!(&*base, "System.ValueType" | "System.Enum"))
}

/// Whether a result of this type may be larger than the registers, so that the caller passes the address for it.
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

    fn doubt() -> Doubt {
        Doubt { calls: AtomicU8::new(CALLS), shared_by: SharedBy::Unknown }
    }

    #[test]
    fn one_is_told_that_it_has_ended() {
        let doubt = doubt();
        assert!(doubt.is_left());
        assert!(doubt.end());
        assert!(!doubt.end() && !doubt.is_left());
    }

    #[test]
    fn after_some_calls_there_is_no_hope() {
        let doubt = doubt();
        for call in 0..CALLS {
            assert!(doubt.is_left(), "{call}");
            doubt.remains();
        }
        assert!(!doubt.is_left());
        doubt.remains();
        assert!(!doubt.is_left() && !doubt.end());
    }

    #[test]
    fn what_may_come_back_in_memory() {
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
