//! Hand-made blobs, each with the structure that the clause of ECMA-335 gives it.

use crate::dump::{Kind, by_views, by_walk};

/// A blob and what it means.
pub(crate) struct Vector {
    /// The clause of ECMA-335 partition II, or where the CLR defines it.
    pub(crate) clause: &'static str,
    /// What is special about it.
    pub(crate) what: &'static str,
    pub(crate) kind: Kind,
    pub(crate) blob: &'static [u8],
    pub(crate) expected: &'static str,
}

const fn v(
    clause: &'static str,
    what: &'static str,
    kind: Kind,
    blob: &'static [u8],
    expected: &'static str,
) -> Vector {
    Vector { clause, what, kind, blob, expected }
}

use Kind::{Field, Locals, Method, MethodSpec, Property, TypeSpec};

#[rustfmt::skip] // One vector, one entry: the bytes stay beside what they mean.
pub(crate) const VECTORS: &[Vector] = &[
    // Every element type that is whole in itself.
    v("II.23.2.12", "VOID", TypeSpec, &[0x01], "VOID"),
    v("II.23.2.12", "BOOLEAN", TypeSpec, &[0x02], "BOOLEAN"),
    v("II.23.2.12", "CHAR", TypeSpec, &[0x03], "CHAR"),
    v("II.23.2.12", "I1", TypeSpec, &[0x04], "I1"),
    v("II.23.2.12", "U1", TypeSpec, &[0x05], "U1"),
    v("II.23.2.12", "I2", TypeSpec, &[0x06], "I2"),
    v("II.23.2.12", "U2", TypeSpec, &[0x07], "U2"),
    v("II.23.2.12", "I4", TypeSpec, &[0x08], "I4"),
    v("II.23.2.12", "U4", TypeSpec, &[0x09], "U4"),
    v("II.23.2.12", "I8", TypeSpec, &[0x0A], "I8"),
    v("II.23.2.12", "U8", TypeSpec, &[0x0B], "U8"),
    v("II.23.2.12", "R4", TypeSpec, &[0x0C], "R4"),
    v("II.23.2.12", "R8", TypeSpec, &[0x0D], "R8"),
    v("II.23.2.12", "STRING", TypeSpec, &[0x0E], "STRING"),
    v("II.23.2.12", "TYPEDBYREF", TypeSpec, &[0x16], "TYPEDBYREF"),
    v("II.23.2.12", "I", TypeSpec, &[0x18], "I"),
    v("II.23.2.12", "U", TypeSpec, &[0x19], "U"),
    v("II.23.2.12", "OBJECT", TypeSpec, &[0x1C], "OBJECT"),

    // Tokens, in each table and at each length of the encoding.
    v("II.23.2.8", "CLASS of a TypeDef", TypeSpec, &[0x12, 0x04], "CLASS:0x02000001"),
    v("II.23.2.8", "CLASS of a TypeRef", TypeSpec, &[0x12, 0x49], "CLASS:0x01000012"),
    v("II.23.2.8", "VALUETYPE of a TypeSpec", TypeSpec, &[0x11, 0x06], "VALUETYPE:0x1B000001"),
    v("II.23.2.8", "a token of two bytes", TypeSpec, &[0x12, 0x80, 0x81], "CLASS:0x01000020"),
    v("II.23.2.8", "a token of four bytes", TypeSpec, &[0x11, 0xC0, 0x01, 0x00, 0x00], "VALUETYPE:0x02004000"),
    v("II.23.2.8", "the highest row", TypeSpec, &[0x12, 0xC3, 0xFF, 0xFF, 0xFD], "CLASS:0x01FFFFFF"),

    // Generic parameters.
    v("II.23.2.12", "VAR", TypeSpec, &[0x13, 0x00], "VAR:0"),
    v("II.23.2.12", "VAR of two bytes", TypeSpec, &[0x13, 0x80, 0x80], "VAR:128"),
    v("II.23.2.12", "MVAR", TypeSpec, &[0x1E, 0x03], "MVAR:3"),

    // What nests one type.
    v("II.23.2.12", "PTR to void", TypeSpec, &[0x0F, 0x01], "PTR(VOID)"),
    v("II.23.2.12", "PTR to PTR", TypeSpec, &[0x0F, 0x0F, 0x08], "PTR(PTR(I4))"),
    v("II.23.2.12", "PTR with a modifier on the target", TypeSpec, &[0x0F, 0x20, 0x09, 0x08], "PTR(opt:0x01000002 I4)"),
    v("II.23.2.12", "SZARRAY", TypeSpec, &[0x1D, 0x0E], "SZARRAY(STRING)"),
    v("II.23.2.12", "SZARRAY, jagged, modified", TypeSpec, &[0x1D, 0x1F, 0x09, 0x1D, 0x03], "SZARRAY(reqd:0x01000002 SZARRAY(CHAR))"),
    v("II.23.2.10", "BYREF, tolerated in a TypeSpec", TypeSpec, &[0x10, 0x08], "BYREF(I4)"),
    v("II.23.2.9", "PINNED, tolerated in a TypeSpec", TypeSpec, &[0x45, 0x1C], "PINNED(OBJECT)"),

    // Arrays. The first four are the table of II.23.2.13.
    v("II.23.2.13", "int32[0...2]", TypeSpec, &[0x14, 0x08, 0x01, 0x01, 0x03, 0x00], "ARRAY(I4 rank=1 sizes=[3])"),
    v("II.23.2.13", "int32[,,,,,,]", TypeSpec, &[0x14, 0x08, 0x07, 0x00, 0x00], "ARRAY(I4 rank=7)"),
    v("II.23.2.13", "int32[0...3, 0...2,,,,]", TypeSpec, &[0x14, 0x08, 0x06, 0x02, 0x04, 0x03, 0x02, 0x00, 0x00], "ARRAY(I4 rank=6 sizes=[4, 3] lower=[0, 0])"),
    v("II.23.2.13", "int32[1...2, 6...8]", TypeSpec, &[0x14, 0x08, 0x02, 0x02, 0x02, 0x03, 0x02, 0x02, 0x0C], "ARRAY(I4 rank=2 sizes=[2, 3] lower=[1, 6])"),
    v("II.23.2.13", "int32[5, 3...5, , ]", TypeSpec, &[0x14, 0x08, 0x04, 0x02, 0x05, 0x03, 0x02, 0x00, 0x06], "ARRAY(I4 rank=4 sizes=[5, 3] lower=[0, 3])"),
    v("II.23.2.13", "negative lower bounds of one, two and four bytes", TypeSpec,
        &[0x14, 0x0E, 0x03, 0x00, 0x03, 0x7B, 0x80, 0x01, 0xC0, 0x00, 0x00, 0x01],
        "ARRAY(STRING rank=3 lower=[-3, -8192, -268435456])"),
    v("II.23.2.13", "the highest rank", TypeSpec, &[0x14, 0x02, 0x20, 0x00, 0x00], "ARRAY(BOOLEAN rank=32)"),
    v("II.23.2.13", "an array of arrays", TypeSpec, &[0x14, 0x14, 0x08, 0x02, 0x00, 0x00, 0x03, 0x00, 0x00], "ARRAY(ARRAY(I4 rank=2) rank=3)"),

    // Generic types.
    v("II.23.2.12", "GENERICINST of a class", TypeSpec, &[0x15, 0x12, 0x09, 0x01, 0x08], "GENERICINST(CLASS:0x01000002 | I4)"),
    v("II.23.2.12", "GENERICINST of a value type, nested", TypeSpec,
        &[0x15, 0x11, 0x08, 0x02, 0x15, 0x12, 0x09, 0x01, 0x13, 0x00, 0x1D, 0x1E, 0x01],
        "GENERICINST(VALUETYPE:0x02000002 | GENERICINST(CLASS:0x01000002 | VAR:0), SZARRAY(MVAR:1))"),
    v("II.23.2.12", "modifiers on generic arguments", TypeSpec,
        &[0x15, 0x12, 0x09, 0x03, 0x1F, 0x0D, 0x08, 0x02, 0x20, 0x11, 0x1F, 0x0D, 0x0F, 0x01],
        "GENERICINST(CLASS:0x01000002 | reqd:0x01000003 I4, BOOLEAN, opt:0x01000004 reqd:0x01000003 PTR(VOID))"),
    v("II.23.2.12", "a modified GENERICINST", TypeSpec, &[0x1F, 0x09, 0x15, 0x12, 0x09, 0x01, 0x08], "reqd:0x01000002 GENERICINST(CLASS:0x01000002 | I4)"),
    v("II.23.2.14", "a TypeSpec that begins with a modifier", TypeSpec, &[0x1F, 0x09, 0x13, 0x00], "reqd:0x01000002 VAR:0"),
    v("II.23.2.7", "a modifier that is a TypeSpec", TypeSpec, &[0x20, 0x0A, 0x08], "opt:0x1B000002 I4"),

    // Function pointers.
    v("II.23.2.12", "FNPTR, managed", TypeSpec, &[0x1B, 0x00, 0x01, 0x01, 0x08], "FNPTR(DEFAULT VOID (I4))"),
    v("II.23.2.3", "FNPTR, each unmanaged convention", Locals,
        &[0x07, 0x05, 0x1B, 0x01, 0x00, 0x01, 0x1B, 0x02, 0x00, 0x01, 0x1B, 0x03, 0x00, 0x01, 0x1B, 0x04, 0x00, 0x01, 0x1B, 0x0B, 0x00, 0x01],
        "(FNPTR(C VOID ()), FNPTR(STDCALL VOID ()), FNPTR(THISCALL VOID ()), FNPTR(FASTCALL VOID ()), FNPTR(NATIVEVARARG VOID ()))"),
    v("CLR: convention 9", "FNPTR, unmanaged with modopt conventions", TypeSpec,
        &[0x1B, 0x09, 0x01, 0x20, 0x09, 0x20, 0x0D, 0x08, 0x10, 0x08],
        "FNPTR(UNMANAGED opt:0x01000002 opt:0x01000003 I4 (BYREF(I4)))"),
    v("II.23.2.3", "FNPTR with this", TypeSpec, &[0x1B, 0x20, 0x00, 0x01], "FNPTR(DEFAULT|HASTHIS VOID ())"),
    v("II.23.2.3", "FNPTR with explicit this", TypeSpec, &[0x1B, 0x60, 0x01, 0x01, 0x1C], "FNPTR(DEFAULT|HASTHIS|EXPLICITTHIS VOID (OBJECT))"),
    v("II.23.2.3", "FNPTR, generic", TypeSpec, &[0x1B, 0x10, 0x02, 0x01, 0x1E, 0x00, 0x1E, 0x01], "FNPTR(DEFAULT|GENERIC <2> MVAR:0 (MVAR:1))"),
    v("II.23.2.3", "FNPTR, vararg, inside other types", TypeSpec,
        &[0x15, 0x12, 0x09, 0x02, 0x1B, 0x05, 0x02, 0x01, 0x08, 0x41, 0x0E, 0x1D, 0x1B, 0x00, 0x00, 0x01],
        "GENERICINST(CLASS:0x01000002 | FNPTR(VARARG VOID (I4, ... STRING)), SZARRAY(FNPTR(DEFAULT VOID ())))"),
    v("II.23.2.12", "FNPTR that takes and returns FNPTR", TypeSpec,
        &[0x1B, 0x00, 0x01, 0x1B, 0x00, 0x00, 0x08, 0x1B, 0x00, 0x01, 0x01, 0x02],
        "FNPTR(DEFAULT FNPTR(DEFAULT I4 ()) (FNPTR(DEFAULT VOID (BOOLEAN))))"),

    // Methods.
    v("II.23.2.1", "static void M()", Method, &[0x00, 0x00, 0x01], "DEFAULT VOID ()"),
    v("II.23.2.1", "instance, two parameters", Method, &[0x20, 0x02, 0x0E, 0x08, 0x1C], "DEFAULT|HASTHIS STRING (I4, OBJECT)"),
    v("II.23.2.1", "generic instance", Method, &[0x30, 0x01, 0x01, 0x1E, 0x00, 0x13, 0x01], "DEFAULT|GENERIC|HASTHIS <1> MVAR:0 (VAR:1)"),
    v("II.23.2.1", "a generic parameter count of two bytes", Method, &[0x10, 0x80, 0x80, 0x00, 0x01], "DEFAULT|GENERIC <128> VOID ()"),
    v("II.23.2.1", "vararg definition", Method, &[0x05, 0x01, 0x01, 0x0E], "VARARG VOID (STRING)"),
    v("II.23.2.2", "vararg call site, sentinel between", Method, &[0x05, 0x03, 0x01, 0x0E, 0x41, 0x08, 0x0D], "VARARG VOID (STRING, ... I4, R8)"),
    v("II.23.2.2", "vararg call site, sentinel first", Method, &[0x25, 0x01, 0x01, 0x41, 0x08], "VARARG|HASTHIS VOID (... I4)"),
    v("II.23.2.2", "vararg call site, generic type and array after the sentinel", Method,
        &[0x05, 0x03, 0x01, 0x41, 0x15, 0x12, 0x09, 0x01, 0x0E, 0x14, 0x08, 0x02, 0x00, 0x00, 0x10, 0x08],
        "VARARG VOID (... GENERICINST(CLASS:0x01000002 | STRING), ARRAY(I4 rank=2), BYREF(I4))"),
    v("II.23.2.2", "vararg call site, modified type after the sentinel", Method,
        &[0x05, 0x02, 0x01, 0x0E, 0x41, 0x1F, 0x09, 0x1B, 0x05, 0x01, 0x01, 0x41, 0x08],
        "VARARG VOID (STRING, ... reqd:0x01000002 FNPTR(VARARG VOID (... I4)))"),
    v("II.23.2.3", "unmanaged C call site with sentinel", Method, &[0x01, 0x02, 0x08, 0x0F, 0x04, 0x41, 0x1C], "C I4 (PTR(I1), ... OBJECT)"),
    v("II.23.2.10", "ref parameter", Method, &[0x00, 0x01, 0x01, 0x10, 0x08], "DEFAULT VOID (BYREF(I4))"),
    v("II.23.2.10", "in parameter: modifier before BYREF", Method, &[0x20, 0x01, 0x01, 0x1F, 0x09, 0x10, 0x08], "DEFAULT|HASTHIS VOID (reqd:0x01000002 BYREF(I4))"),
    v("II.23.2.10", "modifier after BYREF", Method, &[0x00, 0x01, 0x01, 0x10, 0x20, 0x09, 0x08], "DEFAULT VOID (BYREF(opt:0x01000002 I4))"),
    v("II.23.2.10", "TYPEDBYREF parameter", Method, &[0x00, 0x01, 0x01, 0x16], "DEFAULT VOID (TYPEDBYREF)"),
    v("II.23.2.11", "init setter: modreq void", Method, &[0x20, 0x01, 0x1F, 0x09, 0x01, 0x08], "DEFAULT|HASTHIS reqd:0x01000002 VOID (I4)"),
    v("II.23.2.11", "ref readonly return", Method, &[0x00, 0x00, 0x1F, 0x09, 0x10, 0x13, 0x00], "DEFAULT reqd:0x01000002 BYREF(VAR:0) ()"),
    v("II.23.2.1", "an unknown header bit survives", Method, &[0x80, 0x00, 0x01], "DEFAULT|0x80 VOID ()"),

    // Fields.
    v("II.23.2.4", "field", Field, &[0x06, 0x0E], "STRING"),
    v("II.23.2.4", "volatile field", Field, &[0x06, 0x1F, 0x09, 0x08], "reqd:0x01000002 I4"),
    v("II.23.2.4", "ref readonly field", Field, &[0x06, 0x1F, 0x09, 0x10, 0x13, 0x00], "reqd:0x01000002 BYREF(VAR:0)"),

    // Properties.
    v("II.23.2.5", "static property", Property, &[0x08, 0x00, 0x08], "PROPERTY I4 ()"),
    v("II.23.2.5", "indexer", Property, &[0x28, 0x02, 0x0E, 0x08, 0x1D, 0x03], "PROPERTY|HASTHIS STRING (I4, SZARRAY(CHAR))"),
    v("II.23.2.5", "modified ref property", Property, &[0x28, 0x00, 0x1F, 0x09, 0x10, 0x08], "PROPERTY|HASTHIS reqd:0x01000002 BYREF(I4) ()"),

    // Local variables.
    v("II.23.2.6", "no locals", Locals, &[0x07, 0x00], "()"),
    v("II.23.2.6", "pinned reference", Locals, &[0x07, 0x02, 0x45, 0x10, 0x05, 0x16], "(PINNED(BYREF(U1)), TYPEDBYREF)"),
    v("II.23.2.6", "modifiers around PINNED", Locals, &[0x07, 0x01, 0x20, 0x09, 0x45, 0x20, 0x0D, 0x0E], "(opt:0x01000002 PINNED(opt:0x01000003 STRING))"),
    v("II.23.2.6", "PINNED after BYREF", Locals, &[0x07, 0x01, 0x10, 0x45, 0x0E], "(BYREF(PINNED(STRING)))"),

    // Method instantiations.
    v("II.23.2.15", "one argument", MethodSpec, &[0x0A, 0x01, 0x08], "<I4>"),
    v("II.23.2.15", "two arguments", MethodSpec, &[0x0A, 0x02, 0x15, 0x12, 0x09, 0x01, 0x1C, 0x1F, 0x09, 0x1E, 0x00], "<GENERICINST(CLASS:0x01000002 | OBJECT), reqd:0x01000002 MVAR:0>"),
];

