//! Custom attribute values (II.23.3), read.

use sigparse::{
    ElementType, Error, ErrorKind, MethodSig,
    attribute::{ArgElement, ArgType, AttributeValue, Primitive, Value},
};

use crate::attribute_types::Types;
use crate::rng::Rng;

/// The arguments as text, named ones after a semicolon.
fn text(constructor: &[u8], blob: &[u8]) -> Result<String, Error> {
    let value = AttributeValue::parse(blob, MethodSig::parse(constructor)?, &Types)?;
    value.validate()?;
    let mut out: Vec<String> = Vec::new();
    for arg in value.fixed_args() {
        out.push(value_text(arg?)?);
    }
    let mut named: Vec<String> = Vec::new();
    for arg in value.named_args() {
        let arg = arg?;
        let kind = if arg.is_property { "property" } else { "field" };
        named.push(format!("{kind} {} = {}", arg.name, value_text(arg.value)?));
    }
    assert_eq!(named.len(), usize::from(value.named_count()));
    Ok(format!("{}; {}", out.join(", "), named.join(", ")))
}

fn value_text(value: Value<'_, '_>) -> Result<String, Error> {
    Ok(match value {
        Value::Primitive(value) => format!("{value:?}"),
        Value::String(value) => format!("{value:?}"),
        Value::Type(value) => format!("Type({value:?})"),
        Value::Enum { name, value } => format!("{}({value:?})", name.unwrap_or("Enum")),
        Value::Boxed(boxed) => format!("({})", value_text(boxed.value()?)?),
        Value::Array(None) => "null[]".into(),
        Value::Array(Some(values)) => {
            let values: Result<Vec<String>, Error> = values.map(|value| value_text(value?)).collect();
            format!("[{}]", values?.join(", "))
        }
    })
}

const NO_ARGS: &[u8] = &[0x20, 0x00, 0x01];

/// A constructor with one parameter.
fn constructor(param: &[u8]) -> Vec<u8> {
    [&[0x20, 0x01, 0x01], param].concat()
}

#[track_caller]
fn check(constructor: &[u8], blob: &[u8], expected: &str) {
    assert_eq!(text(constructor, blob).as_deref(), Ok(expected));
    for length in 1..blob.len() {
        let error = text(constructor, &blob[..length]).unwrap_err();
        let truncated = matches!(error.kind, ErrorKind::UnexpectedEnd | ErrorKind::CountExceedsData { .. });
        assert!(truncated && error.offset <= length, "cut to {length}: {error:?}");
    }
    let longer = [blob, &[0]].concat();
    assert_eq!(text(constructor, &longer).unwrap_err().kind, ErrorKind::TrailingBytes(1));
    let value = AttributeValue::parse(&longer, MethodSig::parse(constructor).unwrap(), &Types).unwrap();
    assert_eq!(value.trailing_bytes(), Ok(&[0][..]));
}

#[test]
fn no_arguments() {
    check(NO_ARGS, &[1, 0, 0, 0], "; ");
    assert_eq!(text(NO_ARGS, &[]).as_deref(), Ok("; "), "an empty blob has no arguments");
    let error = text(&constructor(&[0x08]), &[]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnexpectedEnd);
}

