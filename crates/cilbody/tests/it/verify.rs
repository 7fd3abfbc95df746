//! Each rule of the verifier, broken.

use cilbody::{Clause, ClauseKind, ErrorKind, Kind, Location, MethodBody, Opcode, ReturnType};
use sigparse::MethodSig;

use crate::module::{
    CATCH, INT_OF_INT, NOTHING, Sample, TWO_ARGUMENTS, VIRTUAL, VOID, body, clause, verified,
};

type Found = Result<(), (Location, ErrorKind)>;

/// The outcome for a body of a method with this signature.
fn of(max_stack: u16, code: &[u8], clauses: &[Clause], sig: &[u8]) -> Found {
    verified(&body(max_stack, code, clauses), sig).map_err(|error| (error.location, error.kind))
}

fn void(code: &[u8], clauses: &[Clause]) -> Found {
    of(8, code, clauses, &VOID)
}

fn at(offset: u32, kind: ErrorKind) -> Found {
    Err((Location::Il(offset), kind))
}

fn at_clause(index: u32, kind: ErrorKind) -> Found {
    Err((Location::Clause(index), kind))
}

#[test]
fn control_does_not_run_off_the_end() {
    assert_eq!(void(&[0x00], &[]), at(0, ErrorKind::FallsOffEnd));
    assert_eq!(void(&[0xFE, 0x13], &[]), at(2, ErrorKind::FallsOffEnd));
}

#[test]
fn branches_lead_to_instructions() {
    // br.s into ldc.i4
    assert_eq!(void(&[0x2B, 1, 0x20, 0, 0, 0, 0, 0x26, 0x2A], &[]), at(0, ErrorKind::NotAnInstruction(3)));
}

#[test]
fn stacks_are_the_same_where_ways_join() {
    // ldarg.0; brtrue.s a; ldc.i4.0; br.s b; a: ldnull; b: pop; ret
    let code = [0x02, 0x2D, 3, 0x16, 0x2B, 1, 0x14, 0x26, 0x2A];
    let found = of(8, &code, &[], &[0x00, 0x01, 0x01, 0x08]);
    let Err((Location::Il(7), ErrorKind::StackKind { expected, found: other })) = found else {
        panic!("{found:?}")
    };
    assert!([(Kind::I4, Kind::Ref), (Kind::Ref, Kind::I4)].contains(&(expected, other)));
}

#[test]
fn the_stack_is_as_deep_as_the_header_says() {
    let code = [0x16, 0x16, 0x26, 0x26, 0x2A];
    assert_eq!(of(2, &code, &[], &VOID), Ok(()));
    assert_eq!(of(1, &code, &[], &VOID), at(1, ErrorKind::MaxStack(1)));
}

#[test]
fn prefixes_stand_before_what_they_apply_to() {
    let not_allowed = |offset, prefix, opcode| at(offset, ErrorKind::PrefixNotAllowed { prefix, opcode });
    assert_eq!(void(&[0xFE, 0x13, 0x2A], &[]), not_allowed(2, Opcode::VOLATILE, Opcode::RET));
    assert_eq!(
        void(&[0xFE, 0x13, 0xFE, 0x13, 0x4A, 0x2A], &[]),
        not_allowed(2, Opcode::VOLATILE, Opcode::VOLATILE)
    );
    assert_eq!(void(&[0xFE, 0x19, 1, 0x2A], &[]), not_allowed(0, Opcode::NO, Opcode::NO));
    let [a, b, c, d] = NOTHING.to_le_bytes();
    assert_eq!(void(&[0xFE, 0x14, 0x28, a, b, c, d, 0x00, 0x2A], &[]), at(7, ErrorKind::TailWithoutRet));
}

#[test]
fn variables_and_tokens_exist() {
    assert_eq!(void(&[0x02, 0x26, 0x2A], &[]), at(0, ErrorKind::NoArgument { number: 0, count: 0 }));
    assert_eq!(void(&[0x08, 0x26, 0x2A], &[]), at(0, ErrorKind::NoLocal { number: 2, count: 2 }));
    assert_eq!(
        void(&[0x28, 1, 0, 0, 4, 0x2A], &[]),
        at(0, ErrorKind::WrongTable { opcode: Opcode::CALL, token: 0x0400_0001 })
    );
    assert_eq!(
        void(&[0x28, 0, 0, 0, 6, 0x2A], &[]),
        at(0, ErrorKind::WrongTable { opcode: Opcode::CALL, token: 0x0600_0000 })
    );
    assert_eq!(void(&[0x28, 9, 0, 0, 6, 0x2A], &[]), at(0, ErrorKind::UnknownSignature(0x0600_0009)));
}

