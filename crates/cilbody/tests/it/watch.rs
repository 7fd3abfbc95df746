//! Methods whose exceptions are seen and not caught. The expected code is written by hand, from the doc comment of
//! `watch_exceptions` and ECMA-335 II.25.4.6.

use cilbody::edit::{Body, Instr, RegionKind, Watched};
use cilbody::{ClauseKind, Error, ErrorKind, Location, MethodBody, Opcode, ReturnType};
use sigparse::token::StandAloneSig;
use sigparse::{MethodSig, Token, TypeSig};

use crate::module::{CATCH, INT_OF_INT, NOTHING, Sample, VOID, body, clause, clauses, names};

const OBJECT: [u8; 1] = [0x1C];

fn watched(bytes: &[u8], sig: &[u8], module: &Sample) -> Result<(Body, Watched), Error> {
    let mut edited = Body::import(&MethodBody::parse(bytes).unwrap()).unwrap();
    let returns = ReturnType::of(&MethodSig::parse(sig).unwrap());
    let object = TypeSig::parse(&OBJECT).unwrap();
    let watched = edited.watch_exceptions(object, returns, module, |handler, exception| {
        handler.push(Instr::ldloc(exception)).push(Instr::new(Opcode::POP));
    })?;
    Ok((edited, watched))
}

#[test]
fn a_watched_method_has_a_filter_that_declines_and_a_fault_handler() {
    // int M(int): ldarg.0; brtrue.s; ldc.i4.0; ret; ldarg.0; ret
    let bytes = body(8, &[0x02, 0x2D, 2, 0x16, 0x2A, 0x02, 0x2A], &[]);
    let (mut edited, watched) = watched(&bytes, &INT_OF_INT, &Sample::new()).unwrap();
    assert_eq!((watched.exception, watched.exit.value), (2, Some(3)));
    assert_eq!(edited.instr(watched.handler_end), Some(&Instr::new(Opcode::ENDFINALLY)));
    edited.insert_before(watched.exit.begin).push(Instr::call(Token(NOTHING)));
    edited.insert_at_entry().push(Instr::new(Opcode::NOP));
    let mut module = Sample::new();
    // int, string, object, int
    module.locals = vec![0x07, 0x04, 0x08, 0x0E, 0x1C, 0x08];
    assert_eq!(edited.local_signature().unwrap().as_bytes(), module.locals);
    edited.set_local_var_sig(StandAloneSig::from_rid(1).unwrap());
    let encoded = edited.encode(&module).unwrap();
    // The offset of each: nop 0, ldarg.0 1, brtrue.s 2, ldc.i4.0 4, stloc.3 5, leave.s 6, ldarg.0 8, stloc.3 9, leave.s 10,
    // stloc.2 12, ldc.i4.0 13, endfilter 14, pop 16, rethrow 17, ldloc.2 19, pop 20, endfinally 21, call 22, ldloc.3 27, ret 28
    assert_eq!(
        names(&encoded.bytes),
        "nop ldarg.0 brtrue.s ldc.i4.0 stloc.3 leave.s ldarg.0 stloc.3 leave.s stloc.2 ldc.i4.0 endfilter pop rethrow \
         ldloc.2 pop endfinally call ldloc.3 ret"
    );
    let expected =
        [clause([1, 12], [16, 19], ClauseKind::Filter(12)), clause([1, 19], [19, 22], ClauseKind::Fault)];
    assert_eq!(clauses(&encoded.bytes), expected);
    let sig = MethodSig::parse(&INT_OF_INT).unwrap();
    let parsed = MethodBody::parse(&encoded.bytes).unwrap();
    assert_eq!(cilbody::verify(&parsed, sig, ReturnType::of(&sig), &module), Ok(()));
}

#[test]
fn a_watched_method_keeps_its_own_handlers_inside() {
    // void M(): try: leave.s; catch: pop; leave.s; ret
    let bytes = body(8, &[0xDE, 3, 0x26, 0xDE, 0, 0x2A], &[clause([0, 2], [2, 5], CATCH)]);
    let (edited, _) = watched(&bytes, &VOID, &Sample::new()).unwrap();
    let kinds: Vec<RegionKind> = edited.regions().iter().map(|region| region.kind).collect();
    assert!(
        matches!(kinds[..], [RegionKind::Catch(_), RegionKind::Filter(_), RegionKind::Fault]),
        "{kinds:?}"
    );
}

#[test]
fn a_method_that_never_returns_is_watched() {
    // ldnull; throw
    let bytes = body(8, &[0x14, 0x7A], &[]);
    let (mut edited, _) = watched(&bytes, &VOID, &Sample::new()).unwrap();
    let mut module = Sample::new();
    module.locals = vec![0x07, 0x03, 0x08, 0x0E, 0x1C];
    edited.set_local_var_sig(StandAloneSig::from_rid(1).unwrap());
    let encoded = edited.encode(&module).unwrap();
    assert_eq!(
        names(&encoded.bytes),
        "ldnull throw stloc.2 ldc.i4.0 endfilter pop rethrow ldloc.2 pop endfinally ret"
    );
    let sig = MethodSig::parse(&VOID).unwrap();
    let parsed = MethodBody::parse(&encoded.bytes).unwrap();
    assert_eq!(cilbody::verify(&parsed, sig, ReturnType::of(&sig), &module), Ok(()));
}

#[test]
fn methods_that_leave_without_their_frame_are_not_watched() {
    let [a, b, c, d] = NOTHING.to_le_bytes();
    for (code, kind, at) in [
        (&[0x00, 0xFE, 0x14, 0x28, a, b, c, d, 0x2A][..], ErrorKind::TailCall, 1),
        (&[0x00, 0x27, a, b, c, d], ErrorKind::Jmp, 1),
    ] {
        let bytes = body(8, code, &[]);
        let error = watched(&bytes, &VOID, &Sample::new()).unwrap_err();
        assert_eq!((error.location, error.kind), (Location::Il(at), kind));
    }
}
