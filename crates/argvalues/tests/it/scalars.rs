//! Primitives, strings, enums, null.

use argvalues::{Limits, Primitive, TypeShape};

use crate::heap::{Heap, enumeration, primitive};

#[test]
fn every_primitive_at_its_limits() {
    let mut heap = Heap::new();
    let mut check = |of: Primitive, bytes: &[u8], expected: &str| {
        assert_eq!(heap.json_of(&primitive(of), bytes), expected, "{}", of.name());
    };
    check(Primitive::Bool, &[0], "false");
    check(Primitive::Bool, &[1], "true");
    // Code that is not C# may give any byte: it is true then.
    check(Primitive::Bool, &[0x80], "true");
    check(Primitive::I8, &i8::MIN.to_ne_bytes(), "-128");
    check(Primitive::U8, &u8::MAX.to_ne_bytes(), "255");
    check(Primitive::I16, &i16::MIN.to_ne_bytes(), "-32768");
    check(Primitive::U16, &u16::MAX.to_ne_bytes(), "65535");
    check(Primitive::I32, &i32::MIN.to_ne_bytes(), "-2147483648");
    check(Primitive::U32, &u32::MAX.to_ne_bytes(), "4294967295");
    check(Primitive::I64, &i64::MIN.to_ne_bytes(), "-9223372036854775808");
    check(Primitive::U64, &u64::MAX.to_ne_bytes(), "18446744073709551615");
    check(Primitive::ISize, &(-1_isize).to_ne_bytes(), "-1");
    check(Primitive::USize, &usize::MAX.to_ne_bytes(), &usize::MAX.to_string());
}

