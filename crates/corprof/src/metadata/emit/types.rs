//! Types: definitions, layouts, generic parameters.
#![allow(unsafe_code)]

use core::ptr::null;

use corprof_sys as sys;
use sigparse::token::{GenericParam, TypeDef};
use sigparse::{TypeDefOrRef, TypeOrMethodDef};

use super::{MetadataEmit, UNCHANGED, define, emit, list_or_null, nil_terminated, wide};
use crate::Result;
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

/// A type that is to be defined.
#[derive(Clone, Copy, Debug)]
pub struct NewTypeDef<'a> {
    /// Namespace and name; of a nested type the name alone.
    pub name: &'a str,
    /// Its attributes; a nested type has one of the nested visibilities.
    pub attributes: TypeAttributes,
    /// What it extends; `None` for interfaces.
    pub extends: Option<TypeDefOrRef>,
    /// The interfaces that it implements.
    pub implements: &'a [TypeDefOrRef],
}

/// What is to be changed of a type; `None` is left as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypeDefChange<'a> {
    /// Its attributes.
    pub attributes: Option<TypeAttributes>,
    /// What it extends.
    pub extends: Option<TypeDefOrRef>,
    /// The interfaces that it implements, instead of all that it has.
    pub implements: Option<&'a [TypeDefOrRef]>,
}

/// A generic parameter that is to be defined.
#[derive(Clone, Copy, Debug)]
pub struct NewGenericParam<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its position, from 0.
    pub index: u32,
    /// Its attributes.
    pub attributes: GenericParamAttributes,
    /// The types that arguments have to derive from, or to implement.
    pub constraints: &'a [TypeDefOrRef],
}

/// What is to be changed of a generic parameter; `None` is left as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct GenericParamChange<'a> {
    /// Its name.
    pub name: Option<&'a str>,
    /// Its attributes.
    pub attributes: Option<GenericParamAttributes>,
    /// Its constraints, instead of all that it has.
    pub constraints: Option<&'a [TypeDefOrRef]>,
}

/// Types as the metadata takes them.
fn types(list: &[TypeDefOrRef]) -> Vec<u32> {
    nil_terminated(list.iter().map(|token| token.token()))
}

impl MetadataEmit {
    /// Defines a type (`IMetaDataEmit::DefineTypeDef`). A module of the program does not look for new types unless
    /// [`ProfilerInfo::apply_metadata`](crate::ProfilerInfo::apply_metadata) has told it.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineTypeDef")]
    pub fn define_type_def(&self, new: &NewTypeDef<'_>) -> Result<TypeDef> {
        let (name, mut implements) = (wide(new.name)?, types(new.implements));
        // SAFETY: a text with a terminating zero, a list with a nil token behind.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineTypeDef(
                    name.as_ptr(),
                    new.attributes.bits(),
                    new.extends.map_or(0, TypeDefOrRef::token),
                    implements.as_mut_ptr(),
                ) -> TypeDef
            )
        }
    }

    /// Defines a type inside of another one (`IMetaDataEmit::DefineNestedType`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineNestedType")]
    pub fn define_nested_type(&self, enclosing: TypeDef, new: &NewTypeDef<'_>) -> Result<TypeDef> {
        let (name, mut implements) = (wide(new.name)?, types(new.implements));
        // SAFETY: a text with a terminating zero, a list with a nil token behind.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineNestedType(
                    name.as_ptr(),
                    new.attributes.bits(),
                    new.extends.map_or(0, TypeDefOrRef::token),
                    implements.as_mut_ptr(),
                    enclosing.token(),
                ) -> TypeDef
            )
        }
    }

    /// Changes a type (`IMetaDataEmit::SetTypeDefProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetTypeDefProps")]
    pub fn set_type_def(&self, type_def: TypeDef, change: &TypeDefChange<'_>) -> Result<()> {
        let mut implements = change.implements.map(types);
        // SAFETY: a list with a nil token behind, or none.
        unsafe {
            emit!(
                self,
                IMetaDataEmit::SetTypeDefProps(
                    type_def.token(),
                    change.attributes.map_or(UNCHANGED, |attributes| attributes.bits()),
                    change.extends.map_or(UNCHANGED, TypeDefOrRef::token),
                    list_or_null(implements.as_mut()),
                )
            )
        }
        .map(drop)
    }

    /// Gives a type a layout: the alignment of its fields, its size, and the places of the fields that are listed
    /// (`IMetaDataEmit::SetClassLayout`). The type's attributes say whether it is sequential or explicit.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetClassLayout")]
    pub fn set_type_layout(&self, type_def: TypeDef, layout: &TypeLayout) -> Result<()> {
        // The metadata wants row numbers here, whatever the name of the type says.
        let places = layout.fields.iter().map(|place| (place.field.rid(), place.offset)).chain([(0, 0)]);
        let mut places: Vec<_> =
            places.map(|(rid, offset)| sys::COR_FIELD_OFFSET { ridOfField: rid, ulOffset: offset }).collect();
        if let Some(last) = places.last_mut() {
            last.ridOfField = NIL_FIELD;
        }
        // SAFETY: a list with a nil token behind.
        unsafe {
            emit!(
                self,
                IMetaDataEmit::SetClassLayout(
                    type_def.token(),
                    layout.pack,
                    places.as_mut_ptr(),
                    layout.size
                )
            )
        }
        .map(drop)
    }

    /// Defines a generic parameter of a type or method (`IMetaDataEmit2::DefineGenericParam`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineGenericParam")]
    pub fn define_generic_param(
        &self,
        owner: impl Into<TypeOrMethodDef>,
        new: &NewGenericParam<'_>,
    ) -> Result<GenericParam> {
        let owner = owner.into().token();
        let (name, mut constraints) = (wide(new.name)?, types(new.constraints));
        // SAFETY: a text with a terminating zero, a list with a nil token behind.
        unsafe {
            define!(
                self,
                IMetaDataEmit2::DefineGenericParam(
                    owner,
                    new.index,
                    new.attributes.bits(),
                    name.as_ptr(),
                    0,
                    constraints.as_mut_ptr(),
                ) -> GenericParam
            )
        }
    }

    /// Changes a generic parameter (`IMetaDataEmit2::SetGenericParamProps`). The one call here for which the metadata
    /// takes no lock: nothing else may use the same metadata meanwhile.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetGenericParamProps")]
    pub fn set_generic_param(&self, param: GenericParam, change: &GenericParamChange<'_>) -> Result<()> {
        let name = change.name.map(wide).transpose()?;
        let mut constraints = change.constraints.map(types);
        // SAFETY: a text with a terminating zero or none, a list with a nil token behind or none.
        unsafe {
            emit!(
                self,
                IMetaDataEmit2::SetGenericParamProps(
                    param.token(),
                    change.attributes.map_or(UNCHANGED, |attributes| attributes.bits()),
                    name.as_ref().map_or(null(), |name| name.as_ptr()),
                    0,
                    list_or_null(constraints.as_mut()),
                )
            )
        }
        .map(drop)
    }
}

/// `mdFieldDefNil`, which ends a list of fields.
const NIL_FIELD: u32 = 0x0400_0000;
