//! Methods, their parameters, and fields.
#![forbid(unsafe_code)]

use sigparse::token::{FieldDef, MethodDef, ParamDef, TypeDef};
use sigparse::walk;

use super::MetadataEmit;
use crate::error::Result;
use crate::metadata::signatures::well_formed;
use crate::metadata::{Constant, FieldAttributes, MethodAttributes, ParamAttributes};

/// A new method.
#[derive(Clone, Copy, Debug)]
pub struct NewMethod<'a> {
    /// Its name: `Add`, `.ctor`, `get_Item`.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: MethodAttributes,
    /// Its signature, as `sigparse` encodes it.
    pub signature: &'a [u8],
    /// The RVA of its code; 0 if
    /// [`ProfilerInfo::set_il_function_body`](crate::ProfilerInfo::set_il_function_body) sets the code.
    pub rva: u32,
    /// The implementation flags (`CorMethodImpl`, ECMA-335 II.23.1.11); 0 for IL.
    pub impl_flags: u32,
}

/// A change of a method; `None` leaves a part unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct MethodChange {
    /// Its attributes.
    pub attributes: Option<MethodAttributes>,
    /// The RVA of its code.
    pub rva: Option<u32>,
    /// The implementation flags (`CorMethodImpl`, ECMA-335 II.23.1.11).
    pub impl_flags: Option<u32>,
}

/// A new field.
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

/// A change of a field; `None` leaves a part unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldChange<'a> {
    /// Its attributes.
    pub attributes: Option<FieldAttributes>,
    /// Its value, for a constant.
    pub constant: Option<Constant<'a>>,
}

/// A new parameter row. Not every parameter needs one.
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

/// A change of a parameter; `None` leaves a part unchanged.
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
    /// Defines a method of a type. `IMetaDataEmit::DefineMethod`.
    ///
    /// Constructors get the attributes that their names need.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the owner does not exist. [`Error::Signature`](crate::Error::Signature): the signature is
    /// malformed. [`Error::Other`](crate::Error::Other): the name contains a zero. Any other failure of the call.
    #[doc(alias = "DefineMethod")]
    pub fn define_method(&self, owner: TypeDef, new: &NewMethod<'_>) -> Result<MethodDef> {
        let NewMethod { name, attributes, signature, rva, impl_flags } = *new;
        well_formed(name, signature, walk::method)?;
        self.raw.define_method(owner, name, attributes.bits(), signature, rva, impl_flags)
    }

    /// Changes a method. `IMetaDataEmit::SetMethodProps`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the method does not exist. Any other failure of the call.
    #[doc(alias = "SetMethodProps")]
    pub fn set_method(&self, method: MethodDef, change: &MethodChange) -> Result<()> {
        let attributes = change.attributes.map(|attributes| attributes.bits());
        self.raw.set_method(method, attributes, change.rva, change.impl_flags)
    }

    /// Sets the implementation flags of a method. `IMetaDataEmit::SetMethodImplFlags`.
    ///
    /// They are `CorMethodImpl` (ECMA-335 II.23.1.11).
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the method does not exist. Any other failure of the call.
    #[doc(alias = "SetMethodImplFlags")]
    pub fn set_method_impl_flags(&self, method: MethodDef, flags: u32) -> Result<()> {
        self.raw.set_method_impl_flags(method, flags)
    }

    /// Sets the RVA of a method's code. `IMetaDataEmit::SetRVA`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the method does not exist. Any other failure of the call.
    #[doc(alias = "SetRVA")]
    pub fn set_method_rva(&self, method: MethodDef, rva: u32) -> Result<()> {
        self.raw.set_method_rva(method, rva)
    }

    /// Defines a field of a type. `IMetaDataEmit::DefineField`.
    ///
    /// The runtime ignores new fields of a type that it has loaded.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. [`Error::Signature`](crate::Error::Signature): the signature is
    /// malformed. [`Error::Other`](crate::Error::Other): the constant's bytes are not of its type, or the name contains a
    /// zero. Any other failure of the call.
    #[doc(alias = "DefineField")]
    pub fn define_field(&self, owner: TypeDef, new: &NewField<'_>) -> Result<FieldDef> {
        let NewField { name, attributes, signature, constant } = *new;
        well_formed(name, signature, walk::field)?;
        self.raw.define_field(owner, name, attributes.bits(), signature, constant)
    }

    /// Changes a field. `IMetaDataEmit::SetFieldProps`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. [`Error::Other`](crate::Error::Other): the constant's bytes are not
    /// of its type. Any other failure of the call.
    #[doc(alias = "SetFieldProps")]
    pub fn set_field(&self, field: FieldDef, change: &FieldChange<'_>) -> Result<()> {
        self.raw.set_field(field, change.attributes.map(|attributes| attributes.bits()), change.constant)
    }

    /// Sets the RVA of a field's initial value. `IMetaDataEmit::SetFieldRVA`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the field does not exist. Any other failure of the call.
    #[doc(alias = "SetFieldRVA")]
    pub fn set_field_rva(&self, field: FieldDef, rva: u32) -> Result<()> {
        self.raw.set_field_rva(field, rva)
    }

    /// Defines a parameter row of a method. `IMetaDataEmit::DefineParam`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the method does not exist. [`Error::Other`](crate::Error::Other): the constant's bytes are
    /// not of its type, or the name contains a zero. Any other failure of the call.
    #[doc(alias = "DefineParam")]
    pub fn define_param(&self, method: MethodDef, new: &NewParam<'_>) -> Result<ParamDef> {
        self.raw.define_param(method, new.sequence, new.name, new.attributes.bits(), new.constant)
    }

    /// Changes a parameter row. `IMetaDataEmit::SetParamProps`.
    ///
    /// # Errors
    /// As for [`define_param`](Self::define_param).
    #[doc(alias = "SetParamProps")]
    pub fn set_param(&self, param: ParamDef, change: &ParamChange<'_>) -> Result<()> {
        let attributes = change.attributes.map(|attributes| attributes.bits());
        self.raw.set_param(param, change.name, attributes, change.constant)
    }
}
