//! Owned signatures: as bytes, checked when they are read back.

use core::fmt;

use alloc::vec::Vec;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, SeqAccess, Visitor},
};

use crate::builder::MarshalSpecBuf;
use crate::owned::{FieldSigBuf, LocalVarSigBuf, MethodSigBuf, MethodSpecSigBuf, PropertySigBuf, TypeSigBuf};

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
        // The length of the list is not trusted.
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
