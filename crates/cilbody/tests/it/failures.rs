//! What other rewriters got wrong, each a test here unless it needs a runtime. The numbers are those of their issues.
//! `tests/README.md` of the repository has the list of all.

use cilbody::edit::{Body, Instr, Region, RegionKind, Span};
use cilbody::{BodyParts, ClauseKind, ErrorKind, Location, MethodBody, Opcode, ReturnType, max_stack};
use sigparse::token::StandAloneSig;
use sigparse::{LocalVarSig, MethodSig, Token, TypeSig};

use crate::module::{
    BYREF_LIKE, CATCH, CLASS, INT_OF_INT, NOTHING, STRING_OF_STRING, Sample, TWO_ARGUMENTS, VIRTUAL, VOID,
    body, clause, clauses, names, verified,
};

fn imported(bytes: &[u8]) -> Body {
    Body::import(&MethodBody::parse(bytes).unwrap()).unwrap()
}

fn encoded(body: &Body) -> Vec<u8> {
    body.encode(&Sample::new()).unwrap().bytes
}

fn returns(sig: &[u8]) -> ReturnType<'_> {
    ReturnType::of(&MethodSig::parse(sig).unwrap())
}

// Datadog's il_rewriter.

#[test]
fn max_stack_of_a_switch_is_that_of_its_deepest_case_875() {
    // ldc.i4.0; ldarg.0; switch (case); br.s default; case: ldc.i4.0; ldc.i4.0; pop; pop; default: pop; ret
    let code =
        [&[0x16, 0x02, 0x45, 1, 0, 0, 0, 2, 0, 0, 0][..], &[0x2B, 4, 0x16, 0x16, 0x26, 0x26, 0x26, 0x2A]]
            .concat();
    assert_eq!(max_stack(&code, &[], &Sample::new()), Ok(3));
}

#[test]
fn branches_to_the_last_ret_run_the_code_of_the_exit_3331() {
    // ldarg.0; brtrue.s end; nop; end: ret
    let mut body = imported(&body(8, &[0x02, 0x2D, 1, 0x00, 0x2A], &[]));
    let ret = body.last().unwrap();
    body.insert_before(ret).push(Instr::call(Token(NOTHING)));
    let bytes = encoded(&body);
    assert_eq!(names(&bytes), "ldarg.0 brtrue.s nop call ret");
    assert_eq!(MethodBody::parse(&bytes).unwrap().code_bytes()[2], 1, "the branch leads to the call");
}

#[test]
fn code_before_a_constrained_call_goes_before_its_prefix_937() {
    // ldarga.s 0; constrained. 0x02000003; callvirt; ret
    let [a, b, c, d] = VIRTUAL.to_le_bytes();
    let code = [0x0F, 0, 0xFE, 0x16, 3, 0, 0, 2, 0x6F, a, b, c, d, 0x2A];
    let mut edited = imported(&body(8, &code, &[]));
    let (call, method) = edited.calls().next().unwrap();
    assert_eq!((method, edited.constraint(call)), (Token(VIRTUAL), Some(Token(0x0200_0003))));
    edited.insert_before(call).push(Instr::new(Opcode::NOP));
    edited.insert_after(call).push(Instr::new(Opcode::BREAK));
    assert_eq!(names(&encoded(&edited)), "ldarga.s nop constrained. callvirt break ret");

    // A branch between the two is refused.
    let code = [0x02, 0x2D, 6, 0xFE, 0x16, 3, 0, 0, 2, 0x6F, a, b, c, d, 0x2A];
    let error = verified(&body(8, &code, &[]), &INT_OF_INT).unwrap_err();
    assert_eq!((error.location, error.kind), (Location::Il(1), ErrorKind::BranchBehindPrefix(9)));
}