#[test]
fn calls_take_what_their_signature_says() {
    let call = |before: &[u8], method: u32| {
        let code = [before, &[0x28], &method.to_le_bytes(), &[0x2A]].concat();
        of(8, &code, &[], &INT_OF_INT)
    };
    assert_eq!(call(&[0x16, 0x16], TWO_ARGUMENTS), Ok(()));
    assert_eq!(call(&[0x14], VIRTUAL), Ok(()));
    assert_eq!(call(&[0x16], TWO_ARGUMENTS), at(1, ErrorKind::StackUnderflow { pops: 2, depth: 1 }));
    assert_eq!(
        call(&[0x16, 0x14], TWO_ARGUMENTS),
        at(2, ErrorKind::StackKind { expected: Kind::I4, found: Kind::Ref })
    );
    assert_eq!(call(&[0x16], VIRTUAL), at(1, ErrorKind::StackKind { expected: Kind::Ref, found: Kind::I4 }));
}

#[test]
fn arithmetic_is_of_numbers_of_one_kind() {
    let compute = |code: &[u8]| void(&[code, &[0x26, 0x2A]].concat(), &[]);
    assert_eq!(compute(&[0x16, 0x17, 0x58]), Ok(()));
    assert_eq!(compute(&[0x16, 0xE0, 0x17, 0x58]), Ok(()));
    let wrong = |offset, expected, found| at(offset, ErrorKind::StackKind { expected, found });
    assert_eq!(compute(&[0x16, 0x14, 0x58]), wrong(2, Kind::I4, Kind::Ref));
    assert_eq!(compute(&[0x16, 0x17, 0x6A, 0x58]), wrong(3, Kind::I4, Kind::I8));
    assert_eq!(compute(&[0x16, 0x6B, 0x17, 0x58]), wrong(3, Kind::F, Kind::I4));
    assert_eq!(compute(&[0x14, 0x65]), wrong(1, Kind::I4, Kind::Ref));
}

// try: leave.s end; handler; end: ret
const TRY: [u8; 2] = [0xDE, 3];

fn tried(handler: [u8; 3], kind: ClauseKind) -> Found {
    let code = [&TRY[..], &handler, &[0x2A]].concat();
    void(&code, &[clause([0, 2], [2, 5], kind)])
}

#[test]
fn handlers_are_left_in_their_own_way() {
    assert_eq!(tried([0x26, 0xDE, 0], CATCH), Ok(()));
    assert_eq!(tried([0x26, 0xFE, 0x1A], CATCH), Ok(()));
    assert_eq!(tried([0x00, 0x00, 0xDC], ClauseKind::Finally), Ok(()));
    assert_eq!(tried([0x00, 0xDE, 0], ClauseKind::Finally), at(3, ErrorKind::LeavesHandler(Opcode::LEAVE_S)));
    assert_eq!(tried([0x00, 0x2B, 0], ClauseKind::Finally), at(3, ErrorKind::CrossesRegion(5)));
    assert_eq!(tried([0x00, 0x00, 0x00], ClauseKind::Fault), at(4, ErrorKind::CrossesRegion(5)));
    assert_eq!(tried([0x26, 0x00, 0xDC], CATCH), at(4, ErrorKind::Misplaced(Opcode::ENDFINALLY)));
    assert_eq!(tried([0x00, 0xFE, 0x1A], ClauseKind::Finally), at(3, ErrorKind::Misplaced(Opcode::RETHROW)));
    assert_eq!(tried([0x26, 0x00, 0x2A], CATCH), at(4, ErrorKind::ProtectedReturn));
}

#[test]
fn a_catch_handler_may_lead_back_into_what_it_protects() {
    // try: nop; nop; leave.s end; catch: pop; leave.s to the second nop; end: ret
    let code = [0x00, 0x00, 0xDE, 3, 0x26, 0xDE, 0xFA, 0x2A];
    assert_eq!(void(&code, &[clause([0, 4], [4, 7], CATCH)]), Ok(()));
}

#[test]
fn protected_regions_are_entered_at_their_begin() {
    // br.s into the region: nop; leave.s; finally: endfinally; ret
    let into = |distance| [0x2B, distance, 0x00, 0xDE, 1, 0xDC, 0x2A];
    let finally = [clause([2, 5], [5, 6], ClauseKind::Finally)];
    assert_eq!(void(&into(0), &finally), Ok(()));
    assert_eq!(void(&into(1), &finally), at(0, ErrorKind::CrossesRegion(3)));
    assert_eq!(void(&into(3), &finally), at(0, ErrorKind::CrossesRegion(5)));
}

#[test]
fn a_method_does_not_begin_in_a_handler() {
    // finally: nop; endfinally; try: leave.s; ret
    let finally = clause([2, 4], [0, 2], ClauseKind::Finally);
    assert_eq!(void(&[0x00, 0xDC, 0xDE, 0, 0x2A], &[finally]), at(0, ErrorKind::CrossesRegion(0)));
}

