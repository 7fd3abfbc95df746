//! Bodies made by hand from ECMA-335 II.25.4, and malformed ones.

use cilbody::{
    BodyParts, Clause, ClauseKind, Error, ErrorKind, Location, MethodBody, Opcode, Operand, Range, limits,
};
use sigparse::Token;
use sigparse::token::StandAloneSig;

/// Where and what.
fn parts(error: Error) -> (Location, ErrorKind) {
    (error.location, error.kind)
}

fn parse_error(bytes: &[u8]) -> (Location, ErrorKind) {
    parts(MethodBody::parse(bytes).unwrap_err())
}

fn first_error(code: &[u8]) -> (Location, ErrorKind) {
    parts(cilbody::Instructions::new(code).find_map(Result::err).unwrap())
}

#[test]
fn a_tiny_header_has_the_size_in_its_upper_bits() {
    let body = MethodBody::parse(&[0x06, 0x2A, 0xFF, 0xFF]).unwrap();
    assert!(body.is_tiny());
    assert_eq!((body.code_bytes(), body.bytes()), (&[0x2A][..], &[0x06, 0x2A][..]));
    assert_eq!((body.max_stack(), body.init_locals(), body.local_var_sig()), (8, false, None));
}

#[test]
fn a_fat_header_has_flags_stack_size_and_variables() {
    let bytes = [0x13, 0x30, 0x07, 0x01, 1, 0, 0, 0, 0x2A, 0, 0, 0x11, 0x2A];
    let body = MethodBody::parse(&bytes).unwrap();
    assert!(!body.is_tiny() && body.init_locals());
    assert_eq!((body.max_stack(), body.code_size()), (0x107, 1));
    assert_eq!(body.local_var_sig(), StandAloneSig::from_rid(0x2A));
    assert_eq!(body.reencode().unwrap(), bytes);
}

#[test]
fn a_small_section_has_clauses_of_twelve_bytes() {
    // try: leave.s; catch: pop, leave.s; ret
    let code = [0xDE, 3, 0x26, 0xDE, 0, 0x2A];
    let bytes = [
        &[0x0B, 0x30, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0][..],
        &code,
        &[0, 0],
        &[0x01, 16, 0, 0, 0, 0, 0, 0, 2, 2, 0, 3, 5, 0, 0, 0x01],
    ]
    .concat();
    let body = MethodBody::parse(&bytes).unwrap();
    let expected = Clause {
        protected: Range { start: 0, end: 2 },
        handler: Range { start: 2, end: 5 },
        kind: ClauseKind::Catch(Token(0x0100_0005)),
    };
    assert_eq!(body.clauses().collect::<Vec<_>>(), [Ok(expected)]);
    assert!(!body.has_fat_clauses());
    assert_eq!(body.reencode().unwrap(), bytes);
}

#[test]
fn sections_follow_each_other_until_one_is_the_last() {
    let clause = |start: u8| [2, 0, start, 0, 1, start + 1, 0, 1, 0, 0, 0, 0];
    let fat = [4u32, 0, 1, 1, 1, 0].map(u32::to_le_bytes).concat();
    let bytes = [
        &[0x0B, 0x30, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x2A][..],
        &[0x81, 28, 0, 0],
        &clause(0),
        &clause(2),
        &[0x41, 28, 0, 0],
        &fat,
        &[0xFF; 9],
    ]
    .concat();
    let body = MethodBody::parse(&bytes).unwrap();
    let kinds: Vec<ClauseKind> = body.clauses().map(|clause| clause.unwrap().kind).collect();
    assert_eq!(kinds, [ClauseKind::Finally, ClauseKind::Finally, ClauseKind::Fault]);
    assert_eq!(body.bytes().len(), bytes.len() - 9);
}

#[test]
fn a_section_size_without_the_header_is_read_like_the_runtime_reads_it() {
    let clause = [0, 0, 0, 0, 2, 2, 0, 3, 5, 0, 0, 0x01];
    let head = [0x0B, 0x30, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0xDE, 3, 0x26, 0xDE, 0, 0x2A, 0, 0];
    let bytes = [&head[..], &[0x01, 12, 0, 0], &clause].concat();
    assert_eq!(MethodBody::parse(&bytes).unwrap().clause_count(), 1);
}

#[test]
fn operands_have_the_size_and_sign_of_their_kind() {
    let code = [
        &[0x1F, 0xFF][..],                                       // ldc.i4.s -1
        &[0x20, 0xFE, 0xFF, 0xFF, 0xFF],                         // ldc.i4 -2
        &[0x21, 1, 0, 0, 0, 0, 0, 0, 0x80],                      // ldc.i8
        &[0x22, 1, 0, 0xA0, 0x7F],                               // ldc.r4, a signalling NaN
        &[0x23, 1, 0, 0, 0, 0, 0, 0xF0, 0x7F],                   // ldc.r8, the same
        &[0x11, 0xFF],                                           // ldloc.s 255
        &[0xFE, 0x0C, 0x00, 0x01],                               // ldloc 256
        &[0xFE, 0x12, 0xFF],                                     // unaligned. 255
        &[0x45, 2, 0, 0, 0, 0, 0, 0, 0, 0xF3, 0xFF, 0xFF, 0xFF], // switch: next, itself
        &[0x2A],
    ]
    .concat();
    let operands: Vec<Operand<'_>> =
        cilbody::Instructions::new(&code).map(|instruction| instruction.unwrap().operand()).collect();
    let [a, b, c, d, e, f, g, h, Operand::Switch(targets), Operand::None] = operands.as_slice() else {
        panic!("{operands:?}")
    };
    assert_eq!([a, b, h], [&Operand::I4(-1), &Operand::I4(-2), &Operand::I4(255)]);
    assert_eq!([c, d], [&Operand::I8(i64::MIN + 1), &Operand::R4(0x7FA0_0001)]);
    assert_eq!(e, &Operand::R8(0x7FF0_0000_0000_0001));
    assert_eq!([f, g], [&Operand::Variable(255), &Operand::Variable(256)]);
    let end = u32::try_from(code.len()).unwrap() - 1;
    assert_eq!(targets.collect::<Vec<_>>(), [Ok(end), Ok(end - 13)]);
}

