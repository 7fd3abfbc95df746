//! Printing of signatures. What is expected is the syntax of ECMA-335 II.7.1, II.14.2 and II.15.3.

use std::fmt;

use sigparse::{
    FieldSig, LocalVarSig, MethodSig, MethodSpecSig, PropertySig, Signature, TypeDefOrRef, TypeSig,
    ilasm::Names,
};

/// A few type references, named as metadata names them.
struct Module;

impl Names for Module {
    fn type_name(&self, ty: TypeDefOrRef, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str("[lib]")?;
        match ty.token() {
            0x0100_0001 => out.write_str("N.List`1"),
            // In pieces, as a resolver does that walks from the enclosing type inwards.
            0x0100_0002 => {
                ["N", ".", "Dictionary`", "2", "/", "Entry"].into_iter().try_for_each(|s| out.write_str(s))
            }
            0x0100_0003 => out.write_str("Outer`1+Inner`12+Leaf"),
            0x0100_0005 => out.write_str("Plain"),
            _ => write!(out, "{ty}"),
        }
    }

    fn var(&self, number: u32, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "T{number}")
    }
}

#[track_caller]
fn check(blob: &[u8], expected: &str) {
    assert_eq!(TypeSig::parse(blob).unwrap().ilasm(&Module).to_string(), expected);
}

#[test]
fn keywords() {
    for (byte, keyword) in [
        (0x01, "void"),
        (0x02, "bool"),
        (0x03, "char"),
        (0x04, "int8"),
        (0x05, "uint8"),
        (0x06, "int16"),
        (0x07, "uint16"),
        (0x08, "int32"),
        (0x09, "uint32"),
        (0x0A, "int64"),
        (0x0B, "uint64"),
        (0x0C, "float32"),
        (0x0D, "float64"),
        (0x0E, "string"),
        (0x16, "typedref"),
        (0x18, "native int"),
        (0x19, "native uint"),
        (0x1C, "object"),
    ] {
        check(&[byte], keyword);
    }
}

#[test]
fn names() {
    check(&[0x12, 0x15], "class [lib]Plain");
    check(&[0x11, 0x15], "valuetype [lib]Plain");
    check(&[0x13, 0x01], "T1");
    check(&[0x1E, 0x01], "!!1");
}

#[test]
fn generic_arguments_follow_the_whole_name() {
    check(&[0x15, 0x12, 0x05, 0x01, 0x08], "class [lib]N.List`1<int32>");
    check(
        &[0x15, 0x11, 0x09, 0x02, 0x0E, 0x15, 0x12, 0x05, 0x01, 0x13, 0x00],
        "valuetype [lib]N.Dictionary`2/Entry<string, class [lib]N.List`1<T0>>",
    );
    // The arity in a name is not compared with the arguments.
    check(&[0x15, 0x12, 0x0D, 0x02, 0x08, 0x0E], "class [lib]Outer`1+Inner`12+Leaf<int32, string>");
    check(&[0x15, 0x12, 0x15, 0x02, 0x08, 0x0E], "class [lib]Plain<int32, string>");
    // Open types.
    check(&[0x12, 0x05], "class [lib]N.List`1");
    check(&[0x12, 0x09], "class [lib]N.Dictionary`2/Entry");
}

#[test]
fn what_nests() {
    check(&[0x0F, 0x0F, 0x01], "void**");
    check(&[0x10, 0x1D, 0x08], "int32[]&");
    check(&[0x45, 0x10, 0x05], "uint8& pinned");
    check(&[0x1D, 0x0F, 0x08], "int32*[]");
    check(&[0x0F, 0x1D, 0x08], "int32[]*");
}

#[test]
fn arrays() {
    // A vector of two-dimensional arrays: ILAsm writes the inner rank first.
    check(&[0x1D, 0x14, 0x08, 0x02, 0x00, 0x00], "int32[,][]");
    check(&[0x14, 0x1D, 0x08, 0x02, 0x00, 0x00], "int32[][,]");
    check(&[0x14, 0x08, 0x01, 0x00, 0x00], "int32[...]");
    check(&[0x14, 0x08, 0x01, 0x00, 0x01, 0x00], "int32[0...]");
    check(&[0x14, 0x08, 0x02, 0x02, 0x02, 0x03, 0x02, 0x02, 0x0C], "int32[1...2,6...8]");
    check(&[0x14, 0x08, 0x03, 0x01, 0x05, 0x02, 0x7B, 0x7F], "int32[-3...1,-1...,]");
    check(&[0x14, 0x08, 0x02, 0x01, 0x05, 0x00], "int32[5,]");
}