#[test]
fn fixed_arguments_of_every_type() {
    let wrap = |value: &[u8]| [&[1, 0], value, &[0, 0]].concat();
    for (param, value, expected) in [
        (&[0x02][..], &[1][..], "Boolean(true)"),
        (&[0x03], &[0x3D, 0xD8], "Char(55357)"),
        (&[0x04], &[0xFF], "I1(-1)"),
        (&[0x05], &[0xFF], "U1(255)"),
        (&[0x06], &[0xFE, 0xFF], "I2(-2)"),
        (&[0x07], &[0x01, 0x02], "U2(513)"),
        (&[0x08], &[0xFD, 0xFF, 0xFF, 0xFF], "I4(-3)"),
        (&[0x09], &[1, 0, 0, 0x80], "U4(2147483649)"),
        (&[0x0A], &[0xFF; 8], "I8(-1)"),
        (&[0x0B], &[0xFF; 8], "U8(18446744073709551615)"),
        (&[0x0C], &[0, 0, 0xC0, 0x3F], "R4(1.5)"),
        (&[0x0D], &[0, 0, 0, 0, 0, 0, 0xF8, 0xBF], "R8(-1.5)"),
        (&[0x0E], b"\x03abc", "Some(\"abc\")"),
        (&[0x0E], b"\x00", "Some(\"\")"),
        (&[0x0E], b"\xFF", "None"),
        (&[0x12, 0x05], b"\x05N.T, A".split_at(6).0, "Type(Some(\"N.T, \"))"),
        (&[0x12, 0x05], b"\xFF", "Type(None)"),
        (&[0x11, 0x09], &[7], "Enum(U1(7))"),
        (&[0x1D, 0x06], &[2, 0, 0, 0, 1, 0, 2, 0], "[I2(1), I2(2)]"),
        (&[0x1D, 0x0E], b"\x02\x00\x00\x00\x01a\xFF", "[Some(\"a\"), None]"),
        (&[0x1D, 0x11, 0x09], &[1, 0, 0, 0, 9], "[Enum(U1(9))]"),
        (&[0x1D, 0x08], &[0xFF; 4], "null[]"),
        (&[0x1D, 0x08], &[0; 4], "[]"),
        // object: the type stands before the value
        (&[0x1C], &[0x08, 5, 0, 0, 0], "(I4(5))"),
        (&[0x1C], b"\x0E\x01x", "(Some(\"x\"))"),
        (&[0x1C], b"\x50\x01T", "(Type(Some(\"T\")))"),
        (&[0x1C], b"\x55\x01E\x02\x00", "(E(I2(2)))"),
        (&[0x1C], &[0x1D, 0x02, 1, 0, 0, 0, 0], "([Boolean(false)])"),
        (
            &[0x1D, 0x1C],
            &[2, 0, 0, 0, 0x02, 1, 0x1D, 0x51, 1, 0, 0, 0, 0x05, 3],
            "[(Boolean(true)), ([(U1(3))])]",
        ),
    ] {
        check(&constructor(param), &wrap(value), &format!("{expected}; "));
    }
}

#[test]
fn named_arguments() {
    check(
        NO_ARGS,
        b"\x01\x00\x03\x00\x54\x02\x01P\x01\x53\x1D\x0E\x01F\x01\x00\x00\x00\x02hi\x54\x55\x01E\x01Q\x05\x00",
        "; property P = Boolean(true), field F = [Some(\"hi\")], property Q = E(I2(5))",
    );
    check(NO_ARGS, b"\x01\x00\x01\x00\x53\x51\x01O\x50\x02AB", "; field O = (Type(Some(\"AB\")))");
}

#[test]
fn values_know_their_types() {
    let blob = b"\x01\x00\x1D\x55\x01E\x00\x00\x00\x00\x01\x00\x53\x51\x01O\x02\x01";
    let constructor = constructor(&[0x1C]);
    let value = AttributeValue::parse(blob, MethodSig::parse(&constructor).unwrap(), &Types).unwrap();
    let Value::Boxed(boxed) = value.fixed_args().next().unwrap().unwrap() else { panic!("{value:?}") };
    let enumeration = ArgElement::Enum { name: Some("E"), under: ElementType::I2 };
    assert_eq!(boxed.ty(), ArgType { element: enumeration, is_array: true });
    let Value::Array(Some(values)) = boxed.value().unwrap() else { panic!("{boxed:?}") };
    assert_eq!((values.element(), values.count()), (enumeration, 0));
    let named = value.named_args().next().unwrap().unwrap();
    assert_eq!(named.ty, ArgType { element: ArgElement::Object, is_array: false });
    let Value::Boxed(boxed) = named.value else { panic!("{named:?}") };
    let boolean = ArgElement::Primitive(ElementType::BOOLEAN);
    assert_eq!(boxed.ty(), ArgType { element: boolean, is_array: false });
}