#[test]
fn malformed_headers_are_errors() {
    let body = |kind| (Location::Body(0), kind);
    let is = |bytes: &[u8], expected: ErrorKind| {
        let found = parse_error(bytes);
        assert_eq!(found.1, expected);
    };
    assert_eq!(body(ErrorKind::UnexpectedEnd), parse_error(&[]));
    is(&[0x00], ErrorKind::UnknownFormat(0));
    is(&[0x01], ErrorKind::UnknownFormat(1));
    is(&[0x02], ErrorKind::CodeSize(0));
    is(&[0x0A, 0x2A], ErrorKind::UnexpectedEnd);
    is(&[0x03, 0x20], ErrorKind::HeaderSize(2));
    is(&[0x03, 0x30, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], ErrorKind::CodeSize(u32::MAX));
    is(&[0x03, 0x30, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0x02, 0x2A], ErrorKind::LocalVarSig(0x0200_0001));
    let with_section =
        |section: &[u8]| [&[0x0B, 0x30, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x2A][..], section].concat();
    is(&with_section(&[]), ErrorKind::UnexpectedEnd);
    is(&with_section(&[0x02, 4, 0, 0]), ErrorKind::UnknownSection(2));
    is(&with_section(&[0x01, 16, 0, 0]), ErrorKind::UnexpectedEnd);
    is(&with_section(&[0x81, 0, 0, 0].repeat(limits::MAX_SECTIONS + 1)), ErrorKind::TooManySections);
}

#[test]
fn malformed_clauses_are_errors() {
    let error = |clause: [u8; 12]| {
        let bytes =
            [&[0x0B, 0x30, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x2A][..], &[0x01, 16, 0, 0], &clause]
                .concat();
        parts(MethodBody::parse(&bytes).unwrap().clauses().next().unwrap().unwrap_err())
    };
    let expected = |kind| (Location::Clause(0), kind);
    assert_eq!(
        error([0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]),
        expected(ErrorKind::ClauseRange { start: 0, length: 0 })
    );
    assert_eq!(
        error([0, 0, 0, 0, 1, 1, 0, 9, 0, 0, 0, 0]),
        expected(ErrorKind::ClauseRange { start: 1, length: 9 })
    );
    assert_eq!(error([3, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0]), expected(ErrorKind::UnknownClause(3)));
    assert_eq!(error([1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0]), expected(ErrorKind::FilterRange(1)));
}

#[test]
fn malformed_code_is_an_error_at_its_offset() {
    let at = |offset, kind| (Location::Il(offset), kind);
    assert_eq!(first_error(&[0x00, 0x24]), at(1, ErrorKind::UnknownOpcode(0x24)));
    assert_eq!(first_error(&[0x00, 0xFE, 0x22]), at(1, ErrorKind::UnknownOpcode(0xFE22)));
    assert_eq!(first_error(&[0xFE]), at(1, ErrorKind::UnexpectedEnd));
    assert_eq!(first_error(&[0x20, 0, 0]), at(1, ErrorKind::UnexpectedEnd));
    assert_eq!(first_error(&[0x2B, 0x00]), at(0, ErrorKind::BranchOutside(2)));
    assert_eq!(first_error(&[0x38, 0, 0, 0, 0x80]), at(0, ErrorKind::BranchOutside(5 - (1 << 31))));
    // A switch of a billion cases.
    assert_eq!(first_error(&[0x45, 0, 0, 0, 0x40]).1, ErrorKind::UnexpectedEnd);
    let switch = [0x45, 1, 0, 0, 0, 9, 0, 0, 0];
    let Operand::Switch(mut targets) = cilbody::Instructions::new(&switch).next().unwrap().unwrap().operand()
    else {
        panic!()
    };
    assert_eq!(targets.next().unwrap().unwrap_err().kind, ErrorKind::BranchOutside(18));
}

#[test]
fn forms_are_chosen_by_what_does_not_fit() {
    let nops = |count| vec![0u8; count];
    let size = |code: &[u8], max_stack, clauses: &[Clause]| {
        let parts = BodyParts { code, max_stack, init_locals: false, local_var_sig: None, clauses };
        parts.to_bytes().unwrap().len() - code.len()
    };
    assert_eq!(size(&nops(63), 8, &[]), 1);
    assert_eq!(size(&nops(64), 8, &[]), 12);
    assert_eq!(size(&nops(63), 9, &[]), 12);
    let clause = |length| Clause {
        protected: Range { start: 0, end: length },
        handler: Range { start: length, end: length + 1 },
        kind: ClauseKind::Finally,
    };
    assert_eq!(size(&nops(256), 0, &[clause(255)]), 12 + 4 + 12);
    assert_eq!(size(&nops(260), 0, &[clause(256)]), 12 + 4 + 24);
    assert_eq!(size(&nops(256), 0, &[clause(255); 20]), 12 + 4 + 20 * 12);
    assert_eq!(size(&nops(256), 0, &[clause(255); 21]), 12 + 4 + 21 * 24);
}

#[test]
fn instructions_stop_after_an_error() {
    let mut instructions = cilbody::Instructions::new(&[0x24, 0x00]);
    assert!(instructions.next().unwrap().is_err());
    assert_eq!(instructions.next(), None);
    assert_eq!(Opcode(0xAB).to_string(), "0xAB");
}
