//! Members: methods, their parameters, fields and constants, custom attributes.
#![allow(unsafe_code)]

use core::ptr::{null, null_mut};

use sigparse::token::{FieldDef, MethodDef, ParamDef, TypeDef};
use sigparse::{ElementType, Token};
use widestring::U16CString;

use super::enumerate::all;
use super::{
    Constant, FieldAttributes, FieldProps, Metadata, MethodAttributes, MethodProps, ParamAttributes,
    ParamProps, import,
};
use crate::info::{fill_wide, lent, room_of};
use crate::{HResult, Result};

impl Metadata {
    /// A method (`IMetaDataImport::GetMethodProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetMethodProps")]
    pub fn method(&self, token: MethodDef) -> Result<MethodProps<'_>> {
        let (mut class, mut attributes, mut blob, mut length) = (0, 0, null(), 0);
        let name = fill_wide("IMetaDataImport::GetMethodProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length; what is not wanted is null.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetMethodProps(
                        token.token(),
                        &raw mut class,
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut attributes,
                        &raw mut blob,
                        &raw mut length,
                        null_mut(),
                        null_mut(),
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(MethodProps {
            declaring_type: TypeDef::from_token(class),
            name,
            attributes: MethodAttributes::from_bits_retain(attributes),
            // SAFETY: the metadata has lent a blob of that length.
            signature: unsafe { lent(blob, length) },
        })
    }

    /// A method's parameters that have a row of their own, in no order; a compiler may leave some out
    /// (`IMetaDataImport::EnumParams`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumParams")]
    pub fn params(&self, method: MethodDef) -> Result<Vec<ParamDef>> {
        all!(self, IMetaDataImport::EnumParams(method.token()), ParamDef::from_token)
    }

    /// A parameter (`IMetaDataImport::GetParamProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetParamProps")]
    pub fn param(&self, token: ParamDef) -> Result<ParamProps<'_>> {
        let (mut sequence, mut attributes) = (0, 0);
        let (mut element_type, mut value, mut units) = (0, null(), 0);
        let name = fill_wide("IMetaDataImport::GetParamProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length; what is not wanted is null.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetParamProps(
                        token.token(),
                        null_mut(),
                        &raw mut sequence,
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut attributes,
                        &raw mut element_type,
                        &raw mut value,
                        &raw mut units,
                    )
                )
            }?;
            Ok(needed)
        })?;
        let attributes = ParamAttributes::from_bits_retain(attributes);
        // SAFETY: the metadata has lent a constant of that type and length.
        let constant = unsafe { constant(element_type, value.cast(), units) };
        Ok(ParamProps { name, sequence, attributes, constant })
    }

    /// The fields that a type declares (`IMetaDataImport::EnumFields`), in order.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumFields")]
    pub fn fields(&self, type_def: TypeDef) -> Result<Vec<FieldDef>> {
        all!(self, IMetaDataImport::EnumFields(type_def.token()), FieldDef::from_token)
    }

    /// A field (`IMetaDataImport::GetFieldProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetFieldProps")]
    pub fn field(&self, token: FieldDef) -> Result<FieldProps<'_>> {
        let (mut class, mut attributes, mut blob, mut length) = (0, 0, null(), 0);
        let (mut element_type, mut value, mut units) = (0, null(), 0);
        let name = fill_wide("IMetaDataImport::GetFieldProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetFieldProps(
                        token.token(),
                        &raw mut class,
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut attributes,
                        &raw mut blob,
                        &raw mut length,
                        &raw mut element_type,
                        &raw mut value,
                        &raw mut units,
                    )
                )
            }?;
            Ok(needed)
        })?;
        // SAFETY: the metadata has lent a constant of that type and length.
        let constant = unsafe { constant(element_type, value.cast(), units) };
        Ok(FieldProps {
            declaring_type: TypeDef::from_token(class),
            name,
            attributes: FieldAttributes::from_bits_retain(attributes),
            // SAFETY: the metadata has lent a blob of that length.
            signature: unsafe { lent(blob, length) },
            constant,
        })
    }

    /// Whether a row has a custom attribute of this type, named with its namespace
    /// (`IMetaDataImport::GetCustomAttributeByName`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetCustomAttributeByName")]
    pub fn has_custom_attribute(&self, of: impl Into<Token>, name: &str) -> Result<bool> {
        Ok(self.custom_attribute(of, name)?.is_some())
    }

    /// The value of a custom attribute of this type, named with its namespace; the first one where there are
    /// several (`IMetaDataImport::GetCustomAttributeByName`).
    ///
    /// # Errors
    /// What the metadata reports.
    pub fn custom_attribute(&self, of: impl Into<Token>, name: &str) -> Result<Option<&[u8]>> {
        let Ok(wide) = U16CString::from_str(name) else { return Ok(None) };
        let (mut blob, mut length) = (null(), 0);
        // SAFETY: a text with a terminating zero, locals.
        let code = unsafe {
            import!(
                self,
                IMetaDataImport::GetCustomAttributeByName(
                    of.into().0,
                    wide.as_ptr(),
                    &raw mut blob,
                    &raw mut length,
                )
            )
        }?;
        if code != HResult::S_OK {
            return Ok(None);
        }
        // SAFETY: the metadata has lent a blob of that length.
        Ok(Some(unsafe { lent(blob.cast(), length) }))
    }
}

/// A constant that the metadata lends; `None` when it has none. The length is reported for strings only, in
/// UTF-16 units; other constants are as long as their type.
///
/// # Safety
/// `value` is null, or points to a constant of that type and length which lives as long as `'m`.
unsafe fn constant<'m>(element_type: u32, value: *const u8, units: u32) -> Option<Constant<'m>> {
    let [element_type, ..] = element_type.to_le_bytes();
    let element_type = ElementType(element_type);
    if element_type.0 == 0 || (value.is_null() && element_type != ElementType::STRING) {
        return None;
    }
    let bytes = Constant::size(element_type).unwrap_or(units.saturating_mul(2));
    // SAFETY: says the caller.
    Some(Constant { element_type, bytes: unsafe { lent(value, bytes) } })
}
