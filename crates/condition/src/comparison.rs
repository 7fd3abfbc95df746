//! A comparison of a value with another, or with a constant.

use core::cmp::Ordering;

use regex_lite::Regex;

use crate::{Path, Source, Value};

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Operator {
    /// Whether it holds for values in this order, or without one.
    fn is_met(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Equal => order == Some(Ordering::Equal),
            Self::NotEqual => order != Some(Ordering::Equal),
            Self::Less => order == Some(Ordering::Less),
            Self::AtMost => order.is_some_and(Ordering::is_le),
            Self::Greater => order == Some(Ordering::Greater),
            Self::AtLeast => order.is_some_and(Ordering::is_ge),
        }
    }

    /// The same comparison with its sides exchanged.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }
}

/// What a value is compared with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Operand {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// Another number.
    Float(f64),
    /// A text.
    Text(String),
    /// A time, in nanoseconds.
    Nanoseconds(u64),
    /// Another value of the call.
    Path(Path),
}

#[derive(Clone, Debug)]
enum Test {
    Compared(Operator, Operand),
    /// Whether it matches, or does not.
    Matches(Regex, bool),
    /// The name of a class.
    Is(String),
}

/// One comparison of a condition: `order.Total > 100`.
#[derive(Clone, Debug)]
pub struct Comparison {
    path: Path,
    test: Test,
}

impl Comparison {
    pub(crate) fn compared(path: Path, operator: Operator, operand: Operand) -> Self {
        Self { path, test: Test::Compared(operator, operand) }
    }

    pub(crate) fn matching(path: Path, expression: Regex, does: bool) -> Self {
        Self { path, test: Test::Matches(expression, does) }
    }

    pub(crate) fn of_class(path: Path, class: String) -> Self {
        Self { path, test: Test::Is(class) }
    }

    /// The value that is compared.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The value that it is compared with, if that is another one of the call.
    #[must_use]
    pub fn other_path(&self) -> Option<&Path> {
        match &self.test {
            Test::Compared(_, Operand::Path(path)) => Some(path),
            _ => None,
        }
    }

    /// The paths of all values that it needs.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        core::iter::once(&self.path).chain(self.other_path())
    }

    /// Whether one of the values at the path meets it.
    pub fn holds(&self, source: &mut impl Source) -> bool {
        let Some(other) = self.other_path() else {
            let mut is_met = false;
            source.visit(&self.path, &mut |value| is_met = is_met || self.is_met_by(value));
            return is_met;
        };
        let Test::Compared(operator, _) = &self.test else { return false };
        // A source shows its values one after the other: those of one side are copied.
        let mut own = Vec::new();
        source.visit(&self.path, &mut |value| own.push(Copied::of(value)));
        let mut is_met = false;
        source.visit(other, &mut |value| {
            is_met = is_met || own.iter().any(|own| compares(*operator, own.value(), value));
        });
        is_met
    }

    /// Whether this value meets a comparison with a constant. A comparison with another value of the call is not met.
    #[must_use]
    pub fn is_met_by(&self, value: Value<'_>) -> bool {
        match &self.test {
            Test::Compared(operator, operand) => {
                operand.value().is_some_and(|operand| compares(*operator, value, operand))
            }
            Test::Matches(expression, does) => {
                with_text(value, |text| expression.is_match(text) == *does).unwrap_or(false)
            }
            Test::Is(class) => matches!(value, Value::Object(of) if is_class(of, class)),
        }
    }
}

impl Operand {
    fn value(&self) -> Option<Value<'_>> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Integer(value) => Value::Integer(*value),
            Self::Float(value) => Value::Float(*value),
            Self::Text(text) => Value::Text(text),
            Self::Nanoseconds(time) => Value::Nanoseconds(*time),
            Self::Path(_) => return None,
        })
    }
}

