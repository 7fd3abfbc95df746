//! The types that the runtime itself knows how to compute with.

use crate::{memory::POINTER_SIZE, visitor::Visitor};

/// A primitive type: its bytes are its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Primitive {
    Bool,
    Char,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    ISize,
    USize,
}

impl Primitive {
    /// All of them, in the order of their element types.
    pub const ALL: [Self; 14] = [
        Self::Bool,
        Self::Char,
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
        Self::F32,
        Self::F64,
        Self::ISize,
        Self::USize,
    ];

    /// The size of a value.
    #[must_use]
    #[inline]
    pub const fn size(self) -> usize {
        self.width() as usize
    }

    /// The same, as one of four.
    #[inline]
    pub(crate) const fn width(self) -> Width {
        match self {
            Self::Bool | Self::I8 | Self::U8 => Width::One,
            Self::Char | Self::I16 | Self::U16 => Width::Two,
            Self::I32 | Self::U32 | Self::F32 => Width::Four,
            Self::I64 | Self::U64 | Self::F64 => Width::Eight,
            Self::ISize | Self::USize => Width::POINTER,
        }
    }

    /// The keyword of C#.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::I8 => "sbyte",
            Self::U8 => "byte",
            Self::I16 => "short",
            Self::U16 => "ushort",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::I64 => "long",
            Self::U64 => "ulong",
            Self::F32 => "float",
            Self::F64 => "double",
            Self::ISize => "nint",
            Self::USize => "nuint",
        }
    }

    /// The primitive that metadata names so.
    ///
    /// ```
    /// # use argvalues::Primitive;
    /// assert_eq!(Primitive::from_full_name("System.Int32"), Some(Primitive::I32));
    /// assert_eq!(Primitive::from_full_name("System.Decimal"), None);
    /// ```
    #[must_use]
    pub fn from_full_name(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("System.")? {
            "Boolean" => Self::Bool,
            "Char" => Self::Char,
            "SByte" => Self::I8,
            "Byte" => Self::U8,
            "Int16" => Self::I16,
            "UInt16" => Self::U16,
            "Int32" => Self::I32,
            "UInt32" => Self::U32,
            "Int64" => Self::I64,
            "UInt64" => Self::U64,
            "Single" => Self::F32,
            "Double" => Self::F64,
            "IntPtr" => Self::ISize,
            "UIntPtr" => Self::USize,
            _ => return None,
        })
    }

    /// Tells a visitor the value in `bytes`. `false`, and nothing told, if they are not as many as
    /// [`size`](Self::size) says.
    #[inline]
    pub(crate) fn tell<V: Visitor + ?Sized>(self, bytes: &[u8], visitor: &mut V) -> bool {
        macro_rules! read {
            ($number:ty) => {
                bytes.try_into().ok().map(|bytes| u64::from(<$number>::from_ne_bytes(bytes)))
            };
        }
        let bits = match self.size() {
            1 => read!(u8),
            2 => read!(u16),
            4 => read!(u32),
            _ => read!(u64),
        };
        bits.map(|bits| visitor.primitive(self, bits)).is_some()
    }

    /// Tells a visitor the value that these bits are, of which the lowest [`size`](Self::size) bytes count, by the event
    /// for values of its kind.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)]
    pub fn tell_bits<V: Visitor + ?Sized>(self, bits: u64, visitor: &mut V) {
        match self {
            Self::Bool => visitor.bool(bits as u8 != 0),
            Self::Char => visitor.char(bits as u16),
            Self::I8 => visitor.integer(Integer::Signed((bits as u8).cast_signed().into())),
            Self::I16 => visitor.integer(Integer::Signed((bits as u16).cast_signed().into())),
            Self::I32 => visitor.integer(Integer::Signed((bits as u32).cast_signed().into())),
            Self::I64 => visitor.integer(Integer::Signed(bits.cast_signed())),
            Self::ISize => visitor.integer(Integer::Signed((bits as usize).cast_signed() as i64)),
            Self::U8 => visitor.integer(Integer::Unsigned((bits as u8).into())),
            Self::U16 => visitor.integer(Integer::Unsigned((bits as u16).into())),
            Self::U32 => visitor.integer(Integer::Unsigned((bits as u32).into())),
            Self::U64 | Self::USize => visitor.integer(Integer::Unsigned(bits)),
            Self::F32 => visitor.single(f32::from_bits(bits as u32)),
            Self::F64 => visitor.double(f64::from_bits(bits)),
        }
    }

    /// The integer in `bytes`, which must be as many as [`size`](Self::size) says, whatever the type: a
    /// `bool` gives its byte, a `char` its unit, a floating-point number its bits.
    #[must_use]
    #[inline]
    pub fn integer(self, bytes: &[u8]) -> Option<Integer> {
        macro_rules! read {
            ($int:ty) => {
                <$int>::from_ne_bytes(bytes.try_into().ok()?)
            };
        }
        Some(match self {
            Self::I8 => Integer::Signed(read!(i8).into()),
            Self::I16 => Integer::Signed(read!(i16).into()),
            Self::I32 => Integer::Signed(read!(i32).into()),
            Self::I64 => Integer::Signed(read!(i64)),
            Self::ISize => Integer::Signed(read!(isize) as i64),
            Self::Bool | Self::U8 => Integer::Unsigned(read!(u8).into()),
            Self::Char | Self::U16 => Integer::Unsigned(read!(u16).into()),
            Self::U32 | Self::F32 => Integer::Unsigned(read!(u32).into()),
            Self::U64 | Self::F64 => Integer::Unsigned(read!(u64)),
            Self::USize => Integer::Unsigned(read!(usize) as u64),
        })
    }
}

/// The sizes of primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Width {
    One = 1,
    Two = 2,
    Four = 4,
    Eight = 8,
}

impl Width {
    const POINTER: Self = if POINTER_SIZE == 8 { Self::Eight } else { Self::Four };
}

/// An integer of any width, with its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// Of a signed type.
    Signed(i64),
    /// Of an unsigned type.
    Unsigned(u64),
}

impl Integer {
    /// The two's complement bits, sign-extended for signed types.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u64 {
        match self {
            Self::Signed(value) => value.cast_unsigned(),
            Self::Unsigned(value) => value,
        }
    }
}

impl core::fmt::Display for Integer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Signed(value) => value.fmt(f),
            Self::Unsigned(value) => value.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_widths() {
        assert_eq!(Primitive::I8.integer(&[0xff]), Some(Integer::Signed(-1)));
        assert_eq!(Primitive::U8.integer(&[0xff]), Some(Integer::Unsigned(255)));
        assert_eq!(Primitive::I16.integer(&(-2_i16).to_ne_bytes()), Some(Integer::Signed(-2)));
        assert_eq!(
            Primitive::ISize.integer(&isize::MIN.to_ne_bytes()),
            Some(Integer::Signed(isize::MIN as i64))
        );
        assert_eq!(Primitive::U64.integer(&u64::MAX.to_ne_bytes()), Some(Integer::Unsigned(u64::MAX)));
        assert_eq!(Primitive::I32.integer(&[0; 3]), None);
        assert_eq!(Integer::Signed(-1).bits(), u64::MAX);
        for primitive in Primitive::ALL {
            assert!(primitive.integer(&vec![0; primitive.size()]).is_some());
        }
    }
}
