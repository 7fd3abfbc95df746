//! Owned values.

use core::fmt;

use crate::{
    half::Half,
    json::JsonWriter,
    shape::{EnumNames, Integer},
    text::TextWriter,
    visitor::{ArrayHead, Bounds, EnumValue, StringUnits, Visitor},
};

/// An owned value, independent of the memory that it was decoded from.
///
/// `Display` writes it as [`TextWriter`] does, [`to_json`](Self::to_json) as [`JsonWriter`] does, and
/// [`visit`](Self::visit) passes it to any visitor.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Value {
    /// A null reference, a null pointer, an empty `Nullable`.
    Null,
    Bool(bool),
    Integer(Integer),
    Half(Half),
    Single(f32),
    Double(f64),
    /// One UTF-16 unit.
    Char(u16),
    /// A string: the decoded units, and the full length.
    String {
        units: Box<[u16]>,
        length: usize,
    },
    /// A value of a type with a text form of its own.
    Formatted {
        type_name: Box<str>,
        text: Box<str>,
    },
    /// An enum: its number, and the names of the members that it consists of.
    Enum {
        type_name: Box<str>,
        names: Box<[Box<str>]>,
        value: Integer,
    },
    /// A struct or an object.
    Object {
        type_name: Box<str>,
        fields: Vec<(Box<str>, Value)>,
    },
    /// An array or a span: the decoded items, and the full length.
    Array {
        type_name: Box<str>,
        length: usize,
        bounds: Option<OwnedBounds>,
        items: Vec<Value>,
        truncated: bool,
    },
    /// A delegate, with the name of its method if known.
    Delegate {
        type_name: Box<str>,
        target: Box<Value>,
        method: Option<Box<str>>,
    },
    /// A pointer, with its target if known.
    Pointer {
        address: usize,
        target: Option<Box<Value>>,
    },
    /// A value that was elided.
    Elided {
        type_name: Box<str>,
        address: usize,
        reason: Box<str>,
    },
    /// An object that is its own ancestor in the same value.
    Cycle {
        type_name: Box<str>,
        address: usize,
    },
    /// An error in the place of a value.
    Error(Box<str>),
}

/// The dimensions of an array: the size and the lower bound of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedBounds {
    /// The sizes.
    pub dims: Box<[u32]>,
    /// The lower bounds.
    pub lower: Box<[i32]>,
}

impl Value {
    /// Visits the value, with the events of a decode.
    pub fn visit<V: Visitor + ?Sized>(&self, visitor: &mut V) {
        match self {
            Self::Null => visitor.null(),
            Self::Bool(value) => visitor.bool(*value),
            Self::Integer(value) => visitor.integer(*value),
            Self::Half(value) => visitor.half(*value),
            Self::Single(value) => visitor.single(*value),
            Self::Double(value) => visitor.double(*value),
            Self::Char(unit) => visitor.char(*unit),
            Self::String { units, length } => visitor.string(&StringUnits { units, length: *length }),
            Self::Formatted { type_name, text } => visitor.formatted(type_name, text),
            Self::Enum { type_name, names, value } => {
                let names = EnumNames::from(&**names);
                visitor.enumeration(&EnumValue { type_name, names, value: *value });
            }
            Self::Object { type_name, fields } => {
                visitor.begin_object(type_name);
                for (index, (name, value)) in fields.iter().enumerate() {
                    visitor.field(index, name);
                    value.visit(visitor);
                }
                visitor.end_object(fields.len());
            }
            Self::Array { type_name, length, bounds, items, truncated } => {
                let bounds =
                    bounds.as_ref().map(|bounds| Bounds { dims: &bounds.dims, lower: &bounds.lower });
                visitor.begin_array(&ArrayHead { type_name, length: *length, bounds });
                for (index, item) in items.iter().enumerate() {
                    visitor.item(index);
                    item.visit(visitor);
                }
                visitor.end_array(items.len(), *truncated);
            }
            Self::Delegate { type_name, target, method } => {
                visitor.begin_delegate(type_name);
                target.visit(visitor);
                visitor.end_delegate(method.as_deref());
            }
            Self::Pointer { address, target: None } => visitor.pointer(*address),
            Self::Pointer { address, target: Some(target) } => {
                visitor.begin_pointer(*address);
                target.visit(visitor);
                visitor.end_pointer();
            }
            Self::Elided { type_name, address, reason } => visitor.elided(type_name, *address, reason),
            Self::Cycle { type_name, address } => visitor.cycle(type_name, *address),
            Self::Error(message) => visitor.error(message),
        }
    }

