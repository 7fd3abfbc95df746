//! Printing, in both styles.

use std::fmt;

use sigparse::{
    FieldSig, LocalVarSig, MethodSig, MethodSpecSig, PropertySig, Signature, Type, TypeDefOrRef, TypeSig,
    print::{Names, Style, Substitute, Tokens},
};

/// A few type references, named as metadata names them.
struct Module;

impl Names for Module {
    fn type_name(&self, ty: TypeDefOrRef, style: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        if style == Style::IlAsm {
            out.write_str("[lib]")?;
        }
        match ty.token() {
            0x0100_0001 => out.write_str("N.List`1"),
            // In pieces, as a resolver does that walks from the enclosing type inwards.
            0x0100_0002 => {
                ["N", ".", "Dictionary`", "2", "/", "Entry"].into_iter().try_for_each(|s| out.write_str(s))
            }
            0x0100_0003 => out.write_str("Outer`1+Inner`12+Leaf"),
            0x0100_0004 => out.write_str("Odd`Name`"),
            0x0100_0005 => out.write_str("Plain"),
            0x0100_0006 => out.write_str("N`0`99999999999"),
            _ => write!(out, "{ty}"),
        }
    }

    fn var(&self, number: u32, _style: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "T{number}")
    }
}

fn both(blob: &[u8]) -> (String, String) {
    let sig = TypeSig::parse(blob).unwrap();
    (sig.csharp(&Module).to_string(), sig.ilasm(&Module).to_string())
}

#[track_caller]
fn check(blob: &[u8], csharp: &str, ilasm: &str) {
    assert_eq!(both(blob), (csharp.into(), ilasm.into()));
}

#[test]
fn keywords() {
    for (byte, csharp, ilasm) in [
        (0x01, "void", "void"),
        (0x02, "bool", "bool"),
        (0x03, "char", "char"),
        (0x04, "sbyte", "int8"),
        (0x05, "byte", "uint8"),
        (0x06, "short", "int16"),
        (0x07, "ushort", "uint16"),
        (0x08, "int", "int32"),
        (0x09, "uint", "uint32"),
        (0x0A, "long", "int64"),
        (0x0B, "ulong", "uint64"),
        (0x0C, "float", "float32"),
        (0x0D, "double", "float64"),
        (0x0E, "string", "string"),
        (0x16, "System.TypedReference", "typedref"),
        (0x18, "nint", "native int"),
        (0x19, "nuint", "native uint"),
        (0x1C, "object", "object"),
    ] {
        check(&[byte], csharp, ilasm);
    }
}

#[test]
fn names() {
    check(&[0x12, 0x15], "Plain", "class [lib]Plain");
    check(&[0x11, 0x15], "Plain", "valuetype [lib]Plain");
    check(&[0x13, 0x01], "T1", "T1");
    check(&[0x1E, 0x01], "!!1", "!!1");
}

#[test]
fn generic_arguments_go_where_the_arity_is() {
    check(&[0x15, 0x12, 0x05, 0x01, 0x08], "N.List<int>", "class [lib]N.List`1<int32>");
    check(
        &[0x15, 0x11, 0x09, 0x02, 0x0E, 0x15, 0x12, 0x05, 0x01, 0x13, 0x00],
        "N.Dictionary<string, N.List<T0>>.Entry",
        "valuetype [lib]N.Dictionary`2/Entry<string, class [lib]N.List`1<T0>>",
    );
    // More arities than arguments, arguments without an arity, names that only look as if they had one.
    check(
        &[0x15, 0x12, 0x0D, 0x02, 0x08, 0x0E],
        "Outer<int>.Inner<string>.Leaf",
        "class [lib]Outer`1+Inner`12+Leaf<int32, string>",
    );
    check(&[0x15, 0x12, 0x15, 0x02, 0x08, 0x0E], "Plain<int, string>", "class [lib]Plain<int32, string>");
    check(&[0x15, 0x12, 0x11, 0x01, 0x08], "Odd`Name`<int>", "class [lib]Odd`Name`<int32>");
    check(&[0x15, 0x12, 0x19, 0x01, 0x08], "N`0`4294967295<int>", "class [lib]N`0`99999999999<int32>");
    // Open types.
    check(&[0x12, 0x05], "N.List<>", "class [lib]N.List`1");
    check(&[0x12, 0x09], "N.Dictionary<,>.Entry", "class [lib]N.Dictionary`2/Entry");
}