/// A value of its own.
enum Copied {
    Plain(Value<'static>),
    Text(String),
    Formatted(String),
    Enumeration(i128, String),
    Object(String),
}

impl Copied {
    fn of(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Plain(Value::Null),
            Value::Bool(value) => Self::Plain(Value::Bool(value)),
            Value::Integer(value) => Self::Plain(Value::Integer(value)),
            Value::Float(value) => Self::Plain(Value::Float(value)),
            Value::Nanoseconds(value) => Self::Plain(Value::Nanoseconds(value)),
            Value::Utf16(units) => Self::Text(String::from_utf16_lossy(units)),
            Value::Text(text) => Self::Text(text.to_owned()),
            Value::Formatted(text) => Self::Formatted(text.to_owned()),
            Value::Enumeration(value, name) => Self::Enumeration(value, name.to_owned()),
            Value::Object(class) => Self::Object(class.to_owned()),
        }
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Plain(value) => *value,
            Self::Text(text) => Value::Text(text),
            Self::Formatted(text) => Value::Formatted(text),
            Self::Enumeration(value, name) => Value::Enumeration(*value, name),
            Self::Object(class) => Value::Object(class),
        }
    }
}

/// Calls `work` with the text of a value that has one.
fn with_text<T>(value: Value<'_>, work: impl FnOnce(&str) -> T) -> Option<T> {
    Some(match value {
        Value::Text(text) | Value::Formatted(text) | Value::Object(text) | Value::Enumeration(_, text) => {
            work(text)
        }
        Value::Utf16(units) => work(&String::from_utf16_lossy(units)),
        Value::Bool(value) => work(if value { "true" } else { "false" }),
        Value::Integer(value) => work(&value.to_string()),
        Value::Float(value) => work(&value.to_string()),
        Value::Null | Value::Nanoseconds(_) => return None,
    })
}

/// Compares two values. An object is compared with null alone: it is not different from a number because it is none.
fn compares(operator: Operator, one: Value<'_>, other: Value<'_>) -> bool {
    let is_apart = match (one, other) {
        (Value::Object(_), other) | (other, Value::Object(_)) => other != Value::Null,
        _ => false,
    };
    !is_apart && operator.is_met(order(one, other))
}

/// The order of two values, if they can be compared.
fn order(one: Value<'_>, other: Value<'_>) -> Option<Ordering> {
    use Value::{Bool, Enumeration, Float, Formatted, Integer, Nanoseconds, Null, Text, Utf16};

    let equal = |is_equal: bool| is_equal.then_some(Ordering::Equal);
    match (one, other) {
        (Null, Null) => Some(Ordering::Equal),
        (Bool(one), Bool(other)) => equal(one == other),
        (Nanoseconds(one), Nanoseconds(other)) => Some(one.cmp(&other)),
        (Enumeration(one, _), Enumeration(other, _)) => Some(one.cmp(&other)),
        (Enumeration(_, names), Text(text)) => equal(is_member(names, text)),
        (Text(text), Enumeration(_, names)) => equal(is_member(names, text)),
        (Text(one), Text(other)) => Some(one.cmp(other)),
        (Utf16(one), Utf16(other)) => Some(chars(one).cmp(chars(other))),
        (Utf16(one), Text(other) | Formatted(other)) => Some(chars(one).cmp(other.chars())),
        (Text(one) | Formatted(one), Utf16(other)) => Some(one.chars().cmp(chars(other))),
        (Formatted(one), Text(other)) | (Text(one), Formatted(other)) => Some(one.cmp(other)),
        (Formatted(one), Formatted(other)) => match (one.parse::<f64>(), other.parse::<f64>()) {
            (Ok(one), Ok(other)) => one.partial_cmp(&other),
            _ => Some(one.cmp(other)),
        },
        (Integer(one) | Enumeration(one, _), Integer(other) | Enumeration(other, _)) => Some(one.cmp(&other)),
        (Integer(one) | Enumeration(one, _), Float(other)) => with_float(one, other),
        (Float(one), Integer(other) | Enumeration(other, _)) => with_float(other, one).map(Ordering::reverse),
        (Float(one), Float(other)) => one.partial_cmp(&other),
        (Formatted(text), Integer(number)) => decimal(text, number),
        (Integer(number), Formatted(text)) => decimal(text, number).map(Ordering::reverse),
        (Formatted(text), Float(number)) => text.parse().ok().and_then(|own: f64| own.partial_cmp(&number)),
        (Float(number), Formatted(text)) => text.parse().ok().and_then(|own| number.partial_cmp(&own)),
        _ => None,
    }
}

