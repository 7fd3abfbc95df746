//! Values of a fixed size: in custom attributes (II.23.3) and in constants (II.22.9).

use crate::element::ElementType;
use crate::error::{Error, ErrorKind};
use crate::reader::Reader;

macro_rules! primitives {
    ($( $(#[$meta:meta])* $name:ident($ty:ty) = $element:ident, )+) => {
        /// A value of a fixed size.
        ///
        /// ```
        /// use sigparse::{ElementType, Reader, attribute::Primitive};
        ///
        /// // The constant of `const short Limit = -2;` (II.22.9).
        /// let limit = Reader::new(&[0xFE, 0xFF]).read_primitive(ElementType::I2)?;
        /// assert_eq!(limit, Primitive::I2(-2));
        /// assert_eq!(limit.as_integer(), Some(-2));
        /// # Ok::<(), sigparse::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Primitive {
            /// `bool`.
            Boolean(bool),
            /// `char`: a UTF-16 code unit, perhaps half of a character.
            Char(u16),
            $( $(#[$meta])* $name($ty), )+
        }

        impl Primitive {
            /// The element type of the value.
            pub const fn element_type(self) -> ElementType {
                match self {
                    Self::Boolean(_) => ElementType::BOOLEAN,
                    Self::Char(_) => ElementType::CHAR,
                    $( Self::$name(_) => ElementType::$element, )+
                }
            }

            /// Hands the bytes of the value, the lowest first, to a function.
            #[cfg(feature = "alloc")]
            pub(crate) fn with_bytes<R>(self, take: impl FnOnce(&[u8]) -> R) -> R {
                match self {
                    Self::Boolean(value) => take(&[u8::from(value)]),
                    Self::Char(value) => take(&value.to_le_bytes()),
                    $( Self::$name(value) => take(&value.to_le_bytes()), )+
                }
            }
        }

        impl From<bool> for Primitive {
            fn from(value: bool) -> Self {
                Self::Boolean(value)
            }
        }

        $( impl From<$ty> for Primitive {
            fn from(value: $ty) -> Self {
                Self::$name(value)
            }
        } )+

        impl Reader<'_> {
            /// Reads a value of a fixed size, as custom attributes (II.23.3) and constants (II.22.9) hold it.
            ///
            /// # Errors
            /// If the blob ends, or the type has no fixed size.
            pub fn read_primitive(&mut self, ty: ElementType) -> Result<Primitive, Error> {
                Ok(match ty {
                    ElementType::BOOLEAN => Primitive::Boolean(self.read_u8()? != 0),
                    ElementType::CHAR => Primitive::Char(u16::from_le_bytes(self.read_array()?)),
                    $( ElementType::$element => Primitive::$name(<$ty>::from_le_bytes(self.read_array()?)), )+
                    other => return Err(Error::new(self.position(), ErrorKind::UnknownAttributeType(other))),
                })
            }
        }
    };
}

primitives! {
    /// `sbyte`.
    I1(i8) = I1,
    /// `byte`.
    U1(u8) = U1,
    /// `short`.
    I2(i16) = I2,
    /// `ushort`.
    U2(u16) = U2,
    /// `int`.
    I4(i32) = I4,
    /// `uint`.
    U4(u32) = U4,
    /// `long`.
    I8(i64) = I8,
    /// `ulong`.
    U8(u64) = U8,
    /// `float`.
    R4(f32) = R4,
    /// `double`.
    R8(f64) = R8,
}

impl Primitive {
    /// The value as a whole number: of `bool` (0 or 1), `char` and the integers.
    pub fn as_integer(self) -> Option<i128> {
        Some(match self {
            Self::Boolean(value) => value.into(),
            Self::Char(value) | Self::U2(value) => value.into(),
            Self::I1(value) => value.into(),
            Self::U1(value) => value.into(),
            Self::I2(value) => value.into(),
            Self::I4(value) => value.into(),
            Self::U4(value) => value.into(),
            Self::I8(value) => value.into(),
            Self::U8(value) => value.into(),
            Self::R4(_) | Self::R8(_) => return None,
        })
    }
}
