//! Layout, labels, insertion and removal.

use cilbody::edit::{Body, Instr, InstrOperand};
use cilbody::{ErrorKind, MethodBody, Opcode, ReturnType};
use sigparse::Token;

use crate::module::{NOTHING, Sample, TWO_ARGUMENTS, body, names};

/// `ldarg.0; brtrue end; nop …; end: ret`, and the other way round: `nop …; ldarg.0; brtrue begin; ret`.
fn with_branch(nops: usize, is_forward: bool) -> Vec<u8> {
    let mut body = Body::new();
    let mut code = body.insert_before(Body::END);
    let (begin, end) = (code.new_label(), code.new_label());
    code.mark(begin);
    let condition = [Instr::ldarg(0), Instr::branch(Opcode::BRTRUE, if is_forward { end } else { begin })];
    let nops = std::iter::repeat_n(Instr::new(Opcode::NOP), nops);
    let all: Vec<Instr> = match is_forward {
        true => condition.into_iter().chain(nops).collect(),
        false => nops.chain(condition).collect(),
    };
    for instr in all {
        code.push(instr);
    }
    code.mark(end);
    code.push(Instr::new(Opcode::RET));
    drop(code);
    body.encode(&Sample::new()).unwrap().bytes
}

#[test]
fn branches_are_long_only_where_they_have_to_be() {
    for (nops, is_forward, name) in [
        (127, true, "brtrue.s"),
        (128, true, "brtrue"),
        // Back over the nops, `ldarg.0` and the branch itself.
        (125, false, "brtrue.s"),
        (126, false, "brtrue"),
    ] {
        let bytes = with_branch(nops, is_forward);
        let found = names(&bytes);
        assert!(found.split(' ').any(|it| it == name), "{nops}: {found}");
        // Long branches become short again when code is removed.
        let mut edited = Body::import(&MethodBody::parse(&bytes).unwrap()).unwrap();
        let nop = edited.all_ids().into_iter().find(|id| edited.instr(*id).unwrap().opcode == Opcode::NOP);
        edited.remove(nop.unwrap());
        let shorter = names(&edited.encode(&Sample::new()).unwrap().bytes);
        assert!(shorter.split(' ').any(|it| it == "brtrue.s"), "{nops}");
    }
}

#[test]
fn a_branch_that_grows_pushes_another_one_out_of_reach() {
    let mut body = Body::new();
    let mut code = body.insert_before(Body::END);
    let (near, far) = (code.new_label(), code.new_label());
    code.push(Instr::branch(Opcode::BR, near));
    code.push(Instr::branch(Opcode::BR, far));
    for _ in 0..125 {
        code.push(Instr::new(Opcode::NOP));
    }
    code.mark(near);
    code.push(Instr::new(Opcode::RET));
    for _ in 0..3 {
        code.push(Instr::new(Opcode::NOP));
    }
    code.mark(far);
    code.push(Instr::new(Opcode::RET));
    drop(code);
    let bytes = body.encode(&Sample::new()).unwrap().bytes;
    assert!(names(&bytes).starts_with("br br nop"), "{}", names(&bytes));
}

/// Each branch is pushed out of reach when all 26 branches between it and its target are, one after the other: 52 bytes
/// become 130. The last ones have 128 instructions to pass.
#[test]
fn a_mebibyte_of_branches_that_push_each_other_out_of_reach_is_encoded() {
    const COUNT: usize = (1 << 20) / 5;
    let mut body = Body::new();
    let mut code = body.insert_before(Body::END);
    let labels: Vec<_> = (0..=COUNT).map(|_| code.new_label()).collect();
    let end = code.new_label();
    for index in 0..COUNT {
        code.mark(labels[index]);
        let to = labels.get(index + 27).copied().unwrap_or(end);
        code.push(Instr::branch(Opcode::BR, to));
    }
    code.mark(labels[COUNT]);
    for _ in 0..128 {
        code.push(Instr::new(Opcode::NOP));
    }
    code.mark(end);
    code.push(Instr::new(Opcode::RET));
    drop(code);
    let bytes = body.encode(&Sample::new()).unwrap().bytes;
    let lengthened = names(&bytes).split(' ').filter(|name| *name == "br").count();
    assert_eq!(lengthened, COUNT);
}

