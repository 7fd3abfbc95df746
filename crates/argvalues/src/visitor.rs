//! The visitor of decoded values.

use core::fmt;

use crate::{
    half::Half,
    shape::{EnumNames, Integer, Primitive, TypeShape},
};

/// The events of a decode, in order. The decoder does not allocate for them.
///
/// A value is one event, or starts with a `begin_…` and ends with the matching `end_…`, with one value for each
/// [`item`](Self::item) or [`field`](Self::field) between them. Events are always balanced: a value that cannot be read
/// is an [`error`](Self::error) in its place.
///
/// [`JsonWriter`](crate::JsonWriter), [`TextWriter`](crate::TextWriter) and [`ValueBuilder`](crate::ValueBuilder) are
/// visitors.
pub trait Visitor {
    /// A null reference, a null pointer, an empty `Nullable`.
    fn null(&mut self);

    /// A number, a `bool` or a `char`: its type, and its bits. Only the lowest [`size`](Primitive::size) bytes
    /// count. The default calls one of the next six methods.
    #[inline]
    fn primitive(&mut self, primitive: Primitive, bits: u64) {
        primitive.visit_bits(bits, self);
    }

    /// Returns the bytes of the [record](crate::record) that the visitor writes, if it only writes one. Consecutive numbers
    /// are then appended to it, which is faster than an event for each. `None` by default.
    #[inline]
    fn record(&mut self) -> Option<&mut Vec<u8>> {
        None
    }

    /// A `bool`.
    fn bool(&mut self, value: bool);

    /// An integer of any width.
    fn integer(&mut self, value: Integer);

    /// A `float`.
    fn single(&mut self, value: f32);

    /// A `double`.
    fn double(&mut self, value: f64);

    /// A `System.Half`.
    fn half(&mut self, value: Half);

    /// A `char`: one UTF-16 unit, half of a surrogate pair perhaps.
    fn char(&mut self, unit: u16);

