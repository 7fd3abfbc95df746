//! Attachments of rows: custom attributes, marshalling, native implementations.
//!
//! `DeleteToken` is not wrapped: it takes a lock of the metadata and then waits for the same lock.
#![forbid(unsafe_code)]

use sigparse::marshal::MarshalSpec;
use sigparse::token::{CustomAttribute, FieldDef, MethodDef, ModuleRef, Table};
use sigparse::{CustomAttributeType, HasFieldMarshal, Token};

use super::MetadataEmit;
use crate::error::{Error, Result};

/// A native implementation, for [`MetadataEmit::define_pinvoke_map`].
#[derive(Clone, Copy, Debug)]
pub struct PinvokeTarget<'a> {
    /// Character set, calling convention, last error (`CorPinvokeMap`, ECMA-335 II.23.1.8).
    pub flags: u32,
    /// The function's name in the library.
    pub name: &'a str,
    /// The library.
    pub module: ModuleRef,
}

/// The tables whose rows cannot have custom attributes (ECMA-335 II.24.2.6, `HasCustomAttribute`, has the others).
const WITHOUT_ATTRIBUTES: [Table; 1] = [Table::CUSTOM_ATTRIBUTE];

impl MetadataEmit {
    /// Adds a custom attribute to a row. `IMetaDataEmit::DefineCustomAttribute`.
    ///
    /// `value` is encoded by `sigparse`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. [`Error::Other`]: rows of this kind have no attributes. Any other
    /// failure of the call.
    #[doc(alias = "DefineCustomAttribute")]
    pub fn define_custom_attribute(
        &self,
        owner: impl Into<Token>,
        constructor: impl Into<CustomAttributeType>,
        value: &[u8],
    ) -> Result<CustomAttribute> {
        let owner = owner.into();
        if WITHOUT_ATTRIBUTES.contains(&owner.table()) {
            return Err(Error::other(format!("{owner} cannot have custom attributes")));
        }
        self.raw.define_custom_attribute(owner, constructor.into(), value)
    }

    /// Changes the arguments of a custom attribute. `IMetaDataEmit::SetCustomAttributeValue`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the attribute does not exist. Any other failure of the call.
    #[doc(alias = "SetCustomAttributeValue")]
    pub fn set_custom_attribute_value(&self, attribute: CustomAttribute, value: &[u8]) -> Result<()> {
        self.raw.set_custom_attribute_value(attribute, value)
    }

    /// Sets the marshalling descriptor of a field or parameter. `IMetaDataEmit::SetFieldMarshal`.
    ///
    /// `descriptor` is encoded by `sigparse`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the row does not exist. [`Error::Signature`]: the descriptor is malformed. Any other
    /// failure of the call.
    #[doc(alias = "SetFieldMarshal")]
    pub fn set_field_marshal(&self, of: impl Into<HasFieldMarshal>, descriptor: &[u8]) -> Result<()> {
        let of = of.into();
        MarshalSpec::parse(descriptor).map_err(|error| Error::Signature { of: of.to_string(), error })?;
        self.raw.set_field_marshal(of, descriptor)
    }

    /// Removes the marshalling descriptor of a field or parameter. `IMetaDataEmit::DeleteFieldMarshal`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the row has none, or does not exist. Any other failure of the call.
    #[doc(alias = "DeleteFieldMarshal")]
    pub fn delete_field_marshal(&self, of: impl Into<HasFieldMarshal>) -> Result<()> {
        self.raw.delete_field_marshal(of.into())
    }

    /// Sets the native implementation of a method. `IMetaDataEmit::DefinePinvokeMap`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. [`Error::Other`]: the name contains a zero. Any other failure of
    /// the call.
    #[doc(alias = "DefinePinvokeMap")]
    pub fn define_pinvoke_map(&self, method: MethodDef, target: &PinvokeTarget<'_>) -> Result<()> {
        self.raw.define_pinvoke_map(method.into(), target.flags, target.name, target.module)
    }

    /// Sets the native library of a global field. `IMetaDataEmit::DefinePinvokeMap`.
    ///
    /// # Errors
    /// As for [`define_pinvoke_map`](Self::define_pinvoke_map).
    #[doc(alias = "DefinePinvokeMap")]
    pub fn define_pinvoke_map_of_field(&self, field: FieldDef, target: &PinvokeTarget<'_>) -> Result<()> {
        self.raw.define_pinvoke_map(field.into(), target.flags, target.name, target.module)
    }

    /// Changes the native implementation of a method. `IMetaDataEmit::SetPinvokeMap`.
    ///
    /// `None` leaves a part unchanged.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the method has none, or a row does not exist. [`Error::Other`]: the name contains a zero.
    /// Any other failure of the call.
    #[doc(alias = "SetPinvokeMap")]
    pub fn set_pinvoke_map(
        &self,
        method: MethodDef,
        flags: Option<u32>,
        name: Option<&str>,
        module: Option<ModuleRef>,
    ) -> Result<()> {
        self.raw.set_pinvoke_map(method.into(), flags, name, module)
    }

    /// Removes the native implementation of a method. `IMetaDataEmit::DeletePinvokeMap`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the method has none, or does not exist. Any other failure of the call.
    #[doc(alias = "DeletePinvokeMap")]
    pub fn delete_pinvoke_map(&self, method: MethodDef) -> Result<()> {
        self.raw.delete_pinvoke_map(method.into())
    }

    /// Removes the native library of a global field. `IMetaDataEmit::DeletePinvokeMap`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the field has none, or does not exist. Any other failure of the call.
    #[doc(alias = "DeletePinvokeMap")]
    pub fn delete_pinvoke_map_of_field(&self, field: FieldDef) -> Result<()> {
        self.raw.delete_pinvoke_map(field.into())
    }
}