#[test]
fn what_nests() {
    check(&[0x0F, 0x0F, 0x01], "void**", "void**");
    check(&[0x10, 0x1D, 0x08], "ref int[]", "int32[]&");
    check(&[0x45, 0x10, 0x05], "pinned ref byte", "uint8& pinned");
    check(&[0x1D, 0x0F, 0x08], "int*[]", "int32*[]");
    check(&[0x0F, 0x1D, 0x08], "int[]*", "int32[]*");
}

#[test]
fn arrays() {
    // A vector of two-dimensional arrays: C# writes the outer rank first, ILAsm the inner.
    check(&[0x1D, 0x14, 0x08, 0x02, 0x00, 0x00], "int[][,]", "int32[,][]");
    check(&[0x14, 0x1D, 0x08, 0x02, 0x00, 0x00], "int[,][]", "int32[][,]");
    check(&[0x14, 0x08, 0x01, 0x00, 0x00], "int[*]", "int32[...]");
    check(&[0x14, 0x08, 0x01, 0x00, 0x01, 0x00], "int[*]", "int32[0...]");
    check(&[0x14, 0x08, 0x02, 0x02, 0x02, 0x03, 0x02, 0x02, 0x0C], "int[,]", "int32[1...2,6...8]");
    check(&[0x14, 0x08, 0x03, 0x01, 0x05, 0x02, 0x7B, 0x7F], "int[,,]", "int32[-3...1,-1...,]");
    check(&[0x14, 0x08, 0x02, 0x01, 0x05, 0x00], "int[,]", "int32[5,]");
}

#[test]
fn modifiers() {
    check(
        &[0x1F, 0x15, 0x20, 0x05, 0x10, 0x20, 0x15, 0x08],
        "ref int",
        "int32 modopt([lib]Plain)& modopt([lib]N.List`1) modreq([lib]Plain)",
    );
}

#[test]
fn function_pointers() {
    check(&[0x1B, 0x00, 0x01, 0x01, 0x08], "delegate*<int, void>", "method void *(int32)");
    check(&[0x1B, 0x20, 0x00, 0x01], "delegate*<void>", "method instance void *()");
    check(
        &[0x1B, 0x60, 0x01, 0x01, 0x1C],
        "delegate*<object, void>",
        "method instance explicit void *(object)",
    );
    for (byte, csharp, ilasm) in [
        (1, "[Cdecl]", "cdecl "),
        (2, "[Stdcall]", "stdcall "),
        (3, "[Thiscall]", "thiscall "),
        (4, "[Fastcall]", "fastcall "),
        (9, "", ""),
        (11, "", "vararg "),
    ] {
        check(
            &[0x1B, byte, 0x00, 0x08],
            &format!("delegate* unmanaged{csharp}<int>"),
            &format!("method unmanaged {ilasm}int32 *()"),
        );
    }
    check(
        &[0x1B, 0x05, 0x02, 0x01, 0x08, 0x41, 0x0E],
        "delegate*<int, __arglist(string), void>",
        "method vararg void *(int32, ..., string)",
    );
}

#[test]
fn methods() {
    let printed = |blob: &[u8], name: &str| {
        let sig = MethodSig::parse(blob).unwrap();
        (sig.csharp(&Module).named(name).to_string(), sig.ilasm(&Module).named(name).to_string())
    };
    let pair = |csharp: &str, ilasm: &str| (csharp.to_owned(), ilasm.to_owned());
    assert_eq!(printed(&[0x00, 0x00, 0x01], "C.M"), pair("void C.M()", "void C.M()"));
    assert_eq!(
        printed(&[0x30, 0x02, 0x01, 0x1E, 0x01, 0x1D, 0x13, 0x00], "M"),
        pair("!!1 M<!!0, !!1>(T0[])", "instance !!1 M<!!0, !!1>(T0[])")
    );
    assert_eq!(
        printed(&[0x05, 0x03, 0x01, 0x0E, 0x41, 0x08, 0x0D], "M"),
        pair("void M(string, __arglist(int, double))", "vararg void M(string, ..., int32, float64)")
    );
    assert_eq!(
        printed(&[0x05, 0x01, 0x01, 0x0E], "M"),
        pair("void M(string, __arglist)", "vararg void M(string)")
    );
    assert_eq!(printed(&[0x05, 0x00, 0x01], "M"), pair("void M(__arglist)", "vararg void M()"));
}