/// INTERNAL and CMOD_INTERNAL carry a pointer of the machine, so their vectors depend on it.
#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
#[rustfmt::skip]
pub(crate) const POINTER_VECTORS: &[Vector] = &[
    v("CLR: INTERNAL", "alone", TypeSpec, &[0x21, 8, 7, 6, 5, 4, 3, 2, 1], "INTERNAL:102030405060708"),
    v("CLR: INTERNAL", "in other types", Locals,
        &[0x07, 0x02, 0x15, 0x21, 1, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x0E, 0x1D, 0x21, 2, 0, 0, 0, 0, 0, 0, 0],
        "(GENERICINST(INTERNAL:1 | STRING), SZARRAY(INTERNAL:2))"),
    v("CLR: CMOD_INTERNAL", "required and optional", Method,
        &[0x00, 0x01, 0x22, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x22, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x08],
        "DEFAULT reqd:5 VOID (opt:6 BYREF(I4))"),
];

#[cfg(not(all(target_pointer_width = "64", target_endian = "little")))]
pub(crate) const POINTER_VECTORS: &[Vector] = &[];

/// All vectors.
pub(crate) fn all() -> impl Iterator<Item = &'static Vector> {
    VECTORS.iter().chain(POINTER_VECTORS)
}

#[test]
fn views_give_the_expected_structure() {
    for vector in all() {
        let found = by_views(vector.kind, vector.blob);
        assert_eq!(found.as_deref(), Ok(vector.expected), "{}: {}", vector.clause, vector.what);
    }
}

#[test]
fn walks_give_the_expected_structure() {
    for vector in all() {
        let found = by_walk(vector.kind, vector.blob);
        assert_eq!(found.as_deref(), Ok(vector.expected), "{}: {}", vector.clause, vector.what);
    }
}
