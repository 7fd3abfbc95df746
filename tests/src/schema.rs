//! Checks that a record conforms to the documented format, independently of the traced program.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Map, Value};

use crate::record::{Event, Record, Slot};

/// A form of VALUE that is an object: its required keys, and its optional ones.
struct Shape {
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

const SHAPES: &[Shape] = &[
    Shape { required: &["string", "length", "truncated"], optional: &[] },
    Shape { required: &["enum", "value"], optional: &[] },
    Shape { required: &["type", "fields"], optional: &[] },
    Shape { required: &["type", "value"], optional: &[] },
    Shape { required: &["type", "length", "items"], optional: &["truncated", "dims", "lower"] },
    Shape { required: &["type", "target", "method"], optional: &[] },
    Shape { required: &["pointer"], optional: &["target"] },
    Shape { required: &["type", "address", "elided"], optional: &[] },
    Shape { required: &["type", "cycle"], optional: &[] },
    Shape { required: &["error"], optional: &[] },
];

/// Checks names and values of a record.
///
/// # Errors
///
/// The part, and the rule that it violates.
pub fn check(record: &Record) -> Result<()> {
    ensure!(!record.module.is_empty(), "the module has no name");
    ensure!(!record.module.contains('/'), "the module is a path: {}", record.module);
    method_name(&record.method).context("method")?;
    match &record.event {
        Event::Enter { signature, this, args, error } => {
            ensure!(
                signature.contains(&format!(" {}(", record.method)) && signature.ends_with(')'),
                "the signature `{signature}` is not that of `{}`",
                record.method
            );
            ensure!(error.as_ref().is_none_or(|reason| !reason.is_empty()), "`error` has no reason");
            this.iter().try_for_each(value).context("this")?;
            args.iter().try_for_each(slot)
        }
        Event::Leave { result, outs } => {
            if let Some((ty, result)) = result {
                type_name(ty).context("return type")?;
                value(result).context("return value")?;
            }
            outs.iter().try_for_each(slot)
        }
        Event::Tailcall | Event::Suspend | Event::Resume => Ok(()),
        Event::Unwind { exception } => type_name(exception).context("exception"),
    }
}

fn slot(slot: &Slot) -> Result<()> {
    type_name(&slot.ty).with_context(|| format!("type of `{}`", slot.name))?;
    slot.value.iter().try_for_each(value).with_context(|| format!("value of `{}`", slot.name))
}

/// Checks a method's name. That of an explicit implementation has an interface in it, in the compiler's format:
/// `Shop.Cart.Shop.IHolds<System.Int32>.Take`.
///
/// # Errors
///
/// The reason that it is no C# name.
pub fn method_name(name: &str) -> Result<()> {
    ensure!(!name.is_empty(), "empty name");
    for metadata in ['`', '/', '+', '!', '&'] {
        ensure!(!name.contains(metadata), "`{name}` has a `{metadata}`, which is not C#");
    }
    Ok(())
}

/// Checks that a type's name is in C# format: it must not contain metadata syntax.
fn type_name(name: &str) -> Result<()> {
    method_name(name)?;
    for keyword in ["System.Int32", "System.String", "System.Object", "System.Boolean", "System.Void"] {
        let whole = name.split(['<', '>', ',', ' ', '[', '*', '?', '(', ')']).any(|part| part == keyword);
        ensure!(!whole, "`{name}` has `{keyword}` instead of its keyword");
    }
    Ok(())
}

/// Whether an error says that a collection may have moved the value.
#[must_use]
pub fn is_stale(error: &Value) -> bool {
    error
        .as_str()
        .is_some_and(|text| text.ends_with("may have been moved by a garbage collection during the call"))
}

fn value(value: &Value) -> Result<()> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        Value::Array(_) => bail!("an array without a type: {value}"),
        Value::Object(map) => object(map).with_context(|| format!("in {value}")),
    }
}

