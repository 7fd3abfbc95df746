//! The primitive types.

use clrnames::csharp::{csharp_keyword, element_type};
use sigparse::ElementType;

use crate::memory::POINTER_SIZE;

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

    /// Returns the size as one of four.
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

    /// Returns the element type in signatures.
    #[must_use]
    pub const fn element_type(self) -> ElementType {
        match self {
            Self::Bool => ElementType::BOOLEAN,
            Self::Char => ElementType::CHAR,
            Self::I8 => ElementType::I1,
            Self::U8 => ElementType::U1,
            Self::I16 => ElementType::I2,
            Self::U16 => ElementType::U2,
            Self::I32 => ElementType::I4,
            Self::U32 => ElementType::U4,
            Self::I64 => ElementType::I8,
            Self::U64 => ElementType::U8,
            Self::F32 => ElementType::R4,
            Self::F64 => ElementType::R8,
            Self::ISize => ElementType::I,
            Self::USize => ElementType::U,
        }
    }

    /// Returns the primitive of an element type; `None` for other types.
    #[must_use]
    pub fn from_element_type(element: ElementType) -> Option<Self> {
        Self::ALL.into_iter().find(|primitive| primitive.element_type() == element)
    }

    /// Returns the keyword of C#.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match csharp_keyword(self.element_type()) {
            Some(keyword) => keyword,
            // Every primitive has a keyword.
            None => "",
        }
    }

    /// Returns the primitive with a metadata name.
    ///
    /// ```
    /// # use argvalues::Primitive;
    /// assert_eq!(Primitive::from_full_name("System.Int32"), Some(Primitive::I32));
    /// assert_eq!(Primitive::from_full_name("System.Decimal"), None);
    /// ```
    #[must_use]
    pub fn from_full_name(name: &str) -> Option<Self> {
        element_type(name).and_then(Self::from_element_type)
    }

    /// Returns the integer in `bytes`, whose number must be [`size`](Self::size). A `bool` gives its byte, a `char` its
    /// unit, a floating-point number its bits.
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
            assert!(!primitive.name().is_empty());
            assert!(primitive.integer(&vec![0; primitive.size()]).is_some());
        }
    }
}
