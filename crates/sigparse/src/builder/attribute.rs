//! Custom attribute values (II.23.3), written for a constructor.

use alloc::vec::Vec;

use super::Done;
use crate::attribute::{
    ArgElement, ArgType, AttributeTypes, AttributeValue, Boxed, NamedArg, Primitive, Value,
};
use crate::element::ElementType;
use crate::encoder::Bytes;
use crate::error::{Error, ErrorKind};
use crate::method::{MethodSig, Params};

/// Builds the value of a custom attribute (II.23.3).
///
/// Each value is checked against the type that the constructor or the value beside it gives, so that what is built
/// can be read with the same constructor.
///
/// ```
/// use sigparse::{
///     AttributeBuilder, ElementType, MethodSig, TypeSig,
///     attribute::{AttributeTypes, Resolved},
/// };
///
/// struct Types;
///
/// impl AttributeTypes for Types {
///     fn resolve(&self, _ty: TypeSig<'_>) -> Option<Resolved> {
///         Some(Resolved::Enum(ElementType::I4))
///     }
///
///     fn named_enum(&self, _name: &str) -> Option<ElementType> {
///         None
///     }
/// }
///
/// // [AttributeUsage((AttributeTargets)4, Inherited = false)]
/// let constructor = MethodSig::parse(&[0x20, 0x01, 0x01, 0x11, 0x09])?;
/// let blob = AttributeBuilder::new(constructor, &Types)
///     .arg(|value| value.primitive(4))
///     .property("Inherited", |value| value.primitive(false))
///     .finish()?;
/// assert_eq!(blob, b"\x01\x00\x04\x00\x00\x00\x01\x00\x54\x02\x09Inherited\x00");
/// # Ok::<(), sigparse::Error>(())
/// ```
pub struct AttributeBuilder<'a> {
    constructor: MethodSig<'a>,
    /// Those that have no argument yet.
    params: Params<'a>,
    types: &'a dyn AttributeTypes,
    fixed: Bytes,
    named: Bytes,
    named_count: u32,
}

impl core::fmt::Debug for AttributeBuilder<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AttributeBuilder")
            .field("constructor", &self.constructor)
            .field("fixed", &self.fixed)
            .field("named", &self.named)
            .finish_non_exhaustive()
    }
}

impl<'a> AttributeBuilder<'a> {
    /// Begins with the constructor.
    pub fn new(constructor: MethodSig<'a>, types: &'a dyn AttributeTypes) -> Self {
        let mut fixed = Bytes::default();
        fixed.bytes.extend_from_slice(&[1, 0]);
        let params = constructor.params();
        Self { constructor, params, types, fixed, named: Bytes::default(), named_count: 0 }
    }

    /// Adds the argument of the constructor's next parameter.
    #[must_use]
    pub fn arg(mut self, value: impl for<'b> FnOnce(ValueEncoder<'b>) -> Done<'b>) -> Self {
        let (at, types) = (self.fixed.bytes.len(), self.types);
        let expected = match self.params.next() {
            Some(param) => param.and_then(|param| ArgType::of_param(param.sig(), types, at)),
            None => Err(Error::new(
                at,
                ErrorKind::WrongArgumentCount { expected: self.constructor.param_count() },
            )),
        };
        match expected {
            Ok(ty) => drop(value(ValueEncoder::known(&mut self.fixed, ty, types))),
            Err(error) => self.fixed.fail(error),
        }
        self
    }

    /// Sets a field.
    #[must_use]
    pub fn field(self, name: &str, value: impl for<'b> FnOnce(ValueEncoder<'b>) -> Done<'b>) -> Self {
        self.member(ElementType::CA_FIELD, name, value)
    }

    /// Sets a property.
    #[must_use]
    pub fn property(self, name: &str, value: impl for<'b> FnOnce(ValueEncoder<'b>) -> Done<'b>) -> Self {
        self.member(ElementType::CA_PROPERTY, name, value)
    }

    /// Adds a named argument as it was read.
    #[must_use]
    pub fn named(self, arg: NamedArg<'_, '_>) -> Self {
        let kind = if arg.is_property { ElementType::CA_PROPERTY } else { ElementType::CA_FIELD };
        self.member(kind, arg.name, |value| value.typed(arg.ty, Ok(arg.value)))
    }

    fn member(
        mut self,
        kind: ElementType,
        name: &str,
        value: impl for<'b> FnOnce(ValueEncoder<'b>) -> Done<'b>,
    ) -> Self {
        let (ty, value) = with_type(self.types, value);
        self.named.element(kind);
        self.named.append(ty);
        self.named.counted(name.as_bytes());
        self.named.append(value);
        self.named_count += 1;
        self
    }

    /// Puts the value together.
    ///
    /// # Errors
    /// If there are not as many arguments as parameters, one is of another type than its parameter, a type is not
    /// known, or what was written nests too deep or is too long.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        let mut out = self.fixed;
        if self.params.index < self.params.count {
            let kind = ErrorKind::WrongArgumentCount { expected: self.constructor.param_count() };
            out.fail(Error::new(out.bytes.len(), kind));
        }
        match u16::try_from(self.named_count) {
            Ok(count) => out.bytes.extend_from_slice(&count.to_le_bytes()),
            Err(_) => {
                let kind = ErrorKind::IntegerOutOfRange(self.named_count.into());
                out.fail(Error::new(out.bytes.len(), kind));
            }
        }
        out.append(self.named);
        let blob = out.finish()?;
        AttributeValue::parse(&blob, self.constructor, self.types)?.validate()?;
        Ok(blob)
    }
}