    /// Returns the field with this name; the first one, of the most basic class, if several classes declare it.
    ///
    /// ```
    /// # use argvalues::{Integer, Value};
    /// let cart = Value::Object {
    ///     type_name: "Shop.Cart".into(),
    ///     fields: vec![("_count".into(), Value::Integer(Integer::Signed(3)))],
    /// };
    /// assert_eq!(cart.get("_count").and_then(Value::as_i64), Some(3));
    /// ```
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object { fields, .. } = self else { return None };
        fields.iter().find(|(field, _)| &**field == name).map(|(_, value)| value)
    }

    /// Returns an integer, or the number of an enum, that fits `i64`.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.integer()? {
            Integer::Signed(value) => Some(value),
            Integer::Unsigned(value) => value.try_into().ok(),
        }
    }

    /// Returns an integer, or the number of an enum, that fits `u64`.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self.integer()? {
            Integer::Signed(value) => value.try_into().ok(),
            Integer::Unsigned(value) => Some(value),
        }
    }

    /// Returns a `float`, `double` or `Half`.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Half(value) => Some(value.to_f32().into()),
            Self::Single(value) => Some((*value).into()),
            Self::Double(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns a `bool`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the text of a string, or of a value whose type has a text form. Lone surrogates become U+FFFD.
    ///
    /// A string that was longer than the limit is cut.
    #[must_use]
    pub fn to_string_lossy(&self) -> Option<String> {
        match self {
            Self::String { units, .. } => Some(String::from_utf16_lossy(units)),
            Self::Formatted { text, .. } => Some(text.to_string()),
            _ => None,
        }
    }

    fn integer(&self) -> Option<Integer> {
        match self {
            Self::Integer(value) | Self::Enum { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// Returns the value as JSON, in the form of [`JsonWriter`].
    ///
    /// ```
    /// # use argvalues::Value;
    /// assert_eq!(Value::Double(f64::NAN).to_json(), r#""NaN""#);
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.visit(&mut JsonWriter::new(&mut out));
        out
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = TextWriter::new(f);
        self.visit(&mut text);
        text.finish()
    }
}

/// A visitor that builds a [`Value`].
///
/// ```
/// use argvalues::{Integer, Value, ValueBuilder, Visitor};
///
/// let mut builder = ValueBuilder::new();
/// builder.integer(Integer::Unsigned(7));
/// assert_eq!(builder.finish(), Some(Value::Integer(Integer::Unsigned(7))));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ValueBuilder {
    /// Open values, the innermost last, each without its unfinished part.
    open: Vec<Open>,
    done: Option<Value>,
}

#[derive(Clone, Debug)]
struct Open {
    value: Value,
    /// The name of the field whose value comes next.
    field: Box<str>,
}

impl ValueBuilder {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Self { open: Vec::new(), done: None }
    }

    /// The value, once one is complete. The builder is empty then, and ready for the next.
    pub fn finish(&mut self) -> Option<Value> {
        self.open.clear();
        self.done.take()
    }

    fn put(&mut self, value: Value) {
        let Some(open) = self.open.last_mut() else {
            self.done = Some(value);
            return;
        };
        match &mut open.value {
            Value::Object { fields, .. } => fields.push((core::mem::take(&mut open.field), value)),
            Value::Array { items, .. } => items.push(value),
            Value::Delegate { target, .. } => **target = value,
            Value::Pointer { target, .. } => *target = Some(Box::new(value)),
            _ => {}
        }
    }

    fn begin(&mut self, value: Value) {
        self.open.push(Open { value, field: Box::default() });
    }

    fn end(&mut self) {
        if let Some(open) = self.open.pop() {
            self.put(open.value);
        }
    }
}

impl Visitor for ValueBuilder {
    fn null(&mut self) {
        self.put(Value::Null);
    }

    fn bool(&mut self, value: bool) {
        self.put(Value::Bool(value));
    }

    fn integer(&mut self, value: Integer) {
        self.put(Value::Integer(value));
    }

    fn single(&mut self, value: f32) {
        self.put(Value::Single(value));
    }

    fn double(&mut self, value: f64) {
        self.put(Value::Double(value));
    }

    fn half(&mut self, value: Half) {
        self.put(Value::Half(value));
    }

    fn char(&mut self, unit: u16) {
        self.put(Value::Char(unit));
    }

    fn string(&mut self, string: &StringUnits<'_>) {
        self.put(Value::String { units: string.units.into(), length: string.length });
    }

    fn enumeration(&mut self, value: &EnumValue<'_>) {
        self.put(Value::Enum {
            type_name: value.type_name.into(),
            names: value.names.iter().map(Box::from).collect(),
            value: value.value,
        });
    }

    fn formatted(&mut self, type_name: &str, text: &str) {
        self.put(Value::Formatted { type_name: type_name.into(), text: text.into() });
    }

    fn begin_object(&mut self, type_name: &str) {
        self.begin(Value::Object { type_name: type_name.into(), fields: Vec::new() });
    }

    fn field(&mut self, _: usize, name: &str) {
        if let Some(open) = self.open.last_mut() {
            open.field = name.into();
        }
    }

    fn end_object(&mut self, _: usize) {
        self.end();
    }

    fn begin_array(&mut self, array: &ArrayHead<'_>) {
        let bounds =
            array.bounds.map(|bounds| OwnedBounds { dims: bounds.dims.into(), lower: bounds.lower.into() });
        self.begin(Value::Array {
            type_name: array.type_name.into(),
            length: array.length,
            bounds,
            items: Vec::new(),
            truncated: false,
        });
    }

    fn item(&mut self, _: usize) {}

    fn end_array(&mut self, _: usize, cut: bool) {
        if let Some(Open { value: Value::Array { truncated, .. }, .. }) = self.open.last_mut() {
            *truncated = cut;
        }
        self.end();
    }

    fn begin_delegate(&mut self, type_name: &str) {
        self.begin(Value::Delegate {
            type_name: type_name.into(),
            target: Box::new(Value::Null),
            method: None,
        });
    }

    fn end_delegate(&mut self, name: Option<&str>) {
        if let Some(Open { value: Value::Delegate { method, .. }, .. }) = self.open.last_mut() {
            *method = name.map(Box::from);
        }
        self.end();
    }

    fn pointer(&mut self, address: usize) {
        self.put(Value::Pointer { address, target: None });
    }

    fn begin_pointer(&mut self, address: usize) {
        self.begin(Value::Pointer { address, target: None });
    }

    fn end_pointer(&mut self) {
        self.end();
    }

    fn elided(&mut self, type_name: &str, address: usize, reason: &str) {
        self.put(Value::Elided { type_name: type_name.into(), address, reason: reason.into() });
    }

    fn cycle(&mut self, type_name: &str, address: usize) {
        self.put(Value::Cycle { type_name: type_name.into(), address });
    }

    fn error(&mut self, message: &dyn fmt::Display) {
        self.put(Value::Error(message.to_string().into()));
    }
}
