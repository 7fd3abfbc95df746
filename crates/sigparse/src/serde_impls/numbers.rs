//! Tokens, coded indexes and open newtypes: as numbers.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::element::ElementType;
use crate::header::{CallingConvention, SigHeader};
use crate::marshal::NativeType;
use crate::token;
use crate::token::{
    CustomAttributeType, HasFieldMarshal, Implementation, MemberRefParent, MethodDefOrRef, ResolutionScope,
    TypeDefOrRef, TypeOrMethodDef,
};

/// Newtypes that hold any value.
macro_rules! open {
    ($($name:ty: $number:ty,)+) => { $(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$number>::deserialize(deserializer).map(Self)
            }
        }
    )+ };
}

open! {
    CallingConvention: u8,
    ElementType: u8,
    NativeType: u8,
    SigHeader: u8,
    token::Table: u8,
    token::Token: u32,
}

/// Tokens that are never nil, and point into the right table.
macro_rules! checked {
    ($($name:ty,)+) => { $(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.token())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let token = token::Token(u32::deserialize(deserializer)?);
                Self::try_from(token).map_err(de::Error::custom)
            }
        }
    )+ };
}

checked! {
    token::ModuleDef,
    token::TypeRef,
    token::TypeDef,
    token::FieldDef,
    token::MethodDef,
    token::ParamDef,
    token::InterfaceImpl,
    token::MemberRef,
    token::CustomAttribute,
    token::DeclSecurity,
    token::StandAloneSig,
    token::EventDef,
    token::PropertyDef,
    token::ModuleRef,
    token::TypeSpec,
    token::AssemblyDef,
    token::AssemblyRef,
    token::FileRef,
    token::ExportedType,
    token::ManifestResource,
    token::GenericParam,
    token::MethodSpec,
    token::GenericParamConstraint,
    token::UserString,
    CustomAttributeType,
    HasFieldMarshal,
    Implementation,
    MemberRefParent,
    MethodDefOrRef,
    ResolutionScope,
    TypeDefOrRef,
    TypeOrMethodDef,
}