#[test]
fn other_kinds() {
    let field = FieldSig::parse(&[0x06, 0x1F, 0x15, 0x08]).unwrap();
    assert_eq!(field.csharp(&Module).named("count").to_string(), "int count");
    assert_eq!(field.ilasm(&Module).named("count").to_string(), "int32 modreq([lib]Plain) count");
    assert_eq!(field.ilasm(&Module).to_string(), "int32 modreq([lib]Plain)");

    let property = PropertySig::parse(&[0x28, 0x00, 0x0E]).unwrap();
    assert_eq!(property.csharp(&Module).named("Name").to_string(), "string Name");
    assert_eq!(property.ilasm(&Module).named("Name").to_string(), "instance string Name()");
    let indexer = PropertySig::parse(&[0x28, 0x02, 0x0E, 0x08, 0x03]).unwrap();
    assert_eq!(indexer.to_string(), "string this[int, char]");
    assert_eq!(indexer.csharp(&Module).named("Item").to_string(), "string Item[int, char]");
    assert_eq!(indexer.ilasm(&Module).named("Item").to_string(), "instance string Item(int32, char)");

    let locals = LocalVarSig::parse(&[0x07, 0x02, 0x08, 0x45, 0x10, 0x05]).unwrap();
    assert_eq!(locals.to_string(), "(int, pinned ref byte)");
    assert_eq!(locals.ilasm(&Tokens).to_string(), "(int32, uint8& pinned)");

    let args = MethodSpecSig::parse(&[0x0A, 0x02, 0x08, 0x13, 0x00]).unwrap();
    assert_eq!(args.to_string(), "<int, !0>");

    assert_eq!(Signature::parse(&[0x06, 0x0E]).unwrap().to_string(), "string");
    assert_eq!(Signature::parse(&[0x20, 0x00, 0x01]).unwrap().ilasm(&Tokens).to_string(), "instance void ()");
}

#[test]
fn generic_arguments_replace_generic_parameters() {
    // T0 M<!!0>(T1[], List<!!0>, T7), with <List<T0>, string> and <int>.
    let blob =
        [0x10, 0x01, 0x03, 0x13, 0x00, 0x1D, 0x13, 0x01, 0x15, 0x12, 0x05, 0x01, 0x1E, 0x00, 0x13, 0x07];
    let sig = MethodSig::parse(&blob).unwrap();
    sig.validate().unwrap();
    let spec = TypeSig::parse(&[0x15, 0x12, 0x09, 0x02, 0x15, 0x12, 0x05, 0x01, 0x13, 0x00, 0x0E]).unwrap();
    let Type::GenericInst(inst) = spec.ty() else { panic!("{spec:?}") };
    let args = MethodSpecSig::parse(&[0x0A, 0x01, 0x08]).unwrap().args();
    // The arguments are named by their own module: T0 there is not replaced again.
    let names = Substitute::new(&Tokens).type_args(inst.args(), &Module).method_args(args, &Tokens);
    assert_eq!(sig.csharp(&names).named("M").to_string(), "N.List<T0> M<int>(string[], 0x01000001<int>, !7)");
    assert_eq!(
        sig.ilasm(&names).named("M").to_string(),
        "class [lib]N.List`1<T0> M<int32>(string[], class 0x01000001<int32>, !7)"
    );
}

#[test]
fn malformed_parameters_print_as_their_error() {
    let sig = MethodSig::parse(&[0x00, 0x03, 0x01, 0x08, 0x00, 0x08]).unwrap();
    assert_eq!(sig.to_string(), "void (int, <element type END begins no type (at byte 4)>)");
    assert_eq!(sig.ilasm(&Tokens).to_string(), "void (int32, <element type END begins no type (at byte 4)>)");
    let sig = LocalVarSig::parse(&[0x07, 0x01, 0x41]).unwrap();
    assert_eq!(sig.to_string(), "(<a sentinel where there can be none (at byte 2)>)");
}
