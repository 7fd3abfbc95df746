//! Properties and events, the methods that implement them, and methods that implement others.
#![forbid(unsafe_code)]

use sigparse::MethodDefOrRef;
use sigparse::token::{EventDef, MethodDef, PropertyDef, TypeDef};

use super::{Accessed, EventProps, Metadata, PropertyProps};
use crate::error::Result;

bitflags::bitflags! {
    /// The role of a method for a property or event (`CorMethodSemanticsAttr`, ECMA-335 II.23.1.12).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct MethodSemantics: u32 {
        /// Sets the property.
        const SETTER = 0x1;
        /// Gets the property.
        const GETTER = 0x2;
        /// Another role.
        const OTHER = 0x4;
        /// Adds a handler.
        const ADD_ON = 0x8;
        /// Removes a handler.
        const REMOVE_ON = 0x10;
        /// Calls the handlers.
        const FIRE = 0x20;
        const _ = !0;
    }
}

impl Metadata {
    /// Returns the properties that a type declares. `IMetaDataImport::EnumProperties`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumProperties")]
    pub fn properties(&self, type_def: TypeDef) -> Result<Vec<PropertyDef>> {
        self.raw.properties(type_def)
    }

    /// Returns a property. `IMetaDataImport::GetPropertyProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetPropertyProps")]
    pub fn property(&self, token: PropertyDef) -> Result<PropertyProps<'_>> {
        let (name, signature, setter, getter) = self.raw.property(token)?;
        Ok(PropertyProps { name, signature, getter, setter })
    }

    /// Returns the events that a type declares. `IMetaDataImport::EnumEvents`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumEvents")]
    pub fn events(&self, type_def: TypeDef) -> Result<Vec<EventDef>> {
        self.raw.events(type_def)
    }

    /// Returns an event. `IMetaDataImport::GetEventProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetEventProps")]
    pub fn event(&self, token: EventDef) -> Result<EventProps> {
        let (name, event_type, add, remove, raise) = self.raw.event(token)?;
        Ok(EventProps { name, event_type, add, remove, raise })
    }

    /// Returns the property or event of an accessor method. `IMetaDataImport::EnumMethodSemantics`.
    ///
    /// `None` for a method that is not an accessor.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumMethodSemantics")]
    pub fn accessed(&self, method: MethodDef) -> Result<Option<Accessed>> {
        Ok(self.raw.accessed(method)?.into_iter().find_map(|token| {
            let property = PropertyDef::from_token(token.0).map(Accessed::Property);
            property.or_else(|| EventDef::from_token(token.0).map(Accessed::Event))
        }))
    }

    /// Returns a method's role for a property or event. `IMetaDataImport::GetMethodSemantics`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the method has no role for it.
    #[doc(alias = "GetMethodSemantics")]
    pub fn method_semantics(&self, method: MethodDef, of: Accessed) -> Result<MethodSemantics> {
        let of = match of {
            Accessed::Property(property) => property.into(),
            Accessed::Event(event) => event.into(),
        };
        self.raw.method_semantics(method, of).map(MethodSemantics::from_bits_retain)
    }

    /// Returns a type's method implementations: bodies with their declarations. `IMetaDataImport::EnumMethodImpls`.
    ///
    /// Only methods that implement another one explicitly are included.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumMethodImpls")]
    pub fn method_impls(&self, type_def: TypeDef) -> Result<Vec<(MethodDefOrRef, MethodDefOrRef)>> {
        self.raw.method_impls(type_def)
    }
}
