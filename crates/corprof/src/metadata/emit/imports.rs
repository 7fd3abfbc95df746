//! Checks of what is imported from other metadata.
//!
//! The metadata follows the types of a signature, their scopes and their constructed types by recursion, reads
//! signatures without looking at their length, and checks no row. The metadata may come from a malformed file.
#![forbid(unsafe_code)]

use core::fmt::Display;

use corprof_types::HResult;
use sigparse::token::{TypeDef, TypeRef};
use sigparse::{ResolutionScope, Token, TypeDefOrRef, walk};

use crate::error::{Error, Result};
use crate::limits::MAX_IMPORTED_NESTING;
use crate::metadata::Metadata;
use crate::metadata::signatures::{Named, well_formed};

/// Checks a signature of a module, with all types that it names.
pub(super) fn signature(module: &Metadata, of: impl Display, signature: &[u8]) -> Result<()> {
    types(module, &well_formed(of, signature, walk::signature)?, 0)
}

/// Checks a type definition and those it is nested in.
pub(super) fn type_def(module: &Metadata, type_def: TypeDef) -> Result<()> {
    let mut outer = Some(type_def);
    for _ in 0..MAX_IMPORTED_NESTING {
        let Some(token) = outer else { return Ok(()) };
        exists(module, token.into())?;
        outer = module.enclosing_type(token)?;
    }
    Err(nested_too_deep(type_def.into()))
}

/// Checks a type reference and its scopes.
fn type_ref(module: &Metadata, type_ref: TypeRef) -> Result<()> {
    let mut outer = type_ref;
    for _ in 0..MAX_IMPORTED_NESTING {
        exists(module, outer.into())?;
        match module.type_ref(outer)?.scope {
            Some(ResolutionScope::TypeRef(scope)) => outer = scope,
            Some(scope) => return exists(module, scope.into()),
            None => return Ok(()),
        }
    }
    Err(nested_too_deep(type_ref.into()))
}

/// Checks the types that a signature names, and those that their constructed types name.
fn types(module: &Metadata, named: &Named, depth: usize) -> Result<()> {
    for named in &named.types {
        match *named {
            TypeDefOrRef::TypeDef(token) => type_def(module, token)?,
            TypeDefOrRef::TypeRef(token) => type_ref(module, token)?,
            TypeDefOrRef::TypeSpec(token) => {
                exists(module, token.into())?;
                if depth == MAX_IMPORTED_NESTING {
                    return Err(nested_too_deep(token.into()));
                }
                types(module, &well_formed(token, module.type_spec(token)?, walk::ty)?, depth + 1)?;
            }
        }
    }
    Ok(())
}

fn exists(module: &Metadata, token: Token) -> Result<()> {
    if module.is_valid_token(token) {
        return Ok(());
    }
    Err(Error::Call { call: "IMetaDataImport::IsValidToken", hresult: HResult::CLDB_E_RECORD_NOTFOUND })
}

fn nested_too_deep(token: Token) -> Error {
    Error::other(format!("{token} is nested more than {MAX_IMPORTED_NESTING} times"))
}
