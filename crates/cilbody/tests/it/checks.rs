//! What holds for any bytes: shared with the fuzz targets.

use cilbody::edit::{Body, Instr};
use cilbody::{BodyParts, Clause, ClauseKind, MethodBody, Opcode, Range, ReturnType};
use sigparse::token::StandAloneSig;
use sigparse::{MethodSig, Token, TypeSig};

use crate::module::{CLASS, INT_OF_INT, Sample};
use crate::roundtrip::plain;

/// Reads bytes as a body; what can be read is encoded and reads the same again.
pub fn bodies(bytes: &[u8]) {
    let Ok(body) = MethodBody::parse(bytes) else { return };
    let _ = body.ilasm(cilbody::ilasm::Tokens).to_string();
    let instructions: Result<Vec<_>, _> = body.instructions().collect();
    let clauses: Result<Vec<_>, _> = body.clauses().collect();
    if let Ok(again) = body.reencode() {
        let again = MethodBody::parse(&again).unwrap();
        assert_eq!(again.instructions().collect::<Result<Vec<_>, _>>(), instructions);
        assert_eq!(again.clauses().collect::<Result<Vec<_>, _>>(), clauses);
        assert_eq!((again.max_stack(), again.local_var_sig()), (body.max_stack(), body.local_var_sig()));
    }
}

/// A body out of random bytes: clauses of six bytes each behind their number, then the code.
fn random_body(bytes: &[u8]) -> Option<Vec<u8>> {
    let (count, rest) = bytes.split_first()?;
    let (clauses, code) = rest.split_at_checked(usize::from(count % 4) * 6)?;
    let range =
        |start: u8, length: u8| Range { start: start.into(), end: u32::from(start) + u32::from(length) };
    let clause = |clause: &[u8; 6]| {
        let &[kind, protected, protected_length, handler, handler_length, filter] = clause;
        let kind = match kind % 4 {
            0 => ClauseKind::Catch(Token(CLASS)),
            1 => ClauseKind::Filter(filter.into()),
            2 => ClauseKind::Finally,
            _ => ClauseKind::Fault,
        };
        Clause {
            protected: range(protected, protected_length),
            handler: range(handler, handler_length),
            kind,
        }
    };
    let clauses: Vec<Clause> = clauses.as_chunks().0.iter().map(clause).collect();
    let local_var_sig = StandAloneSig::from_rid(1);
    BodyParts { code, max_stack: 8, init_locals: true, local_var_sig, clauses: &clauses }.to_bytes().ok()
}

/// Verifies a random body. One that is accepted can be laid out anew, wrapped in `finally`, watched for exceptions, and is accepted
/// then too.
pub fn verify(bytes: &[u8]) {
    let Some(bytes) = random_body(bytes) else { return };
    let (body, mut module) = (MethodBody::parse(&bytes).unwrap(), Sample::new());
    let sig = MethodSig::parse(&INT_OF_INT).unwrap();
    let returns = ReturnType::of(&sig);
    if cilbody::verify(&body, sig, returns, &module).is_err() {
        return;
    }
    let mut edited = Body::import(&body).unwrap();
    let encoded = edited.encode(&module).unwrap();
    assert!(MethodBody::parse(&encoded.bytes).unwrap().max_stack() <= body.max_stack());
    if edited.ids().any(|id| edited.instr(id).unwrap().opcode == Opcode::JMP) {
        return;
    }
    watch(edited.clone(), sig, returns);
    edited
        .wrap_in_finally(returns, &module, |handler, _| {
            handler.push(Instr::new(Opcode::NOP));
        })
        .unwrap();
    edited.insert_at_entry().push(Instr::new(Opcode::NOP));
    module.locals = edited.local_signature().unwrap().into_bytes();
    edited.set_local_var_sig(StandAloneSig::from_rid(1).unwrap());
    let wrapped = edited.encode(&module).unwrap();
    cilbody::verify(&MethodBody::parse(&wrapped.bytes).unwrap(), sig, returns, &module).unwrap();
}

/// Watches a body for exceptions, and verifies what comes out.
fn watch(mut edited: Body, sig: MethodSig<'_>, returns: ReturnType<'_>) {
    let mut module = Sample::new();
    let object = TypeSig::parse(&[0x1C]).unwrap();
    let is_tail = edited.ids().any(|id| edited.instr(id).unwrap().opcode == Opcode::TAIL);
    let watched = edited.watch_exceptions(object, returns, &module, |handler, exception| {
        handler.push(Instr::ldloc(exception)).push(Instr::new(Opcode::POP));
    });
    assert_eq!(watched.is_err(), is_tail);
    let Ok(watched) = watched else { return };
    edited.insert_at_entry().push(Instr::new(Opcode::NOP));
    edited.insert_before(watched.exit.begin).push(Instr::new(Opcode::NOP));
    module.locals = edited.local_signature().unwrap().into_bytes();
    edited.set_local_var_sig(StandAloneSig::from_rid(1).unwrap());
    let encoded = edited.encode(&module).unwrap();
    cilbody::verify(&MethodBody::parse(&encoded.bytes).unwrap(), sig, returns, &module).unwrap();
}

/// Lays a random body out anew, with and without inserted code; instructions and clauses stay the same.
pub fn edit(bytes: &[u8]) {
    let Some((at, bytes)) = bytes.split_first() else { return };
    let Some(bytes) = random_body(bytes) else { return };
    let (body, module) = (MethodBody::parse(&bytes).unwrap(), Sample::new());
    let Ok(mut edited) = Body::import(&body) else { return };
    if let Ok(encoded) = edited.encode(&module) {
        let again = MethodBody::parse(&encoded.bytes).unwrap();
        assert_eq!(plain(&again).unwrap(), plain(&body).unwrap());
    }
    // Enough code for branches over it to become long.
    let ids = edited.all_ids();
    let id = ids[usize::from(*at) % ids.len()];
    let mut code = edited.insert_before(id);
    let nops: Vec<_> = (0..130).map(|_| code.insert(Instr::new(Opcode::NOP))).collect();
    drop(code);
    let longer = edited.encode(&module);
    for nop in nops {
        edited.remove(nop);
    }
    // A removed `tail.` prefix is not the same body any more.
    if longer.is_ok() && edited.all_ids() == ids {
        let again = edited.encode(&module).unwrap();
        assert_eq!(plain(&MethodBody::parse(&again.bytes).unwrap()).unwrap(), plain(&body).unwrap());
    }
}
