//! Conditions on values: a place, a comparison, a value.

use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

use argvalues::{ArrayHead, EnumValue, Half, Integer, StringUnits, Visitor};

/// A condition: `item.price < 1.5`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::trace) struct Condition {
    /// The argument, `this` or `return`, and the names of fields in it. `*` stands for all below.
    path: Vec<String>,
    comparison: Comparison,
    value: String,
    number: Option<f64>,
    /// The same, if it has no fraction.
    integer: Option<i128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Has,
}

/// The longer ones first.
const COMPARISONS: [(&str, Comparison); 7] = [
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
    ("~", Comparison::Has),
];

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let first = text.find(['!', '<', '>', '=', '~']);
        let found = first.and_then(|at| {
            let rest = &text[at..];
            COMPARISONS
                .iter()
                .find_map(|(sign, comparison)| Some((&text[..at], *comparison, rest.strip_prefix(sign)?)))
        });
        let Some((path, comparison, value)) = found else {
            return Err("a condition is a name, one of = != < <= > >= ~, and a value: name=apple".to_owned());
        };
        let path: Vec<String> = path.trim().split('.').map(str::to_owned).collect();
        if path.iter().any(String::is_empty) {
            return Err("the name of a value is missing: an argument, this, return or *".to_owned());
        }
        let value = value.trim();
        let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        let number = if quoted.is_some() { None } else { value.parse().ok() };
        let integer = if quoted.is_some() { None } else { value.parse().ok() };
        Ok(Self { path, comparison, value: quoted.unwrap_or(value).to_owned(), number, integer })
    }
}

impl Condition {
    /// The name of the argument; `None` for any.
    pub(super) fn name(&self) -> Option<&str> {
        self.path.first().map(String::as_str).filter(|name| *name != "*")
    }

    /// Whether it may be met by this argument.
    pub(super) fn is_about(&self, name: &str) -> bool {
        self.name().is_none_or(|own| own == name)
    }

    fn holds(&self, text: &str, number: Option<f64>) -> bool {
        let order = match (number, self.number) {
            (Some(one), Some(other)) => one.partial_cmp(&other),
            _ => Some(text.cmp(&self.value)),
        };
        if self.comparison == Comparison::Has { text.contains(&self.value) } else { self.is_met(order) }
    }

    /// All digits count: a float has fewer than an integer.
    fn holds_integer(&self, value: Integer) -> bool {
        let (own, mut buffer) = (whole(value), itoa::Buffer::new());
        match (self.comparison, self.integer, self.number) {
            (Comparison::Has, ..) | (_, None, None) => self.holds(buffer.format(own), None),
            (_, Some(integer), _) => self.is_met(Some(own.cmp(&integer))),
            (_, None, Some(number)) => self.is_met(float(value).partial_cmp(&number)),
        }
    }

    /// Whether a text holds, which is decoded only if it must be searched.
    fn holds_text(&self, units: &[u16]) -> bool {
        if self.comparison == Comparison::Has {
            return String::from_utf16_lossy(units).contains(&self.value);
        }
        let decoded = char::decode_utf16(units.iter().copied());
        let decoded = decoded.map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
        self.is_met(Some(decoded.cmp(self.value.chars())))
    }

    /// Whether the comparison holds for a value in this order to the condition's.
    fn is_met(&self, order: Option<Ordering>) -> bool {
        match self.comparison {
            Comparison::Equal => order.is_some_and(Ordering::is_eq),
            Comparison::NotEqual => order.is_none_or(Ordering::is_ne),
            Comparison::Less => order == Some(Ordering::Less),
            Comparison::AtMost => order.is_some_and(Ordering::is_le),
            Comparison::Greater => order == Some(Ordering::Greater),
            Comparison::AtLeast => order.is_some_and(Ordering::is_ge),
            Comparison::Has => false,
        }
    }
}

/// Visits the value of an argument, and notes whether a part of it meets a condition.
pub(super) struct Matcher<'c> {
    condition: Option<&'c Condition>,
    /// How many names of the path are passed in the value that is visited; `None` beside the path.
    passed: Option<usize>,
    /// The same for the values around it.
    around: Vec<Option<usize>>,
    is_met: bool,
}

impl<'c> Matcher<'c> {
    /// Without a condition, the value is only passed.
    pub(super) fn new(name: &str, condition: Option<&'c Condition>) -> Self {
        let passed = condition.and_then(|condition| step(&condition.path, Some(0), name));
        Self { condition, passed, around: Vec::new(), is_met: false }
    }

    pub(super) fn is_met(&self) -> bool {
        self.is_met
    }

    fn leaf(&mut self, text: &str, number: Option<f64>) {
        if let Some(condition) = self.condition_here() {
            self.is_met |= condition.holds(text, number);
        }
    }

    /// Returns the condition, if it is about the value that is visited.
    fn condition_here(&self) -> Option<&'c Condition> {
        let (condition, passed) = (self.condition?, self.passed?);
        condition.path.get(passed).is_none_or(|next| next == "*").then_some(condition)
    }

    fn begin(&mut self) {
        self.around.push(self.passed);
    }

    fn end(&mut self) {
        self.passed = self.around.pop().unwrap_or_default();
    }
}

/// How many names are passed behind another one.
fn step(path: &[String], passed: Option<usize>, name: &str) -> Option<usize> {
    let at = passed?;
    let next = path.get(at)?;
    if next == "*" { Some(at) } else { (next == name).then_some(at + 1) }
}

fn whole(integer: Integer) -> i128 {
    match integer {
        Integer::Signed(value) => value.into(),
        Integer::Unsigned(value) => value.into(),
    }
}

