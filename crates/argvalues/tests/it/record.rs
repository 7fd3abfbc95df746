//! Records: values that are written as bytes are read back, and bytes that are no record are refused.

use argvalues::{
    ArrayHead, Bounds, EnumNames, EnumValue, Half, Integer, Primitive, RecordNames, RecordReader,
    RecordWriter, StringUnits, Value, ValueBuilder, Visitor,
};

/// Writes events, and reads them back as a value.
fn retold(tell: impl FnOnce(&mut RecordWriter<'_>)) -> Value {
    let (mut bytes, mut names) = (Vec::new(), RecordNames::new());
    tell(&mut RecordWriter::new(&mut bytes, &mut names));
    let mut reader = RecordReader::new(&bytes, &names);
    let mut value = ValueBuilder::new();
    reader.value(&mut value).unwrap();
    assert!(reader.is_at_end());
    value.finish().unwrap()
}

#[test]
fn integers_take_as_many_bytes_as_they_need() {
    let (mut bytes, mut names) = (Vec::new(), RecordNames::new());
    let signed = [0, 1, -1, 127, 128, -128, -129, i64::from(i32::MAX), i64::MIN, i64::MAX];
    let unsigned = [0, 1, 255, 256, u64::from(u32::MAX), u64::MAX];
    let all = signed.map(Integer::Signed).into_iter().chain(unsigned.map(Integer::Unsigned));
    for integer in all {
        bytes.clear();
        RecordWriter::new(&mut bytes, &mut names).integer(integer);
        let mut value = ValueBuilder::new();
        RecordReader::new(&bytes, &names).value(&mut value).unwrap();
        assert_eq!(value.finish(), Some(Value::Integer(integer)));
    }
    let mut length_of = |integer| {
        bytes.clear();
        RecordWriter::new(&mut bytes, &mut names).integer(integer);
        bytes.len()
    };
    assert_eq!([0, 127, 128, -129].map(|value| length_of(Integer::Signed(value))), [2, 2, 3, 3]);
    assert_eq!([0, 255, u64::MAX].map(|value| length_of(Integer::Unsigned(value))), [1, 2, 9]);
}

#[test]
fn every_event_is_told_again() {
    let bounds = Bounds { dims: &[2, 1], lower: &[-1, 0] };
    let members: [Box<str>; 2] = ["A".into(), "C".into()];
    let tell = |visitor: &mut dyn Visitor| {
        visitor.begin_object("Shop.Everything");
        visitor.field(0, "null");
        visitor.null();
        visitor.field(1, "bool");
        visitor.bool(true);
        visitor.field(2, "char");
        visitor.char(0xd800);
        visitor.field(3, "half");
        visitor.half(Half(0x3c00));
        visitor.field(4, "single");
        visitor.single(-0.5);
        visitor.field(5, "double");
        visitor.double(f64::MIN_POSITIVE);
        visitor.field(6, "string");
        visitor.string(&StringUnits { units: &[0x41; 40], length: 300 });
        visitor.field(7, "enum");
        let names = EnumNames::from(&members[..]);
        visitor.enumeration(&EnumValue { type_name: "Shop.Opt", names, value: Integer::Unsigned(5) });
        visitor.field(8, "decimal");
        visitor.formatted("System.Decimal", "1.50");
        visitor.field(9, "boxed");
        visitor.begin_boxed("int");
        visitor.integer(Integer::Signed(-7));
        visitor.end_boxed();
        visitor.field(10, "array");
        visitor.begin_array(&ArrayHead { type_name: "object[,]", length: 2, bounds: Some(bounds) });
        visitor.item(0);
        visitor.null();
        visitor.end_array(1, true);
        visitor.field(11, "bytes");
        visitor.begin_array(&ArrayHead { type_name: "short[]", length: 2, bounds: None });
        visitor.primitives(0, Primitive::I16, &[(-2_i16).to_ne_bytes(), 3_i16.to_ne_bytes()].concat());
        visitor.end_array(2, false);
        visitor.field(12, "delegate");
        visitor.begin_delegate("System.Action");
        visitor.null();
        visitor.end_delegate(Some("Shop.Cart.Add"));
        visitor.field(13, "nameless");
        visitor.begin_delegate("System.Action");
        visitor.null();
        visitor.end_delegate(None);
        visitor.field(14, "pointer");
        visitor.pointer(0x7000_0000);
        visitor.field(15, "target");
        visitor.begin_pointer(0x7000_0000);
        visitor.integer(Integer::Unsigned(1));
        visitor.end_pointer();
        visitor.field(16, "elided");
        visitor.elided("Shop.Node", 0x7000_0010, "depth");
        visitor.field(17, "cycle");
        visitor.cycle("Shop.Node", 0x7000_0020);
        visitor.field(18, "error");
        visitor.error(&"it is not there");
        visitor.end_object(19);
    };
    let mut expected = ValueBuilder::new();
    tell(&mut expected);
    assert_eq!(Some(retold(|record| tell(record))), expected.finish());
}

#[test]
fn two_types_of_one_name_keep_their_fields() {
    let (mut bytes, mut names) = (Vec::new(), RecordNames::new());
    for fields in [["A", "B"], ["A", "C"], ["A", "B"]] {
        let mut record = RecordWriter::new(&mut bytes, &mut names);
        record.begin_object("Shop.Item");
        for (index, field) in fields.into_iter().enumerate() {
            record.field(index, field);
            record.null();
        }
        record.end_object(2);
    }
    let mut reader = RecordReader::new(&bytes, &names);
    let mut texts = Vec::new();
    while !reader.is_at_end() {
        let mut value = ValueBuilder::new();
        reader.value(&mut value).unwrap();
        texts.push(value.finish().unwrap().to_string());
    }
    let text = |field| format!("Shop.Item {{ A: null, {field}: null }}");
    assert_eq!(texts, ["B", "C", "B"].map(text));
}

#[test]
fn what_is_no_record_is_refused_with_the_place() {
    let names = RecordNames::new();
    let refused = |bytes: &[u8]| {
        let error = RecordReader::new(bytes, &names).value(&mut ValueBuilder::new()).unwrap_err();
        (error.offset, error.what)
    };
    assert_eq!(refused(&[]), (0, "it ends early"));
    assert_eq!(refused(&[0x77]).1, "no value begins with this byte");
    assert_eq!(refused(&[0x14, 1, 2]).1, "it ends early");
    assert_eq!(refused(&[0x33, 5]).1, "there is no such name");
    let all_ones = [[0xFF; 9].as_slice(), &[0x01]].concat();
    assert_eq!(refused(&[&[0x07], all_ones.as_slice(), &[0]].concat()).1, "the length is no length");
    assert_eq!(refused(&[0x38, 0, 0, 0, 0, 0, 0, 0, 0].repeat(1000)).1, "it is nested too deep");
}