    /// A string, or the beginning of one.
    fn string(&mut self, string: &StringUnits<'_>);

    /// A value of an enum.
    fn enumeration(&mut self, value: &EnumValue<'_>);

    /// A value of a type that has a text form of its own: `System.Decimal`, `1.50`.
    fn formatted(&mut self, type_name: &str, text: &str);

    /// A boxed number, `bool` or `char` follows. Ignored by default.
    fn begin_boxed(&mut self, type_name: &str) {
        let _ = type_name;
    }

    /// The end of a box; see [`begin_boxed`](Self::begin_boxed).
    fn end_boxed(&mut self) {}

    /// A struct, or an object with fields.
    fn begin_object(&mut self, type_name: &str);

    /// [`begin_object`](Self::begin_object) of a shape, all of whose fields follow in their order. By default with the name of
    /// the shape; a visitor that has met the shape before knows its names.
    #[inline]
    fn begin_shape(&mut self, shape: &TypeShape) {
        self.begin_object(shape.name());
    }

    /// The next field, whose value follows; they count from 0.
    fn field(&mut self, index: usize, name: &str);

    /// The end of the struct or object.
    fn end_object(&mut self, fields: usize);

    /// An array or a span.
    fn begin_array(&mut self, array: &ArrayHead<'_>);

    /// The next item, whose value follows; they count from 0.
    fn item(&mut self, index: usize);

    /// Contiguous items of a primitive type, as many as `bytes` holds; they count from `first`. By default, each is an
    /// [`item`](Self::item) and its value.
    fn primitives(&mut self, first: usize, primitive: Primitive, bytes: &[u8]) {
        for (index, bytes) in bytes.chunks_exact(primitive.size()).enumerate() {
            self.item(first + index);
            primitive.visit_bytes(bytes, self);
        }
    }

    /// The end of the array, and whether items were omitted.
    fn end_array(&mut self, items: usize, truncated: bool);

    /// A delegate; the object that it is called on follows.
    fn begin_delegate(&mut self, type_name: &str);

    /// The end of the delegate, and the method that it calls, if known.
    fn end_delegate(&mut self, method: Option<&str>);

    /// A pointer whose target is not known: `void*`, a function pointer.
    fn pointer(&mut self, address: usize);

    /// A pointer whose target follows.
    fn begin_pointer(&mut self, address: usize);

    /// The end of the pointer.
    fn end_pointer(&mut self);

    /// A value that is omitted, and the reason: [`elided`].
    fn elided(&mut self, type_name: &str, address: usize, reason: &str);

    /// [`elided`](Self::elided) of a shape, as [`begin_shape`](Self::begin_shape).
    #[inline]
    fn elided_shape(&mut self, shape: &TypeShape, address: usize, reason: &str) {
        self.elided(shape.name(), address, reason);
    }

    /// An object that is its own ancestor in the same value.
    fn cycle(&mut self, type_name: &str, address: usize);

    /// A value that could not be read: the part, its address and the cause.
    fn error(&mut self, message: &dyn fmt::Display);

    /// An argument, a result or a target of a `ref` or `out` parameter has been visited. Not called by
    /// [`MethodPlan::decode`](crate::MethodPlan::decode) for a method whose arguments are all numbers.
    #[inline]
    fn value_ended(&mut self) {}
}

/// A value that a visitor can visit, once.
///
/// Writers of several values take it, so that a value is decoded only where it is written.
pub trait Visit {
    /// Visits exactly one value, which may be an [`error`](Visitor::error).
    fn visit<V: Visitor + ?Sized>(self, visitor: &mut V);
}

/// An error in the place of a value.
#[derive(Clone, Copy, Debug)]
pub struct Failed<E>(pub E);

impl<E: fmt::Display> Visit for Failed<E> {
    fn visit<V: Visitor + ?Sized>(self, visitor: &mut V) {
        visitor.error(&self.0);
    }
}

/// A number, a `bool` or a `char`, by its bits.
#[derive(Clone, Copy, Debug)]
pub struct PrimitiveValue {
    /// The type.
    pub primitive: Primitive,
    /// The value, in the lowest [`size`](Primitive::size) bytes.
    pub bits: u64,
}

impl Visit for PrimitiveValue {
    #[inline]
    fn visit<V: Visitor + ?Sized>(self, visitor: &mut V) {
        visitor.primitive(self.primitive, self.bits);
    }
}

impl Primitive {
    /// Visits the value in `bytes`. Returns `false` without an event if their number is not [`size`](Self::size).
    #[inline]
    pub(crate) fn visit_bytes<V: Visitor + ?Sized>(self, bytes: &[u8], visitor: &mut V) -> bool {
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

    /// Visits the value in the lowest [`size`](Self::size) bytes of `bits`, by the event of its kind.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)]
    pub fn visit_bits<V: Visitor + ?Sized>(self, bits: u64, visitor: &mut V) {
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
}

/// The decoder's reasons for omitting a value; a runtime may have others.
pub mod elided {
    /// A [field](crate::Field::redacted) or [value of a call](crate::MethodPlan::redact) that is not to be read.
    pub const REDACTED: &str = "redacted";
    /// Deeper than [`Limits::depth`](crate::Limits).
    pub const DEPTH: &str = "depth";
    /// A part of a value whose method has been called often: see [`Decoder::brief`](crate::Decoder::brief).
    pub const OFTEN: &str = "often";
    /// [`Limits::bytes`](crate::Limits) are used up.
    pub const BYTES: &str = "bytes";
    /// [`Limits::time`](crate::Limits) is used up.
    pub const TIME: &str = "time";
    /// Larger than the limit for one value.
    pub const SIZE: &str = "size";
    /// There is no decoder for the type.
    pub const NOT_DECODED: &str = "not decoded";
    /// An `out` parameter before the call: it has no value.
    pub const OUT: &str = "out";
}

/// The UTF-16 units of a string, up to the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringUnits<'a> {
    /// The units from the first on. A surrogate pair is never cut in two.
    pub units: &'a [u16],
    /// The length of the whole string.
    pub length: usize,
}

impl StringUnits<'_> {
    /// Returns whether the string is longer than the units.
    #[must_use]
    pub const fn truncated(&self) -> bool {
        self.units.len() < self.length
    }
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub struct EnumValue<'a> {
    /// The enum.
    pub type_name: &'a str,
    /// The members that make up the value; none if there are none.
    pub names: EnumNames<'a>,
    /// The number.
    pub value: Integer,
}

impl EnumValue<'_> {
    /// Writes the full names joined by `, `, or the enum's name if the number has none.
    ///
    /// # Errors
    /// An error of the writer.
    pub fn write_name<W: fmt::Write + ?Sized>(&self, out: &mut W) -> fmt::Result {
        if self.names.is_empty() {
            return out.write_str(self.type_name);
        }
        for (index, name) in self.names.iter().enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            out.write_str(self.type_name)?;
            out.write_char('.')?;
            out.write_str(name)?;
        }
        Ok(())
    }
}

/// An array or a span, before its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayHead<'a> {
    /// The type of the array, not that of its items.
    pub type_name: &'a str,
    /// The number of all items, shown or not.
    pub length: usize,
    /// The bounds, where the array is not a vector.
    pub bounds: Option<Bounds<'a>>,
}

/// The dimensions of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds<'a> {
    /// The size of each dimension.
    pub dims: &'a [u32],
    /// The lower bound of each dimension.
    pub lower: &'a [i32],
}