fn object(map: &Map<String, Value>) -> Result<()> {
    let fits = |shape: &&Shape| {
        let known =
            |key: &String| shape.required.contains(&key.as_str()) || shape.optional.contains(&key.as_str());
        shape.required.iter().all(|key| map.contains_key(*key)) && map.keys().all(known)
    };
    let shape = SHAPES.iter().find(fits).context("no shape of value has these keys")?;
    for key in shape.required.iter().chain(shape.optional) {
        if let Some(part) = map.get(*key) {
            member(key, part).with_context(|| format!("`{key}`"))?;
        }
    }
    Ok(())
}

fn member(key: &str, part: &Value) -> Result<()> {
    match key {
        "type" => type_name(part.as_str().context("not a string")?),
        "enum" | "elided" | "string" | "method" => {
            ensure!(part.as_str().is_some_and(|text| !text.is_empty()), "not a text");
            Ok(())
        }
        // The one reason that a program writes itself, and that only a comparison can check.
        "error" => {
            ensure!(is_stale(part), "the value could not be read: {part}");
            Ok(())
        }
        "address" | "pointer" | "cycle" => {
            let digits = part.as_str().and_then(|text| text.strip_prefix("0x")).context("not an address")?;
            u64::from_str_radix(digits, 16).map(|_| ()).context("not an address")
        }
        "length" => part.as_u64().map(|_| ()).context("not a length"),
        "truncated" => {
            ensure!(part == &Value::Bool(true), "is absent or true");
            Ok(())
        }
        "dims" | "lower" => {
            let numbers = part.as_array().context("not an array")?;
            ensure!(numbers.iter().all(Value::is_i64), "not whole numbers");
            Ok(())
        }
        "items" => part.as_array().context("not an array")?.iter().try_for_each(value),
        "fields" => part.as_object().context("not an object")?.values().try_for_each(value),
        _ => value(part),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_shape_of_the_contract_passes() {
        for good in [
            json!(null),
            json!(-5),
            json!("NaN"),
            json!({"string": "abc", "length": 9, "truncated": true}),
            json!({"enum": "Shop.Opt.A, Shop.Opt.C", "value": 5}),
            json!({"type": "System.Decimal", "value": "1.50"}),
            json!({"type": "Shop.Item", "fields": {"name": "x", "next": {"type": "Shop.Item", "cycle": "0x7f00"}}}),
            json!({"type": "int[]", "length": 3, "items": [1, 2, 3]}),
            json!({"type": "int[,]", "length": 2, "dims": [1, 2], "lower": [0, -1], "items": [1, 2]}),
            json!({"type": "System.Func<int>", "target": null, "method": "Shop.Cart.<Add>b__0"}),
            json!({"pointer": "0x7fff0", "target": 5}),
            json!({"type": "Shop.Node", "address": "0x7f00", "elided": "depth"}),
        ] {
            value(&good).unwrap();
        }
    }

    #[test]
    fn values_of_no_shape_fail() {
        for bad in [
            json!([1, 2]),
            json!({"type": "Shop.Item"}),
            json!({"type": "int[]", "length": -3, "items": []}),
            json!({"type": "int[]", "length": 3, "items": [], "truncated": false}),
            json!({"type": "Shop.Item`1", "fields": {}}),
            json!({"type": "System.Int32[]", "length": 0, "items": []}),
            json!({"type": "Shop.Item", "fields": {"a": {"unheard": 1}}}),
            json!({"pointer": "7fff0"}),
            json!({"error": "argument 1: no layout"}),
        ] {
            assert!(value(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_csharp() {
        for good in
            ["Shop.Cart<string>..ctor", "A.<M>d__3<int>.MoveNext", "(int, string)", "delegate*<int, void>"]
        {
            type_name(good).unwrap();
        }
        for bad in ["", "A/B", "A+B", "List`1", "System.Nullable<System.Int32>", "!0", "int&"] {
            assert!(type_name(bad).is_err(), "{bad}");
        }
    }
}
