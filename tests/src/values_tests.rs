use serde_json::{Value, json};

use super::*;

fn check(expected: &Value, actual: &Value, declared: &str) -> Result<Tally, String> {
    let mut tally = Tally::default();
    compare(expected, actual, declared, &mut tally).map(|()| tally)
}

#[track_caller]
fn same(expected: Value, actual: Value, declared: &str) -> Tally {
    check(&expected, &actual, declared).unwrap()
}

#[track_caller]
fn differ(expected: Value, actual: Value, declared: &str) {
    assert!(check(&expected, &actual, declared).is_err(), "{expected} and {actual} pass as {declared}");
}

#[test]
fn whole_numbers_are_compared_in_full() {
    same(json!(u64::MAX), json!(u64::MAX), "ulong");
    same(json!(i64::MIN), json!(i64::MIN), "long");
    differ(json!(u64::MAX), json!(u64::MAX - 1), "ulong");
    differ(json!(5), json!(5.0), "int");
    differ(json!(5), json!("5"), "int");
    differ(json!(1), json!(true), "int");
    differ(json!(0), json!(null), "int");
}

#[test]
fn floats_are_compared_by_what_they_read_back_to() {
    let bits = |value: f64| json!({ "bits64": value.to_bits().cast_signed() });
    same(bits(0.1), json!(0.1), "double");
    same(bits(1.0), json!(1), "double");
    same(bits(f64::NAN), json!("NaN"), "double");
    same(bits(f64::NEG_INFINITY), json!("-Infinity"), "double");
    same(bits(5e-324), json!(5e-324), "double");
    differ(bits(-0.0), json!(0.0), "double");
    differ(bits(0.1), json!(0.100_000_001), "double");
    differ(bits(f64::INFINITY), json!("NaN"), "double");
    differ(bits(1.0), json!({"type": "double", "address": "0x1", "elided": "why"}), "double");
}

#[test]
fn narrow_floats_may_be_written_with_few_or_many_digits() {
    let bits = json!({ "bits32": 0.1f32.to_bits() });
    same(bits.clone(), json!(0.1), "float");
    same(bits.clone(), json!(f64::from(0.1f32)), "float");
    differ(bits, json!(0.100_001), "float");
    same(json!({"bits16": 0x3e00}), json!(1.5), "System.Half");
    same(json!({"bits16": 0x0001}), json!(5.960_464_477_539_063e-8), "System.Half");
}

#[test]
fn strings_are_compared_by_unit_and_may_be_cut() {
    let long = "x".repeat(1000);
    let cut = |text: &str, length: usize| json!({"string": text, "length": length, "truncated": true});
    same(json!(long), cut(&long[..200], 1000), "string");
    differ(json!(long), cut(&long[..200], 999), "string");
    differ(json!(long), cut(&long[..10], 1000), "string");
    differ(json!(long), cut(&"y".repeat(200), 1000), "string");
    differ(json!("a"), json!("b"), "string");
    differ(json!(""), json!(null), "string");
}

#[test]
fn only_values_of_unknown_content_may_be_elided() {
    let elided = |ty: &str| json!({"type": ty, "address": "0x7f00", "elided": "not decoded"});
    let call = json!({"type": "Shop.Call", "target": null, "method": "Shop.Cart.Add"});
    let only_type = json!({"type": "Shop.Call", "any": true});
    let tally = same(only_type.clone(), elided("Shop.Call"), "object");
    assert_eq!((tally.exact_total(), tally.elided_total()), (0, 1));
    differ(only_type.clone(), elided("Shop.Other"), "object");
    differ(only_type, elided("object"), "object");
    differ(call, elided("Shop.Call"), "object");
    differ(json!(null), elided("Shop.Item"), "Shop.Item");
    differ(json!("text"), elided("string"), "string");
    differ(json!({"enum": "Shop.Color.Red", "value": 1}), elided("Shop.Color"), "Shop.Color");
    differ(json!({"type": "Shop.Item", "fields": {"name": "x"}}), elided("Shop.Item"), "object");
    differ(json!({"type": "int[]", "length": 1, "items": [1]}), elided("int[]"), "int[]");
    differ(json!({"type": "System.Decimal", "value": "1.50"}), elided("decimal"), "decimal");
    differ(json!(5), elided("int?"), "int?");
    differ(json!({"boxed": "int", "value": 5}), elided("int"), "object");
}

#[test]
fn moved_references_must_be_marked_stale() {
    let stale = json!({"stale": true});
    let why = "the reference at 0x7f00 may have been moved by a garbage collection during the call";
    let tally = same(stale.clone(), json!({ "error": why }), "int");
    assert_eq!(tally.exact_total(), 1);
    differ(stale.clone(), json!({"error": "0x7f00 cannot be read: not mapped"}), "int");
    differ(stale, json!(5), "int");
    differ(json!(5), json!({ "error": why }), "int");
}

#[test]
fn objects_are_compared_field_by_field() {
    let item = |count: Value| json!({"type": "Shop.Item", "fields": {"name": "x", "count": count}});
    let tally = same(item(json!(5)), item(json!(5)), "Shop.Item");
    assert_eq!((tally.exact_total(), tally.elided_total()), (1, 0));
    let elided = json!({"type": "Shop.Count", "address": "0x7f00", "elided": "depth"});
    let tally = same(item(json!({"type": "Shop.Count", "any": true})), item(elided), "Shop.Item");
    assert_eq!((tally.exact_total(), tally.elided_total()), (0, 1));
    differ(item(json!(5)), item(json!(6)), "Shop.Item");
    differ(item(json!(5)), json!({"type": "Shop.Item", "fields": {"name": "x"}}), "Shop.Item");
    differ(json!({"type": "Shop.Item", "fields": {}}), item(json!(5)), "Shop.Item");
    differ(item(json!(5)), json!({"type": "Shop.Thing", "fields": {"name": "x", "count": 5}}), "Shop.Item");
    same(json!({"type": "Shop.Item", "any": true}), item(json!(5)), "Shop.Item");
    differ(json!({"type": "Shop.Thing", "any": true}), item(json!(5)), "Shop.Item");
}

#[test]
fn arrays_are_compared_item_by_item() {
    let ints = |items: &[i32]| json!({"type": "int[]", "length": items.len(), "items": items});
    same(ints(&[1, 2]), ints(&[1, 2]), "int[]");
    differ(ints(&[1, 2]), ints(&[2, 1]), "int[]");
    differ(ints(&[1, 2]), ints(&[1]), "int[]");
    let mut wrong_type = ints(&[1]);
    wrong_type["type"] = json!("uint[]");
    differ(ints(&[1]), wrong_type, "int[]");
    let mut short_cut = ints(&[1, 2]);
    short_cut["items"] = json!([1]);
    short_cut["truncated"] = json!(true);
    differ(ints(&[1, 2]), short_cut, "int[]");
    let grid = |dims: [u32; 2]| json!({"type": "int[,]", "dims": dims, "lower": [0, 0], "length": 2, "items": [1, 2]});
    same(grid([1, 2]), grid([1, 2]), "int[,]");
    differ(grid([1, 2]), grid([2, 1]), "int[,]");
    assert_eq!(element_type("int?[][,]"), "int?[,]");
}

#[test]
fn pointers_are_compared_by_number() {
    same(json!({"pointer": "0x7f"}), json!({"pointer": "0x000000000000007f", "target": 5}), "int*");
    differ(json!({"pointer": "0x7f"}), json!({"pointer": "0x80"}), "int*");
    differ(json!({"pointer": "0x7f"}), json!(null), "int*");
}
