//! Bodies that are protected by a `finally` handler, and bodies whose exceptions are seen, with code at the entry.

use cilbody::edit::{Body, Instr};
use cilbody::{Error, MethodBody, Module, Opcode, ReturnType, TypeKind};
use sigparse::token::{StandAloneSig, Table};
use sigparse::{LocalVarSigBuf, MethodSig, Token, TypeSig};

use crate::assembly::Assembly;

/// The token of the variables' signature, which no assembly has.
const LOCALS: u32 = 0x1100_0000 | 0x00FF_FFFF;

/// `object`, the type of the variable with the exception.
const OBJECT: [u8; 1] = [0x1C];

/// An assembly with the signature of the variables that wrapping adds to a method.
struct WithLocals<'a, 'd> {
    assembly: &'a Assembly<'d>,
    locals: Option<LocalVarSigBuf>,
}

impl Module for WithLocals<'_, '_> {
    fn method_sig(&self, method: Token) -> Option<&[u8]> {
        self.assembly.method_sig(method)
    }

    fn field_sig(&self, field: Token) -> Option<&[u8]> {
        self.assembly.field_sig(field)
    }

    fn stand_alone_sig(&self, token: Token) -> Option<&[u8]> {
        match &self.locals {
            Some(locals) if token.0 == LOCALS => Some(locals.as_bytes()),
            _ => self.assembly.stand_alone_sig(token),
        }
    }

    fn rows(&self, table: Table) -> Option<u32> {
        self.assembly.rows(table).filter(|_| table != Table::STAND_ALONE_SIG)
    }

    fn type_spec_sig(&self, ty: Token) -> Option<&[u8]> {
        self.assembly.type_spec_sig(ty)
    }

    fn type_kind(&self, ty: Token) -> TypeKind {
        self.assembly.type_kind(ty)
    }

    fn may_be_same_type(&self, one: Token, other: Token) -> bool {
        self.assembly.may_be_same_type(one, other)
    }
}

/// Wraps a body, and verifies what comes out. Bodies that leave by `jmp` cannot be wrapped, and are passed over.
pub(crate) fn verify(
    body: &MethodBody<'_>,
    sig: MethodSig<'_>,
    returns: ReturnType<'_>,
    assembly: &Assembly<'_>,
) -> Result<(), Error> {
    let mut edited = Body::import(body)?;
    if edited.ids().any(|id| edited.instr(id).is_some_and(|instr| instr.opcode == Opcode::JMP)) {
        return Ok(());
    }
    let mut module = WithLocals { assembly, locals: None };
    let mut watched = edited.clone();
    edited.wrap_in_finally(returns, &module, |handler, _| {
        handler.push(Instr::ldc_i4(1)).push(Instr::new(Opcode::POP));
    })?;
    check(edited, &mut module, sig, returns)?;
    if watched.ids().any(|id| watched.instr(id).is_some_and(|instr| instr.opcode == Opcode::TAIL)) {
        return Ok(());
    }
    module.locals = None;
    let object = TypeSig::parse(&OBJECT).expect("a type");
    let exit = watched.watch_exceptions(object, returns, &module, |handler, exception| {
        handler.push(Instr::ldloc(exception)).push(Instr::new(Opcode::POP));
    })?;
    watched.insert_before(exit.exit.begin).push(Instr::new(Opcode::NOP));
    check(watched, &mut module, sig, returns)
}

/// Adds a call at the entry, and verifies the body.
fn check(
    mut edited: Body,
    module: &mut WithLocals<'_, '_>,
    sig: MethodSig<'_>,
    returns: ReturnType<'_>,
) -> Result<(), Error> {
    edited.insert_at_entry().push(Instr::ldc_i4(0)).push(Instr::new(Opcode::POP));
    module.locals = edited.local_signature();
    if let (Some(_), Some(token)) = (&module.locals, StandAloneSig::from_token(LOCALS)) {
        edited.set_local_var_sig(token);
    }
    let encoded = edited.encode(module)?;
    cilbody::verify(&MethodBody::parse(&encoded.bytes)?, sig, returns, module)
}