#[test]
fn clauses_follow_the_instructions_at_their_bounds_5774() {
    // try: nop; leave.s; catch: pop; leave.s; ret
    let code = [0x00, 0xDE, 3, 0x26, 0xDE, 0, 0x2A];
    let bytes = body(8, &code, &[clause([0, 3], [3, 6], CATCH)]);
    let nop = || Instr::new(Opcode::NOP);

    let mut edited = imported(&bytes);
    let first = edited.first().unwrap();
    edited.insert_before(first).push(nop());
    assert_eq!(clauses(&encoded(&edited)), [clause([0, 4], [4, 7], CATCH)], "inside, at the begin");

    let mut edited = imported(&bytes);
    edited.insert_at_entry().push(nop());
    assert_eq!(clauses(&encoded(&edited)), [clause([1, 4], [4, 7], CATCH)], "outside, at the begin");

    let mut edited = imported(&bytes);
    let last = edited.last().unwrap();
    edited.insert_before(last).push(nop());
    assert_eq!(clauses(&encoded(&edited)), [clause([0, 3], [3, 6], CATCH)], "behind the handler");

    let mut edited = imported(&bytes);
    let pop = edited.at_offset(3).unwrap();
    edited.insert_after(pop).push(nop());
    assert_eq!(clauses(&encoded(&edited)), [clause([0, 3], [3, 7], CATCH)], "in the handler");

    let mut edited = imported(&bytes);
    let first = edited.first().unwrap();
    edited.remove(first);
    assert_eq!(clauses(&encoded(&edited)), [clause([0, 2], [2, 5], CATCH)], "after the begin is gone");
}

#[test]
fn regions_come_after_nested_ones_in_whatever_order_they_are_added_8428() {
    // Three nested regions, each `nop` to the end of the next one's handler.
    let mut orders = Vec::new();
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut body = Body::new();
        let mut code = body.insert_before(Body::END);
        let ids: Vec<_> = (0..8).map(|_| code.insert(Instr::new(Opcode::NOP))).collect();
        drop(code);
        let labels: Vec<_> = ids.iter().map(|id| body.label(*id)).collect();
        for level in order {
            let span = |start: usize, end: usize| Span { start: labels[start], end: labels[end] };
            // 2..4 with handler 4..5, then 1..5 with handler 5..6, then 0..6 with handler 6..7.
            let (protected, handler) = (span(2 - level, 4 + level), span(4 + level, 5 + level));
            body.add_region(Region { protected, handler, kind: RegionKind::Fault });
        }
        orders.push(body.regions().to_vec());
    }
    let spans: Vec<_> = orders[0].iter().map(|region| region.protected.start).collect();
    assert!(spans[0] > spans[1] && spans[1] > spans[2], "{spans:?}");
    assert!(orders.iter().all(|order| *order == orders[0]));
}

#[test]
fn byref_like_values_are_not_boxed_8566() {
    // ldarg.0; ldobj; box; pop; ret
    let [a, b, c, d] = BYREF_LIKE.to_le_bytes();
    let code = [0x02, 0x71, a, b, c, d, 0x8C, a, b, c, d, 0x26, 0x2A];
    // static void (ref int)
    let error = verified(&body(8, &code, &[]), &[0x00, 0x01, 0x01, 0x10, 0x08]).unwrap_err();
    assert_eq!(error.location, Location::Il(6));
    assert_eq!(error.kind, ErrorKind::ByRefLike { opcode: Opcode::BOX, token: BYREF_LIKE });
}

#[test]
fn deep_nesting_does_not_recurse_8708() {
    // Regions in regions, 20,000 levels deep: the protected code in the middle, the handlers behind each other.
    let levels = 20_000u32;
    let code = [vec![0u8; levels as usize + 1], [0xDC].repeat(levels as usize), vec![0x2A]].concat();
    let nested = (1..=levels).map(|level| {
        let start = levels + level;
        clause([levels - level, start], [start, start + 1], ClauseKind::Finally)
    });
    let nested: Vec<_> = nested.collect();
    let bytes = body(8, &code, &nested);
    // Control falls out of the innermost region.
    let error = verified(&bytes, &VOID).unwrap_err();
    assert_eq!(error.kind, ErrorKind::CrossesRegion(levels + 1));
    let again = imported(&bytes).encode(&Sample::new());
    assert_eq!(clauses(&again.unwrap().bytes), nested);
}

