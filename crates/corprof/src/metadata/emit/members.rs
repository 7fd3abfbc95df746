//! Methods, their parameters, and fields.
#![allow(unsafe_code)]

use core::ptr::null;

use sigparse::token::{FieldDef, MethodDef, ParamDef, TypeDef};

use super::{MetadataEmit, UNCHANGED, blob, constant, define, emit, wide};
use crate::Result;
use crate::metadata::{Constant, FieldAttributes, MethodAttributes, ParamAttributes};

/// A method that is to be defined.
#[derive(Clone, Copy, Debug)]
pub struct NewMethod<'a> {
    /// Its name: `Add`, `.ctor`, `get_Item`.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: MethodAttributes,
    /// Its signature, as `sigparse` encodes it.
    pub signature: &'a [u8],
    /// Where its code is in the image; 0 for one that
    /// [`ProfilerInfo::set_il_function_body`](crate::ProfilerInfo::set_il_function_body) gives.
    pub rva: u32,
    /// `CorMethodImpl`: how it is implemented (ECMA-335 II.23.1.11); 0 for IL.
    pub impl_flags: u32,
}

/// What is to be changed of a method; `None` is left as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct MethodChange {
    /// Its attributes.
    pub attributes: Option<MethodAttributes>,
    /// Where its code is in the image.
    pub rva: Option<u32>,
    /// `CorMethodImpl`: how it is implemented (ECMA-335 II.23.1.11).
    pub impl_flags: Option<u32>,
}

/// A field that is to be defined.
#[derive(Clone, Copy, Debug)]
pub struct NewField<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: FieldAttributes,
    /// Its signature, as `sigparse` encodes it.
    pub signature: &'a [u8],
    /// Its value, for a constant.
    pub constant: Option<Constant<'a>>,
}

/// What is to be changed of a field; `None` is left as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldChange<'a> {
    /// Its attributes.
    pub attributes: Option<FieldAttributes>,
    /// Its value, for a constant.
    pub constant: Option<Constant<'a>>,
}

/// A parameter's row that is to be defined: not every parameter has one.
#[derive(Clone, Copy, Debug)]
pub struct NewParam<'a> {
    /// Its position, from 1; 0 is the return value.
    pub sequence: u32,
    /// Its name.
    pub name: Option<&'a str>,
    /// Its attributes.
    pub attributes: ParamAttributes,
    /// Its default value.
    pub constant: Option<Constant<'a>>,
}

/// What is to be changed of a parameter; `None` is left as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParamChange<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Its attributes.
    pub attributes: Option<ParamAttributes>,
    /// Its default value.
    pub constant: Option<Constant<'a>>,
}

