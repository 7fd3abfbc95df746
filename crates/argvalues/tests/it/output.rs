//! The forms of output: text, JSON, kept values, serde.

use argvalues::{
    ArrayHead, Bounds, Half, Integer, JsonWriter, StringUnits, TextWriter, ValueBuilder, Visitor,
};

/// Tells a visitor one of everything.
fn everything(visitor: &mut dyn Visitor) {
    visitor.begin_object("Shop.All<int>");
    let mut count = 0;
    let mut field = |visitor: &mut dyn Visitor, name: &str| {
        visitor.field(count, name);
        count += 1;
    };
    field(visitor, "null");
    visitor.null();
    field(visitor, "bool");
    visitor.bool(true);
    field(visitor, "ulong");
    visitor.integer(Integer::Unsigned(u64::MAX));
    field(visitor, "float");
    visitor.single(f32::NEG_INFINITY);
    field(visitor, "double");
    visitor.double(-2.5);
    field(visitor, "half");
    visitor.half(Half(0x2e66));
    field(visitor, "char");
    visitor.char(0x27);
    field(visitor, "string");
    visitor.string(&StringUnits { units: &[0x61, 0x22], length: 2 });
    field(visitor, "cut");
    visitor.string(&StringUnits { units: &[0x61], length: 9 });
    field(visitor, "money");
    visitor.formatted("System.Decimal", "1.50");
    field(visitor, "array");
    visitor.begin_array(&ArrayHead { type_name: "int[]", length: 3, bounds: None });
    visitor.item(0);
    visitor.integer(Integer::Signed(-1));
    visitor.end_array(1, true);
    field(visitor, "table");
    let bounds = Bounds { dims: &[1, 1], lower: &[0, 2] };
    visitor.begin_array(&ArrayHead { type_name: "int[,]", length: 1, bounds: Some(bounds) });
    visitor.item(0);
    visitor.integer(Integer::Signed(8));
    visitor.end_array(1, false);
    field(visitor, "delegate");
    visitor.begin_delegate("System.Action");
    visitor.null();
    visitor.end_delegate(Some("Shop.Cart.Add"));
    field(visitor, "pointer");
    visitor.begin_pointer(0x7f00);
    visitor.pointer(0x7f10);
    visitor.end_pointer();
    field(visitor, "deep");
    visitor.elided("Shop.Node", 0x7f20, "depth");
    field(visitor, "self");
    visitor.cycle("Shop.Node", 0x7f30);
    field(visitor, "bad");
    visitor.error(&"4 bytes at 0x10: \"no\"");
    visitor.end_object(count);
}

const JSON: &str = r#"{"type":"Shop.All<int>","fields":{"null":null,"bool":true,"ulong":18446744073709551615,"float":"-Infinity","double":-2.5,"half":0.1,"char":"'","string":"a\"","cut":{"string":"a","length":9,"truncated":true},"money":{"type":"System.Decimal","value":"1.50"},"array":{"type":"int[]","length":3,"items":[-1],"truncated":true},"table":{"type":"int[,]","length":1,"dims":[1,1],"lower":[0,2],"items":[8]},"delegate":{"type":"System.Action","target":null,"method":"Shop.Cart.Add"},"pointer":{"pointer":"0x7f00","target":{"pointer":"0x7f10"}},"deep":{"type":"Shop.Node","address":"0x7f20","elided":"depth"},"self":{"type":"Shop.Node","cycle":"0x7f30"},"bad":{"error":"4 bytes at 0x10: \"no\""}}}"#;

const TEXT: &str = r#"Shop.All<int> { null: null, bool: true, ulong: 18446744073709551615, float: -Infinity, double: -2.5, half: 0.1, char: '\'', string: "a\"", cut: "a"… (length 9), money: 1.50, array: int[] (length 3) [-1, …], table: int[,] (length 1×1 from 0×2) [8], delegate: System.Action { target: null, method: Shop.Cart.Add }, pointer: 0x7f00 → 0x7f10, deep: Shop.Node at 0x7f20 (depth), self: Shop.Node at 0x7f30 (cycle), bad: <error: 4 bytes at 0x10: "no"> }"#;

#[test]
fn the_writers() {
    let mut json = String::new();
    everything(&mut JsonWriter::new(&mut json));
    assert_eq!(json, JSON);
    let mut text = String::new();
    everything(&mut TextWriter::new(&mut text));
    assert_eq!(text, TEXT);
}

#[test]
fn kept_values_say_the_same() {
    let mut builder = ValueBuilder::new();
    everything(&mut builder);
    let value = builder.finish().unwrap();
    assert_eq!(value.to_json(), JSON);
    assert_eq!(value.to_string(), TEXT);
    let mut again = ValueBuilder::new();
    value.visit(&mut again);
    assert_eq!(again.finish(), Some(value));
    assert_eq!(builder.finish(), None);
}

#[test]
fn a_failing_output_is_reported_once() {
    struct Full;
    impl core::fmt::Write for Full {
        fn write_str(&mut self, _: &str) -> core::fmt::Result {
            Err(core::fmt::Error)
        }
    }
    let mut full = Full;
    let mut json = JsonWriter::new(&mut full);
    everything(&mut json);
    assert!(json.finish().is_err());
}

#[cfg(feature = "serde")]
#[test]
fn serde_gives_the_same_facts() {
    use argvalues::Value;

    let mut builder = ValueBuilder::new();
    everything(&mut builder);
    let value = builder.finish().unwrap();
    // Numbers of 32 bits come out as the doubles that they are, so that field is left out of the comparison.
    let through_serde: serde_json::Value = serde_json::to_value(&value).unwrap();
    let mut through_json: serde_json::Value = serde_json::from_str(JSON).unwrap();
    let half = &mut through_json["fields"]["half"];
    *half = through_serde["fields"]["half"].clone();
    assert_eq!(through_serde, through_json);

    let lone = Value::String { units: [0x61, 0xd800].into(), length: 2 };
    assert_eq!(
        serde_json::to_string(&lone).unwrap(),
        "{\"string\":\"a\u{fffd}\",\"length\":2,\"units\":[97,55296]}"
    );
    assert_eq!(serde_json::to_string(&Value::Double(f64::NAN)).unwrap(), r#""NaN""#);
}