/// The characters of a string. A half of a surrogate pair is none, and is replaced.
fn chars(units: &[u16]) -> impl Iterator<Item = char> {
    char::decode_utf16(units.iter().copied()).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Compares a whole number with another one, with all digits.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the parts are compared apart"
)]
fn with_float(one: i128, other: f64) -> Option<Ordering> {
    if other.is_nan() {
        return None;
    }
    // The cast saturates: what is beyond the range is not equal to its end.
    let (whole, fraction) = (other.trunc(), other.fract());
    let by_range = || (one as f64).partial_cmp(&whole);
    if whole.abs() >= 1.7e38 {
        return by_range();
    }
    Some(
        one.cmp(&(whole as i128))
            .then_with(|| 0.0_f64.total_cmp(&if fraction == 0.0 { 0.0 } else { fraction })),
    )
}

/// Compares a number in decimal notation with a whole one: with all digits if it is whole too.
fn decimal(text: &str, number: i128) -> Option<Ordering> {
    match text.parse::<i128>() {
        Ok(own) => Some(own.cmp(&number)),
        Err(_) => text.parse().ok().and_then(|own| with_float(number, own)).map(Ordering::reverse),
    }
}

/// Whether a member is among the names of a value: `System.IO.FileMode.Open`, `Read, Write`.
fn is_member(names: &str, member: &str) -> bool {
    let is_it =
        |name: &str| name == member || name.strip_suffix(member).is_some_and(|before| before.ends_with('.'));
    is_it(names) || names.split(", ").any(is_it)
}

/// Whether a class has this name, which may lack the namespace, the type around it, and the type arguments.
fn is_class(class: &str, name: &str) -> bool {
    let own = if name.contains('<') { class } else { class.split('<').next().unwrap_or(class) };
    own == name || own.strip_suffix(name).is_some_and(|before| before.ends_with(['.', '+']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_with_all_digits() {
        let max = i128::from(u64::MAX);
        assert_eq!(order(Value::Integer(max), Value::Integer(max - 1)), Some(Ordering::Greater));
        assert_eq!(order(Value::Integer(max), Value::Float(1.5)), Some(Ordering::Greater));
        for (one, other, expected) in [
            (7, 7.0, Ordering::Equal),
            (7, 7.5, Ordering::Less),
            (-7, -7.5, Ordering::Greater),
            (0, -0.0, Ordering::Equal),
            (0, f64::MIN_POSITIVE, Ordering::Less),
            ((1 << 53) + 1, 9_007_199_254_740_992.0, Ordering::Greater),
            (i128::MAX, f64::INFINITY, Ordering::Less),
            (i128::MIN, f64::NEG_INFINITY, Ordering::Greater),
        ] {
            assert_eq!(order(Value::Integer(one), Value::Float(other)), Some(expected), "{one} {other}");
            assert_eq!(
                order(Value::Float(other), Value::Integer(one)),
                Some(expected.reverse()),
                "{one} {other}"
            );
        }
        assert_eq!(order(Value::Integer(1), Value::Float(f64::NAN)), None);
    }

    #[test]
    fn decimals_are_numbers_and_dates_are_texts() {
        let formatted = Value::Formatted;
        assert_eq!(
            order(
                formatted("79228162514264337593543950335"),
                Value::Integer(79_228_162_514_264_337_593_543_950_334)
            ),
            Some(Ordering::Greater)
        );
        assert_eq!(order(formatted("1.50"), Value::Float(1.5)), Some(Ordering::Equal));
        assert_eq!(order(formatted("2.5"), Value::Integer(3)), Some(Ordering::Less));
        assert_eq!(order(formatted("2024-05-06"), Value::Text("2024-05-07")), Some(Ordering::Less));
        assert_eq!(order(formatted("2024-05-06"), Value::Integer(3)), None);
    }

    #[test]
    fn names_may_lack_what_is_around_them() {
        assert!(is_class("System.TimeoutException", "TimeoutException"));
        assert!(is_class("System.TimeoutException", "System.TimeoutException"));
        assert!(!is_class("System.TimeoutException", "OutException"));
        assert!(is_class("System.Collections.Generic.List<System.Int32>", "List"));
        assert!(!is_class("System.Collections.Generic.List<Order>", "Order"));
        assert!(is_class("App.Outer+Inner", "Inner"));
        assert!(is_member("System.IO.FileAccess.Read, System.IO.FileAccess.Write", "Write"));
        assert!(!is_member("System.IO.FileMode.OpenOrCreate", "Create"));
    }
}
