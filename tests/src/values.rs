//! Compares a value of the trace with the one that the program reports.
//!
//! The report has four formats of its own, so that more than text can be compared: floating-point
//! numbers as bits (`{"bits64":…}`), boxed primitives (`{"boxed":"int","value":5}`), `"any":true` where
//! only the type is known, and `"stale":true` for a variable that a collection may have moved.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value, json};

use crate::json::utf16;
use crate::schema;

/// A string or array that is cut by a limit must be at least this long: the limits are meant for large ones.
pub const SHORTEST_CUT: usize = 64;

/// The kinds of compared values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `null` where no `Nullable` is declared.
    Null,
    /// A number, `bool`, `char` or string.
    Primitive,
    /// An enum.
    Enum,
    /// A one-dimensional array of numbers, `bool` or `char`.
    PrimitiveArray,
    /// Any other array, and spans.
    OtherArray,
    /// A class or struct.
    Object,
    /// `decimal`, dates and others with a text form.
    Formatted,
    /// A value declared as `T?`.
    Nullable,
    /// A primitive in an `object`.
    Boxed,
    /// A delegate.
    Delegate,
    /// A pointer.
    Pointer,
    /// A variable that a collection may have moved.
    Stale,
}

/// The numbers of compared values, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Values that were present and equal in all fields.
    pub exact: BTreeMap<Kind, usize>,
    /// Values for which only the type was present, and equal.
    pub elided: BTreeMap<Kind, usize>,
}

impl Tally {
    /// All values that were compared in full.
    #[must_use]
    pub fn exact_total(&self) -> usize {
        self.exact.values().sum()
    }

    /// All values for which only the type was compared.
    #[must_use]
    pub fn elided_total(&self) -> usize {
        self.elided.values().sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (exact, elided) = (&self.exact, &self.elided);
        write!(f, "{} values exact {exact:?}, {} elided {elided:?}", self.exact_total(), self.elided_total())
    }
}

/// Compares one value, declared as type `declared`, and counts it: as elided when any part of it was.
///
/// # Errors
///
/// Where in the value the two differ, and how.
pub fn compare(expected: &Value, actual: &Value, declared: &str, tally: &mut Tally) -> Result<(), String> {
    let mut elided = false;
    part(expected, actual, declared, &mut elided)?;
    let counts = if elided { &mut tally.elided } else { &mut tally.exact };
    *counts.entry(kind(expected, declared)).or_default() += 1;
    Ok(())
}

fn part(expected: &Value, actual: &Value, declared: &str, elided: &mut bool) -> Result<(), String> {
    if let Some(ty) = elided_type(actual) {
        let wanted = type_of(expected, declared);
        if expected.get("any").is_none() {
            return Err(format!("may not be elided: {actual}, expected {expected}"));
        }
        if same_type(wanted, ty) {
            *elided = true;
            return Ok(());
        }
        return Err(format!("elided as type `{ty}`, expected `{wanted}`"));
    }
    match expected {
        Value::Object(map) => object(map, actual, elided),
        Value::String(text) => string(text, actual),
        _ if expected == actual => Ok(()),
        _ => Err(format!("{actual}, expected {expected}")),
    }
}

fn kind(expected: &Value, declared: &str) -> Kind {
    if declared.ends_with('?') {
        return Kind::Nullable;
    }
    let Value::Object(map) = expected else {
        return if expected.is_null() { Kind::Null } else { Kind::Primitive };
    };
    let has = |key| map.contains_key(key);
    if has("stale") {
        Kind::Stale
    } else if has("enum") {
        Kind::Enum
    } else if has("bits16") || has("bits32") || has("bits64") {
        Kind::Primitive
    } else if has("boxed") {
        Kind::Boxed
    } else if has("pointer") {
        Kind::Pointer
    } else if has("items") {
        let element = text(map, "type").strip_suffix("[]").unwrap_or_default();
        if PRIMITIVES.contains(&element) { Kind::PrimitiveArray } else { Kind::OtherArray }
    } else if has("target") {
        Kind::Delegate
    } else if has("value") {
        Kind::Formatted
    } else {
        Kind::Object
    }
}

