//! Borrowed views: as the structure they show.

use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeSeq, SerializeStruct},
};

use crate::array::Array;
use crate::array_shape::ArrayShape;
use crate::error::Error;
use crate::field::FieldSig;
use crate::generic::GenericInst;
use crate::locals::{Local, LocalVarSig};
use crate::method::{MethodSig, Param};
use crate::modifier::Modifier;
use crate::property::PropertySig;
use crate::signature::Signature;
use crate::spec::{MethodSpecSig, TypeSpecSig};
use crate::ty::Type;
use crate::type_sig::TypeSig;

/// An iterator, as a list.
struct List<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for List<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// An iterator of results, as a list. The first error is the serializer's.
pub(super) struct Fallible<I>(pub(super) I, pub(super) u32);

impl<T: Serialize, I: Iterator<Item = Result<T, Error>> + Clone> Serialize for Fallible<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(usize::try_from(self.1).ok())?;
        for item in self.0.clone() {
            list.serialize_element(&item.map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

macro_rules! structs {
    ($( $name:ident |$this:ident| { $($field:ident: $value:expr,)+ } )+) => { $(
        impl Serialize for $name<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $this = self;
                let count = [$(stringify!($field)),+].len();
                let mut fields = serializer.serialize_struct(stringify!($name), count)?;
                $( fields.serialize_field(stringify!($field), &$value)?; )+
                fields.end()
            }
        }
    )+ };
}

structs! {
    TypeSig |sig| {
        modifiers: List(sig.modifiers()),
        ty: sig.ty(),
    }
    Array |array| {
        element: array.element(),
        shape: array.shape(),
    }
    ArrayShape |shape| {
        rank: shape.rank(),
        sizes: List(shape.sizes()),
        lower_bounds: List(shape.lower_bounds()),
    }
    GenericInst |inst| {
        definition: inst.definition(),
        args: List(inst.args()),
    }
    MethodSig |sig| {
        header: sig.header(),
        generic_param_count: sig.generic_param_count(),
        return_type: sig.return_type(),
        params: Fallible(sig.params(), sig.param_count()),
    }
    Param |param| {
        vararg: param.is_vararg(),
        sig: param.sig(),
    }
    PropertySig |sig| {
        header: sig.header(),
        property_type: sig.property_type(),
        params: Fallible(sig.params(), sig.param_count()),
    }
}

macro_rules! transparent {
    ($( $name:ident |$this:ident| $value:expr; )+) => { $(
        impl Serialize for $name<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $this = self;
                $value.serialize(serializer)
            }
        }
    )+ };
}

transparent! {
    FieldSig |field| field.sig();
    Local |local| local.sig();
    LocalVarSig |sig| Fallible(sig.locals(), sig.local_count());
    TypeSpecSig |spec| spec.sig();
    MethodSpecSig |spec| List(spec.args());
}

impl Serialize for Signature<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const NAME: &str = "Signature";
        match self {
            Self::Method(sig) => serializer.serialize_newtype_variant(NAME, 0, "Method", sig),
            Self::Field(sig) => serializer.serialize_newtype_variant(NAME, 1, "Field", sig),
            Self::Property(sig) => serializer.serialize_newtype_variant(NAME, 2, "Property", sig),
            Self::LocalVar(sig) => serializer.serialize_newtype_variant(NAME, 3, "LocalVar", sig),
            Self::MethodSpec(sig) => serializer.serialize_newtype_variant(NAME, 4, "MethodSpec", sig),
        }
    }
}

impl Serialize for Modifier {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const NAME: &str = "Modifier";
        match self {
            Self::Required(ty) => serializer.serialize_newtype_variant(NAME, 0, "Required", ty),
            Self::Optional(ty) => serializer.serialize_newtype_variant(NAME, 1, "Optional", ty),
            Self::Internal { required, handle } => {
                serializer.serialize_newtype_variant(NAME, 2, "Internal", &(required, handle))
            }
        }
    }
}

impl Serialize for Type<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const NAME: &str = "Type";
        // The element type's number and name stand for the variant, in every format.
        let element = self.element_type();
        let (index, variant) = (u32::from(element.0), element.name().unwrap_or_default());
        match self {
            Self::Class(ty) | Self::ValueType(ty) => {
                serializer.serialize_newtype_variant(NAME, index, variant, ty)
            }
            Self::Var(number) | Self::MVar(number) => {
                serializer.serialize_newtype_variant(NAME, index, variant, number)
            }
            Self::Ptr(sig) | Self::ByRef(sig) | Self::SzArray(sig) | Self::Pinned(sig) => {
                serializer.serialize_newtype_variant(NAME, index, variant, sig)
            }
            Self::Array(array) => serializer.serialize_newtype_variant(NAME, index, variant, array),
            Self::GenericInst(inst) => serializer.serialize_newtype_variant(NAME, index, variant, inst),
            Self::FnPtr(sig) => serializer.serialize_newtype_variant(NAME, index, variant, sig),
            Self::Internal(handle) => serializer.serialize_newtype_variant(NAME, index, variant, handle),
            _ => serializer.serialize_unit_variant(NAME, index, variant),
        }
    }
}
