//! Printing of custom attributes and marshalling descriptors. What is expected is the syntax of ECMA-335 II.21 and II.7.4.

use std::fmt;

use sigparse::{
    ElementType, MethodSig, Type, TypeDefOrRef, TypeSig,
    attribute::{AttributeTypes, AttributeValue, Resolved},
    ilasm::Names,
    marshal::MarshalSpec,
};

/// TypeRef 1 is `System.Type`, TypeRef 2 an enumeration; `N.E` is one of shorts.
struct Module;

impl AttributeTypes for Module {
    fn resolve(&self, ty: TypeSig<'_>) -> Option<Resolved> {
        match ty.ty() {
            Type::Class(ty) if ty.token() == 0x0100_0001 => Some(Resolved::SystemType),
            _ => Some(Resolved::Enum(ElementType::I4)),
        }
    }

    fn named_enum(&self, name: &str) -> Option<ElementType> {
        name.starts_with("N.E").then_some(ElementType::I2)
    }
}

impl Names for Module {
    fn type_name(&self, ty: TypeDefOrRef, out: &mut dyn fmt::Write) -> fmt::Result {
        let name = if ty.token() == 0x0100_0001 { "System.Type" } else { "N.Color" };
        write!(out, "[lib]{name}")
    }
}

/// Prints an argument of this type, without the braces around it.
#[track_caller]
fn arg(param: &[u8], value: &[u8]) -> String {
    let constructor = [&[0x20, 0x01, 0x01], param].concat();
    let blob = [&[1, 0], value, &[0, 0]].concat();
    let value = AttributeValue::parse(&blob, MethodSig::parse(&constructor).unwrap(), &Module).unwrap();
    value.validate().unwrap();
    let ilasm = value.ilasm(&Module).to_string();
    ilasm.strip_prefix("{ ").unwrap().strip_suffix(" }").unwrap().to_owned()
}

#[test]
fn values_of_every_type() {
    for (param, value, ilasm) in [
        (&[0x02][..], &[1][..], "bool(true)"),
        (&[0x03], &[0x41, 0], "char(65)"),
        (&[0x03], &[0x27, 0], "char(39)"),
        (&[0x03], &[0x3D, 0xD8], "char(55357)"),
        (&[0x03], &[0, 0], "char(0)"),
        (&[0x04], &[0xFF], "int8(-1)"),
        (&[0x05], &[0xFF], "uint8(255)"),
        (&[0x06], &[0xFE, 0xFF], "int16(-2)"),
        (&[0x08], &[0xFD, 0xFF, 0xFF, 0xFF], "int32(-3)"),
        (&[0x09], &[1, 0, 0, 0x80], "uint32(2147483649)"),
        (&[0x0A], &[0xFF; 8], "int64(-1)"),
        (&[0x0B], &[0xFF; 8], "uint64(18446744073709551615)"),
        (&[0x0C], &[0, 0, 0xC0, 0x3F], "float32(1.5)"),
        (&[0x0C], &[0, 0, 0xC0, 0x7F], "float32(0x7FC00000)"),
        (&[0x0D], &[0, 0, 0, 0, 0, 0, 0, 0x40], "float64(2.0)"),
        (&[0x0D], &[0, 0, 0, 0, 0, 0, 0xF0, 0xFF], "float64(0xFFF0000000000000)"),
        (&[0x0E], b"\x09a\"'\\\n\r\t\x01b", "string('a\"\\'\\\\\\n\\r\\t\u{1}b')"),
        (&[0x0E], b"\xFF", "string(nullref)"),
        (&[0x12, 0x05], b"\x06N.O+I,", "type(class 'N.O+I,')"),
        (&[0x12, 0x05], b"\xFF", "type(nullref)"),
        (&[0x11, 0x09], &[4, 0, 0, 0], "int32(4)"),
        (&[0x11, 0x09], &[0xFF; 4], "int32(-1)"),
        (&[0x1D, 0x06], &[2, 0, 0, 0, 1, 0, 2, 0], "int16[2](1 2)"),
        (&[0x1D, 0x06], &[0; 4], "int16[0]()"),
        (&[0x1D, 0x06], &[0xFF; 4], "/* null */"),
        (&[0x1D, 0x0E], b"\x02\x00\x00\x00\x01a\xFF", "string[2]('a' nullref)"),
        (&[0x1D, 0x11, 0x09], &[1, 0, 0, 0, 9, 0, 0, 0], "int32[1](9)"),
        (&[0x1D, 0x12, 0x05], b"\x02\x00\x00\x00\x03N.T\xFF", "type[2](class 'N.T' nullref)"),
        // object: the value says what it is
        (&[0x1C], &[0x08, 5, 0, 0, 0], "object(int32(5))"),
        (&[0x1C], &[0x05, 5], "object(uint8(5))"),
        (&[0x1C], &[0x06, 0xFE, 0xFF], "object(int16(-2))"),
        (&[0x1C], b"\x0E\x01x", "object(string('x'))"),
        (&[0x1C], b"\x55\x06N.E, A\x02\x00", "object(/* enum class 'N.E, A' */ int16(2))"),
        (&[0x1C], &[0x1D, 0x05, 1, 0, 0, 0, 7], "object(uint8[1](7))"),
        (&[0x1D, 0x1C], b"\x02\x00\x00\x00\x08\x05\x00\x00\x00\x0E\x01x", "object[2](int32(5) string('x'))"),
    ] {
        assert_eq!(arg(param, value), ilasm, "{param:02X?} {value:02X?}");
    }
}

