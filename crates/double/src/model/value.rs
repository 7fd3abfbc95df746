//! Values of arguments, results, fields and array elements.

use super::heap::Heap;
use crate::Object;

/// A value that is passed, returned or stored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// The result of a `void` method.
    Unit,
    /// `bool`.
    Bool(bool),
    /// `char`, a UTF-16 unit.
    Char(u16),
    /// `sbyte`.
    I1(i8),
    /// `byte`.
    U1(u8),
    /// `short`.
    I2(i16),
    /// `ushort`.
    U2(u16),
    /// `int`, and the value of an enum that is one.
    I4(i32),
    /// `uint`.
    U4(u32),
    /// `long`.
    I8(i64),
    /// `ulong`.
    U8(u64),
    /// `float`.
    R4(f32),
    /// `double`.
    R8(f64),
    /// `nint`, a pointer, a `ref`.
    Pointer(usize),
    /// A reference to an object, or null.
    Reference(Option<Object>),
    /// The bytes of a struct.
    Struct(Vec<u8>),
}

impl Value {
    /// A null reference.
    pub const NULL: Self = Self::Reference(None);

    /// The bytes of the value.
    pub(crate) fn bytes(&self, heap: &Heap) -> Vec<u8> {
        match self {
            Self::Unit => Vec::new(),
            Self::Bool(value) => vec![u8::from(*value)],
            Self::Char(value) | Self::U2(value) => value.to_le_bytes().to_vec(),
            Self::I1(value) => value.to_le_bytes().to_vec(),
            Self::U1(value) => vec![*value],
            Self::I2(value) => value.to_le_bytes().to_vec(),
            Self::I4(value) => value.to_le_bytes().to_vec(),
            Self::U4(value) => value.to_le_bytes().to_vec(),
            Self::I8(value) => value.to_le_bytes().to_vec(),
            Self::U8(value) => value.to_le_bytes().to_vec(),
            Self::R4(value) => value.to_le_bytes().to_vec(),
            Self::R8(value) => value.to_le_bytes().to_vec(),
            Self::Pointer(value) => value.to_le_bytes().to_vec(),
            Self::Reference(object) => {
                object.map_or(0, |object| heap.address(object.index)).to_le_bytes().to_vec()
            }
            Self::Struct(bytes) => bytes.clone(),
        }
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident,)*) => {$(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                Self::$variant(value)
            }
        }
    )*};
}

from! {
    bool => Bool,
    i8 => I1,
    u8 => U1,
    i16 => I2,
    i32 => I4,
    u32 => U4,
    i64 => I8,
    u64 => U8,
    f32 => R4,
    f64 => R8,
}

impl From<()> for Value {
    fn from((): ()) -> Self {
        Self::Unit
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Reference(Some(object))
    }
}
