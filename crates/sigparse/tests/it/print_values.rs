//! Printing of custom attributes and marshalling descriptors. What is expected is what one would write in the language.

use std::fmt;

use sigparse::{
    ElementType, MethodSig, Type, TypeDefOrRef, TypeSig,
    attribute::{AttributeTypes, AttributeValue, Resolved},
    marshal::MarshalSpec,
    print::{Names, Style},
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
    fn type_name(&self, ty: TypeDefOrRef, style: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        let name = if ty.token() == 0x0100_0001 { "System.Type" } else { "N.Color" };
        out.write_str(if style == Style::IlAsm { "[lib]" } else { "" })?;
        out.write_str(name)
    }
}

/// An argument of this type, printed: in C# and in ILAsm, without what is around it.
#[track_caller]
fn arg(param: &[u8], value: &[u8]) -> (String, String) {
    let constructor = [&[0x20, 0x01, 0x01], param].concat();
    let blob = [&[1, 0], value, &[0, 0]].concat();
    let value = AttributeValue::parse(&blob, MethodSig::parse(&constructor).unwrap(), &Module).unwrap();
    value.validate().unwrap();
    let (csharp, ilasm) = (value.csharp(&Module).to_string(), value.ilasm(&Module).to_string());
    let csharp = csharp.strip_prefix('(').unwrap().strip_suffix(')').unwrap();
    let ilasm = ilasm.strip_prefix("{ ").unwrap().strip_suffix(" }").unwrap();
    (csharp.to_owned(), ilasm.to_owned())
}