#[test]
fn whole_attributes() {
    // [A("x", P = true, F = new N.E[] { (N.E)1 })]
    let constructor = MethodSig::parse(&[0x20, 0x01, 0x01, 0x0E]).unwrap();
    let blob = b"\x01\x00\x01x\x02\x00\x54\x02\x01P\x01\x53\x1D\x55\x03N.E\x01F\x01\x00\x00\x00\x01\x00";
    let value = AttributeValue::parse(blob, constructor, &Module).unwrap();
    assert_eq!(
        value.ilasm(&Module).named("[lib]A").to_string(),
        ".custom instance void [lib]A::.ctor(string) = \
         { string('x') property bool 'P' = bool(true) field enum class 'N.E'[] 'F' = int16[1](1) }"
    );
    let constructor = MethodSig::parse(&[0x20, 0x00, 0x01]).unwrap();
    let value = AttributeValue::parse(&[], constructor, &Module).unwrap();
    assert_eq!(value.to_string(), "{ }");
    // The second named argument is cut off.
    let value =
        AttributeValue::parse(b"\x01\x00\x02\x00\x53\x02\x01F\x01\x53", constructor, &Module).unwrap();
    assert_eq!(value.to_string(), "{ field bool 'F' = bool(true) <the blob ends too early (at byte 10)> }");
}

#[test]
fn marshalling_descriptors() {
    for (blob, ilasm) in [
        (&[0x15][..], "lpwstr"),
        (&[0x30], "{ 30 }"),
        (&[0x99], "{ 99 }"),
        (&[0x19], "iunknown"),
        (&[0x1C, 0x02], "interface(iidparam = 2)"),
        (&[0x17, 0x20], "fixed sysstring [32]"),
        (&[0x1E, 0x04], "fixed array [4]"),
        (&[0x1E, 0x04, 0x04], "fixed array [4] uint8"),
        (&[0x1D], "{ 1D }"),
        (&[0x1D, 0x08, 0x00], "safearray bstr"),
        (&[0x1D, 0x24, 0x04, b'N', b'.', b'S', b','], "safearray record, \"N.S,\""),
        (&[0x1D, 0x80, 0xC8, 0x01, b'S'], "{ 1D 80 C8 01 53 }"),
        (&[0x2A], "{ 2A }"),
        (&[0x2A, 0x50], "[]"),
        (&[0x2A, 0x30], "{ 2A 30 }"),
        (&[0x2A, 0x07, 0x02], "int32[ + 2]"),
        (&[0x2A, 0x50, 0x00, 0x03, 0x00], "[3]"),
        (&[0x2A, 0x07, 0x02, 0x03, 0x01], "int32[3 + 2]"),
        (&[0x2C, 0x00, 0x00, 0x02, b'M', b'"', 0x01, b'c'], r#"custom("M\"", "c")"#),
        (&[0x2C, 0x01, b'g', 0x00, 0x01, b'M', 0x00], r#"custom("g", "", "M", "")"#),
    ] {
        let spec = MarshalSpec::parse(blob).unwrap();
        assert_eq!(spec.to_string(), format!("marshal({ilasm})"));
    }
}