#[allow(clippy::cast_precision_loss, reason = "compared with a number that was read as one")]
fn float(integer: Integer) -> f64 {
    match integer {
        Integer::Signed(value) => value as f64,
        Integer::Unsigned(value) => value as f64,
    }
}

impl Visitor for Matcher<'_> {
    fn null(&mut self) {
        self.leaf("null", None);
    }

    fn bool(&mut self, value: bool) {
        self.leaf(if value { "true" } else { "false" }, None);
    }

    fn integer(&mut self, value: Integer) {
        if let Some(condition) = self.condition_here() {
            self.is_met |= condition.holds_integer(value);
        }
    }

    fn single(&mut self, value: f32) {
        if self.condition_here().is_some() {
            self.leaf(&value.to_string(), Some(value.into()));
        }
    }

    fn double(&mut self, value: f64) {
        if self.condition_here().is_some() {
            self.leaf(&value.to_string(), Some(value));
        }
    }

    fn half(&mut self, value: Half) {
        let text = value.to_string();
        self.leaf(&text, text.parse().ok());
    }

    fn char(&mut self, unit: u16) {
        if let Some(condition) = self.condition_here() {
            self.is_met |= condition.holds_text(&[unit]);
        }
    }

    fn string(&mut self, string: &StringUnits<'_>) {
        if let Some(condition) = self.condition_here() {
            self.is_met |= condition.holds_text(string.units);
        }
    }

    fn enumeration(&mut self, value: &EnumValue<'_>) {
        let Some(condition) = self.condition_here() else { return };
        // By its number, by the name of a member, or by its full name.
        if condition.number.is_some() {
            self.is_met |= condition.holds_integer(value.value);
        } else if value.names.iter().next().is_some_and(|member| member == condition.value) {
            self.leaf(&condition.value, None);
        } else {
            let mut name = String::new();
            let _ = value.write_name(&mut name);
            self.leaf(&name, None);
        }
    }

    fn formatted(&mut self, _: &str, text: &str) {
        self.leaf(text, text.parse().ok());
    }

    fn begin_object(&mut self, _: &str) {
        self.begin();
    }

    fn field(&mut self, _: usize, name: &str) {
        let around = self.around.last().copied().flatten();
        self.passed = self.condition.and_then(|condition| step(&condition.path, around, name));
    }

    fn end_object(&mut self, _: usize) {
        self.end();
    }

    /// The items are where the array is: `names=apple` holds if one of them is.
    fn begin_array(&mut self, _: &ArrayHead<'_>) {
        self.begin();
    }

    fn item(&mut self, _: usize) {
        self.passed = self.around.last().copied().flatten();
    }

    fn end_array(&mut self, _: usize, _: bool) {
        self.end();
    }

    fn begin_delegate(&mut self, _: &str) {
        self.begin();
        self.passed = None;
    }

    fn end_delegate(&mut self, method: Option<&str>) {
        self.end();
        self.leaf(method.unwrap_or_default(), None);
    }

    fn pointer(&mut self, address: usize) {
        if self.condition_here().is_some() {
            self.leaf(&format!("{address:#x}"), None);
        }
    }

    fn begin_pointer(&mut self, _: usize) {}

    fn end_pointer(&mut self) {}

    fn elided(&mut self, _: &str, _: usize, _: &str) {}

    fn cycle(&mut self, _: &str, _: usize) {}

    fn error(&mut self, _: &dyn fmt::Display) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, visit: impl FnOnce(&mut Matcher<'_>)) -> bool {
        let condition: Condition = condition.parse().unwrap();
        let mut matcher = Matcher::new("item", Some(&condition));
        visit(&mut matcher);
        matcher.is_met()
    }

    /// `item`: an object with `price` 7, and `tags`, an array of objects with a `name`.
    fn item(visitor: &mut Matcher<'_>) {
        let array = ArrayHead { type_name: "Tag[]", length: 2, bounds: None };
        visitor.begin_object("Item");
        visitor.field(0, "price");
        visitor.integer(Integer::Signed(7));
        visitor.field(1, "tags");
        visitor.begin_array(&array);
        for (index, name) in ["red", "green"].into_iter().enumerate() {
            visitor.item(index);
            visitor.begin_object("Tag");
            visitor.field(0, "name");
            let units: Vec<u16> = name.encode_utf16().collect();
            visitor.string(&StringUnits { units: &units, length: units.len() });
            visitor.end_object(1);
        }
        visitor.end_array(2, false);
        visitor.field(2, "none");
        visitor.null();
        visitor.end_object(3);
    }

    #[test]
    fn conditions_hold_where_their_path_leads() {
        for (condition, expected) in [
            ("item.price=7", true),
            ("item.price = 7.0", true),
            ("item.price!=7", false),
            ("item.price>=8", false),
            ("item.price<8", true),
            ("item.price=\"7\"", true),
            ("item=7", false),
            ("price=7", false),
            ("item.tags.name=green", true),
            ("item.tags.name~ree", true),
            ("item.tags.name=ree", false),
            ("item.*=green", true),
            ("*=green", true),
            ("*~7", true),
            ("item.tags.*=7", false),
            ("item.none=null", true),
            ("other.*=7", false),
        ] {
            assert_eq!(holds(condition, item), expected, "{condition}");
        }
    }

    #[test]
    fn integers_are_compared_with_all_digits() {
        let large = |visitor: &mut Matcher<'_>| visitor.integer(Integer::Unsigned(u64::MAX));
        assert!(holds("item=18446744073709551615", large));
        assert!(!holds("item=18446744073709551614", large));
        assert!(holds("item>18446744073709000000", large));
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in ["", "name", "=3", "a..b=3"] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
    }
}
