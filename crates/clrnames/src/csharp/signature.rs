//! The types of signatures (ECMA-335 II.23.2.12).

use std::sync::Arc;

use sigparse::{CallingConvention, ElementType, MethodSig, Modifier, Type, TypeDefOrRef, TypeSig};

use super::built_in::csharp_keyword;
use super::type_name::{NO_ARGS, TypeDefinition, TypeName};
use crate::error::Error;

/// The meaning of a signature's tokens and generic parameters.
pub trait SignatureScope {
    /// Why a type has no name.
    type Error: From<Error>;

    /// Returns the name of a definition or reference.
    ///
    /// # Errors
    /// The token has no name.
    fn definition(&self, token: TypeDefOrRef) -> Result<Arc<TypeDefinition>, Self::Error>;

    /// Returns the type argument of a parameter of the generic type (VAR).
    ///
    /// # Errors
    /// The argument is not known and has no substitute.
    fn type_argument(&self, index: u32) -> Result<TypeName, Self::Error>;

    /// Returns the type argument of a parameter of the generic method (MVAR).
    ///
    /// # Errors
    /// The argument is not known and has no substitute.
    fn method_argument(&self, index: u32) -> Result<TypeName, Self::Error>;

    /// Returns the name of a type of the running process (INTERNAL).
    ///
    /// # Errors
    /// There is no running process, or the handle is not known.
    fn internal(&self, handle: usize) -> Result<TypeName, Self::Error>;
}

/// Returns the name of a type in a signature.
///
/// Custom modifiers are left out, except those that make a reference `in`, `out` or `ref readonly`.
///
/// # Errors
/// Any error of the scope; [`Error::Signature`] for a malformed function pointer.
pub fn type_name<S: SignatureScope + ?Sized>(scope: &S, sig: TypeSig<'_>) -> Result<TypeName, S::Error> {
    Ok(match sig.ty() {
        Type::Class(token) | Type::ValueType(token) => TypeName::of(&*scope.definition(token)?, NO_ARGS),
        Type::Ptr(target) => type_name(scope, target)?.pointer(),
        Type::ByRef(target) => {
            let keyword = reference_keyword(scope, sig, false);
            TypeName::new(format!("{keyword} {}", type_name(scope, target)?))
        }
        Type::Pinned(inner) => type_name(scope, inner)?,
        Type::SzArray(element) => type_name(scope, element)?.vector(),
        Type::Array(array) => type_name(scope, array.element())?.array(array.rank()),
        Type::Var(index) => scope.type_argument(index)?,
        Type::MVar(index) => scope.method_argument(index)?,
        Type::GenericInst(generic) => match generic.type_def_or_ref() {
            Some(token) => {
                let args: Result<Vec<TypeName>, S::Error> =
                    generic.args().map(|arg| type_name(scope, arg)).collect();
                TypeName::of(&*scope.definition(token)?, &args?)
            }
            None => TypeName::new("(internal type)"),
        },
        Type::FnPtr(pointer) => function_pointer(scope, &pointer)?,
        Type::Internal(handle) => scope.internal(handle)?,
        leaf => element_name(leaf.element_type()),
    })
}

/// Returns the name of an element type that stands alone. `PTR` without a target gives `void*`.
pub(crate) fn element_name(element: ElementType) -> TypeName {
    match (csharp_keyword(element), element) {
        (Some(keyword), _) => TypeName::new(keyword),
        (None, ElementType::PTR) => TypeName::new("void*"),
        (None, other) => TypeName::new(format!("({other})")),
    }
}

/// Returns the C# keyword of a reference: `ref`; by its `modreq`, `in` or `out` for the parameter of a function
/// pointer, `ref readonly` for a return type.
pub(crate) fn reference_keyword<S: SignatureScope + ?Sized>(
    scope: &S,
    sig: TypeSig<'_>,
    is_parameter: bool,
) -> &'static str {
    for token in sig.modifiers().filter(|modifier| modifier.is_required()).filter_map(Modifier::ty) {
        let Ok(modifier) = scope.definition(token) else { continue };
        match &*modifier.metadata_name {
            "System.Runtime.InteropServices.InAttribute" if is_parameter => return "in",
            "System.Runtime.InteropServices.InAttribute" => return "ref readonly",
            "System.Runtime.InteropServices.OutAttribute" if is_parameter => return "out",
            _ => {}
        }
    }
    "ref"
}

fn function_pointer<S: SignatureScope + ?Sized>(
    scope: &S,
    pointer: &MethodSig<'_>,
) -> Result<TypeName, S::Error> {
    let mut types = Vec::new();
    for param in pointer.params() {
        let param = param.map_err(malformed_pointer)?;
        types.push(match param.by_ref() {
            Some(target) => {
                let keyword = reference_keyword(scope, param.sig(), true);
                format!("{keyword} {}", type_name(scope, target)?)
            }
            None => type_name(scope, param.sig())?.to_string(),
        });
    }
    types.push(type_name(scope, pointer.return_type())?.to_string());
    Ok(function_pointer_type(pointer.calling_convention(), &types))
}

/// The error for a malformed parameter of a function pointer.
pub(crate) fn malformed_pointer(error: sigparse::Error) -> Error {
    Error::Signature { of: "a function pointer".into(), error }
}

/// Returns the name of a function pointer from the types of its parameters and, last, its return type.
pub(crate) fn function_pointer_type(convention: CallingConvention, types: &[String]) -> TypeName {
    let convention = match convention {
        CallingConvention::C => " unmanaged[Cdecl]",
        CallingConvention::STDCALL => " unmanaged[Stdcall]",
        CallingConvention::THISCALL => " unmanaged[Thiscall]",
        CallingConvention::FASTCALL => " unmanaged[Fastcall]",
        CallingConvention::UNMANAGED | CallingConvention::NATIVEVARARG => " unmanaged",
        _ => "",
    };
    TypeName::new(format!("delegate*{convention}<{}>", types.join(", ")))
}