#[test]
fn floating_point_reads_back() {
    let mut heap = Heap::new();
    let mut double = |value: f64| heap.json_of(&primitive(Primitive::F64), value.to_ne_bytes());
    assert_eq!(double(0.1), "0.1");
    assert_eq!(double(-0.0), "-0.0");
    assert_eq!(double(1e300), "1e300");
    assert_eq!(double(f64::MIN_POSITIVE / 2.0), "1.1125369292536007e-308");
    assert_eq!(double(f64::NAN), r#""NaN""#);
    assert_eq!(double(f64::INFINITY), r#""Infinity""#);
    assert_eq!(double(f64::NEG_INFINITY), r#""-Infinity""#);
    for value in [f64::MAX, f64::MIN, 1.0 / 3.0, 5e-324, 123_456_789.123_456_79] {
        assert_eq!(double(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
    }
    let mut single = |value: f32| heap.json_of(&primitive(Primitive::F32), value.to_ne_bytes());
    assert_eq!(single(0.1), "0.1");
    assert_eq!(single(f32::NEG_INFINITY), r#""-Infinity""#);
    for value in [f32::MAX, f32::MIN_POSITIVE, 1.0 / 3.0, 16_777_216.0] {
        assert_eq!(single(value).parse::<f32>().unwrap().to_bits(), value.to_bits());
    }
}

#[test]
fn characters() {
    let mut heap = Heap::new();
    let mut char = |unit: u16| heap.json_of(&primitive(Primitive::Char), unit.to_ne_bytes());
    assert_eq!(char(0x41), r#""A""#);
    assert_eq!(char(0), r#""\u0000""#);
    assert_eq!(char(0x22), r#""\"""#);
    assert_eq!(char(0xe9), r#""é""#);
    assert_eq!(char(0xd800), r#""\ud800""#);
    assert_eq!(char(0xdfff), r#""\udfff""#);
}

fn string(heap: &mut Heap, units: &[u16]) -> String {
    let reference = heap.units(units);
    heap.json_of(&TypeShape::string(), reference.to_ne_bytes())
}

#[test]
fn strings_with_anything_in_them() {
    let mut heap = Heap::new();
    assert_eq!(heap.json_of(&TypeShape::string(), 0_usize.to_ne_bytes()), "null");
    let mut text = |text: &str| string(&mut heap, &text.encode_utf16().collect::<Vec<_>>());
    assert_eq!(text(""), r#""""#);
    assert_eq!(text("apple"), r#""apple""#);
    assert_eq!(text("a\0b"), r#""a\u0000b""#);
    assert_eq!(text("Zażółć 日本 🍏"), r#""Zażółć 日本 🍏""#);
    assert_eq!(text("\"\\/\r\n\t\u{8}\u{2028}\u{85}"), r#""\"\\/\r\n\t\u0008\u2028\u0085""#);
    assert_eq!(string(&mut heap, &[0x61, 0xd83c, 0x62]), r#""a\ud83cb""#);
    assert_eq!(string(&mut heap, &[0xdf4f, 0xd83c]), r#""\udf4f\ud83c""#);
}

#[test]
fn a_string_behind_an_object_reference_is_a_string() {
    let mut heap = Heap::new();
    let reference = heap.string("apple");
    assert_eq!(heap.object_json(reference), r#""apple""#);
}

#[test]
fn a_long_string_is_cut_and_says_so() {
    let mut heap = Heap::new();
    let limits = Limits { chars: 3, ..Limits::default() };
    let mut cut = |text: &str| {
        let reference = heap.string(text);
        let slot = heap.put(reference.to_ne_bytes());
        heap.json_within(limits, &TypeShape::string(), slot)
    };
    assert_eq!(cut("abc"), r#""abc""#);
    assert_eq!(cut("abcd"), r#"{"string":"abc","length":4,"truncated":true}"#);
    // A pair is not cut in two, and two units are left out then.
    assert_eq!(cut("ab🍏"), r#"{"string":"ab","length":4,"truncated":true}"#);
    assert_eq!(cut("a🍏b"), r#"{"string":"a🍏","length":4,"truncated":true}"#);
}

#[test]
fn enums_of_every_base() {
    let mut heap = Heap::new();
    for underlying in Primitive::ALL {
        let shape = enumeration("Shop.Color", underlying, false, &[(0, "Red"), (1, "Green")]);
        let mut one = vec![0; underlying.size()];
        assert_eq!(heap.json_of(&shape, &*one), r#"{"enum":"Shop.Color.Red","value":0}"#);
        let low = if cfg!(target_endian = "little") { 0 } else { one.len() - 1 };
        one[low] = 1;
        assert_eq!(heap.json_of(&shape, &*one), r#"{"enum":"Shop.Color.Green","value":1}"#);
    }
    let shape = enumeration("Shop.Level", Primitive::I16, false, &[(-1, "Low"), (1, "High")]);
    assert_eq!(heap.json_of(&shape, (-1_i16).to_ne_bytes()), r#"{"enum":"Shop.Level.Low","value":-1}"#);
    assert_eq!(heap.json_of(&shape, 9_i16.to_ne_bytes()), r#"{"enum":"Shop.Level","value":9}"#);
}

#[test]
fn flags_are_joined_by_their_full_names() {
    let mut heap = Heap::new();
    let shape = enumeration("Shop.Opt", Primitive::I32, true, &[(0, "None"), (1, "A"), (2, "B"), (4, "C")]);
    let mut opt = |value: i32| heap.json_of(&shape, value.to_ne_bytes());
    assert_eq!(opt(5), r#"{"enum":"Shop.Opt.A, Shop.Opt.C","value":5}"#);
    assert_eq!(opt(0), r#"{"enum":"Shop.Opt.None","value":0}"#);
    assert_eq!(opt(9), r#"{"enum":"Shop.Opt","value":9}"#);
}

#[test]
fn boxed_scalars_name_their_types() {
    let mut heap = Heap::new();
    let int = heap.class(TypeShape::value_type("System.Int32", "int", 4, Vec::new()));
    let color = heap.class(enumeration("Shop.Color", Primitive::U8, false, &[(1, "Red")]));
    let (five, red) = (heap.boxed(&int, &5_i32.to_ne_bytes()), heap.boxed(&color, &[1]));
    assert_eq!(heap.object_json(five), r#"{"type":"int","value":5}"#);
    assert_eq!(heap.object_json(red), r#"{"enum":"Shop.Color.Red","value":1}"#);
    assert_eq!(heap.object_json(0), "null");
}
