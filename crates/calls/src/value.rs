//! A value of a call, decoded on demand.

use core::fmt;

use argvalues::{
    Argument, ArrayHead, EnumValue, Half, Integer, JsonWriter, Mode, Position, StringUnits, TextWriter,
    Value, ValueBuilder, Visit, Visitor,
};

use crate::decoding::ThreadDecoding;
use crate::program::Program;

/// An argument, the result, or the target of a `ref` or `out` parameter of a call.
///
/// Nothing is read until a method is called, and each call reads again. `Display` writes the value as text for people.
/// A part that cannot be read is an error in its place: see `docs/calltrace-format.md` in the repository.
#[derive(Clone)]
pub struct CallValue<'c> {
    pub(crate) name: &'c str,
    pub(crate) type_name: &'c str,
    pub(crate) argument: Argument<'c>,
    pub(crate) program: &'c Program,
    pub(crate) thread: &'c ThreadDecoding,
    pub(crate) brief: bool,
}

impl CallValue<'_> {
    /// The parameter's name, or `this`; empty for the result.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// The C# name of the declared type; empty for `this`.
    #[must_use]
    pub fn type_name(&self) -> &str {
        self.type_name
    }

    /// Returns the position of the value in the call.
    #[must_use]
    pub fn position(&self) -> Position {
        self.argument.position()
    }

    /// Returns the passing mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.argument.mode()
    }

    /// Decodes the value: a visitor visits exactly one value, whatever happens.
    pub fn visit<V: Visitor + ?Sized>(&self, visitor: &mut V) {
        // Only a visitor that decodes another value meanwhile finds the buffer in use.
        let Ok(mut scratch) = self.thread.scratch.try_borrow_mut() else {
            return visitor.error(&"another value is being decoded on this thread");
        };
        self.argument.decode(&mut self.program.decoder(self.thread, &mut scratch, self.brief), visitor);
    }

    /// Returns the value as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = String::new();
        self.visit(&mut JsonWriter::new(&mut json));
        json
    }

    /// Returns the value with everything in it, as far as the limits allow.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut builder = ValueBuilder::new();
        self.visit(&mut builder);
        builder.finish().unwrap_or(Value::Error("nothing was decoded".into()))
    }

    /// Returns an integer or an enum's number that fits `i64`. Does not allocate.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.scalar()? {
            Scalar::Integer(Integer::Signed(value)) => Some(value),
            Scalar::Integer(Integer::Unsigned(value)) => i64::try_from(value).ok(),
            _ => None,
        }
    }

    /// Returns an integer or an enum's number that fits `u64`. Does not allocate.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.scalar()? {
            Scalar::Integer(Integer::Signed(value)) => u64::try_from(value).ok(),
            Scalar::Integer(Integer::Unsigned(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns a `float` or `double`. Does not allocate.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self.scalar()? {
            Scalar::Float(value) => Some(value),
            _ => None,
        }
    }

    /// Returns a `bool`. Does not allocate.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.scalar()? {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns whether the value is a null reference or pointer, or an empty `Nullable`. Does not allocate.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.scalar(), Some(Scalar::Null))
    }

    /// Reads a string into a buffer and returns it; lone surrogates become U+FFFD. `None` for any other value.
    ///
    /// Does not allocate once the buffer is large enough: keep it in [`CallTracer::Thread`](crate::CallTracer::Thread). A
    /// string longer than the limit is cut.
    pub fn read_str<'b>(&self, buffer: &'b mut String) -> Option<&'b str> {
        buffer.clear();
        let mut reader = StringReader { buffer, is_string: false };
        self.visit(&mut Simple(|event: Event<'_>| reader.read(event)));
        reader.is_string.then_some(buffer)
    }

    fn scalar(&self) -> Option<Scalar> {
        let mut found = None;
        self.visit(&mut Simple(|event: Event<'_>| {
            found = match event {
                Event::Scalar(scalar) => Some(scalar),
                Event::String(_) | Event::Other => None,
            }
        }));
        found
    }
}

impl fmt::Display for CallValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.visit(&mut TextWriter::new(&mut text));
        f.write_str(&text)
    }
}

impl fmt::Debug for CallValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {self}", self.type_name, self.name)
    }
}

impl Visit for &CallValue<'_> {
    fn visit<V: Visitor + ?Sized>(self, visitor: &mut V) {
        self.visit(visitor);
    }
}

/// A value without parts.
#[derive(Clone, Copy)]
enum Scalar {
    Null,
    Bool(bool),
    Integer(Integer),
    Float(f64),
}

enum Event<'e> {
    Scalar(Scalar),
    String(&'e StringUnits<'e>),
    /// Anything that has parts, or could not be read.
    Other,
}

struct StringReader<'b> {
    buffer: &'b mut String,
    is_string: bool,
}

impl StringReader<'_> {
    fn read(&mut self, event: Event<'_>) {
        let Event::String(string) = event else {
            // The strings before were parts of something else.
            self.is_string = false;
            return self.buffer.clear();
        };
        self.is_string = true;
        let chars = char::decode_utf16(string.units.iter().copied());
        self.buffer.extend(chars.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }
}

/// A visitor of values without parts. Those with parts are [`Event::Other`] from their last event on.
struct Simple<F>(F);

impl<F: FnMut(Event<'_>)> Simple<F> {
    fn other(&mut self) {
        (self.0)(Event::Other);
    }
}

impl<F: FnMut(Event<'_>)> Visitor for Simple<F> {
    fn null(&mut self) {
        (self.0)(Event::Scalar(Scalar::Null));
    }

    fn bool(&mut self, value: bool) {
        (self.0)(Event::Scalar(Scalar::Bool(value)));
    }

    fn integer(&mut self, value: Integer) {
        (self.0)(Event::Scalar(Scalar::Integer(value)));
    }

    fn single(&mut self, value: f32) {
        (self.0)(Event::Scalar(Scalar::Float(value.into())));
    }

    fn double(&mut self, value: f64) {
        (self.0)(Event::Scalar(Scalar::Float(value)));
    }

    fn half(&mut self, value: Half) {
        (self.0)(Event::Scalar(Scalar::Float(value.to_f32().into())));
    }

    fn char(&mut self, unit: u16) {
        (self.0)(Event::Scalar(Scalar::Integer(Integer::Unsigned(unit.into()))));
    }

    fn string(&mut self, string: &StringUnits<'_>) {
        (self.0)(Event::String(string));
    }

    fn enumeration(&mut self, value: &EnumValue<'_>) {
        (self.0)(Event::Scalar(Scalar::Integer(value.value)));
    }

    fn formatted(&mut self, _: &str, _: &str) {
        self.other();
    }

    fn begin_object(&mut self, _: &str) {}

    fn field(&mut self, _: usize, _: &str) {}

    fn end_object(&mut self, _: usize) {
        self.other();
    }

    fn begin_array(&mut self, _: &ArrayHead<'_>) {}

    fn item(&mut self, _: usize) {}

    fn end_array(&mut self, _: usize, _: bool) {
        self.other();
    }

    fn begin_delegate(&mut self, _: &str) {}

    fn end_delegate(&mut self, _: Option<&str>) {
        self.other();
    }

    fn pointer(&mut self, _: usize) {
        self.other();
    }

    fn begin_pointer(&mut self, _: usize) {}

    fn end_pointer(&mut self) {
        self.other();
    }

    fn elided(&mut self, _: &str, _: usize, _: &str) {
        self.other();
    }

    fn cycle(&mut self, _: &str, _: usize) {
        self.other();
    }

    fn error(&mut self, _: &dyn fmt::Display) {
        self.other();
    }
}
