//! Custom attribute values (II.23.3).
//!
//! The blob of a custom attribute holds values without most of their types: those are in the signature of the
//! constructor, and an enumeration's size is in neither. [`AttributeTypes`] supplies what is missing.

mod primitive;
mod value;

use core::{fmt, iter::FusedIterator};

pub use primitive::Primitive;
pub use value::{ArgElement, ArgType, Boxed, Value, Values};

use crate::element::ElementType;
use crate::error::{Error, ErrorKind};
use crate::limits;
use crate::method::{MethodSig, Params};
use crate::reader::Reader;
use crate::type_sig::TypeSig;

/// The types that the blob of a custom attribute and the constructor's signature do not determine.
pub trait AttributeTypes {
    /// Resolves a CLASS, VALUETYPE, GENERICINST or VAR among the constructor's parameters; `None` if that is
    /// not known.
    fn resolve(&self, ty: TypeSig<'_>) -> Option<Resolved>;

    /// The type under an enumeration that the blob names (`Ns.Name, Assembly, …`), or `None` if it is not known.
    fn named_enum(&self, name: &str) -> Option<ElementType>;
}

/// The kind of a constructor parameter's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resolved {
    /// `System.Type`: the blob holds the name of a type.
    SystemType,
    /// An enumeration, on this type.
    Enum(ElementType),
}

/// Knows no types: enough for constructors whose parameters are numbers, strings and arrays of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTypes;

impl AttributeTypes for NoTypes {
    fn resolve(&self, _: TypeSig<'_>) -> Option<Resolved> {
        None
    }

    fn named_enum(&self, _: &str) -> Option<ElementType> {
        None
    }
}

/// The arguments of a custom attribute (II.23.3).
///
/// ```
/// use sigparse::{
///     ElementType, MethodSig, TypeSig,
///     attribute::{AttributeTypes, AttributeValue, Resolved, Value},
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
/// let blob = b"\x01\x00\x04\x00\x00\x00\x01\x00\x54\x02\x09Inherited\x00";
/// let value = AttributeValue::parse(blob, constructor, &Types)?;
/// let Value::Enum { value: under, .. } = value.fixed_args().next().unwrap()? else { panic!() };
/// assert_eq!(under, sigparse::attribute::Primitive::I4(4));
/// let named = value.named_args().next().unwrap()?;
/// assert_eq!((named.name, named.is_property), ("Inherited", true));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct AttributeValue<'a, 't> {
    fixed: Reader<'a>,
    named: Reader<'a>,
    named_count: u16,
    pub(crate) constructor: MethodSig<'a>,
    pub(crate) types: &'t dyn AttributeTypes,
}

impl<'a, 't> AttributeValue<'a, 't> {
    /// Reads the positional arguments of a custom attribute, and the count of the named ones.
    ///
    /// A blob without bytes is one without arguments.
    ///
    /// # Errors
    /// If the blob is malformed, or does not fit the constructor, or holds a type that `types` does not know.
    pub fn parse(
        blob: &'a [u8],
        constructor: MethodSig<'a>,
        types: &'t dyn AttributeTypes,
    ) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        let mut value = Self { fixed: reader, named: reader, named_count: 0, constructor, types };
        if blob.is_empty() && constructor.param_count() == 0 {
            return Ok(value);
        }
        let prolog = u16::from_le_bytes(reader.read_array()?);
        if prolog != 1 {
            return Err(Error::new(0, ErrorKind::InvalidProlog(prolog)));
        }
        value.fixed = reader;
        let mut args = value.fixed_args();
        for arg in args.by_ref() {
            arg?;
        }
        value.named = args.reader;
        value.named_count = u16::from_le_bytes(value.named.read_array()?);
        Ok(value)
    }

    /// The positional arguments: one for each parameter of the constructor.
    pub fn fixed_args(&self) -> FixedArgs<'a, 't> {
        FixedArgs { reader: self.fixed, params: self.constructor.params(), types: self.types }
    }

    /// Returns the number of named arguments.
    pub const fn named_count(&self) -> u16 {
        self.named_count
    }

    /// The named arguments: fields and properties.
    pub const fn named_args(&self) -> NamedArgs<'a, 't> {
        NamedArgs { reader: self.named, left: self.named_count, types: self.types }
    }

    /// Returns whether the blob has no bytes.
    #[cfg(feature = "alloc")]
    pub(crate) const fn is_empty(&self) -> bool {
        self.fixed.position() == 0
    }

    /// Reads all named arguments and checks that nothing follows them.
    ///
    /// # Errors
    /// If one is malformed, or bytes follow the last.
    pub fn validate(&self) -> Result<(), Error> {
        crate::method::no_trailing_bytes(self.end()?)
    }

    /// The bytes after the last named argument.
    ///
    /// # Errors
    /// If a named argument is malformed.
    pub fn trailing_bytes(&self) -> Result<&'a [u8], Error> {
        Ok(self.end()?.rest())
    }

    /// Reads all named arguments, and hands back the reader at their end.
    fn end(&self) -> Result<Reader<'a>, Error> {
        let mut args = self.named_args();
        for arg in args.by_ref() {
            arg?;
        }
        Ok(args.reader)
    }
}