#[test]
fn offsets_are_traced_from_old_to_new() {
    // ldarg.0; brtrue.s end; ldc.i4.1; ret; end: ldc.i4.0; ret
    let bytes = body(8, &[0x02, 0x2D, 2, 0x17, 0x2A, 0x16, 0x2A], &[]);
    let mut edited = Body::import(&MethodBody::parse(&bytes).unwrap()).unwrap();
    let end = edited.at_offset(5).unwrap();
    assert_eq!(edited.at_offset(2), None);
    edited.insert_before(end).push(Instr::call(Token(NOTHING)));
    let one = edited.at_offset(3).unwrap();
    edited.remove(one);
    edited.insert_at_entry().push(Instr::new(Opcode::NOP));
    let map = {
        let two = edited.at_offset(4).unwrap();
        edited.insert_before(two).push(Instr::ldc_i4(100));
        edited.encode(&Sample::new()).unwrap().offsets
    };
    assert_eq!(map.pairs(), [(0, 1), (1, 2), (4, 6), (5, 12), (6, 13)]);
    assert_eq!((map.new_offset(5), map.new_offset(3)), (Some(12), None));
    assert_eq!(
        [0, 1, 5, 6, 11, 12].map(|new| map.old_offset(new)),
        [None, Some(0), Some(1), Some(4), Some(4), Some(5)]
    );
}

#[test]
fn branches_to_what_is_removed_lead_to_the_next_instruction() {
    // ldarg.0; brtrue.s a; nop; a: nop; ret
    let bytes = body(8, &[0x02, 0x2D, 1, 0x00, 0x00, 0x2A], &[]);
    let mut edited = Body::import(&MethodBody::parse(&bytes).unwrap()).unwrap();
    let target = edited.at_offset(4).unwrap();
    assert_eq!(edited.remove(target), Some(Instr::new(Opcode::NOP)));
    assert_eq!(edited.remove(target), None);
    assert_eq!((edited.instr(target), edited.at_offset(4)), (None, None));
    let code = edited.encode(&Sample::new()).unwrap().bytes;
    assert_eq!(MethodBody::parse(&code).unwrap().code_bytes(), [0x02, 0x2D, 1, 0x00, 0x2A]);
}

#[test]
fn inserted_code_branches_past_itself() {
    let bytes = body(8, &[0x2A], &[]);
    let mut edited = Body::import(&MethodBody::parse(&bytes).unwrap()).unwrap();
    let ret = edited.last().unwrap();
    let mut code = edited.insert_before(ret);
    let past = code.following();
    code.push(Instr::ldarg(0)).push(Instr::branch(Opcode::BRFALSE, past)).push(Instr::call(Token(NOTHING)));
    drop(code);
    let code = edited.encode(&Sample::new()).unwrap().bytes;
    assert_eq!(names(&code), "ldarg.0 brfalse.s call ret");
    assert_eq!(MethodBody::parse(&code).unwrap().code_bytes()[2], 5);
}

#[test]
fn calls_are_replaced_with_their_prefixes() {
    let [a, b, c, d] = TWO_ARGUMENTS.to_le_bytes();
    // ldarg.0; ldarg.0; tail. call; ret
    let bytes = body(8, &[0x02, 0x02, 0xFE, 0x14, 0x28, a, b, c, d, 0x2A], &[]);
    let mut edited = Body::import(&MethodBody::parse(&bytes).unwrap()).unwrap();
    let (call, _) = edited.calls().next().unwrap();
    assert_eq!(edited.replace_call(call, Token(NOTHING)), Some(Instr::call(Token(TWO_ARGUMENTS))));
    assert_eq!(edited.instr(call), Some(&Instr::call(Token(NOTHING))));
    let ret = edited.last().unwrap();
    assert_eq!(edited.replace_call(ret, Token(NOTHING)), None);
    assert_eq!(names(&edited.encode(&Sample::new()).unwrap().bytes), "ldarg.0 ldarg.0 call ret");
}

#[test]
fn mistakes_are_errors() {
    let sample = Sample::new();
    let kind = |body: &Body| body.encode(&sample).unwrap_err().kind;
    let mut body = Body::new();
    assert_eq!(kind(&body), ErrorKind::FallsOffEnd);
    let label = body.new_label();
    body.insert_before(Body::END).push(Instr::branch(Opcode::BR, label));
    assert_eq!(kind(&body), ErrorKind::UnboundLabel);
    body.bind(label, Body::END);
    assert_eq!(kind(&body), ErrorKind::BranchOutside(2));
    let mut body = Body::new();
    body.insert_before(Body::END).push(Instr::new(Opcode::LDSTR));
    assert_eq!(kind(&body), ErrorKind::WrongOperand(Opcode::LDSTR));
    let mut body = Body::new();
    let operand = InstrOperand::Variable(256);
    body.insert_before(Body::END).push(Instr { opcode: Opcode::LDLOC_S, operand });
    assert_eq!(kind(&body), ErrorKind::OperandTooLarge(Opcode::LDLOC_S));
    let mut body = Body::new();
    body.insert_before(Body::END).push(Instr::token(Opcode::JMP, Token(NOTHING)));
    assert_eq!(body.single_exit(ReturnType::VOID, &sample).unwrap_err().kind, ErrorKind::Jmp);
    // A branch into an instruction.
    let bytes = crate::module::body(8, &[0x2B, 0xFF, 0x2A], &[]);
    let error = Body::import(&MethodBody::parse(&bytes).unwrap()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotAnInstruction(1));
}
