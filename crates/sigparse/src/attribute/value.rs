//! Values and their types in custom attributes (II.23.3).

use core::{fmt, iter::FusedIterator};

use super::{AttributeTypes, Resolved};
use crate::{ElementType, Error, ErrorKind, Reader, Type, TypeSig};

/// A value of a fixed size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// `bool`.
    Boolean(bool),
    /// `char`: a UTF-16 code unit, perhaps half of a character.
    Char(u16),
    /// `sbyte`.
    I1(i8),
    /// `byte`.
    U1(u8),
    /// `short`.
    I2(i16),
    /// `ushort`.
    U2(u16),
    /// `int`.
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
}

impl Primitive {
    fn read(reader: &mut Reader<'_>, ty: ElementType) -> Result<Self, Error> {
        Ok(match ty {
            ElementType::BOOLEAN => Self::Boolean(reader.read_u8()? != 0),
            ElementType::CHAR => Self::Char(u16::from_le_bytes(reader.read_array()?)),
            ElementType::I1 => Self::I1(i8::from_le_bytes(reader.read_array()?)),
            ElementType::U1 => Self::U1(reader.read_u8()?),
            ElementType::I2 => Self::I2(i16::from_le_bytes(reader.read_array()?)),
            ElementType::U2 => Self::U2(u16::from_le_bytes(reader.read_array()?)),
            ElementType::I4 => Self::I4(i32::from_le_bytes(reader.read_array()?)),
            ElementType::U4 => Self::U4(u32::from_le_bytes(reader.read_array()?)),
            ElementType::I8 => Self::I8(i64::from_le_bytes(reader.read_array()?)),
            ElementType::U8 => Self::U8(u64::from_le_bytes(reader.read_array()?)),
            ElementType::R4 => Self::R4(f32::from_le_bytes(reader.read_array()?)),
            ElementType::R8 => Self::R8(f64::from_le_bytes(reader.read_array()?)),
            other => return Err(Error::new(reader.position(), ErrorKind::UnknownAttributeType(other))),
        })
    }
}

/// An argument of a custom attribute.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a, 't> {
    /// A number, `bool` or `char`.
    Primitive(Primitive),
    /// A string, or null.
    String(Option<&'a str>),
    /// A `System.Type` by its name, as `Type.GetType` takes it, or null.
    Type(Option<&'a str>),
    /// A value of an enumeration.
    Enum {
        /// The name, if the blob has one. An enumeration among the constructor's parameters has its name there.
        name: Option<&'a str>,
        /// The value, in the type under the enumeration.
        value: Primitive,
    },
    /// A vector, or null.
    Array(Option<Values<'a, 't>>),
}

/// The elements of a vector: an iterator that ends after an error.
#[derive(Clone, Copy)]
pub struct Values<'a, 't> {
    reader: Reader<'a>,
    element: Element<'a>,
    left: u32,
    depth: u32,
    types: &'t dyn AttributeTypes,
}

impl<'a, 't> Iterator for Values<'a, 't> {
    type Item = Result<Value<'a, 't>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let value = self.element.read(&mut self.reader, self.depth, self.types);
        if value.is_err() {
            self.left = 0;
        }
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        ((self.left as usize).min(1), Some(self.left as usize))
    }
}

impl FusedIterator for Values<'_, '_> {}

impl fmt::Debug for Values<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

/// The type of a value that is no vector.
#[derive(Clone, Copy)]
enum Element<'a> {
    Primitive(ElementType),
    String,
    Type,
    /// A value with its type before it.
    Object,
    Enum(Option<&'a str>, ElementType),
}

/// The type of a value.
#[derive(Clone, Copy)]
pub(super) struct ArgType<'a> {
    element: Element<'a>,
    array: bool,
}

impl<'a> ArgType<'a> {
    /// The type of a constructor's parameter.
    pub(super) fn of_param(sig: TypeSig<'_>, types: &dyn AttributeTypes, at: usize) -> Result<Self, Error> {
        let (element, array) = match sig.ty() {
            Type::SzArray(element) => (element, true),
            _ => (sig, false),
        };
        let ty = element.ty();
        let unknown = Err(Error::new(at, ErrorKind::UnknownAttributeType(ty.element_type())));
        let element = match ty {
            Type::String => Element::String,
            Type::Object => Element::Object,
            Type::Class(_) | Type::ValueType(_) | Type::GenericInst(_) | Type::Var(_) => {
                match types.resolve(element) {
                    Some(Resolved::SystemType) => Element::Type,
                    Some(Resolved::Enum(under)) => Element::Enum(None, under),
                    None => return unknown,
                }
            }
            primitive if primitive.element_type().fixed_size().is_some() => {
                Element::Primitive(primitive.element_type())
            }
            _ => return unknown,
        };
        Ok(Self { element, array })
    }