#[test]
fn malformed_attributes() {
    let error = |constructor: &[u8], blob: &[u8]| {
        let error = text(constructor, blob).unwrap_err();
        (error.offset, error.kind)
    };
    assert_eq!(error(NO_ARGS, &[2, 0, 0, 0]), (0, ErrorKind::InvalidProlog(2)));
    let unknown = |offset, element| (offset, ErrorKind::UnknownAttributeType(element));
    assert_eq!(error(&constructor(&[0x12, 0x0D]), &[1, 0, 0, 0]), unknown(2, ElementType::CLASS));
    assert_eq!(error(&constructor(&[0x0F, 0x08]), &[1, 0, 0, 0]), unknown(2, ElementType::PTR));
    assert_eq!(error(&constructor(&[0x1C]), &[1, 0, 0x12, 0]), unknown(2, ElementType::CLASS));
    assert_eq!(error(&constructor(&[0x1C]), b"\x01\x00\x55\x01X\x00"), unknown(2, ElementType::CA_ENUM));
    assert_eq!(error(NO_ARGS, &[1, 0, 1, 0, 0x52, 0x02]), unknown(4, ElementType(0x52)));
    assert_eq!(error(NO_ARGS, &[1, 0, 1, 0, 0x53, 0x02, 0xFF]), (6, ErrorKind::UnexpectedNull));
    assert_eq!(error(&constructor(&[0x0E]), b"\x01\x00\x03a\xC3(\x00\x00"), (4, ErrorKind::InvalidUtf8));
    let count = 0x7FFF_FFFF;
    assert_eq!(
        error(&constructor(&[0x1D, 0x02]), &[1, 0, 0xFF, 0xFF, 0xFF, 0x7F, 1]),
        (2, ErrorKind::CountExceedsData { count, remaining: 1 })
    );
}

#[test]
fn boxes_in_boxes_end_at_the_limit() {
    let objects = [&[1, 0][..], &[0x51; 50_000]].concat();
    assert_eq!(text(&constructor(&[0x1C]), &objects).unwrap_err().kind, ErrorKind::TooDeep);
    let arrays = [&[1, 0][..], &[0x1D, 0x51, 1, 0, 0, 0].repeat(50_000)].concat();
    assert_eq!(text(&constructor(&[0x1C]), &arrays).unwrap_err().kind, ErrorKind::TooDeep);
}

#[test]
fn random_attributes() {
    let mut rng = Rng::new(5);
    let mut well_formed = 0;
    let constructors: Vec<Vec<u8>> =
        [&[0x1C][..], &[0x1D, 0x1C], &[0x0E], &[0x1D, 0x0E], &[0x08], &[0x11, 0x09]]
            .iter()
            .map(|param| constructor(param))
            .collect();
    for _ in 0..200_000 {
        let mut blob = vec![1, 0];
        for _ in 0..rng.below(20) {
            let at = rng.below(10);
            blob.push([0, 0, 0, 1, 2, 0x1D, 0x51, 0x50, 0x53, rng.byte()][at]);
        }
        blob.extend([0, 0]);
        well_formed += usize::from(text(&constructors[rng.below(constructors.len())], &blob).is_ok());
    }
    assert!(well_formed > 100, "{well_formed}");
}

#[test]
fn primitives_as_whole_numbers() {
    assert_ne!(Primitive::I4(1), Primitive::U4(1));
    assert_eq!(Primitive::from(-1_i8).as_integer(), Some(-1));
    assert_eq!(Primitive::from(u64::MAX).as_integer(), Some(u64::MAX.into()));
    assert_eq!(Primitive::Boolean(true).as_integer(), Some(1));
    assert_eq!(Primitive::Char(0xFFFF).as_integer(), Some(0xFFFF));
    assert_eq!(Primitive::from(1.0_f32).as_integer(), None);
}
