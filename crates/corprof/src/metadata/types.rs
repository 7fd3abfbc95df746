//! Types: definitions, references, specifications, generic parameters.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use sigparse::token::{GenericParam, TypeDef, TypeRef, TypeSpec};
use sigparse::{ResolutionScope, Token, TypeDefOrRef};
use widestring::U16CString;

use super::enumerate::all;
use super::{GenericParamProps, Metadata, TypeAttributes, TypeDefProps, TypeRefProps, import};
use crate::info::{fill_wide, lent, room_of};
use crate::{Error, Guid, HResult, Result};

impl Metadata {
    /// The module's version id, new for each build of it (`IMetaDataImport::GetScopeProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetScopeProps")]
    pub fn mvid(&self) -> Result<Guid> {
        let mut mvid = Guid::NIL;
        // SAFETY: locals, and no room for the name, as declared.
        unsafe { import!(self, IMetaDataImport::GetScopeProps(null_mut(), 0, null_mut(), &raw mut mvid.0)) }?;
        Ok(mvid)
    }

    /// A type's definition (`IMetaDataImport::GetTypeDefProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetTypeDefProps")]
    pub fn type_def(&self, token: TypeDef) -> Result<TypeDefProps> {
        let (mut attributes, mut extends) = (0, 0);
        let name = fill_wide("IMetaDataImport::GetTypeDefProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetTypeDefProps(
                        token.token(),
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut attributes,
                        &raw mut extends,
                    )
                )
            }?;
            Ok(needed)
        })?;
        let attributes = TypeAttributes::from_bits_retain(attributes);
        Ok(TypeDefProps { name, attributes, extends: TypeDefOrRef::from_token(extends) })
    }

    /// The type that a nested type is declared in; `None` for one that is not nested
    /// (`IMetaDataImport::GetNestedClassProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetNestedClassProps")]
    pub fn enclosing_type(&self, token: TypeDef) -> Result<Option<TypeDef>> {
        let mut enclosing = 0;
        // SAFETY: a local.
        let answer =
            unsafe { import!(self, IMetaDataImport::GetNestedClassProps(token.token(), &raw mut enclosing)) };
        match answer {
            Ok(_) => Ok(TypeDef::from_token(enclosing)),
            Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A reference to a type (`IMetaDataImport::GetTypeRefProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetTypeRefProps")]
    pub fn type_ref(&self, token: TypeRef) -> Result<TypeRefProps> {
        let mut scope = 0;
        let name = fill_wide("IMetaDataImport::GetTypeRefProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetTypeRefProps(
                        token.token(),
                        &raw mut scope,
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(TypeRefProps { name, scope: ResolutionScope::from_token(scope) })
    }

    /// A composed type's signature (`IMetaDataImport::GetTypeSpecFromToken`), for `sigparse::TypeSpecSig`.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetTypeSpecFromToken")]
    pub fn type_spec(&self, token: TypeSpec) -> Result<&[u8]> {
        let (mut blob, mut length) = (core::ptr::null(), 0);
        // SAFETY: locals.
        unsafe {
            import!(
                self,
                IMetaDataImport::GetTypeSpecFromToken(token.token(), &raw mut blob, &raw mut length)
            )
        }?;
        // SAFETY: the metadata has lent a blob of that length.
        Ok(unsafe { lent(blob, length) })
    }

    /// The definition with this name, in `enclosing` for a nested type
    /// (`IMetaDataImport::FindTypeDefByName`).
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "FindTypeDefByName")]
    pub fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>> {
        let Ok(wide) = U16CString::from_str(name) else { return Ok(None) };
        let mut token = 0;
        // SAFETY: a text with a terminating zero, a local.
        let answer = unsafe {
            import!(
                self,
                IMetaDataImport::FindTypeDefByName(
                    wide.as_ptr(),
                    enclosing.map_or(0, TypeDef::token),
                    &raw mut token,
                )
            )
        };
        match answer {
            Ok(_) => Ok(TypeDef::from_token(token)),
            Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The generic parameters that a type or method declares, enclosing types' included
    /// (`IMetaDataImport2::EnumGenericParams`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumGenericParams")]
    pub fn generic_params(&self, owner: impl Into<Token>) -> Result<Vec<GenericParam>> {
        let owner = owner.into();
        all!(self, IMetaDataImport2::EnumGenericParams(owner.0), GenericParam::from_token)
    }

    /// A generic parameter (`IMetaDataImport2::GetGenericParamProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetGenericParamProps")]
    pub fn generic_param(&self, token: GenericParam) -> Result<GenericParamProps> {
        let mut index = 0;
        let name = fill_wide("IMetaDataImport2::GetGenericParamProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length; what is not wanted is null.
            unsafe {
                import!(
                    self,
                    IMetaDataImport2::GetGenericParamProps(
                        token.token(),
                        &raw mut index,
                        null_mut(),
                        null_mut(),
                        null_mut(),
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(GenericParamProps { name, index })
    }
}