#[test]
fn values_of_every_type() {
    for (param, value, csharp, ilasm) in [
        (&[0x02][..], &[1][..], "true", "bool(true)"),
        (&[0x03], &[0x41, 0], "'A'", "char(65)"),
        (&[0x03], &[0x27, 0], r"'\''", "char(39)"),
        (&[0x03], &[0x3D, 0xD8], r"'\uD83D'", "char(55357)"),
        (&[0x03], &[0, 0], r"'\u0000'", "char(0)"),
        (&[0x04], &[0xFF], "-1", "int8(-1)"),
        (&[0x05], &[0xFF], "255", "uint8(255)"),
        (&[0x06], &[0xFE, 0xFF], "-2", "int16(-2)"),
        (&[0x08], &[0xFD, 0xFF, 0xFF, 0xFF], "-3", "int32(-3)"),
        (&[0x09], &[1, 0, 0, 0x80], "2147483649u", "uint32(2147483649)"),
        (&[0x0A], &[0xFF; 8], "-1L", "int64(-1)"),
        (&[0x0B], &[0xFF; 8], "18446744073709551615UL", "uint64(18446744073709551615)"),
        (&[0x0C], &[0, 0, 0xC0, 0x3F], "1.5f", "float32(1.5)"),
        (&[0x0C], &[0, 0, 0xC0, 0x7F], "float.NaN", "float32(0x7FC00000)"),
        (&[0x0D], &[0, 0, 0, 0, 0, 0, 0, 0x40], "2.0", "float64(2.0)"),
        (&[0x0D], &[0, 0, 0, 0, 0, 0, 0xF0, 0xFF], "double.NegativeInfinity", "float64(0xFFF0000000000000)"),
        (
            &[0x0E],
            b"\x09a\"'\\\n\r\t\x01b",
            r#""a\"'\\\n\r\t\u0001b""#,
            "string('a\"\\'\\\\\\n\\r\\t\u{1}b')",
        ),
        (&[0x0E], b"\xFF", "null", "string(nullref)"),
        (&[0x12, 0x05], b"\x06N.O+I,", "typeof(N.O.I)", "type(class 'N.O+I,')"),
        (&[0x12, 0x05], b"\xFF", "null", "type(nullref)"),
        (&[0x11, 0x09], &[4, 0, 0, 0], "(N.Color)4", "int32(4)"),
        (&[0x11, 0x09], &[0xFF; 4], "(N.Color)(-1)", "int32(-1)"),
        (&[0x1D, 0x06], &[2, 0, 0, 0, 1, 0, 2, 0], "new short[] { 1, 2 }", "int16[2](1 2)"),
        (&[0x1D, 0x06], &[0; 4], "new short[] { }", "int16[0]()"),
        (&[0x1D, 0x06], &[0xFF; 4], "null", "/* null */"),
        (
            &[0x1D, 0x0E],
            b"\x02\x00\x00\x00\x01a\xFF",
            r#"new string[] { "a", null }"#,
            "string[2]('a' nullref)",
        ),
        (&[0x1D, 0x11, 0x09], &[1, 0, 0, 0, 9, 0, 0, 0], "new N.Color[] { (N.Color)9 }", "int32[1](9)"),
        (
            &[0x1D, 0x12, 0x05],
            b"\x02\x00\x00\x00\x03N.T\xFF",
            "new System.Type[] { typeof(N.T), null }",
            "type[2](class 'N.T' nullref)",
        ),
        // object: the value says what it is
        (&[0x1C], &[0x08, 5, 0, 0, 0], "5", "object(int32(5))"),
        (&[0x1C], &[0x05, 5], "(byte)5", "object(uint8(5))"),
        (&[0x1C], &[0x06, 0xFE, 0xFF], "(short)(-2)", "object(int16(-2))"),
        (&[0x1C], b"\x0E\x01x", r#""x""#, "object(string('x'))"),
        (&[0x1C], b"\x55\x06N.E, A\x02\x00", "(N.E)2", "object(/* enum class 'N.E, A' */ int16(2))"),
        (&[0x1C], &[0x1D, 0x05, 1, 0, 0, 0, 7], "new byte[] { 7 }", "object(uint8[1](7))"),
        (
            &[0x1D, 0x1C],
            b"\x02\x00\x00\x00\x08\x05\x00\x00\x00\x0E\x01x",
            r#"new object[] { 5, "x" }"#,
            "object[2](int32(5) string('x'))",
        ),
    ] {
        assert_eq!(arg(param, value), (csharp.to_owned(), ilasm.to_owned()), "{param:02X?} {value:02X?}");
    }
}

#[test]
fn names_of_reflection() {
    let typeof_ = |name: &str| {
        let mut value = vec![u8::try_from(name.len()).unwrap()];
        value.extend_from_slice(name.as_bytes());
        arg(&[0x12, 0x05], &value).0
    };
    assert_eq!(typeof_("System.Int32[], mscorlib, Version=4.0.0.0"), "typeof(System.Int32[])");
    assert_eq!(typeof_("N.T[,][*]"), "typeof(N.T[,][*])");
    assert_eq!(
        typeof_("N.D`2[[System.Int32[], a],[N.L`1[[N.X+Y, b]][], c]], d"),
        "typeof(N.D<System.Int32[], N.L<N.X.Y>[]>)"
    );
    assert_eq!(typeof_("N.L`1[[N.X]]"), "typeof(N.L<N.X>)");
    assert_eq!(typeof_(r"N.Odd\+Name"), "typeof(N.Odd+Name)");
    // Nonsense is printed as far as it goes.
    assert_eq!(typeof_("]],[`[["), "typeof(]])");
}

#[test]
fn whole_attributes() {
    // [A("x", P = true, F = new N.E[] { (N.E)1 })]
    let constructor = MethodSig::parse(&[0x20, 0x01, 0x01, 0x0E]).unwrap();
    let blob = b"\x01\x00\x01x\x02\x00\x54\x02\x01P\x01\x53\x1D\x55\x03N.E\x01F\x01\x00\x00\x00\x01\x00";
    let value = AttributeValue::parse(blob, constructor, &Module).unwrap();
    assert_eq!(
        value.csharp(&Module).named("A").to_string(),
        r#"[A("x", P = true, F = new N.E[] { (N.E)1 })]"#
    );
    assert_eq!(value.to_string(), r#"("x", P = true, F = new N.E[] { (N.E)1 })"#);
    assert_eq!(
        value.ilasm(&Module).named("[lib]A").to_string(),
        ".custom instance void [lib]A::.ctor(string) = \
         { string('x') property bool 'P' = bool(true) field enum class 'N.E'[] 'F' = int16[1](1) }"
    );
    let constructor = MethodSig::parse(&[0x20, 0x00, 0x01]).unwrap();
    let value = AttributeValue::parse(&[], constructor, &Module).unwrap();
    assert_eq!(value.csharp(&Module).named("A").to_string(), "[A]");
    assert_eq!(value.to_string(), "()");
    assert_eq!(value.ilasm(&Module).to_string(), "{ }");
    // The second named argument is cut off.
    let value =
        AttributeValue::parse(b"\x01\x00\x02\x00\x53\x02\x01F\x01\x53", constructor, &Module).unwrap();
    assert_eq!(
        value.csharp(&Module).named("A").to_string(),
        "[A(F = true, <the blob ends too early (at byte 10)>)]"
    );
}

#[test]
fn marshalling_descriptors() {
    for (blob, csharp, ilasm) in [
        (&[0x15][..], "UnmanagedType.LPWStr", "lpwstr"),
        (&[0x30], "UnmanagedType.LPUTF8Str", "{ 30 }"),
        (&[0x99], "(UnmanagedType)153", "{ 99 }"),
        (&[0x19], "UnmanagedType.IUnknown", "iunknown"),
        (&[0x1C, 0x02], "UnmanagedType.Interface, IidParameterIndex = 2", "interface(iidparam = 2)"),
        (&[0x17, 0x20], "UnmanagedType.ByValTStr, SizeConst = 32", "fixed sysstring [32]"),
        (&[0x1E, 0x04], "UnmanagedType.ByValArray, SizeConst = 4", "fixed array [4]"),
        (
            &[0x1E, 0x04, 0x04],
            "UnmanagedType.ByValArray, SizeConst = 4, ArraySubType = UnmanagedType.U1",
            "fixed array [4] uint8",
        ),
        (&[0x1D], "UnmanagedType.SafeArray", "{ 1D }"),
        (
            &[0x1D, 0x08, 0x00],
            "UnmanagedType.SafeArray, SafeArraySubType = VarEnum.VT_BSTR",
            "safearray bstr",
        ),
        (
            &[0x1D, 0x24, 0x04, b'N', b'.', b'S', b','],
            "UnmanagedType.SafeArray, SafeArraySubType = VarEnum.VT_RECORD, SafeArrayUserDefinedSubType = typeof(N.S)",
            "safearray record, \"N.S,\"",
        ),
        (
            &[0x1D, 0x80, 0xC8, 0x01, b'S'],
            "UnmanagedType.SafeArray, SafeArraySubType = (VarEnum)200, SafeArrayUserDefinedSubType = typeof(S)",
            "{ 1D 80 C8 01 53 }",
        ),
        (&[0x2A], "UnmanagedType.LPArray", "{ 2A }"),
        (&[0x2A, 0x50], "UnmanagedType.LPArray", "[]"),
        (&[0x2A, 0x30], "UnmanagedType.LPArray, ArraySubType = UnmanagedType.LPUTF8Str", "{ 2A 30 }"),
        (
            &[0x2A, 0x07, 0x02],
            "UnmanagedType.LPArray, ArraySubType = UnmanagedType.I4, SizeParamIndex = 2",
            "int32[ + 2]",
        ),
        (&[0x2A, 0x50, 0x00, 0x03, 0x00], "UnmanagedType.LPArray, SizeConst = 3", "[3]"),
        (
            &[0x2A, 0x07, 0x02, 0x03, 0x01],
            "UnmanagedType.LPArray, ArraySubType = UnmanagedType.I4, SizeParamIndex = 2, SizeConst = 3",
            "int32[3 + 2]",
        ),
        (
            &[0x2C, 0x00, 0x00, 0x02, b'M', b'"', 0x01, b'c'],
            r#"UnmanagedType.CustomMarshaler, MarshalType = "M\"", MarshalCookie = "c""#,
            r#"custom("M\"", "c")"#,
        ),
        (
            &[0x2C, 0x01, b'g', 0x00, 0x01, b'M', 0x00],
            r#"UnmanagedType.CustomMarshaler, MarshalType = "M""#,
            r#"custom("g", "", "M", "")"#,
        ),
    ] {
        let spec = MarshalSpec::parse(blob).unwrap();
        assert_eq!(spec.to_string(), format!("[MarshalAs({csharp})]"));
        assert_eq!(spec.ilasm().to_string(), format!("marshal({ilasm})"));
    }
}