#[test]
fn clauses_nest_and_inner_ones_come_first() {
    // try: try: leave.s; finally: endfinally; leave.s; finally: endfinally; ret
    let code = [0xDE, 1, 0xDC, 0xDE, 1, 0xDC, 0x2A];
    let inner = clause([0, 2], [2, 3], ClauseKind::Finally);
    let outer = clause([0, 5], [5, 6], ClauseKind::Finally);
    assert_eq!(void(&code, &[inner, outer]), Ok(()));
    assert_eq!(void(&code, &[outer, inner]), at_clause(1, ErrorKind::ClauseOrder));
    let overlapping = clause([2, 6], [6, 7], ClauseKind::Finally);
    assert_eq!(void(&code, &[inner, overlapping]), at_clause(0, ErrorKind::HandlerElsewhere));
    let crossing = clause([3, 6], [6, 7], ClauseKind::Finally);
    assert_eq!(void(&code, &[outer, crossing]), at_clause(1, ErrorKind::OverlappingRegions));
    let elsewhere = clause([0, 2], [5, 6], ClauseKind::Finally);
    assert_eq!(
        void(&code, &[elsewhere, clause([0, 3], [3, 5], ClauseKind::Finally)]),
        at_clause(0, ErrorKind::HandlerElsewhere)
    );
    let within = clause([0, 2], [1, 2], ClauseKind::Finally);
    assert_eq!(void(&code, &[within]), at_clause(0, ErrorKind::NotAnInstruction(1)));
    // Two handlers of one region.
    let code = [0xDE, 6, 0x26, 0xDE, 3, 0x26, 0xDE, 0, 0x2A];
    assert_eq!(void(&code, &[clause([0, 2], [2, 5], CATCH), clause([0, 2], [5, 8], CATCH)]), Ok(()));
}

#[test]
fn filters_end_with_endfilter() {
    let code = |end: [u8; 2]| [&[0xDE, 8, 0x26, 0x17][..], &end, &[0x00, 0x26, 0xDE, 1, 0x00, 0x2A]].concat();
    let filter = |handler| [clause([0, 2], [handler, 10], ClauseKind::Filter(2))];
    assert_eq!(void(&code([0xFE, 0x11]), &filter(7)), at(4, ErrorKind::Misplaced(Opcode::ENDFILTER)));
    assert_eq!(void(&code([0x26, 0x00]), &filter(7)), at(6, ErrorKind::CrossesRegion(7)));
}

#[test]
fn localloc_does_not_stand_in_handlers() {
    // catch: pop; ldc.i4.1; localloc; pop; leave.s
    let code = [0xDE, 7, 0x26, 0x17, 0xFE, 0x0F, 0x26, 0xDE, 0, 0x2A];
    let found = void(&code, &[clause([0, 2], [2, 9], CATCH)]);
    assert_eq!(found, at(4, ErrorKind::Misplaced(Opcode::LOCALLOC)));
}

/// `static void ()` with the local variables `valuetype` 0x02000003 and another structure, a generic one of `int`, and of the
/// structure itself.
fn with_structures(code: &[u8]) -> Found {
    let mut module = Sample::new();
    let (plain, other, generic) = (0x0C, 0x10, 0x14);
    module.locals = vec![
        0x07, 4, 0x11, plain, 0x11, other, 0x15, 0x11, generic, 1, 0x08, 0x15, 0x11, generic, 1, 0x11, plain,
    ];
    let bytes = body(8, code, &[]);
    let sig = MethodSig::parse(&VOID).unwrap();
    cilbody::verify(&MethodBody::parse(&bytes).unwrap(), sig, ReturnType::VOID, &module)
        .map_err(|error| (error.location, error.kind))
}

#[test]
fn structures_of_other_types_do_not_fit() {
    // ldloc.N; stloc.N; ret
    for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 0), (2, 3), (3, 2)] {
        let code = [0x06 + from, 0x0A + to, 0x2A];
        assert_eq!(with_structures(&code), at(1, ErrorKind::OtherStructure), "{from} to {to}");
    }
    for variable in 0..4 {
        assert_eq!(with_structures(&[0x06 + variable, 0x0A + variable, 0x2A]), Ok(()), "{variable}");
    }
}

#[test]
fn structures_of_other_types_do_not_join() {
    // ldc.i4.0; brtrue.s a; ldloc.0; br.s b; a: ldloc.N; b: pop; ret
    let code = |variable: u8| [0x16, 0x2D, 3, 0x06, 0x2B, 1, 0x06 + variable, 0x26, 0x2A];
    assert_eq!(with_structures(&code(0)), Ok(()));
    assert_eq!(with_structures(&code(1)), at(7, ErrorKind::OtherStructure));
}