#[test]
fn what_does_not_verify_says_where_and_why_568_541_8644() {
    // ret without a value; a stray item; an object for a number
    let cases: [(&[u8], Location, ErrorKind); 3] = [
        (&[0x2A], Location::Il(0), ErrorKind::StackUnderflow { pops: 1, depth: 0 }),
        (&[0x16, 0x16, 0x2A], Location::Il(2), ErrorKind::StackNotEmpty),
        (
            &[0x14, 0x2A],
            Location::Il(1),
            ErrorKind::StackKind { expected: cilbody::Kind::I4, found: cilbody::Kind::Ref },
        ),
    ];
    for (code, location, kind) in cases {
        let error = verified(&body(8, code, &[]), &INT_OF_INT).unwrap_err();
        assert_eq!((error.location, error.kind), (location, kind));
    }
}

// OpenTelemetry's instrumentation.

#[test]
fn a_variable_is_added_to_a_signature_of_any_length_5268() {
    let mut module = Sample::new();
    // 1,000 variables of type int: the count has two bytes.
    module.locals = [&[0x07, 0x83, 0xE8][..], &[0x08; 1000]].concat();
    let mut body = imported(&body(8, &[0x2A], &[]));
    assert_eq!(body.add_local(TypeSig::parse(&[0x0E]).unwrap(), &module), Ok(1000));
    let sig = body.local_signature().unwrap();
    assert_eq!(LocalVarSig::parse(sig.as_bytes()).unwrap().local_count(), 1001);
    assert_eq!(sig.as_bytes()[..3], [0x07, 0x83, 0xE9]);
    assert_eq!(sig.as_bytes().last(), Some(&0x0E));
    assert_eq!(body.encode(&module).unwrap_err().kind, ErrorKind::LocalsWithoutToken);
    body.set_local_var_sig(StandAloneSig::from_rid(2).unwrap());
    assert!(body.encode(&module).is_ok());
}

#[test]
fn a_signature_that_ends_early_is_an_error_5272() {
    let mut module = Sample::new();
    module.locals = vec![0x07, 0x02, 0x08];
    let mut edited = imported(&body(8, &[0x2A], &[]));
    let error = edited.add_local(TypeSig::parse(&[0x0E]).unwrap(), &module).unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnknownSignature(0x1100_0001));
    let bytes = body(8, &[0x2A], &[]);
    let encoded = MethodBody::parse(&bytes).unwrap();
    let sig = MethodSig::parse(&VOID).unwrap();
    let error = cilbody::verify(&encoded, sig, ReturnType::VOID, &module).unwrap_err();
    assert_eq!(error.kind, ErrorKind::UnknownSignature(0x1100_0001));
}

#[test]
fn ldstr_takes_tokens_of_the_string_heap_5325() {
    let load = |token: u32| {
        let [a, b, c, d] = token.to_le_bytes();
        verified(&body(8, &[0x72, a, b, c, d, 0x2A], &[]), &STRING_OF_STRING)
    };
    assert_eq!(load(0x7000_0001), Ok(()));
    let wrong = |token| ErrorKind::WrongTable { opcode: Opcode::LDSTR, token };
    for token in [0x0000_0001, 0x0100_0001, 0x0A00_0001] {
        assert_eq!(load(token).unwrap_err().kind, wrong(token));
    }
    // The heap has 0x100 bytes.
    assert_eq!(load(0x7000_0100).unwrap_err().kind, ErrorKind::NoSuchRow(0x7000_0100));
}

// Elastic's profiler.

#[test]
fn a_tiny_header_has_room_for_63_bytes() {
    for (nops, is_tiny) in [(62, true), (63, false), (254, false)] {
        let mut body = Body::new();
        let mut code = body.insert_before(Body::END);
        for _ in 0..nops {
            code.push(Instr::new(Opcode::NOP));
        }
        code.push(Instr::new(Opcode::RET));
        drop(code);
        let bytes = encoded(&body);
        let parsed = MethodBody::parse(&bytes).unwrap();
        assert_eq!((parsed.is_tiny(), parsed.code_size()), (is_tiny, nops + 1));
    }
}

