//! Attachments of rows: custom attributes, permissions, native implementations, marshalling, literals.
#![forbid(unsafe_code)]

use sigparse::Token;
use sigparse::token::{CustomAttribute, DeclSecurity, ModuleRef, StandAloneSig, UserString};
use widestring::U16String;

use super::Metadata;
use crate::error::Result;
use crate::raw::metadata::Absent;

/// A custom attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CustomAttributeProps<'m> {
    /// The row that has the attribute.
    pub owner: Token,
    /// The attribute's constructor: a `MethodDef` or `MemberRef`.
    pub constructor: Token,
    /// The arguments. [`sigparse::attribute::AttributeValue`] parses them.
    pub value: &'m [u8],
}

/// A security declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermissionSetProps<'m> {
    /// The action (`CorDeclSecurity`).
    pub action: u32,
    /// The permissions.
    pub permissions: &'m [u8],
}

/// The native implementation of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinvokeMap {
    /// Character set, calling convention, last error (`CorPinvokeMap`, ECMA-335 II.23.1.8).
    pub flags: u32,
    /// The function's name in the library.
    pub name: String,
    /// The library.
    pub module: Option<ModuleRef>,
}

impl Metadata {
    /// Returns custom attributes. `IMetaDataImport::EnumCustomAttributes`.
    ///
    /// Without `of`, those of all rows; without `constructor`, those of all types.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumCustomAttributes")]
    pub fn custom_attributes(
        &self,
        of: Option<Token>,
        constructor: Option<Token>,
    ) -> Result<Vec<CustomAttribute>> {
        self.raw.custom_attributes(of, constructor)
    }

    /// Returns a custom attribute. `IMetaDataImport::GetCustomAttributeProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetCustomAttributeProps")]
    pub fn custom_attribute_props(&self, token: CustomAttribute) -> Result<CustomAttributeProps<'_>> {
        let (owner, constructor, value) = self.raw.custom_attribute_props(token)?;
        Ok(CustomAttributeProps { owner, constructor, value })
    }

    /// Returns `true` if a row has an attribute of this type. `IMetaDataImport::GetCustomAttributeByName`.
    ///
    /// `name` is the attribute type's full name.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetCustomAttributeByName")]
    pub fn has_custom_attribute(&self, of: impl Into<Token>, name: &str) -> Result<bool> {
        Ok(self.custom_attribute(of, name)?.is_some())
    }

    /// Returns the arguments of a row's attribute. `IMetaDataImport::GetCustomAttributeByName`.
    ///
    /// `name` is the attribute type's full name. Of several attributes of this type, the first is returned.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    pub fn custom_attribute(&self, of: impl Into<Token>, name: &str) -> Result<Option<&[u8]>> {
        self.raw.custom_attribute(of.into(), name).or_absent().map(Option::flatten)
    }

    /// Returns the security declarations of a row. `IMetaDataImport::EnumPermissionSets`.
    ///
    /// An `action` of 0 stands for any.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumPermissionSets")]
    pub fn permission_sets(&self, of: impl Into<Token>, action: u32) -> Result<Vec<DeclSecurity>> {
        self.raw.permission_sets(of.into(), action)
    }

    /// Returns a security declaration. `IMetaDataImport::GetPermissionSetProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetPermissionSetProps")]
    pub fn permission_set(&self, token: DeclSecurity) -> Result<PermissionSetProps<'_>> {
        let (action, permissions) = self.raw.permission_set(token)?;
        Ok(PermissionSetProps { action, permissions })
    }

    /// Returns the native implementation of a method or field. `IMetaDataImport::GetPinvokeMap`.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "GetPinvokeMap")]
    pub fn pinvoke_map(&self, of: impl Into<Token>) -> Result<Option<PinvokeMap>> {
        let found = self.raw.pinvoke_map(of.into()).or_absent()?;
        Ok(found.map(|(flags, name, module)| PinvokeMap { flags, name, module }))
    }

    /// Returns the marshalling descriptor of a field or parameter. `IMetaDataImport::GetFieldMarshal`.
    ///
    /// [`sigparse::marshal::MarshalSpec`] parses it. `None` for the default.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "GetFieldMarshal")]
    pub fn field_marshal(&self, of: impl Into<Token>) -> Result<Option<&[u8]>> {
        self.raw.field_marshal(of.into()).or_absent()
    }

    /// Returns the string literals of the code. `IMetaDataImport::EnumUserStrings`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumUserStrings")]
    pub fn user_strings(&self) -> Result<Vec<UserString>> {
        self.raw.user_strings()
    }

    /// Returns a string literal. `IMetaDataImport::GetUserString`.
    ///
    /// It may contain zeros and lone surrogates.
    ///
    /// # Errors
    /// Any failure of the call, as for a token that is not in the heap.
    #[doc(alias = "GetUserString")]
    pub fn user_string(&self, token: UserString) -> Result<U16String> {
        self.raw.user_string(token)
    }

    /// Returns the stand-alone signatures. `IMetaDataImport::EnumSignatures`.
    ///
    /// They are those of local variables and of indirect calls.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumSignatures")]
    pub fn signatures(&self) -> Result<Vec<StandAloneSig>> {
        self.raw.signatures()
    }

    /// Returns a stand-alone signature. `IMetaDataImport::GetSigFromToken`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetSigFromToken")]
    pub fn signature(&self, token: StandAloneSig) -> Result<&[u8]> {
        self.raw.signature(token)
    }
}