impl AttributeValue<'_, '_> {
    /// The value, written again: the bytes that were read, except integers that were longer than need be and what
    /// followed the value.
    ///
    /// # Errors
    /// If a named argument is malformed.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let mut builder = AttributeBuilder::new(self.constructor, self.types);
        for arg in self.fixed_args() {
            let arg = arg?;
            builder = builder.arg(|value| value.value(arg));
        }
        for arg in self.named_args() {
            builder = builder.named(arg?);
        }
        builder.finish()
    }
}

/// A value that brings its type: the type's bytes, then the value's.
fn with_type(
    types: &dyn AttributeTypes,
    value: impl for<'b> FnOnce(ValueEncoder<'b>) -> Done<'b>,
) -> (Bytes, Bytes) {
    let (mut ty, mut out) = (Bytes::default(), Bytes::default());
    value(ValueEncoder { out: &mut out, ty: Known::No(&mut ty), types });
    (ty, out)
}

/// Whether the type of a value is known where it stands.
enum Known<'b> {
    /// It is this.
    Yes(ArgType<'b>),
    /// It has to be written here.
    No(&'b mut Bytes),
}

/// Writes one value of a custom attribute.
///
/// Where the type is known, from the constructor or from the vector around it, the value has to have it: a primitive
/// of the type underneath does for an enumeration.
pub struct ValueEncoder<'b> {
    out: &'b mut Bytes,
    ty: Known<'b>,
    types: &'b dyn AttributeTypes,
}

impl core::fmt::Debug for ValueEncoder<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ValueEncoder").field("out", &self.out).finish_non_exhaustive()
    }
}

impl<'b> ValueEncoder<'b> {
    fn known(out: &'b mut Bytes, ty: ArgType<'b>, types: &'b dyn AttributeTypes) -> Self {
        Self { out, ty: Known::Yes(ty), types }
    }