#[test]
fn modifiers() {
    check(
        &[0x1F, 0x15, 0x20, 0x05, 0x10, 0x20, 0x15, 0x08],
        "int32 modopt([lib]Plain)& modopt([lib]N.List`1) modreq([lib]Plain)",
    );
}

#[test]
fn function_pointers() {
    check(&[0x1B, 0x00, 0x01, 0x01, 0x08], "method void *(int32)");
    check(&[0x1B, 0x20, 0x00, 0x01], "method instance void *()");
    check(&[0x1B, 0x60, 0x01, 0x01, 0x1C], "method instance explicit void *(object)");
    for (byte, convention) in
        [(1, "cdecl "), (2, "stdcall "), (3, "thiscall "), (4, "fastcall "), (9, ""), (11, "vararg ")]
    {
        check(&[0x1B, byte, 0x00, 0x08], &format!("method unmanaged {convention}int32 *()"));
    }
    check(&[0x1B, 0x05, 0x02, 0x01, 0x08, 0x41, 0x0E], "method vararg void *(int32, ..., string)");
}

#[test]
fn methods() {
    let printed =
        |blob: &[u8], name: &str| MethodSig::parse(blob).unwrap().ilasm(&Module).named(name).to_string();
    assert_eq!(printed(&[0x00, 0x00, 0x01], "C::M"), "void C::M()");
    assert_eq!(
        printed(&[0x30, 0x02, 0x01, 0x1E, 0x01, 0x1D, 0x13, 0x00], "M"),
        "instance !!1 M<!!0, !!1>(T0[])"
    );
    assert_eq!(
        printed(&[0x05, 0x03, 0x01, 0x0E, 0x41, 0x08, 0x0D], "M"),
        "vararg void M(string, ..., int32, float64)"
    );
    assert_eq!(printed(&[0x05, 0x01, 0x01, 0x0E], "M"), "vararg void M(string)");
    assert_eq!(printed(&[0x05, 0x00, 0x01], "M"), "vararg void M()");
}

#[test]
fn other_kinds() {
    let field = FieldSig::parse(&[0x06, 0x1F, 0x15, 0x08]).unwrap();
    assert_eq!(field.ilasm(&Module).named("count").to_string(), "int32 modreq([lib]Plain) count");
    assert_eq!(field.ilasm(&Module).to_string(), "int32 modreq([lib]Plain)");

    let property = PropertySig::parse(&[0x28, 0x00, 0x0E]).unwrap();
    assert_eq!(property.ilasm(&Module).named("Name").to_string(), "instance string Name()");
    let indexer = PropertySig::parse(&[0x28, 0x02, 0x0E, 0x08, 0x03]).unwrap();
    assert_eq!(indexer.to_string(), "instance string (int32, char)");
    assert_eq!(indexer.ilasm(&Module).named("Item").to_string(), "instance string Item(int32, char)");

    let locals = LocalVarSig::parse(&[0x07, 0x02, 0x08, 0x45, 0x10, 0x05]).unwrap();
    assert_eq!(locals.to_string(), "(int32, uint8& pinned)");

    let args = MethodSpecSig::parse(&[0x0A, 0x02, 0x08, 0x13, 0x00]).unwrap();
    assert_eq!(args.to_string(), "<int32, !0>");

    assert_eq!(Signature::parse(&[0x06, 0x0E]).unwrap().to_string(), "string");
    assert_eq!(Signature::parse(&[0x20, 0x00, 0x01]).unwrap().to_string(), "instance void ()");
}

#[test]
fn malformed_parameters_print_as_their_error() {
    let sig = MethodSig::parse(&[0x00, 0x03, 0x01, 0x08, 0x00, 0x08]).unwrap();
    assert_eq!(sig.to_string(), "void (int32, <element type END begins no type (at byte 4)>)");
    let sig = LocalVarSig::parse(&[0x07, 0x01, 0x41]).unwrap();
    assert_eq!(sig.to_string(), "(<a sentinel where there can be none (at byte 2)>)");
}
