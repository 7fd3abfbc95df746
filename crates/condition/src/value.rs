//! The values of a call, as a condition gets them.

use crate::Path;

/// A value of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'v> {
    /// The null reference, or a nullable value without a value.
    Null,
    /// A `bool`.
    Bool(bool),
    /// An integer, a pointer.
    Integer(i128),
    /// A `float`, `double` or `Half`.
    Float(f64),
    /// A `string` or `char`, in UTF-16.
    Utf16(&'v [u16]),
    /// A text.
    Text(&'v str),
    /// A value with a text of its own, such as a `decimal`, a `DateTime` or a `Guid`: compared as a number where it is one.
    Formatted(&'v str),
    /// A value of an enumeration: its number, and the names of the members that make it up, joined by `, `.
    Enumeration(i128, &'v str),
    /// An object, a struct or an array, of this class. It is compared with null, and by `is`.
    Object(&'v str),
    /// A time, in nanoseconds.
    Nanoseconds(u64),
}

/// The values of a call.
pub trait Source {
    /// Calls `seen` with each value at the path: with none if the call has no such value.
    ///
    /// An object is seen as [`Value::Object`], and not its fields, unless the path has [`Step::All`](crate::Step::All).
    fn visit(&mut self, path: &Path, seen: &mut dyn FnMut(Value<'_>));
}
