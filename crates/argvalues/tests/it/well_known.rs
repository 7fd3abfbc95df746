//! Types with a text form of their own.

use std::sync::Arc;

use argvalues::{Field, Primitive, TypeShape};

use crate::heap::{Heap, int, ints, primitive};

const EPOCH: u64 = 621_355_968_000_000_000;

fn known(name: &str, size: usize) -> TypeShape {
    let data = Field::new("_data", 0, primitive(if size == 2 { Primitive::U16 } else { Primitive::U64 }));
    TypeShape::value_type(name, name, size, vec![data])
}

#[test]
fn decimals_guids_and_wide_integers() {
    let mut heap = Heap::new();
    let mut show = |name: &str, bytes: &[u8]| heap.json_of(&known(name, bytes.len()), bytes);
    let decimal = [ints(&[2 << 16, 0]), 150_u64.to_ne_bytes().to_vec()].concat();
    assert_eq!(show("System.Decimal", &decimal), r#"{"type":"System.Decimal","value":"1.50"}"#);
    assert_eq!(
        show("System.Guid", &[0; 16]),
        r#"{"type":"System.Guid","value":"00000000-0000-0000-0000-000000000000"}"#
    );
    assert_eq!(
        show("System.Int128", &i128::MIN.to_ne_bytes()),
        r#"{"type":"System.Int128","value":"-170141183460469231731687303715884105728"}"#
    );
    assert_eq!(
        show("System.UInt128", &u128::MAX.to_ne_bytes()),
        r#"{"type":"System.UInt128","value":"340282366920938463463374607431768211455"}"#
    );
    assert_eq!(show("System.Half", &0x3e00_u16.to_ne_bytes()), "1.5");
    assert_eq!(show("System.Half", &0xfc00_u16.to_ne_bytes()), r#""-Infinity""#);
}

#[test]
fn times() {
    let mut heap = Heap::new();
    heap.utc_offset = Some(60);
    let mut show = |name: &str, data: u64| heap.json_of(&known(name, 8), data.to_ne_bytes());
    assert_eq!(show("System.TimeSpan", 90_000_000_000), r#"{"type":"System.TimeSpan","value":"02:30:00"}"#);
    let date = |text: &str| format!(r#"{{"type":"System.DateTime","value":"{text}"}}"#);
    assert_eq!(show("System.DateTime", EPOCH), date("1970-01-01T00:00:00.0000000"));
    assert_eq!(show("System.DateTime", EPOCH | 1 << 62), date("1970-01-01T00:00:00.0000000Z"));
    assert_eq!(show("System.DateTime", EPOCH | 2 << 62), date("1970-01-01T00:00:00.0000000+01:00"));
    assert_eq!(show("System.DateTime", EPOCH | 3 << 62), date("1970-01-01T00:00:00.0000000+02:00"));
    // No date, and a date whose offset nobody knows: the field is what there is.
    let raw = |data: u64| format!(r#"{{"type":"System.DateTime","fields":{{"_data":{data}}}}}"#);
    assert_eq!(show("System.DateTime", (1 << 62) - 1), raw((1 << 62) - 1));
    heap.utc_offset = None;
    assert_eq!(
        heap.json_of(&known("System.DateTime", 8), (EPOCH | 2 << 62).to_ne_bytes()),
        raw(EPOCH | 2 << 62)
    );
}

#[test]
fn a_date_with_an_offset_is_found_by_its_fields() {
    let mut heap = Heap::new();
    let date = || Arc::new(known("System.DateTime", 8));
    let new = TypeShape::value_type(
        "System.DateTimeOffset",
        "System.DateTimeOffset",
        16,
        vec![Field::new("_dateTime", 8, date()), Field::new("_offsetMinutes", 0, int())],
    );
    let expected = r#"{"type":"System.DateTimeOffset","value":"1969-12-31T22:30:00.0000000-01:30"}"#;
    let bytes = [ints(&[-90, 0]), EPOCH.to_ne_bytes().to_vec()].concat();
    assert_eq!(heap.json_of(&new, bytes), expected);
    let old = TypeShape::value_type(
        "System.DateTimeOffset",
        "System.DateTimeOffset",
        16,
        vec![Field::new("_dateTime", 0, date()), Field::new("_offsetMinutes", 8, primitive(Primitive::I16))],
    );
    let bytes = [&EPOCH.to_ne_bytes()[..], &(-90_i16).to_ne_bytes(), &[0; 6]].concat();
    assert_eq!(heap.json_of(&old, bytes), expected);
}

#[test]
fn a_namesake_with_another_layout_is_an_ordinary_struct() {
    let mut heap = Heap::new();
    let shape = TypeShape::value_type("System.Decimal", "Fake", 4, vec![Field::new("x", 0, int())]);
    assert_eq!(heap.json_of(&shape, ints(&[1])), r#"{"type":"Fake","fields":{"x":1}}"#);
}

#[test]
fn they_need_no_level_of_depth() {
    let mut heap = Heap::new();
    let slot = heap.put([0; 16]);
    let limits = argvalues::Limits { depth: 0, ..argvalues::Limits::default() };
    assert!(heap.json_within(limits, &known("System.Guid", 16), slot).contains("00000000-"));
}

#[test]
fn boxed_ones_are_the_same() {
    let mut heap = Heap::new();
    let class = heap.class(known("System.TimeSpan", 8));
    let reference = heap.boxed(&class, &1_i64.to_ne_bytes());
    assert_eq!(heap.object_json(reference), r#"{"type":"System.TimeSpan","value":"00:00:00.0000001"}"#);
}