impl MetadataEmit {
    /// Defines a method of a type (`IMetaDataEmit::DefineMethod`). Constructors get the attributes that their names
    /// ask for.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineMethod")]
    pub fn define_method(&self, owner: TypeDef, new: &NewMethod<'_>) -> Result<MethodDef> {
        let name = wide(new.name)?;
        let (signature, length) = blob("IMetaDataEmit::DefineMethod", new.signature)?;
        // SAFETY: a text with a terminating zero, a blob with its length.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineMethod(
                    owner.token(),
                    name.as_ptr(),
                    new.attributes.bits(),
                    signature,
                    length,
                    new.rva,
                    new.impl_flags,
                ) -> MethodDef
            )
        }
    }

    /// Changes a method (`IMetaDataEmit::SetMethodProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetMethodProps")]
    pub fn set_method(&self, method: MethodDef, change: &MethodChange) -> Result<()> {
        // SAFETY: numbers.
        unsafe {
            emit!(
                self,
                IMetaDataEmit::SetMethodProps(
                    method.token(),
                    change.attributes.map_or(UNCHANGED, |attributes| attributes.bits()),
                    change.rva.unwrap_or(UNCHANGED),
                    change.impl_flags.unwrap_or(UNCHANGED),
                )
            )
        }
        .map(drop)
    }

    /// Says how a method is implemented: `CorMethodImpl` (ECMA-335 II.23.1.11)
    /// (`IMetaDataEmit::SetMethodImplFlags`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetMethodImplFlags")]
    pub fn set_method_impl_flags(&self, method: MethodDef, flags: u32) -> Result<()> {
        // SAFETY: numbers.
        unsafe { emit!(self, IMetaDataEmit::SetMethodImplFlags(method.token(), flags)) }.map(drop)
    }

    /// Says where a method's code is in the image (`IMetaDataEmit::SetRVA`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetRVA")]
    pub fn set_method_rva(&self, method: MethodDef, rva: u32) -> Result<()> {
        // SAFETY: numbers.
        unsafe { emit!(self, IMetaDataEmit::SetRVA(method.token(), rva)) }.map(drop)
    }

    /// Defines a field of a type (`IMetaDataEmit::DefineField`). The runtime does not look again at the fields of a
    /// type that it has loaded.
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other) for a constant whose bytes are not of its type; what the metadata
    /// reports.
    #[doc(alias = "DefineField")]
    pub fn define_field(&self, owner: TypeDef, new: &NewField<'_>) -> Result<FieldDef> {
        let name = wide(new.name)?;
        let (signature, length) = blob("IMetaDataEmit::DefineField", new.signature)?;
        let (element_type, value, units) = constant(new.constant)?;
        // SAFETY: a text with a terminating zero, a blob with its length, a constant of the size of its type.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineField(
                    owner.token(),
                    name.as_ptr(),
                    new.attributes.bits(),
                    signature,
                    length,
                    element_type,
                    value,
                    units,
                ) -> FieldDef
            )
        }
    }

    /// Changes a field (`IMetaDataEmit::SetFieldProps`).
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other) for a constant whose bytes are not of its type; what the metadata
    /// reports.
    #[doc(alias = "SetFieldProps")]
    pub fn set_field(&self, field: FieldDef, change: &FieldChange<'_>) -> Result<()> {
        let (element_type, value, units) = constant(change.constant)?;
        // SAFETY: a constant of the size of its type, or none.
        unsafe {
            emit!(
                self,
                IMetaDataEmit::SetFieldProps(
                    field.token(),
                    change.attributes.map_or(UNCHANGED, |attributes| attributes.bits()),
                    element_type,
                    value,
                    units,
                )
            )
        }
        .map(drop)
    }

    /// Says where a field's initial value is in the image (`IMetaDataEmit::SetFieldRVA`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetFieldRVA")]
    pub fn set_field_rva(&self, field: FieldDef, rva: u32) -> Result<()> {
        // SAFETY: numbers.
        unsafe { emit!(self, IMetaDataEmit::SetFieldRVA(field.token(), rva)) }.map(drop)
    }

    /// Defines the row of a method's parameter (`IMetaDataEmit::DefineParam`).
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other) for a constant whose bytes are not of its type; what the metadata
    /// reports.
    #[doc(alias = "DefineParam")]
    pub fn define_param(&self, method: MethodDef, new: &NewParam<'_>) -> Result<ParamDef> {
        let name = new.name.map(wide).transpose()?;
        let (element_type, value, units) = constant(new.constant)?;
        // SAFETY: a text with a terminating zero or none, a constant of the size of its type or none.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineParam(
                    method.token(),
                    new.sequence,
                    name.as_ref().map_or(null(), |name| name.as_ptr()),
                    new.attributes.bits(),
                    element_type,
                    value,
                    units,
                ) -> ParamDef
            )
        }
    }

    /// Changes a parameter (`IMetaDataEmit::SetParamProps`).
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other) for a constant whose bytes are not of its type; what the metadata
    /// reports.
    #[doc(alias = "SetParamProps")]
    pub fn set_param(&self, param: ParamDef, change: &ParamChange<'_>) -> Result<()> {
        let name = change.name.map(wide).transpose()?;
        let (element_type, value, units) = constant(change.constant)?;
        // SAFETY: a text with a terminating zero or none, a constant of the size of its type or none.
        unsafe {
            emit!(
                self,
                IMetaDataEmit::SetParamProps(
                    param.token(),
                    name.as_ref().map_or(null(), |name| name.as_ptr()),
                    change.attributes.map_or(UNCHANGED, |attributes| attributes.bits()),
                    element_type,
                    value,
                    units,
                )
            )
        }
        .map(drop)
    }
}