const PRIMITIVES: &[&str] = &[
    "bool", "char", "sbyte", "byte", "short", "ushort", "int", "uint", "long", "ulong", "nint", "nuint",
    "float", "double",
];

fn elided_type(actual: &Value) -> Option<&str> {
    actual.get("elided")?;
    actual.get("type")?.as_str()
}

fn type_of<'a>(expected: &'a Value, declared: &'a str) -> &'a str {
    let own = expected.get("type").or_else(|| expected.get("boxed"));
    own.and_then(Value::as_str).unwrap_or(declared)
}

/// In the format, the type of a decimal value has its full name, and its keyword everywhere else.
fn same_type(a: &str, b: &str) -> bool {
    let short = |name| if name == "System.Decimal" { "decimal" } else { name };
    short(a) == short(b)
}

fn text<'a>(map: &'a Map<String, Value>, key: &str) -> &'a str {
    map.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn object(expected: &Map<String, Value>, actual: &Value, elided: &mut bool) -> Result<(), String> {
    for (key, width) in [("bits16", 16), ("bits32", 32), ("bits64", 64)] {
        if let Some(bits) = expected.get(key).and_then(Value::as_i64) {
            return float(bits, width, actual);
        }
    }
    let Value::Object(map) = actual else {
        return Err(format!("{actual}, expected {}", Value::Object(expected.clone())));
    };
    if expected.contains_key("stale") {
        let is_stale = map.get("error").is_some_and(schema::is_stale);
        return if is_stale { Ok(()) } else { Err(format!("{actual}, expected a stale reference")) };
    }
    if let Some(pointer) = expected.get("pointer") {
        let number =
            |value: Option<&Value>| u64::from_str_radix(value?.as_str()?.strip_prefix("0x")?, 16).ok();
        let same = number(Some(pointer)).is_some() && number(Some(pointer)) == number(map.get("pointer"));
        return if same { Ok(()) } else { Err(format!("{actual}, expected a pointer {pointer}")) };
    }
    let ty = expected.get("type").or_else(|| expected.get("boxed")).and_then(Value::as_str);
    if let Some(ty) = ty
        && !same_type(ty, text(map, "type"))
    {
        return Err(format!("{actual} has type `{}`, expected `{ty}`", text(map, "type")));
    }
    for (key, wanted) in expected {
        match key.as_str() {
            "type" | "boxed" => {}
            "any" => *elided = true,
            "cycle" if map.contains_key("cycle") => {}
            "items" => items(expected, map, elided)?,
            // The dimensions imply the total.
            "length" if expected.contains_key("dims") && !map.contains_key("length") => {}
            "fields" => fields(wanted, map.get("fields"), elided)?,
            _ => {
                let found = map.get(key).ok_or_else(|| format!("`{key}` is missing in {actual}"))?;
                part(wanted, found, "", elided).map_err(|e| format!("{key}: {e}"))?;
            }
        }
    }
    Ok(())
}

fn items(
    expected: &Map<String, Value>,
    actual: &Map<String, Value>,
    elided: &mut bool,
) -> Result<(), String> {
    let list =
        |map: &Map<String, Value>| map.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
    let (wanted, found) = (list(expected), list(actual));
    let cut = actual.contains_key("truncated");
    if cut && found.len() < SHORTEST_CUT || !cut && found.len() != wanted.len() || found.len() > wanted.len()
    {
        return Err(format!("{} items (cut: {cut}), expected {}", found.len(), wanted.len()));
    }
    let element = element_type(text(expected, "type"));
    for (i, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
        part(wanted, found, &element, elided).map_err(|e| format!("[{i}]: {e}"))?;
    }
    Ok(())
}

/// `int?[]` → `int?`; an array's first rank is its outermost.
fn element_type(array: &str) -> String {
    let Some(open) = array.find('[') else { return String::new() };
    let close = array[open..].find(']').map_or(array.len(), |i| open + i + 1);
    format!("{}{}", &array[..open], &array[close..])
}

