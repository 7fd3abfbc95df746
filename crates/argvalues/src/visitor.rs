//! The events that a decode drives.

use core::fmt;

use crate::{
    half::Half,
    shape::{EnumNames, Integer, Primitive},
};

/// What a decode tells, in order, without allocating.
///
/// One value is one event, or begins with a `begin_…` and ends with the matching `end_…`, with one value for
/// each [`item`](Self::item) or [`field`](Self::field) between them. Events are always balanced: what cannot be
/// read is an [`error`](Self::error) in the place of the value.
///
/// [`JsonWriter`](crate::JsonWriter), [`TextWriter`](crate::TextWriter) and [`ValueBuilder`](crate::ValueBuilder) are
/// visitors.
pub trait Visitor {
    /// A null reference, a null pointer, an empty `Nullable`.
    fn null(&mut self);

    /// A number, a `bool` or a `char`: its type, and its bits, of which as many count as it is wide. Without an answer, it
    /// is told by one of the next six.
    #[inline]
    fn primitive(&mut self, primitive: Primitive, bits: u64) {
        primitive.tell_bits(bits, self);
    }

    /// The bytes of the [record](crate::record) that the visitor writes, if it does that and nothing else. Numbers that
    /// follow each other may then be appended there, which is quicker than an event for each. Without an answer, there
    /// is an event for each.
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

    /// A number, `bool` or `char` in an object of its own follows. Without an answer, it is told as if it were in
    /// none.
    fn begin_boxed(&mut self, type_name: &str) {
        let _ = type_name;
    }

    /// The end of what [`begin_boxed`](Self::begin_boxed) began.
    fn end_boxed(&mut self) {}

    /// A struct, or an object with fields.
    fn begin_object(&mut self, type_name: &str);

    /// The next field, whose value follows; they count from 0.
    fn field(&mut self, index: usize, name: &str);

    /// The end of the struct or object.
    fn end_object(&mut self, fields: usize);

    /// An array or a span.
    fn begin_array(&mut self, array: &ArrayHead<'_>);

    /// The next item, whose value follows; they count from 0.
    fn item(&mut self, index: usize);

    /// Items of a primitive type that lie side by side, as many as `bytes` holds; they count from `first`. Without an
    /// answer, each is told as an [`item`](Self::item) and its value.
    fn primitives(&mut self, first: usize, primitive: Primitive, bytes: &[u8]) {
        for (index, bytes) in bytes.chunks_exact(primitive.size()).enumerate() {
            self.item(first + index);
            primitive.tell(bytes, self);
        }
    }

    /// The end of the array, and whether there are items that were not shown.
    fn end_array(&mut self, items: usize, truncated: bool);

    /// A delegate; the object that it is called on follows.
    fn begin_delegate(&mut self, type_name: &str);

    /// The end of the delegate, and the method that it calls, where that is known.
    fn end_delegate(&mut self, method: Option<&str>);

    /// A pointer whose target is not known: `void*`, a function pointer.
    fn pointer(&mut self, address: usize);

    /// A pointer whose target follows.
    fn begin_pointer(&mut self, address: usize);

    /// The end of the pointer.
    fn end_pointer(&mut self);

    /// A value that is left out, and why: [`elided`].
    fn elided(&mut self, type_name: &str, address: usize, reason: &str);

    /// An object that is being shown further out in the same value.
    fn cycle(&mut self, type_name: &str, address: usize);

    /// A value that could not be read: what, where and why.
    fn error(&mut self, message: &dyn fmt::Display);
}

/// The reasons for leaving a value out that the decoder itself gives; a runtime may give others.
pub mod elided {
    /// Deeper than [`Limits::depth`](crate::Limits).
    pub const DEPTH: &str = "depth";
    /// [`Limits::bytes`](crate::Limits) are used up.
    pub const BYTES: &str = "bytes";
    /// [`Limits::time`](crate::Limits) is used up.
    pub const TIME: &str = "time";
    /// Larger than what is ever read for one value.
    pub const SIZE: &str = "size";
    /// Nothing decodes such a value yet.
    pub const NOT_DECODED: &str = "not decoded";
    /// An `out` parameter before the call: it has no value.
    pub const OUT: &str = "out";
}

/// The UTF-16 units of a string that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringUnits<'a> {
    /// The units from the first on. A surrogate pair is never cut in two.
    pub units: &'a [u16],
    /// The length of the whole string.
    pub length: usize,
}

impl StringUnits<'_> {
    /// Whether there is more than is shown.
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
    /// Those of the writer.
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