impl fmt::Debug for AttributeValue<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttributeValue")
            .field("fixed_args", &self.fixed_args())
            .field("named_args", &self.named_args())
            .finish()
    }
}

/// The positional arguments: an iterator that ends after an error.
#[derive(Clone, Copy)]
pub struct FixedArgs<'a, 't> {
    reader: Reader<'a>,
    params: Params<'a>,
    types: &'t dyn AttributeTypes,
}

impl<'a, 't> FixedArgs<'a, 't> {
    fn read(&mut self, sig: TypeSig<'_>) -> Result<Value<'a, 't>, Error> {
        let ty = ArgType::of_param(sig, self.types, self.reader.position())?;
        ty.read_value(&mut self.reader, limits::MAX_DEPTH, self.types)
    }
}

impl<'a, 't> Iterator for FixedArgs<'a, 't> {
    type Item = Result<Value<'a, 't>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let value = match self.params.next()? {
            Ok(param) => self.read(param.sig()),
            Err(error) => Err(error),
        };
        if value.is_err() {
            self.params.count = self.params.index;
        }
        Some(value)
    }
}

impl FusedIterator for FixedArgs<'_, '_> {}

impl fmt::Debug for FixedArgs<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

/// A field or property that a custom attribute sets.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NamedArg<'a, 't> {
    /// Whether it is a property, or else a field.
    pub is_property: bool,
    /// The name.
    pub name: &'a str,
    /// The type, which stands before the name.
    pub ty: ArgType<'a>,
    /// The value.
    pub value: Value<'a, 't>,
}

/// The named arguments: an iterator that ends after an error.
#[derive(Clone, Copy)]
pub struct NamedArgs<'a, 't> {
    reader: Reader<'a>,
    left: u16,
    types: &'t dyn AttributeTypes,
}

impl<'a, 't> NamedArgs<'a, 't> {
    fn read(&mut self) -> Result<NamedArg<'a, 't>, Error> {
        let reader = &mut self.reader;
        let at = reader.position();
        let is_property = match ElementType(reader.read_u8()?) {
            ElementType::CA_FIELD => false,
            ElementType::CA_PROPERTY => true,
            other => return Err(Error::new(at, ErrorKind::UnknownAttributeType(other))),
        };
        let ty = ArgType::read(reader, self.types)?;
        let at = reader.position();
        let name = reader.read_ser_string()?.ok_or(Error::new(at, ErrorKind::UnexpectedNull))?;
        let value = ty.read_value(reader, limits::MAX_DEPTH, self.types)?;
        Ok(NamedArg { is_property, name, ty, value })
    }
}

impl<'a, 't> Iterator for NamedArgs<'a, 't> {
    type Item = Result<NamedArg<'a, 't>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let arg = self.read();
        if arg.is_err() {
            self.left = 0;
        }
        Some(arg)
    }
}

impl FusedIterator for NamedArgs<'_, '_> {}

impl fmt::Debug for NamedArgs<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}