#[test]
fn max_stack_follows_control_and_is_no_sum() {
    // ldarg.0; brtrue.s else; ldc.i4.0; ldc.i4.0; add; ret; else: ldc.i4.0; ret
    let code = [0x02, 0x2D, 4, 0x16, 0x16, 0x58, 0x2A, 0x16, 0x2A];
    assert_eq!(max_stack(&code, &[], &Sample::new()), Ok(2));
}

// CLRInstrumentationEngine.

#[test]
fn a_body_that_nothing_was_added_to_stays_the_same_305() {
    let code = [0x00, 0xDE, 3, 0x26, 0xDE, 0, 0x2A];
    let bytes = body(1, &code, &[clause([0, 3], [3, 6], CATCH)]);
    assert_eq!(encoded(&imported(&bytes)), bytes);
    assert_eq!(verified(&bytes, &VOID), Ok(()));
}

// dnlib.

#[test]
fn code_that_is_never_reached_does_not_count_314() {
    // br.s end; pop; pop; ldc.i4.0 (three times); end: ret
    let code = [0x2B, 5, 0x26, 0x26, 0x16, 0x16, 0x16, 0x2A];
    assert_eq!(max_stack(&code, &[], &Sample::new()), Ok(0));
    assert_eq!(verified(&body(0, &code, &[]), &VOID), Ok(()));
}

#[test]
fn ways_that_only_lead_backwards_are_followed_572() {
    // br.s b; a: pop; ret; b: ldc.i4.0; br.s a
    let code = [0x2B, 2, 0x26, 0x2A, 0x16, 0x2B, 0xFB];
    assert_eq!(max_stack(&code, &[], &Sample::new()), Ok(1));
    assert_eq!(verified(&body(1, &code, &[]), &VOID), Ok(()));
}

// Mono.Cecil.

#[test]
fn filters_begin_with_the_exception_on_the_stack_23() {
    // try: leave.s; filter: ldc.i4.0; ldc.i4.0; pop; pop; pop; ldc.i4.1; endfilter; handler: pop; leave.s; ret
    let code = [0xDE, 11, 0x16, 0x16, 0x26, 0x26, 0x26, 0x17, 0xFE, 0x11, 0x26, 0xDE, 0, 0x2A];
    let filter = clause([0, 2], [10, 13], ClauseKind::Filter(2));
    assert_eq!(max_stack(&code, &[filter], &Sample::new()), Ok(3));
    assert_eq!(verified(&body(3, &code, &[filter]), &VOID), Ok(()));
}

#[test]
fn a_maximum_stack_that_is_given_is_kept_892() {
    let parts =
        BodyParts { code: &[0x2A], max_stack: 40, init_locals: false, local_var_sig: None, clauses: &[] };
    let bytes = parts.to_bytes().unwrap();
    let parsed = MethodBody::parse(&bytes).unwrap();
    assert_eq!(parsed.max_stack(), 40);
    assert_eq!(parsed.reencode().unwrap(), bytes);
    // A body that is edited gets the one that its code needs: the tiny format is enough.
    assert!(MethodBody::parse(&encoded(&imported(&bytes))).unwrap().is_tiny());
}

// AsmResolver.

#[test]
fn protected_regions_do_not_begin_with_a_stack_of_their_own_652() {
    // ldc.i4.0; try: ldc.i4.0; pop; leave.s; finally: endfinally; ret
    let code = [0x16, 0x16, 0x26, 0xDE, 1, 0xDC, 0x2A];
    let finally = clause([1, 5], [5, 6], ClauseKind::Finally);
    assert_eq!(max_stack(&code, &[finally], &Sample::new()), Ok(2));
    let error = verified(&body(2, &code, &[finally]), &VOID).unwrap_err();
    assert_eq!((error.location, error.kind), (Location::Il(1), ErrorKind::StackNotEmpty));
}

// Several at once: what a rewriter does to a whole method.

