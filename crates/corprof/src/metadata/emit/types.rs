//! Types: definitions, layouts, generic parameters.
#![forbid(unsafe_code)]

use sigparse::token::{GenericParam, TypeDef};
use sigparse::{TypeDefOrRef, TypeOrMethodDef};

use super::MetadataEmit;
use crate::error::Result;
use crate::metadata::{TypeAttributes, TypeLayout};

bitflags::bitflags! {
    /// Attributes of a generic parameter (`CorGenericParamAttr`, ECMA-335 II.23.1.7).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct GenericParamAttributes: u32 {
        /// `out`.
        const COVARIANT = 0x1;
        /// `in`.
        const CONTRAVARIANT = 0x2;
        /// `class`.
        const REFERENCE_TYPE = 0x4;
        /// `struct`.
        const NOT_NULLABLE_VALUE_TYPE = 0x8;
        /// `new()`.
        const DEFAULT_CONSTRUCTOR = 0x10;
        /// `allows ref struct`.
        const ACCEPT_BY_REF_LIKE = 0x20;
        const _ = !0;
    }
}

/// A new type.
#[derive(Clone, Copy, Debug)]
pub struct NewTypeDef<'a> {
    /// Namespace and name; of a nested type the name alone.
    pub name: &'a str,
    /// Its attributes; a nested type has one of the nested visibilities.
    pub attributes: TypeAttributes,
    /// Its base class; `None` for interfaces.
    pub extends: Option<TypeDefOrRef>,
    /// The interfaces that it implements.
    pub implements: &'a [TypeDefOrRef],
}

/// A change of a type; `None` leaves a part unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypeDefChange<'a> {
    /// Its attributes.
    pub attributes: Option<TypeAttributes>,
    /// Its base class.
    pub extends: Option<TypeDefOrRef>,
    /// The interfaces that it implements; they replace the present ones.
    pub implements: Option<&'a [TypeDefOrRef]>,
}

/// A new generic parameter.
#[derive(Clone, Copy, Debug)]
pub struct NewGenericParam<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its position, from 0.
    pub index: u32,
    /// Its attributes.
    pub attributes: GenericParamAttributes,
    /// The types that arguments derive from or implement.
    pub constraints: &'a [TypeDefOrRef],
}

/// A change of a generic parameter; `None` leaves a part unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct GenericParamChange<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Its attributes.
    pub attributes: Option<GenericParamAttributes>,
    /// Its constraints; they replace the present ones.
    pub constraints: Option<&'a [TypeDefOrRef]>,
}

impl MetadataEmit {
    /// Defines a type. `IMetaDataEmit::DefineTypeDef`.
    ///
    /// The runtime finds new types of a loaded module after
    /// [`ProfilerInfo::apply_metadata`](crate::ProfilerInfo::apply_metadata).
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. [`Error::Other`](crate::Error::Other): the name contains a zero.
    /// Any other failure of the call.
    #[doc(alias = "DefineTypeDef")]
    pub fn define_type_def(&self, new: &NewTypeDef<'_>) -> Result<TypeDef> {
        self.raw.define_type_def(new.name, new.attributes.bits(), new.extends, new.implements)
    }

    /// Defines a nested type. `IMetaDataEmit::DefineNestedType`.
    ///
    /// # Errors
    /// As for [`define_type_def`](Self::define_type_def).
    #[doc(alias = "DefineNestedType")]
    pub fn define_nested_type(&self, enclosing: TypeDef, new: &NewTypeDef<'_>) -> Result<TypeDef> {
        self.raw.define_nested_type(enclosing, new.name, new.attributes.bits(), new.extends, new.implements)
    }

    /// Changes a type. `IMetaDataEmit::SetTypeDefProps`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. Any other failure of the call.
    #[doc(alias = "SetTypeDefProps")]
    pub fn set_type_def(&self, type_def: TypeDef, change: &TypeDefChange<'_>) -> Result<()> {
        let attributes = change.attributes.map(|attributes| attributes.bits());
        self.raw.set_type_def(type_def, attributes, change.extends, change.implements)
    }

    /// Sets the layout of a type and of the listed fields. `IMetaDataEmit::SetClassLayout`.
    ///
    /// The type's attributes say whether it is sequential or explicit.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. Any other failure of the call.
    #[doc(alias = "SetClassLayout")]
    pub fn set_type_layout(&self, type_def: TypeDef, layout: &TypeLayout) -> Result<()> {
        let fields: Vec<_> = layout.fields.iter().map(|place| (place.field, place.offset)).collect();
        self.raw.set_type_layout(type_def, layout.pack, layout.size, &fields)
    }

    /// Removes the layout of a type and its fields. `IMetaDataEmit::DeleteClassLayout`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the type has none, or does not exist. Any other failure of the call.
    #[doc(alias = "DeleteClassLayout")]
    pub fn delete_type_layout(&self, type_def: TypeDef) -> Result<()> {
        self.raw.delete_type_layout(type_def)
    }

    /// Defines a generic parameter of a type or method. `IMetaDataEmit2::DefineGenericParam`.
    ///
    /// # Errors
    /// As for [`define_type_def`](Self::define_type_def).
    #[doc(alias = "DefineGenericParam")]
    pub fn define_generic_param(
        &self,
        owner: impl Into<TypeOrMethodDef>,
        new: &NewGenericParam<'_>,
    ) -> Result<GenericParam> {
        let NewGenericParam { name, index, attributes, constraints } = *new;
        self.raw.define_generic_param(owner.into(), index, attributes.bits(), name, constraints)
    }
}
