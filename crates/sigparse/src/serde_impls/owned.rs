//! Owned signatures: as bytes, checked when they are read back. Trees: as the structure that the views show.

use core::fmt;

use alloc::vec::Vec;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, SeqAccess, Visitor},
};

use crate::{
    FieldSigBuf, FieldTree, LocalVarSigBuf, LocalVarTree, MarshalSpecBuf, MethodSigBuf, MethodSpecSigBuf,
    MethodSpecTree, MethodTree, PropertySigBuf, PropertyTree, SigTree, Signature, TypeSigBuf, TypeTree,
};

/// Takes bytes as bytes, or as a list of numbers from formats that have no bytes.
struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a signature or a marshalling descriptor")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
        // What the list says about its length is not believed.
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

macro_rules! owned {
    ($($name:ty,)+) => { $(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(self.as_bytes())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::from_bytes(deserializer.deserialize_bytes(Bytes)?).map_err(de::Error::custom)
            }
        }
    )+ };
}

owned! {
    FieldSigBuf,
    LocalVarSigBuf,
    MarshalSpecBuf,
    MethodSigBuf,
    MethodSpecSigBuf,
    PropertySigBuf,
    TypeSigBuf,
}

macro_rules! trees {
    ($($name:ty,)+) => { $(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_buf().as_sig().serialize(serializer)
            }
        }
    )+ };
}

trees! {
    FieldTree,
    LocalVarTree,
    MethodSpecTree,
    MethodTree,
    PropertyTree,
    TypeTree,
}

impl Serialize for SigTree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Method(tree) => Signature::Method(tree.to_buf().as_sig()).serialize(serializer),
            Self::Field(tree) => Signature::Field(tree.to_buf().as_sig()).serialize(serializer),
            Self::Property(tree) => Signature::Property(tree.to_buf().as_sig()).serialize(serializer),
            Self::LocalVar(tree) => Signature::LocalVar(tree.to_buf().as_sig()).serialize(serializer),
            Self::MethodSpec(tree) => Signature::MethodSpec(tree.to_buf().as_sig()).serialize(serializer),
        }
    }
}
