//! Bodies as text.

use cilbody::ilasm::Tokens;
use cilbody::{ClauseKind, Instructions, MethodBody};

use crate::module::{CATCH, body, clause};

#[test]
fn every_kind_of_operand_has_its_text() {
    let cases: [(&[u8], &str); 13] = [
        (&[0x00], "nop"),
        (&[0x1F, 0x80], "ldc.i4.s   -128"),
        (&[0x21, 0, 0, 0, 0, 0, 0, 0, 0x80], "ldc.i8     -9223372036854775808"),
        (&[0x22, 0, 0, 0xC0, 0x3F], "ldc.r4     1.5"),
        (&[0x22, 0, 0, 0x80, 0x7F], "ldc.r4     float32(0x7F800000)"),
        (&[0x23, 0, 0, 0, 0, 0, 0, 0, 0x80], "ldc.r8     -0.0"),
        (&[0x23, 1, 0, 0, 0, 0, 0, 0xF0, 0x7F], "ldc.r8     float64(0x7FF0000000000001)"),
        (&[0xFE, 0x0C, 0x00, 0x01], "ldloc      256"),
        (&[0xFE, 0x12, 0x01], "unaligned. 1"),
        (&[0x2B, 0xFE], "br.s       IL_0000"),
        (&[0x45, 0, 0, 0, 0], "switch     ()"),
        (&[0x45, 2, 0, 0, 0, 0xF3, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0x2A], "switch     (IL_0000, IL_000D)"),
        (&[0x72, 1, 0, 0, 0x70], "ldstr      mdtoken(0x70000001)"),
    ];
    for (code, text) in cases {
        let first = Instructions::new(code).next().unwrap().unwrap();
        assert_eq!(first.ilasm(Tokens).to_string(), text);
    }
}

#[test]
fn variables_and_clauses_have_lines_of_their_own() {
    let code = [0xDE, 3, 0x26, 0xDE, 0, 0x2A];
    let bytes = body(1, &code, &[clause([0, 2], [2, 5], CATCH)]);
    let text = MethodBody::parse(&bytes).unwrap().ilasm(Tokens).to_string();
    assert_eq!(
        text,
        ".maxstack 1\n.locals init (mdtoken(0x11000001))\n\
         IL_0000:  leave.s    IL_0005\nIL_0002:  pop\nIL_0003:  leave.s    IL_0005\nIL_0005:  ret\n\
         .try IL_0000 to IL_0002 catch mdtoken(0x02000002) handler IL_0002 to IL_0005\n"
    );
    let filter = clause([0, 2], [3, 5], ClauseKind::Filter(2));
    let bytes = body(1, &code, &[filter]);
    let text = MethodBody::parse(&bytes).unwrap().ilasm(Tokens).to_string();
    assert!(text.ends_with(".try IL_0000 to IL_0002 filter IL_0002 handler IL_0003 to IL_0005\n"), "{text}");
}

#[test]
fn malformed_code_ends_with_the_error() {
    let body = MethodBody::parse(&[0x0A, 0x00, 0x24]).unwrap();
    let text = body.ilasm(Tokens).to_string();
    assert_eq!(text, ".maxstack 8\nIL_0000:  nop\n// 0x24 is not an opcode (at IL_0001)\n");
}
