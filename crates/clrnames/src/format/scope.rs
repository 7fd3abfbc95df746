//! Signatures of a source's modules, with type arguments.

use std::sync::Arc;

use sigparse::{TypeDefOrRef, TypeSig};

use super::formatter::{Formatter, Result};
use crate::csharp::{self, SignatureScope, TypeDefinition, TypeName};
use crate::source::Source;

/// The module of a signature, and the type arguments for its generic parameters.
pub(super) struct Scope<'s, S: Source> {
    pub(super) formatter: &'s Formatter<'s, S>,
    pub(super) module: S::Module,
    /// The arguments of the generic type.
    pub(super) class_args: &'s [TypeName],
    /// The arguments of the generic method.
    pub(super) method_args: &'s [TypeName],
}

impl<S: Source> Scope<'_, S> {
    /// Returns the name of a type in the signature.
    pub(super) fn type_name(&self, sig: TypeSig<'_>) -> Result<TypeName, S> {
        csharp::type_name(self, sig)
    }

    pub(super) fn metadata_name(&self, token: TypeDefOrRef) -> Result<Arc<str>, S> {
        self.formatter.metadata_name(self.module, token)
    }
}

impl<S: Source> SignatureScope for Scope<'_, S> {
    type Error = S::Error;

    fn definition(&self, token: TypeDefOrRef) -> Result<Arc<TypeDefinition>, S> {
        self.formatter.definition(self.module, token)
    }

    fn type_argument(&self, index: u32) -> Result<TypeName, S> {
        Ok(argument(self.class_args, index, "!"))
    }

    fn method_argument(&self, index: u32) -> Result<TypeName, S> {
        Ok(argument(self.method_args, index, "!!"))
    }

    fn internal(&self, handle: usize) -> Result<TypeName, S> {
        match self.formatter.source.internal_class(handle) {
            Some(class) => self.formatter.class_name(&class),
            None => Ok(TypeName::new("(internal type)")),
        }
    }
}

/// The argument for a generic parameter, or the parameter as ILAsm writes it.
fn argument(args: &[TypeName], index: u32, prefix: &str) -> TypeName {
    let known = usize::try_from(index).ok().and_then(|index| args.get(index));
    known.cloned().unwrap_or_else(|| TypeName::new(format!("{prefix}{index}")))
}
