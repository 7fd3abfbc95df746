//! The names of types in signatures.
//!
//! The blobs are those of ECMA-335 II.23.2; what is expected is C#'s syntax for the type, and for `T[*]` the name that
//! System.Reflection has (`typeof(int).MakeArrayType(1)` is `System.Int32[*]`).
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use clrnames::csharp::{SignatureScope, TypeDefinition, type_name};
use clrnames::{Error, TypeName};
use sigparse::{TypeDefOrRef, TypeSig};

/// A module with a few type references, whose types have arguments by name.
struct Module;

impl SignatureScope for Module {
    type Error = Error;

    fn definition(&self, token: TypeDefOrRef) -> Result<Arc<TypeDefinition>, Error> {
        let name = match token.token() {
            0x0100_0001 => "N.List`1",
            0x0100_0002 => "N.Dictionary`2+Entry",
            0x0100_0003 => "Outer`1+Inner`1+Leaf",
            0x0100_0004 => "System.Runtime.InteropServices.InAttribute",
            0x0100_0005 => "N.Plain",
            0x0100_0006 => "System.Runtime.InteropServices.OutAttribute",
            0x0100_0007 => "System.Nullable`1",
            0x0100_0008 => "System.ValueTuple`2",
            _ => return Err(Error::NotFound(format!("no {token}"))),
        };
        Ok(Arc::new(TypeDefinition::parse(name)))
    }

    fn type_argument(&self, index: u32) -> Result<TypeName, Error> {
        Ok(TypeName::new(format!("T{index}")))
    }

    fn method_argument(&self, index: u32) -> Result<TypeName, Error> {
        Ok(TypeName::new(format!("M{index}")))
    }

    fn internal(&self, handle: usize) -> Result<TypeName, Error> {
        Err(Error::NotFound(format!("no type {handle}")))
    }
}

fn name(blob: &[u8]) -> Result<String, Error> {
    type_name(&Module, TypeSig::parse(blob).unwrap()).map(|name| name.to_string())
}

#[track_caller]
fn check(blob: &[u8], expected: &str) {
    assert_eq!(name(blob).unwrap(), expected);
}

#[test]
fn leaves_have_keywords() {
    for (element, keyword) in [
        (0x01, "void"),
        (0x02, "bool"),
        (0x03, "char"),
        (0x04, "sbyte"),
        (0x05, "byte"),
        (0x06, "short"),
        (0x07, "ushort"),
        (0x08, "int"),
        (0x09, "uint"),
        (0x0A, "long"),
        (0x0B, "ulong"),
        (0x0C, "float"),
        (0x0D, "double"),
        (0x0E, "string"),
        (0x16, "System.TypedReference"),
        (0x18, "nint"),
        (0x19, "nuint"),
        (0x1C, "object"),
    ] {
        check(&[element], keyword);
    }
}

#[test]
fn type_arguments_follow_the_type_that_declares_them() {
    check(&[0x12, 0x15], "N.Plain");
    check(&[0x11, 0x15], "N.Plain");
    check(&[0x13, 0x01], "T1");
    check(&[0x1E, 0x01], "M1");
    check(&[0x15, 0x12, 0x05, 0x01, 0x08], "N.List<int>");
    check(
        &[0x15, 0x11, 0x09, 0x02, 0x0E, 0x15, 0x12, 0x05, 0x01, 0x13, 0x00],
        "N.Dictionary<string, N.List<T0>>.Entry",
    );
    check(&[0x15, 0x12, 0x0D, 0x02, 0x08, 0x0E], "Outer<int>.Inner<string>.Leaf");
    check(&[0x15, 0x11, 0x1D, 0x01, 0x08], "int?");
    check(&[0x15, 0x11, 0x21, 0x02, 0x08, 0x15, 0x11, 0x1D, 0x01, 0x02], "(int, bool?)");
    // An open type.
    check(&[0x12, 0x05], "N.List<!0>");
}

#[test]
fn arrays_are_written_from_the_outside_in() {
    check(&[0x1D, 0x08], "int[]");
    check(&[0x1D, 0x14, 0x08, 0x02, 0x00, 0x00], "int[][,]");
    check(&[0x14, 0x1D, 0x08, 0x02, 0x00, 0x00], "int[,][]");
    check(&[0x14, 0x08, 0x03, 0x01, 0x05, 0x02, 0x7B, 0x7F], "int[,,]");
    check(&[0x1D, 0x0F, 0x08], "int*[]");
    check(&[0x0F, 0x1D, 0x08], "int[]*");
    check(&[0x0F, 0x0F, 0x01], "void**");
}

#[test]
fn an_array_of_rank_1_is_not_a_vector() {
    check(&[0x14, 0x08, 0x01, 0x00, 0x00], "int[*]");
    check(&[0x14, 0x08, 0x01, 0x00, 0x01, 0x00], "int[*]");
    check(&[0x1D, 0x14, 0x08, 0x01, 0x00, 0x00], "int[][*]");
}

#[test]
fn references_have_the_keyword_of_their_modifier() {
    check(&[0x10, 0x1D, 0x08], "ref int[]");
    check(&[0x45, 0x10, 0x05], "ref byte");
    // modreq(InAttribute) of a return type, and modifiers without a meaning.
    check(&[0x1F, 0x11, 0x10, 0x08], "ref readonly int");
    check(&[0x1F, 0x15, 0x20, 0x05, 0x10, 0x20, 0x15, 0x08], "ref int");
}

#[test]
fn function_pointers_have_their_calling_convention() {
    check(&[0x1B, 0x00, 0x01, 0x01, 0x08], "delegate*<int, void>");
    check(&[0x1B, 0x20, 0x00, 0x01], "delegate*<void>");
    for (convention, expected) in [
        (1, " unmanaged[Cdecl]"),
        (2, " unmanaged[Stdcall]"),
        (3, " unmanaged[Thiscall]"),
        (4, " unmanaged[Fastcall]"),
        (9, " unmanaged"),
        (11, " unmanaged"),
        // A managed method with `__arglist`.
        (5, ""),
    ] {
        check(&[0x1B, convention, 0x00, 0x08], &format!("delegate*{expected}<int>"));
    }
    // delegate*<in int, out int, ref int, ref readonly int>
    check(
        &[
            0x1B, 0x00, 0x03, 0x1F, 0x11, 0x10, 0x08, 0x1F, 0x11, 0x10, 0x08, 0x1F, 0x19, 0x10, 0x08, 0x10,
            0x08,
        ],
        "delegate*<in int, out int, ref int, ref readonly int>",
    );
}

#[test]
fn errors_of_the_scope_are_returned() {
    assert!(matches!(name(&[0x1D, 0x12, 0x7C]), Err(Error::NotFound(_))));
    let internal = [&[0x1D, 0x21][..], &0x1000_usize.to_ne_bytes()].concat();
    assert!(matches!(name(&internal), Err(Error::NotFound(_))));
}