fn fields(expected: &Value, actual: Option<&Value>, elided: &mut bool) -> Result<(), String> {
    let (Some(expected), Some(actual)) = (expected.as_object(), actual.and_then(Value::as_object)) else {
        return Err("`fields` is missing".to_owned());
    };
    if let Some(extra) = actual.keys().find(|key| !expected.contains_key(*key)) {
        return Err(format!("there is no field `{extra}`"));
    }
    for (name, wanted) in expected {
        let found = actual.get(name).ok_or_else(|| format!("the field `{name}` is missing"))?;
        part(wanted, found, "", elided).map_err(|e| format!(".{name}: {e}"))?;
    }
    Ok(())
}

fn string(expected: &str, actual: &Value) -> Result<(), String> {
    let shown = || format!("{}, expected {:?}", clip(&actual.to_string()), clip(expected));
    let wanted = utf16(expected);
    if let Some(found) = actual.as_str() {
        return if utf16(found) == wanted { Ok(()) } else { Err(shown()) };
    }
    let cut = actual.get("truncated") == Some(&Value::Bool(true));
    let found = actual.get("string").and_then(Value::as_str).map(utf16);
    let length = actual.get("length").and_then(Value::as_u64);
    match found {
        Some(found) if cut && found.len() >= SHORTEST_CUT && wanted.starts_with(&found) => {
            if length == Some(wanted.len() as u64) { Ok(()) } else { Err(shown()) }
        }
        _ => Err(shown()),
    }
}

fn clip(text: &str) -> String {
    text.chars().take(200).collect()
}

/// By the format: a number that parses to the same value, or the name of a special value.
fn float(bits: i64, width: u32, actual: &Value) -> Result<(), String> {
    let number = match actual {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    };
    let number = number.ok_or_else(|| format!("{actual} is not a floating-point number"))?;
    let expected = widen(bits, width);
    // A narrow number may be written with the digits that its own width needs.
    #[expect(clippy::cast_possible_truncation, reason = "reading back at the value's own width is the point")]
    let narrow = |value: f64| if width == 64 { value } else { f64::from(value as f32) };
    let same = narrow(number).to_bits() == expected.to_bits() || number.is_nan() && expected.is_nan();
    if same { Ok(()) } else { Err(format!("{actual}, expected {expected:?} ({width} bits)")) }
}

/// A value of the report in the format of a tracer that decodes everything.
#[must_use]
pub fn in_documented_format(value: &Value) -> Value {
    let Value::Object(map) = value else {
        return match value {
            Value::Array(items) => items.iter().map(in_documented_format).collect(),
            other => other.clone(),
        };
    };
    for (key, width) in [("bits16", 16), ("bits32", 32), ("bits64", 64)] {
        if let Some(bits) = map.get(key).and_then(Value::as_i64) {
            return number(widen(bits, width));
        }
    }
    let ty = || map.get("boxed").or_else(|| map.get("type")).cloned().unwrap_or_default();
    if map.contains_key("any") {
        return json!({ "type": ty(), "address": "0x7f00", "elided": "depth" });
    }
    if map.contains_key("cycle") {
        return json!({ "type": ty(), "cycle": "0x7f00" });
    }
    let spelled = |(key, part): (&String, &Value)| {
        let key = if key == "boxed" { "type" } else { key };
        (key.to_owned(), in_documented_format(part))
    };
    Value::Object(map.iter().map(spelled).collect())
}

fn number(value: f64) -> Value {
    if value.is_finite() {
        json!(value)
    } else if value.is_nan() {
        json!("NaN")
    } else if value > 0.0 {
        json!("Infinity")
    } else {
        json!("-Infinity")
    }
}

fn widen(bits: i64, width: u32) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the bits, as many as there are"
    )]
    match width {
        64 => f64::from_bits(bits as u64),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => half(bits as u16),
    }
}

fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;
