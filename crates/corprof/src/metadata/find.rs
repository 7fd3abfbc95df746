//! Looking for one row by name and signature.
#![allow(unsafe_code)]

use sigparse::token::{FieldDef, MemberRef, MethodDef, ParamDef, TypeDef, TypeRef};
use sigparse::{ResolutionScope, Token};
use widestring::U16CString;

use super::{Metadata, import};
use crate::info::length_of;
use crate::{Error, HResult, Result};

/// `None` for an answer that says that there is none.
fn found(answer: Result<HResult>, token: u32) -> Result<Option<u32>> {
    match answer {
        Ok(_) => Ok(Some(token)),
        Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Looks for a member by parent, name and signature.
macro_rules! find_member {
    ($metadata:ident, $interface:ident::$method:ident($parent:expr, $name:ident, $signature:ident)) => {{
        let Ok(wide) = U16CString::from_str($name) else { return Ok(None) };
        let length = length_of(concat!(stringify!($interface), "::", stringify!($method)), $signature)?;
        let mut token = 0;
        // SAFETY: a text with a terminating zero, a signature with its length, a local.
        let answer = unsafe {
            import!(
                $metadata,
                $interface::$method($parent, wide.as_ptr(), $signature.as_ptr(), length, &raw mut token)
            )
        };
        found(answer, token)?
    }};
}

impl Metadata {
    /// The method or field of a type with this name and signature (`IMetaDataImport::FindMember`).
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "FindMember")]
    pub fn find_member(&self, type_def: TypeDef, name: &str, signature: &[u8]) -> Result<Option<Token>> {
        let token = find_member!(self, IMetaDataImport::FindMember(type_def.token(), name, signature));
        Ok(token.map(Token))
    }

    /// The method of a type with this name and signature (`IMetaDataImport::FindMethod`).
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "FindMethod")]
    pub fn find_method(&self, type_def: TypeDef, name: &str, signature: &[u8]) -> Result<Option<MethodDef>> {
        let token = find_member!(self, IMetaDataImport::FindMethod(type_def.token(), name, signature));
        Ok(token.and_then(MethodDef::from_token))
    }

    /// The field of a type with this name and signature (`IMetaDataImport::FindField`).
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "FindField")]
    pub fn find_field(&self, type_def: TypeDef, name: &str, signature: &[u8]) -> Result<Option<FieldDef>> {
        let token = find_member!(self, IMetaDataImport::FindField(type_def.token(), name, signature));
        Ok(token.and_then(FieldDef::from_token))
    }

    /// The reference to a member of a type, with this name and signature (`IMetaDataImport::FindMemberRef`).
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "FindMemberRef")]
    pub fn find_member_ref(
        &self,
        parent: impl Into<Token>,
        name: &str,
        signature: &[u8],
    ) -> Result<Option<MemberRef>> {
        let token = find_member!(self, IMetaDataImport::FindMemberRef(parent.into().0, name, signature));
        Ok(token.and_then(MemberRef::from_token))
    }

    /// The reference to a type with this name, namespace in front, in a scope (`IMetaDataImport::FindTypeRef`).
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "FindTypeRef")]
    pub fn find_type_ref(&self, scope: Option<ResolutionScope>, name: &str) -> Result<Option<TypeRef>> {
        let Ok(wide) = U16CString::from_str(name) else { return Ok(None) };
        let scope = scope.map_or(0, |scope| Token::from(scope).0);
        let mut token = 0;
        // SAFETY: a text with a terminating zero, a local.
        let answer =
            unsafe { import!(self, IMetaDataImport::FindTypeRef(scope, wide.as_ptr(), &raw mut token)) };
        Ok(found(answer, token)?.and_then(TypeRef::from_token))
    }

    /// The row of a method's parameter at a position, from 1; 0 is the return value
    /// (`IMetaDataImport::GetParamForMethodIndex`). `None` where the compiler has left it out.
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "GetParamForMethodIndex")]
    pub fn param_at(&self, method: MethodDef, sequence: u32) -> Result<Option<ParamDef>> {
        let mut token = 0;
        // SAFETY: a local.
        let answer = unsafe {
            import!(self, IMetaDataImport::GetParamForMethodIndex(method.token(), sequence, &raw mut token))
        };
        Ok(found(answer, token)?.and_then(ParamDef::from_token))
    }
}