/// A method that the runtime suspends returns the task's result.
#[test]
fn the_body_of_an_async_method_returns_the_result() {
    // static Task<int> M(): ldc.i4.0; ret, or ldnull; ret.
    let sig = MethodSig::parse(&[0x00, 0x00, 0x15, 0x12, 0x09, 0x01, 0x08]).unwrap();
    let module = Sample::new();
    let verified = |code: &[u8], returns| {
        let bytes = body(8, code, &[]);
        let outcome = cilbody::verify(&MethodBody::parse(&bytes).unwrap(), sig, returns, &module);
        outcome.map_err(|error| error.kind)
    };
    let misfit = |expected, found| Err(ErrorKind::StackKind { expected, found });
    let (number, null) = ([0x16, 0x2A], [0x14, 0x2A]);
    assert_eq!(verified(&number, ReturnType::of_async(&sig)), Ok(()));
    assert_eq!(verified(&null, ReturnType::of_async(&sig)), misfit(Kind::I4, Kind::Ref));
    assert_eq!(verified(&null, ReturnType::of(&sig)), Ok(()));
    assert_eq!(verified(&number, ReturnType::of(&sig)), misfit(Kind::Ref, Kind::I4));
}

/// `switch` to as many pieces of code, each of which brings the same number of items to `pop_all`; another item is an
/// `intptr` in each piece, so that the code from there on is followed again for each.
fn ways_with_other_stacks(ways: usize, nops: usize) -> Vec<u8> {
    let path = |intptr: usize| {
        let item = |index| if index == intptr { [0x16, 0xD3] } else { [0x16, 0x00] };
        (0..ways).flat_map(item).collect::<Vec<u8>>()
    };
    let size = 2 * ways + 5;
    let mut code = vec![0x16, 0x45];
    code.extend(u32::try_from(ways).unwrap().to_le_bytes());
    code.extend((0..ways).flat_map(|way| u32::try_from(way * size).unwrap().to_le_bytes()));
    for way in 0..ways {
        code.extend(path(way));
        code.push(0x38);
        code.extend(u32::try_from((ways - 1 - way) * size).unwrap().to_le_bytes());
    }
    // nop …; ldnull; throw
    code.resize(code.len() + nops, 0x00);
    code.extend([0x14, 0x7A]);
    code
}

#[test]
fn code_that_is_followed_again_for_every_stack_is_refused_beyond_a_limit() {
    assert_eq!(of(300, &ways_with_other_stacks(20, 1_000), &[], &VOID), Ok(()));
    let found = of(300, &ways_with_other_stacks(200, 40_000), &[], &VOID);
    assert!(matches!(found, Err((Location::Il(_), ErrorKind::TooComplex))), "{found:?}");
}

/// `ldc.i4.0; brtrue.s; leave` as often as `leaves`, in nested protected regions that `finally` handlers follow.
fn leaves_out_of(leaves: usize, depth: u32) -> Found {
    let (body_size, depth_bytes) = (u32::try_from(8 * leaves).unwrap() + 5, depth);
    let mut code = Vec::new();
    for index in 0..=leaves {
        if index < leaves {
            code.extend([0x16, 0x2D, 5]);
        }
        code.push(0xDD);
        let end = u32::try_from(code.len()).unwrap() + 4;
        code.extend((body_size + depth_bytes - end).to_le_bytes());
    }
    code.resize(code.len() + depth as usize, 0xDC);
    code.push(0x2A);
    let finally = |index| {
        clause([0, body_size + index], [body_size + index, body_size + index + 1], ClauseKind::Finally)
    };
    void(&code, &(0..depth).map(finally).collect::<Vec<_>>())
}

#[test]
fn branches_out_of_many_regions_are_refused_beyond_a_limit() {
    assert_eq!(leaves_out_of(1_000, 100), Ok(()));
    let found = leaves_out_of(10_000, 1_000);
    assert!(matches!(found, Err((Location::Il(_), ErrorKind::TooComplex))), "{found:?}");
}

/// As many regions as a method may have, nested and around the same instructions.
#[test]
fn all_regions_that_a_method_may_have_are_verified() {
    let count = cilbody::limits::MAX_CLAUSES;
    assert_eq!(leaves_out_of(0, u32::try_from(count).unwrap()), Ok(()));
    // leave.s to the end; handlers for the same two bytes: pop; leave.
    let mut code = vec![0xDD];
    let total = u32::try_from(6 * count).unwrap();
    code.extend(total.to_le_bytes());
    for index in 0..u32::try_from(count).unwrap() {
        code.extend([0x26, 0xDD]);
        code.extend((total - 6 * (index + 1)).to_le_bytes());
    }
    code.push(0x2A);
    let catch = |index| clause([0, 5], [5 + 6 * index, 11 + 6 * index], CATCH);
    assert_eq!(void(&code, &(0..u32::try_from(count).unwrap()).map(catch).collect::<Vec<_>>()), Ok(()));
}