    /// Reads a FieldOrPropType.
    pub(super) fn read(reader: &mut Reader<'a>, types: &dyn AttributeTypes) -> Result<Self, Error> {
        let mut at = reader.position();
        let mut element = ElementType(reader.read_u8()?);
        let array = element == ElementType::SZARRAY;
        if array {
            at = reader.position();
            element = ElementType(reader.read_u8()?);
        }
        let unknown = Error::new(at, ErrorKind::UnknownAttributeType(element));
        let element = match element {
            ElementType::STRING => Element::String,
            ElementType::CA_TYPE => Element::Type,
            ElementType::CA_BOXED => Element::Object,
            ElementType::CA_ENUM => {
                let name = reader.read_ser_string()?.ok_or(unknown)?;
                Element::Enum(Some(name), types.named_enum(name).ok_or(unknown)?)
            }
            primitive if primitive.fixed_size().is_some() => Element::Primitive(primitive),
            _ => return Err(unknown),
        };
        Ok(Self { element, array })
    }

    /// Reads a value of this type.
    pub(super) fn read_value<'t>(
        self,
        reader: &mut Reader<'a>,
        depth: u32,
        types: &'t dyn AttributeTypes,
    ) -> Result<Value<'a, 't>, Error> {
        if !self.array {
            return self.element.read(reader, depth, types);
        }
        let at = reader.position();
        let count = u32::from_le_bytes(reader.read_array()?);
        if count == u32::MAX {
            return Ok(Value::Array(None));
        }
        let remaining = reader.remaining();
        if count as usize > remaining {
            return Err(Error::new(at, ErrorKind::CountExceedsData { count, remaining }));
        }
        let Some(depth) = depth.checked_sub(1) else {
            return Err(Error::new(at, ErrorKind::TooDeep));
        };
        let mut values = Values { reader: *reader, element: self.element, left: count, depth, types };
        let array = Value::Array(Some(values));
        for value in values.by_ref() {
            value?;
        }
        *reader = values.reader;
        Ok(array)
    }
}

impl<'a> Element<'a> {
    fn read<'t>(
        self,
        reader: &mut Reader<'a>,
        depth: u32,
        types: &'t dyn AttributeTypes,
    ) -> Result<Value<'a, 't>, Error> {
        Ok(match self {
            Self::Primitive(ty) => Value::Primitive(Primitive::read(reader, ty)?),
            Self::String => Value::String(reader.read_ser_string()?),
            Self::Type => Value::Type(reader.read_ser_string()?),
            Self::Enum(name, under) => Value::Enum { name, value: Primitive::read(reader, under)? },
            Self::Object => {
                let Some(depth) = depth.checked_sub(1) else {
                    return Err(Error::new(reader.position(), ErrorKind::TooDeep));
                };
                ArgType::read(reader, types)?.read_value(reader, depth, types)?
            }
        })
    }
}

impl<'a> Reader<'a> {
    /// Reads a SerString: a counted UTF-8 string, or null (II.23.3).
    ///
    /// # Errors
    /// If the blob ends, or the string is no UTF-8.
    pub fn read_ser_string(&mut self) -> Result<Option<&'a str>, Error> {
        if self.peek_u8() == Some(0xFF) {
            self.advance();
            return Ok(None);
        }
        self.read_counted_str().map(Some)
    }

    /// Reads a counted UTF-8 string.
    ///
    /// # Errors
    /// If the blob ends, or the string is no UTF-8.
    pub fn read_counted_str(&mut self) -> Result<&'a str, Error> {
        let mut end = *self;
        let count = end.read_count()?;
        let at = end.position();
        let bytes = end.read_bytes(count as usize)?;
        match core::str::from_utf8(bytes) {
            Ok(text) => {
                *self = end;
                Ok(text)
            }
            Err(error) => Err(Error::new(at + error.valid_up_to(), ErrorKind::InvalidUtf8)),
        }
    }
}