#[test]
fn a_method_with_its_own_handlers_is_wrapped_in_finally() {
    let sample = Sample::new();
    // int M(int): try: ldarg.0; stloc.0; leave.s; catch: pop; ldc.i4.0; stloc.0; leave.s; ldloc.0; ret
    let code = [0x02, 0x0A, 0xDE, 5, 0x26, 0x16, 0x0A, 0xDE, 0, 0x06, 0x2A];
    let mut edited = imported(&body(8, &code, &[clause([0, 4], [4, 9], CATCH)]));
    let wrapped = edited
        .wrap_in_finally(returns(&INT_OF_INT), &sample, |handler, value| {
            assert_eq!(value, Some(2));
            handler.push(Instr::call(Token(NOTHING)));
        })
        .unwrap();
    assert_eq!(edited.instr(wrapped.exit.ret), Some(&Instr::new(Opcode::RET)));
    let mut entry = edited.insert_at_entry();
    entry.push(Instr::ldarg(0)).push(Instr::ldc_i4(7)).push(Instr::call(Token(TWO_ARGUMENTS)));
    entry.push(Instr::new(Opcode::POP));
    drop(entry);
    edited.set_local_var_sig(StandAloneSig::from_rid(1).unwrap());
    let encoded = edited.encode(&sample).unwrap();
    assert_eq!(
        names(&encoded.bytes),
        "ldarg.0 ldc.i4.7 call pop ldarg.0 stloc.0 leave.s pop ldc.i4.0 stloc.0 leave.s \
         ldloc.0 stloc.2 leave.s call endfinally ldloc.2 ret"
    );
    let expected = [clause([8, 12], [12, 17], CATCH), clause([8, 21], [21, 27], ClauseKind::Finally)];
    assert_eq!(clauses(&encoded.bytes), expected);
    let mut module = Sample::new();
    module.locals = vec![0x07, 0x03, 0x08, 0x0E, 0x08];
    let body = MethodBody::parse(&encoded.bytes).unwrap();
    let sig = MethodSig::parse(&INT_OF_INT).unwrap();
    assert_eq!(cilbody::verify(&body, sig, ReturnType::of(&sig), &module), Ok(()));
}

#[test]
fn a_last_handler_does_not_swallow_the_code_that_is_appended() {
    // try: leave.s back; finally: endfinally; with `ret` before both: br.s try; back: ret
    let code = [0x2B, 1, 0x2A, 0xDE, 0xFD, 0xDC];
    let finally = clause([3, 5], [5, 6], ClauseKind::Finally);
    let bytes = body(8, &code, &[finally]);
    assert_eq!(verified(&bytes, &VOID), Ok(()));
    let mut edited = imported(&bytes);
    edited
        .wrap_in_catch(Token(CLASS), returns(&VOID), &Sample::new(), |handler, _| {
            handler.push(Instr::new(Opcode::POP));
        })
        .unwrap();
    let bytes = encoded(&edited);
    assert_eq!(names(&bytes), "br.s leave.s leave.s endfinally pop rethrow ret");
    assert_eq!(verified(&bytes, &VOID), Ok(()));
    let [inner, outer] = clauses(&bytes)[..] else { panic!() };
    assert_eq!(
        (inner.handler, outer.handler),
        (clause([0, 0], [6, 7], CATCH).handler, clause([0, 0], [7, 10], CATCH).handler)
    );
}

#[test]
fn a_tail_call_loses_its_prefix_when_code_comes_behind_it() {
    let [a, b, c, d] = NOTHING.to_le_bytes();
    let code = [0xFE, 0x14, 0x28, a, b, c, d, 0x2A];
    let bytes = body(8, &code, &[]);
    assert_eq!(verified(&bytes, &VOID), Ok(()));
    let mut edited = imported(&bytes);
    let ret = edited.last().unwrap();
    edited.insert_before(ret).push(Instr::new(Opcode::NOP));
    assert_eq!(names(&encoded(&edited)), "call nop ret");
    let mut edited = imported(&bytes);
    edited.single_exit(ReturnType::VOID, &Sample::new()).unwrap();
    assert_eq!(names(&encoded(&edited)), "call br.s ret");
}
