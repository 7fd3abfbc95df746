//! Properties, events, and methods that implement others under another name.
#![forbid(unsafe_code)]

use sigparse::token::{EventDef, MethodDef, PropertyDef, TypeDef};
use sigparse::{MethodDefOrRef, TypeDefOrRef, walk};

use super::MetadataEmit;
use crate::error::Result;
use crate::metadata::Constant;
use crate::metadata::signatures::well_formed;

bitflags::bitflags! {
    /// Attributes of a property (`CorPropertyAttr`, ECMA-335 II.23.1.14).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct PropertyAttributes: u32 {
        /// Its name has a meaning to compilers.
        const SPECIAL_NAME = 0x200;
        /// Its name has a meaning to the runtime.
        const RT_SPECIAL_NAME = 0x400;
        /// Has a default value.
        const HAS_DEFAULT = 0x1000;
        const _ = !0;
    }
}

bitflags::bitflags! {
    /// Attributes of an event (`CorEventAttr`, ECMA-335 II.23.1.4).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct EventAttributes: u32 {
        /// Its name has a meaning to compilers.
        const SPECIAL_NAME = 0x200;
        /// Its name has a meaning to the runtime.
        const RT_SPECIAL_NAME = 0x400;
        const _ = !0;
    }
}

/// A new property.
#[derive(Clone, Copy, Debug)]
pub struct NewProperty<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: PropertyAttributes,
    /// Its signature, as `sigparse` encodes it.
    pub signature: &'a [u8],
    /// Its default value.
    pub constant: Option<Constant<'a>>,
    /// The method that reads it.
    pub getter: Option<MethodDef>,
    /// The method that writes it.
    pub setter: Option<MethodDef>,
    /// Other methods that belong to it.
    pub others: &'a [MethodDef],
}

/// A change of a property; `None` leaves a part unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct PropertyChange<'a> {
    /// Its attributes.
    pub attributes: Option<PropertyAttributes>,
    /// Its default value.
    pub constant: Option<Constant<'a>>,
    /// The method that reads it.
    pub getter: Option<MethodDef>,
    /// The method that writes it.
    pub setter: Option<MethodDef>,
    /// The other methods that belong to it; they replace the present ones.
    pub others: Option<&'a [MethodDef]>,
}

/// A new event.
#[derive(Clone, Copy, Debug)]
pub struct NewEvent<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: EventAttributes,
    /// The type of its delegates.
    pub event_type: Option<TypeDefOrRef>,
    /// The method that adds a handler.
    pub add: MethodDef,
    /// The method that removes a handler.
    pub remove: MethodDef,
    /// The method that calls the handlers.
    pub raise: Option<MethodDef>,
    /// Other methods that belong to it.
    pub others: &'a [MethodDef],
}

/// A change of an event; `None` leaves a part unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventChange<'a> {
    /// Its attributes.
    pub attributes: Option<EventAttributes>,
    /// The type of its delegates.
    pub event_type: Option<TypeDefOrRef>,
    /// The method that adds a handler.
    pub add: Option<MethodDef>,
    /// The method that removes a handler.
    pub remove: Option<MethodDef>,
    /// The method that calls the handlers.
    pub raise: Option<MethodDef>,
    /// The other methods that belong to it; they replace the present ones.
    pub others: Option<&'a [MethodDef]>,
}

impl MetadataEmit {
    /// Defines a property of a type. `IMetaDataEmit::DefineProperty`.
    ///
    /// # Errors
    /// As for [`define_field`](Self::define_field).
    #[doc(alias = "DefineProperty")]
    pub fn define_property(&self, owner: TypeDef, new: &NewProperty<'_>) -> Result<PropertyDef> {
        let NewProperty { name, attributes, signature, constant, getter, setter, others } = *new;
        well_formed(name, signature, walk::property)?;
        self.raw.define_property(owner, name, attributes.bits(), signature, constant, setter, getter, others)
    }

    /// Changes a property. `IMetaDataEmit::SetPropertyProps`.
    ///
    /// # Errors
    /// As for [`set_field`](Self::set_field).
    #[doc(alias = "SetPropertyProps")]
    pub fn set_property(&self, property: PropertyDef, change: &PropertyChange<'_>) -> Result<()> {
        let PropertyChange { attributes, constant, getter, setter, others } = *change;
        self.raw.set_property(property, attributes.map(|it| it.bits()), constant, setter, getter, others)
    }

    /// Defines an event of a type. `IMetaDataEmit::DefineEvent`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. [`Error::Other`](crate::Error::Other): the name contains a zero.
    /// Any other failure of the call.
    #[doc(alias = "DefineEvent")]
    pub fn define_event(&self, owner: TypeDef, new: &NewEvent<'_>) -> Result<EventDef> {
        let NewEvent { name, attributes, event_type, add, remove, raise, others } = *new;
        self.raw.define_event(owner, name, attributes.bits(), event_type, add, remove, raise, others)
    }

    /// Changes an event. `IMetaDataEmit::SetEventProps`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. Any other failure of the call.
    #[doc(alias = "SetEventProps")]
    pub fn set_event(&self, event: EventDef, change: &EventChange<'_>) -> Result<()> {
        let EventChange { attributes, event_type, add, remove, raise, others } = *change;
        self.raw.set_event(event, attributes.map(|it| it.bits()), event_type, add, remove, raise, others)
    }

    /// Makes a method the implementation of another one. `IMetaDataEmit::DefineMethodImpl`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. Any other failure of the call.
    #[doc(alias = "DefineMethodImpl")]
    pub fn define_method_impl(
        &self,
        type_def: TypeDef,
        body: impl Into<MethodDefOrRef>,
        declaration: impl Into<MethodDefOrRef>,
    ) -> Result<()> {
        self.raw.define_method_impl(type_def, body.into(), declaration.into())
    }
}