    /// A number, `bool` or `char`: in Rust a `bool`, an integer, a float, or a [`Primitive`].
    pub fn primitive(self, value: impl Into<Primitive>) -> Done<'b> {
        let value = value.into();
        self.one(ArgElement::Primitive(value.element_type()), |out| out.primitive(value))
    }

    /// A string, or null.
    pub fn string<'s>(self, value: impl Into<Option<&'s str>>) -> Done<'b> {
        self.one(ArgElement::String, |out| out.ser_string(value.into()))
    }

    /// A `System.Type` by its name, as `Type.GetType` takes it, or null.
    pub fn type_name<'s>(self, name: impl Into<Option<&'s str>>) -> Done<'b> {
        self.one(ArgElement::Type, |out| out.ser_string(name.into()))
    }

    /// A value of the enumeration with this name. The name is written only where the type is not known.
    pub fn enumeration(mut self, name: &str, value: impl Into<Primitive>) -> Done<'b> {
        let value = value.into();
        let under = value.element_type();
        if matches!(self.ty, Known::No(_)) && self.types.named_enum(name) != Some(under) {
            return self.fail(ErrorKind::UnknownAttributeType(ElementType::CA_ENUM));
        }
        self.one(ArgElement::Enum { name: Some(name), under }, |out| out.primitive(value))
    }

    /// Any value where the type is `object`: it brings its type with it.
    pub fn boxed(self, value: impl for<'e> FnOnce(ValueEncoder<'e>) -> Done<'e>) -> Done<'b> {
        let types = self.types;
        self.one(ArgElement::Object, |out| {
            let (ty, value) = with_type(types, value);
            out.append(ty);
            out.append(value);
        })
    }

    /// A vector.
    pub fn array(self, element: ArgElement<'_>, values: impl FnOnce(&mut ValueList<'_>)) -> Done<'b> {
        let types = self.types;
        self.with(ArgType { element, is_array: true }, |out| {
            let mut list = ValueList { out: Bytes::default(), count: 0, element, types };
            values(&mut list);
            out.bytes.extend_from_slice(&list.count.to_le_bytes());
            out.append(list.out);
        })
    }

    /// No vector: null where there could be one.
    pub fn null_array(self, element: ArgElement<'_>) -> Done<'b> {
        let null = u32::MAX.to_le_bytes();
        self.with(ArgType { element, is_array: true }, |out| out.bytes.extend_from_slice(&null))
    }

    /// A value as it was read. Where the type is not known, a null vector has none: [`null_array`](Self::null_array)
    /// says it.
    pub fn value(mut self, value: Value<'_, '_>) -> Done<'b> {
        match value {
            Value::Primitive(value) | Value::Enum { name: None, value } => self.primitive(value),
            Value::String(value) => self.string(value),
            Value::Type(name) => self.type_name(name),
            Value::Enum { name: Some(name), value } => self.enumeration(name, value),
            Value::Boxed(boxed) => self.boxed(|value| value.unboxed(boxed)),
            Value::Array(Some(values)) => self.array(values.element(), |list| {
                for value in values {
                    list.item(|item| {
                        item.typed(ArgType { element: values.element(), is_array: false }, value)
                    });
                }
            }),
            Value::Array(None) => match self.ty {
                Known::Yes(ty) => self.null_array(ty.element),
                Known::No(_) => self.fail(ErrorKind::UnexpectedNull),
            },
        }
    }

    fn unboxed(self, boxed: Boxed<'_, '_>) -> Done<'b> {
        self.typed(boxed.ty(), boxed.value())
    }

    /// A value that was read, or could not be, as this type.
    fn typed(self, ty: ArgType<'_>, value: Result<Value<'_, '_>, Error>) -> Done<'b> {
        match value {
            Err(error) => {
                self.out.fail(error);
                Done::new()
            }
            Ok(Value::Array(None)) => self.null_array(ty.element),
            Ok(value) => self.value(value),
        }
    }

    fn one(self, element: ArgElement<'_>, write: impl FnOnce(&mut Bytes)) -> Done<'b> {
        self.with(ArgType { element, is_array: false }, write)
    }

    /// Writes or checks the type, then writes the value.
    fn with(self, ty: ArgType<'_>, write: impl FnOnce(&mut Bytes)) -> Done<'b> {
        match self.ty {
            Known::No(out) => out.arg_type(ty),
            Known::Yes(expected) => {
                if let Err(kind) = check(expected, ty) {
                    self.out.fail(Error::new(self.out.bytes.len(), kind));
                }
            }
        }
        write(self.out);
        Done::new()
    }

    fn fail(&mut self, kind: ErrorKind) -> Done<'b> {
        self.out.fail(Error::new(self.out.bytes.len(), kind));
        Done::new()
    }
}

/// Checks that a value of one type can stand for another.
fn check(expected: ArgType<'_>, found: ArgType<'_>) -> Result<(), ErrorKind> {
    let under = |element| match element {
        ArgElement::Primitive(under) | ArgElement::Enum { under, .. } => Some(under),
        _ => None,
    };
    let fits = match (expected.element, found.element) {
        (ArgElement::Primitive(expected), ArgElement::Primitive(found)) => expected == found,
        (ArgElement::Enum { .. }, found) => under(expected.element) == under(found),
        (expected, found) => expected == found,
    };
    let shown = |ty: ArgType<'_>| if ty.is_array { ElementType::SZARRAY } else { ty.element.element_type() };
    let (found_shown, expected_shown) = if expected.is_array == found.is_array {
        (found.element.element_type(), expected.element.element_type())
    } else {
        (shown(found), shown(expected))
    };
    if fits && expected.is_array == found.is_array {
        Ok(())
    } else {
        Err(ErrorKind::WrongArgumentType { expected: expected_shown, found: found_shown })
    }
}

/// Writes the elements of a vector, one after the other.
pub struct ValueList<'b> {
    out: Bytes,
    count: u32,
    element: ArgElement<'b>,
    types: &'b dyn AttributeTypes,
}

impl core::fmt::Debug for ValueList<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ValueList").field("out", &self.out).finish_non_exhaustive()
    }
}

impl ValueList<'_> {
    /// Writes the next element.
    pub fn item(&mut self, value: impl for<'b> FnOnce(ValueEncoder<'b>) -> Done<'b>) {
        let ty = ArgType { element: self.element, is_array: false };
        value(ValueEncoder::known(&mut self.out, ty, self.types));
        self.count += 1;
    }
}

impl Bytes {
    fn primitive(&mut self, value: Primitive) {
        value.with_bytes(|bytes| self.bytes.extend_from_slice(bytes));
    }

    /// A SerString.
    fn ser_string(&mut self, value: Option<&str>) {
        match value {
            Some(text) => self.counted(text.as_bytes()),
            None => self.bytes.push(0xFF),
        }
    }

    /// A FieldOrPropType.
    fn arg_type(&mut self, ty: ArgType<'_>) {
        if ty.is_array {
            self.element(ElementType::SZARRAY);
        }
        let element = ty.element.element_type();
        self.element(element);
        match ty.element {
            ArgElement::Enum { name: Some(name), .. } => self.counted(name.as_bytes()),
            // A type of the constructor's has its name there, and cannot be written here.
            ArgElement::Enum { name: None, .. } => {
                self.fail(Error::new(self.bytes.len(), ErrorKind::UnknownAttributeType(element)));
            }
            _ => {}
        }
    }
}
