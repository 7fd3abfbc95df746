//! What is attached to rows: custom attributes, marshalling, native implementations.
#![allow(unsafe_code)]

use core::ptr::null;

use sigparse::token::{CustomAttribute, DeclSecurity, FieldDef, MethodDef, ModuleRef};
use sigparse::{CustomAttributeType, HasFieldMarshal, Token};

use super::{MetadataEmit, UNCHANGED, blob, define, emit, wide};
use crate::Result;

/// Where a method is implemented in a native library, for [`MetadataEmit::define_pinvoke_map`].
#[derive(Clone, Copy, Debug)]
pub struct PinvokeTarget<'a> {
    /// `CorPinvokeMap`: character set, calling convention, last error (ECMA-335 II.23.1.8).
    pub flags: u32,
    /// The function's name in the library.
    pub name: &'a str,
    /// The library.
    pub module: ModuleRef,
}

impl MetadataEmit {
    /// Gives a row a custom attribute: its constructor, and the arguments as `sigparse` encodes them
    /// (`IMetaDataEmit::DefineCustomAttribute`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineCustomAttribute")]
    pub fn define_custom_attribute(
        &self,
        owner: impl Into<Token>,
        constructor: impl Into<CustomAttributeType>,
        value: &[u8],
    ) -> Result<CustomAttribute> {
        let (owner, constructor) = (owner.into().0, constructor.into().token());
        let (value, length) = blob("IMetaDataEmit::DefineCustomAttribute", value)?;
        // SAFETY: a blob with its length.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineCustomAttribute(owner, constructor, value.cast(), length)
                    -> CustomAttribute
            )
        }
    }

    /// Gives a custom attribute other arguments (`IMetaDataEmit::SetCustomAttributeValue`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetCustomAttributeValue")]
    pub fn set_custom_attribute_value(&self, attribute: CustomAttribute, value: &[u8]) -> Result<()> {
        let (value, length) = blob("IMetaDataEmit::SetCustomAttributeValue", value)?;
        // SAFETY: a blob with its length.
        unsafe {
            emit!(self, IMetaDataEmit::SetCustomAttributeValue(attribute.token(), value.cast(), length))
        }
        .map(drop)
    }

    /// Declares what permissions a type, method or assembly demands or refuses, `CorDeclSecurity` and an encoded set
    /// (`IMetaDataEmit::DefinePermissionSet`). CoreCLR keeps it and takes no notice.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefinePermissionSet")]
    pub fn define_permission_set(
        &self,
        owner: impl Into<Token>,
        action: u32,
        permissions: &[u8],
    ) -> Result<DeclSecurity> {
        let owner = owner.into().0;
        let (permissions, length) = blob("IMetaDataEmit::DefinePermissionSet", permissions)?;
        // SAFETY: a blob with its length.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefinePermissionSet(owner, action, permissions.cast(), length) -> DeclSecurity
            )
        }
    }

    /// Gives the declaration of this action other permissions (`IMetaDataEmit::SetPermissionSetProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetPermissionSetProps")]
    pub fn set_permission_set(
        &self,
        owner: impl Into<Token>,
        action: u32,
        permissions: &[u8],
    ) -> Result<DeclSecurity> {
        let owner = owner.into().0;
        let (permissions, length) = blob("IMetaDataEmit::SetPermissionSetProps", permissions)?;
        // SAFETY: a blob with its length.
        unsafe {
            define!(
                self,
                IMetaDataEmit::SetPermissionSetProps(owner, action, permissions.cast(), length) -> DeclSecurity
            )
        }
    }

    /// Says how a field or parameter is passed to native code, as `sigparse` encodes it
    /// (`IMetaDataEmit::SetFieldMarshal`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetFieldMarshal")]
    pub fn set_field_marshal(&self, of: impl Into<HasFieldMarshal>, descriptor: &[u8]) -> Result<()> {
        let of = of.into().token();
        let (descriptor, length) = blob("IMetaDataEmit::SetFieldMarshal", descriptor)?;
        // SAFETY: a blob with its length.
        unsafe { emit!(self, IMetaDataEmit::SetFieldMarshal(of, descriptor, length)) }.map(drop)
    }

    /// Says that a method is implemented in a native library (`IMetaDataEmit::DefinePinvokeMap`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefinePinvokeMap")]
    pub fn define_pinvoke_map(&self, method: MethodDef, target: &PinvokeTarget<'_>) -> Result<()> {
        self.pinvoke(method.token(), target)
    }

    /// Says that a global field lies in a native library (`IMetaDataEmit::DefinePinvokeMap`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefinePinvokeMap")]
    pub fn define_pinvoke_map_of_field(&self, field: FieldDef, target: &PinvokeTarget<'_>) -> Result<()> {
        self.pinvoke(field.token(), target)
    }

    fn pinvoke(&self, member: u32, target: &PinvokeTarget<'_>) -> Result<()> {
        let name = wide(target.name)?;
        // SAFETY: a text with a terminating zero.
        unsafe {
            emit!(
                self,
                IMetaDataEmit::DefinePinvokeMap(member, target.flags, name.as_ptr(), target.module.token())
            )
        }
        .map(drop)
    }

    /// Changes where a method is implemented (`IMetaDataEmit::SetPinvokeMap`); `None` is left as it is.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND` for a method that is not implemented in a native library; what else the metadata
    /// reports.
    #[doc(alias = "SetPinvokeMap")]
    pub fn set_pinvoke_map(
        &self,
        method: MethodDef,
        flags: Option<u32>,
        name: Option<&str>,
        module: Option<ModuleRef>,
    ) -> Result<()> {
        let name = name.map(wide).transpose()?;
        // SAFETY: a text with a terminating zero, or none.
        unsafe {
            emit!(
                self,
                IMetaDataEmit::SetPinvokeMap(
                    method.token(),
                    flags.unwrap_or(UNCHANGED),
                    name.as_ref().map_or(null(), |name| name.as_ptr()),
                    module.map_or(0, ModuleRef::token),
                )
            )
        }
        .map(drop)
    }
}
