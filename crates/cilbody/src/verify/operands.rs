//! Tokens of the right tables, and variables that exist.

use sigparse::Token;
use sigparse::token::Table;

use super::context::Context;
use crate::error::{Error, ErrorKind};
use crate::instruction::{Instruction, Operand};
use crate::module::{Module, TypeKind};
use crate::opcode::{Opcode, OperandKind};

/// Fails if the operand of an instruction refers to a row or variable that does not exist.
pub(super) fn check<M: Module + ?Sized>(
    instruction: &Instruction<'_>,
    context: &Context<'_, M>,
) -> Result<(), Error> {
    let fail = |kind| Err(Error::il(instruction.offset, kind));
    if let Some((variable, number)) = variable(instruction) {
        let variables = match variable {
            Variable::Argument => &context.arguments,
            Variable::Local => &context.locals,
        };
        let count = u32::try_from(variables.len()).unwrap_or(u32::MAX);
        return match (variable, u32::from(number) < count) {
            (_, true) => Ok(()),
            (Variable::Argument, false) => fail(ErrorKind::NoArgument { number, count }),
            (Variable::Local, false) => fail(ErrorKind::NoLocal { number, count }),
        };
    }
    let Operand::Token(token) = instruction.operand() else { return Ok(()) };
    let (opcode, table) = (instruction.opcode(), token.table());
    if token.is_nil() && table != Table::USER_STRING || !is_of_kind(instruction.info().operand, table) {
        return fail(ErrorKind::WrongTable { opcode, token: token.0 });
    }
    if context.module.rows(table).is_some_and(|rows| !has_row(table, token, rows)) {
        return fail(ErrorKind::NoSuchRow(token.0));
    }
    if matches!(opcode, Opcode::BOX | Opcode::NEWARR)
        && context.module.type_kind(token) == TypeKind::ByRefLike
    {
        return fail(ErrorKind::ByRefLike { opcode, token: token.0 });
    }
    Ok(())
}

fn has_row(table: Table, token: Token, rows: u32) -> bool {
    match table {
        // An offset in the heap, not a row.
        Table::USER_STRING => token.rid() < rows,
        _ => token.rid() <= rows,
    }
}

fn is_of_kind(kind: OperandKind, table: Table) -> bool {
    let is_method = matches!(table, Table::METHOD_DEF | Table::MEMBER_REF | Table::METHOD_SPEC);
    let is_field = matches!(table, Table::FIELD | Table::MEMBER_REF);
    let is_type = matches!(table, Table::TYPE_DEF | Table::TYPE_REF | Table::TYPE_SPEC);
    match kind {
        OperandKind::Method => is_method,
        OperandKind::Field => is_field,
        OperandKind::Type => is_type,
        OperandKind::Token => is_method || is_field || is_type,
        OperandKind::Signature => table == Table::STAND_ALONE_SIG,
        OperandKind::String => table == Table::USER_STRING,
        _ => false,
    }
}

/// An argument or a local variable.
#[derive(Clone, Copy)]
pub(super) enum Variable {
    Argument,
    Local,
}

/// The argument or local variable that an instruction loads, stores or takes the address of.
pub(super) fn variable(instruction: &Instruction<'_>) -> Option<(Variable, u16)> {
    let opcode = instruction.opcode();
    let short = |first: Opcode| opcode.0 - first.0;
    let number = match instruction.operand() {
        Operand::Variable(number) => number,
        _ => 0,
    };
    Some(match opcode {
        Opcode::LDARG_0 | Opcode::LDARG_1 | Opcode::LDARG_2 | Opcode::LDARG_3 => {
            (Variable::Argument, short(Opcode::LDARG_0))
        }
        Opcode::LDLOC_0 | Opcode::LDLOC_1 | Opcode::LDLOC_2 | Opcode::LDLOC_3 => {
            (Variable::Local, short(Opcode::LDLOC_0))
        }
        Opcode::STLOC_0 | Opcode::STLOC_1 | Opcode::STLOC_2 | Opcode::STLOC_3 => {
            (Variable::Local, short(Opcode::STLOC_0))
        }
        Opcode::LDARG_S
        | Opcode::LDARG
        | Opcode::LDARGA_S
        | Opcode::LDARGA
        | Opcode::STARG_S
        | Opcode::STARG => (Variable::Argument, number),
        Opcode::LDLOC_S
        | Opcode::LDLOC
        | Opcode::LDLOCA_S
        | Opcode::LDLOCA
        | Opcode::STLOC_S
        | Opcode::STLOC => (Variable::Local, number),
        _ => return None,
    })
}
