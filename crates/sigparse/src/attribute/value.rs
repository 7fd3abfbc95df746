//! Values and their types in custom attributes (II.23.3).

use core::{fmt, iter::FusedIterator};

use super::{AttributeTypes, Primitive, Resolved};
use crate::element::ElementType;
use crate::error::{Error, ErrorKind};
use crate::reader::Reader;
use crate::ty::Type;
use crate::type_sig::TypeSig;

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
    /// A value with its type, where the type is `object`.
    Boxed(Boxed<'a, 't>),
    /// A vector, or null.
    Array(Option<Values<'a, 't>>),
}

/// A value with its type, where the type is `object` (II.23.3).
#[derive(Clone, Copy)]
pub struct Boxed<'a, 't> {
    ty: ArgType<'a>,
    reader: Reader<'a>,
    depth: u32,
    types: &'t dyn AttributeTypes,
}

impl<'a, 't> Boxed<'a, 't> {
    /// The type that the value has.
    pub const fn ty(&self) -> ArgType<'a> {
        self.ty
    }

    /// The value.
    ///
    /// # Errors
    /// Not in a value that has been read: its bytes were read then.
    pub fn value(&self) -> Result<Value<'a, 't>, Error> {
        self.ty.read_value(&mut { self.reader }, self.depth, self.types)
    }
}

impl fmt::Debug for Boxed<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Boxed").field("ty", &self.ty).field("value", &self.value()).finish()
    }
}

/// The elements of a vector: an iterator that ends after an error.
#[derive(Clone, Copy)]
pub struct Values<'a, 't> {
    reader: Reader<'a>,
    element: ArgElement<'a>,
    left: u32,
    depth: u32,
    types: &'t dyn AttributeTypes,
}

impl<'a> Values<'a, '_> {
    /// The type of every element.
    pub const fn element(&self) -> ArgElement<'a> {
        self.element
    }
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

/// The type of an argument, or of each element of one that is a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgElement<'a> {
    /// A number, `bool` or `char`: a type with an [`ElementType::fixed_size`].
    Primitive(ElementType),
    /// `string`.
    String,
    /// `System.Type`.
    Type,
    /// `object`: each value brings its type with it.
    Object,
    /// An enumeration.
    Enum {
        /// The name, if the blob has one.
        name: Option<&'a str>,
        /// The type under the enumeration.
        under: ElementType,
    },
}

impl ArgElement<'_> {
    /// The byte of this type in a FieldOrPropType (II.23.3).
    pub const fn element_type(self) -> ElementType {
        match self {
            Self::Primitive(ty) => ty,
            Self::String => ElementType::STRING,
            Self::Type => ElementType::CA_TYPE,
            Self::Object => ElementType::CA_BOXED,
            Self::Enum { .. } => ElementType::CA_ENUM,
        }
    }
}

/// The type of an argument: of a FieldOrPropType (II.23.3), or of a parameter of the constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArgType<'a> {
    /// The type, or that of the elements.
    pub element: ArgElement<'a>,
    /// Whether it is a vector.
    pub is_array: bool,
}

impl<'a> ArgType<'a> {
    /// The type of a constructor's parameter, met at this position of the blob.
    pub(crate) fn of_param(sig: TypeSig<'_>, types: &dyn AttributeTypes, at: usize) -> Result<Self, Error> {
        let (element, is_array) = match sig.ty() {
            Type::SzArray(element) => (element, true),
            _ => (sig, false),
        };
        let ty = element.ty();
        let unknown = Err(Error::new(at, ErrorKind::UnknownAttributeType(ty.element_type())));
        let element = match ty {
            Type::String => ArgElement::String,
            Type::Object => ArgElement::Object,
            Type::Class(_) | Type::ValueType(_) | Type::GenericInst(_) | Type::Var(_) => {
                match types.resolve(element) {
                    Some(Resolved::SystemType) => ArgElement::Type,
                    Some(Resolved::Enum(under)) => ArgElement::Enum { name: None, under },
                    None => return unknown,
                }
            }
            primitive if primitive.element_type().fixed_size().is_some() => {
                ArgElement::Primitive(primitive.element_type())
            }
            _ => return unknown,
        };
        Ok(Self { element, is_array })
    }

    /// Reads a FieldOrPropType.
    pub(super) fn read(reader: &mut Reader<'a>, types: &dyn AttributeTypes) -> Result<Self, Error> {
        let mut at = reader.position();
        let mut element = ElementType(reader.read_u8()?);
        let is_array = element == ElementType::SZARRAY;
        if is_array {
            at = reader.position();
            element = ElementType(reader.read_u8()?);
        }
        let unknown = Error::new(at, ErrorKind::UnknownAttributeType(element));
        let element = match element {
            ElementType::STRING => ArgElement::String,
            ElementType::CA_TYPE => ArgElement::Type,
            ElementType::CA_BOXED => ArgElement::Object,
            ElementType::CA_ENUM => {
                let name = reader.read_ser_string()?.ok_or(unknown)?;
                ArgElement::Enum { name: Some(name), under: types.named_enum(name).ok_or(unknown)? }
            }
            primitive if primitive.fixed_size().is_some() => ArgElement::Primitive(primitive),
            _ => return Err(unknown),
        };
        Ok(Self { element, is_array })
    }

    /// Reads a value of this type.
    pub(super) fn read_value<'t>(
        self,
        reader: &mut Reader<'a>,
        depth: u32,
        types: &'t dyn AttributeTypes,
    ) -> Result<Value<'a, 't>, Error> {
        if !self.is_array {
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

impl<'a> ArgElement<'a> {
    fn read<'t>(
        self,
        reader: &mut Reader<'a>,
        depth: u32,
        types: &'t dyn AttributeTypes,
    ) -> Result<Value<'a, 't>, Error> {
        Ok(match self {
            Self::Primitive(ty) => Value::Primitive(reader.read_primitive(ty)?),
            Self::String => Value::String(reader.read_ser_string()?),
            Self::Type => Value::Type(reader.read_ser_string()?),
            Self::Enum { name, under } => Value::Enum { name, value: reader.read_primitive(under)? },
            Self::Object => {
                let Some(depth) = depth.checked_sub(1) else {
                    return Err(Error::new(reader.position(), ErrorKind::TooDeep));
                };
                let boxed = Boxed { ty: ArgType::read(reader, types)?, reader: *reader, depth, types };
                boxed.ty.read_value(reader, depth, types)?;
                Value::Boxed(boxed)
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
