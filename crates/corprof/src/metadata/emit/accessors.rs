//! Properties, events, and methods that implement others under another name.
#![allow(unsafe_code)]

use sigparse::token::{EventDef, MethodDef, PropertyDef, TypeDef};
use sigparse::{MethodDefOrRef, TypeDefOrRef};

use super::{MetadataEmit, UNCHANGED, blob, constant, define, emit, list_or_null, nil_terminated, wide};
use crate::Result;
use crate::metadata::Constant;

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

/// A property that is to be defined.
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

/// What is to be changed of a property; `None` is left as it is.
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
    /// Other methods that belong to it, instead of all that do.
    pub others: Option<&'a [MethodDef]>,
}

/// An event that is to be defined.
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

/// What is to be changed of an event; `None` is left as it is.
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
    /// Other methods that belong to it, instead of all that do.
    pub others: Option<&'a [MethodDef]>,
}

/// Methods as the metadata takes them.
fn methods(list: &[MethodDef]) -> Vec<u32> {
    nil_terminated(list.iter().map(|method| method.token()))
}

/// A method that may be missing.
fn optional(method: Option<MethodDef>) -> u32 {
    method.map_or(0, MethodDef::token)
}

impl MetadataEmit {
    /// Defines a property of a type (`IMetaDataEmit::DefineProperty`).
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other) for a constant whose bytes are not of its type; what the metadata
    /// reports.
    #[doc(alias = "DefineProperty")]
    pub fn define_property(&self, owner: TypeDef, new: &NewProperty<'_>) -> Result<PropertyDef> {
        let (name, mut others) = (wide(new.name)?, methods(new.others));
        let (signature, length) = blob("IMetaDataEmit::DefineProperty", new.signature)?;
        let (element_type, value, units) = constant(new.constant)?;
        // SAFETY: a text with a terminating zero, a blob with its length, a constant of the size of its type or
        // none, a list with a nil token behind.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineProperty(
                    owner.token(),
                    name.as_ptr(),
                    new.attributes.bits(),
                    signature,
                    length,
                    element_type,
                    value,
                    units,
                    optional(new.setter),
                    optional(new.getter),
                    others.as_mut_ptr(),
                ) -> PropertyDef
            )
        }
    }

    /// Changes a property (`IMetaDataEmit::SetPropertyProps`).
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other) for a constant whose bytes are not of its type; what the metadata
    /// reports.
    #[doc(alias = "SetPropertyProps")]
    pub fn set_property(&self, property: PropertyDef, change: &PropertyChange<'_>) -> Result<()> {
        let mut others = change.others.map(methods);
        let (element_type, value, units) = constant(change.constant)?;
        // SAFETY: a constant of the size of its type or none, a list with a nil token behind or none.
        unsafe {
            emit!(
                self,
                IMetaDataEmit::SetPropertyProps(
                    property.token(),
                    change.attributes.map_or(UNCHANGED, |attributes| attributes.bits()),
                    element_type,
                    value,
                    units,
                    change.setter.map_or(UNCHANGED, MethodDef::token),
                    change.getter.map_or(UNCHANGED, MethodDef::token),
                    list_or_null(others.as_mut()),
                )
            )
        }
        .map(drop)
    }

    /// Defines an event of a type (`IMetaDataEmit::DefineEvent`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineEvent")]
    pub fn define_event(&self, owner: TypeDef, new: &NewEvent<'_>) -> Result<EventDef> {
        let (name, mut others) = (wide(new.name)?, methods(new.others));
        // SAFETY: a text with a terminating zero, a list with a nil token behind.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineEvent(
                    owner.token(),
                    name.as_ptr(),
                    new.attributes.bits(),
                    new.event_type.map_or(0, TypeDefOrRef::token),
                    new.add.token(),
                    new.remove.token(),
                    optional(new.raise),
                    others.as_mut_ptr(),
                ) -> EventDef
            )
        }
    }

    /// Changes an event (`IMetaDataEmit::SetEventProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetEventProps")]
    pub fn set_event(&self, event: EventDef, change: &EventChange<'_>) -> Result<()> {
        let mut others = change.others.map(methods);
        // SAFETY: a list with a nil token behind, or none.
        unsafe {
            emit!(
                self,
                IMetaDataEmit::SetEventProps(
                    event.token(),
                    change.attributes.map_or(UNCHANGED, |attributes| attributes.bits()),
                    change.event_type.map_or(0, TypeDefOrRef::token),
                    optional(change.add),
                    optional(change.remove),
                    optional(change.raise),
                    list_or_null(others.as_mut()),
                )
            )
        }
        .map(drop)
    }

    /// Says that a method of a type is the implementation of another one, whatever their names
    /// (`IMetaDataEmit::DefineMethodImpl`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineMethodImpl")]
    pub fn define_method_impl(
        &self,
        type_def: TypeDef,
        body: impl Into<MethodDefOrRef>,
        declaration: impl Into<MethodDefOrRef>,
    ) -> Result<()> {
        let (body, declaration) = (body.into().token(), declaration.into().token());
        // SAFETY: tokens.
        unsafe { emit!(self, IMetaDataEmit::DefineMethodImpl(type_def.token(), body, declaration)) }.map(drop)
    }
}
