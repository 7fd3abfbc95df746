//! Where a value is in a call.

use core::fmt;

/// The value of a call that a path begins at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Head {
    /// The argument of this name.
    Argument(String),
    /// The object whose method is called.
    This,
    /// The result.
    Return,
    /// What the call throws.
    Exception,
    /// The time between its beginning and its end.
    Duration,
    /// The name of the thread.
    ThreadName,
    /// Any argument, the object, or the result.
    Any,
}

/// A step from a value to one in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// To a field or property; of an array or a collection, to that of each item.
    Field(String),
    /// To an item.
    Item(u64),
    /// To all values in it.
    All,
}

/// Where a value is in a call: `order.Customer.Name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub(crate) head: Head,
    pub(crate) steps: Vec<Step>,
}

impl Path {
    /// The value that it begins at.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The steps from there.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

/// The names that mean something else than an argument.
pub(crate) const RESERVED: [&str; 6] = ["this", "return", "exception", "duration", "thread", "arg"];

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.head {
            Head::Argument(name) if is_name(name) && !RESERVED.contains(&name.as_str()) => {
                f.write_str(name)?
            }
            Head::Argument(name) => write!(f, "arg({name:?})")?,
            Head::This => f.write_str("this")?,
            Head::Return => f.write_str("return")?,
            Head::Exception => f.write_str("exception")?,
            Head::Duration => f.write_str("duration")?,
            Head::ThreadName => f.write_str("thread.name")?,
            Head::Any => f.write_str("*")?,
        }
        self.steps.iter().try_for_each(|step| match step {
            Step::Field(name) => write!(f, ".{name}"),
            Step::Item(index) => write!(f, "[{index}]"),
            Step::All => f.write_str(".*"),
        })
    }
}

/// Whether a text is an identifier, as the names of C# are. The compiler's own names have angle brackets, which are none.
pub(crate) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(begins_name) && chars.all(continues_name)
}

pub(crate) fn begins_name(char: char) -> bool {
    char.is_alphabetic() || matches!(char, '_' | '@' | '$')
}

pub(crate) fn continues_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
