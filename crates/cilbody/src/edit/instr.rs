//! An instruction of an editable body.

use alloc::boxed::Box;

use sigparse::Token;

use super::Label;
use crate::opcode::Opcode;

/// An instruction of an editable body: like [`Instruction`](crate::Instruction), with labels for offsets.
///
/// ```
/// use cilbody::{Opcode, edit::{Instr, InstrOperand}};
///
/// assert_eq!(Instr::ldc_i4(3).opcode, Opcode::LDC_I4_3);
/// assert_eq!(Instr::ldc_i4(100).opcode, Opcode::LDC_I4_S);
/// assert_eq!(Instr::ldloc(300), Instr { opcode: Opcode::LDLOC, operand: InstrOperand::Variable(300) });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instr {
    /// The opcode. Of a branch, the form does not matter: encoding chooses it.
    pub opcode: Opcode,
    /// The operand.
    pub operand: InstrOperand,
}

/// The operand of an instruction of an editable body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InstrOperand {
    /// No operand.
    None,
    /// The integer of `ldc.i4`, `ldc.i4.s`, `unaligned.` and `no.`.
    I4(i32),
    /// The integer of `ldc.i8`.
    I8(i64),
    /// The bits of `ldc.r4`'s number.
    R4(u32),
    /// The bits of `ldc.r8`'s number.
    R8(u64),
    /// The number of an argument or local variable.
    Variable(u16),
    /// The target of a branch.
    Label(Label),
    /// The targets of a `switch`.
    Switch(Box<[Label]>),
    /// A metadata token.
    Token(Token),
}

impl Instr {
    /// An instruction without an operand.
    #[must_use]
    pub const fn new(opcode: Opcode) -> Self {
        Self { opcode, operand: InstrOperand::None }
    }

    /// An instruction with a metadata token: a call, a field access, `newobj`, `box`, `ldstr`, …
    #[must_use]
    pub fn token(opcode: Opcode, token: impl Into<Token>) -> Self {
        Self { opcode, operand: InstrOperand::Token(token.into()) }
    }

    /// `call`.
    #[must_use]
    pub fn call(method: impl Into<Token>) -> Self {
        Self::token(Opcode::CALL, method)
    }

    /// A branch.
    #[must_use]
    pub const fn branch(opcode: Opcode, to: Label) -> Self {
        Self { opcode, operand: InstrOperand::Label(to) }
    }

    /// `switch`.
    #[must_use]
    pub fn switch(cases: impl Into<Box<[Label]>>) -> Self {
        Self { opcode: Opcode::SWITCH, operand: InstrOperand::Switch(cases.into()) }
    }

    /// The shortest load of an `int32`.
    #[must_use]
    pub fn ldc_i4(value: i32) -> Self {
        match (u16::try_from(i64::from(value) + 1), i8::try_from(value)) {
            (Ok(small @ 0..=9), _) => Self::new(Opcode(Opcode::LDC_I4_M1.0 + small)),
            (_, Ok(_)) => Self { opcode: Opcode::LDC_I4_S, operand: InstrOperand::I4(value) },
            _ => Self { opcode: Opcode::LDC_I4, operand: InstrOperand::I4(value) },
        }
    }

    /// Creates the load of an `int64`.
    #[must_use]
    pub const fn ldc_i8(value: i64) -> Self {
        Self { opcode: Opcode::LDC_I8, operand: InstrOperand::I8(value) }
    }

    /// The shortest load of an argument. `this` is argument 0.
    #[must_use]
    pub fn ldarg(number: u16) -> Self {
        Self::variable(number, Some(Opcode::LDARG_0), Opcode::LDARG_S, Opcode::LDARG)
    }

    /// The shortest load of an argument's address.
    #[must_use]
    pub fn ldarga(number: u16) -> Self {
        Self::variable(number, None, Opcode::LDARGA_S, Opcode::LDARGA)
    }

    /// The shortest store to an argument.
    #[must_use]
    pub fn starg(number: u16) -> Self {
        Self::variable(number, None, Opcode::STARG_S, Opcode::STARG)
    }

    /// The shortest load of a local variable.
    #[must_use]
    pub fn ldloc(number: u16) -> Self {
        Self::variable(number, Some(Opcode::LDLOC_0), Opcode::LDLOC_S, Opcode::LDLOC)
    }

    /// The shortest load of a local variable's address.
    #[must_use]
    pub fn ldloca(number: u16) -> Self {
        Self::variable(number, None, Opcode::LDLOCA_S, Opcode::LDLOCA)
    }

    /// The shortest store to a local variable.
    #[must_use]
    pub fn stloc(number: u16) -> Self {
        Self::variable(number, Some(Opcode::STLOC_0), Opcode::STLOC_S, Opcode::STLOC)
    }

    /// `first` is the opcode for number 0, where there are opcodes for the numbers 0 to 3.
    fn variable(number: u16, first: Option<Opcode>, short: Opcode, long: Opcode) -> Self {
        match (number, first) {
            (0..=3, Some(first)) => Self::new(Opcode(first.0 + number)),
            (0..=255, _) => Self { opcode: short, operand: InstrOperand::Variable(number) },
            _ => Self { opcode: long, operand: InstrOperand::Variable(number) },
        }
    }

    /// The token, if the operand is one.
    #[must_use]
    pub const fn operand_token(&self) -> Option<Token> {
        match self.operand {
            InstrOperand::Token(token) => Some(token),
            _ => None,
        }
    }

    /// Returns `true` for `call`, `callvirt`, `calli` and `newobj`.
    #[must_use]
    pub const fn is_call(&self) -> bool {
        matches!(self.opcode, Opcode::CALL | Opcode::CALLVIRT | Opcode::CALLI | Opcode::NEWOBJ)
    }

    /// The size in bytes, of a branch in the long form if `long`.
    pub(super) fn size(&self, long: bool) -> u32 {
        match &self.operand {
            InstrOperand::Label(_) if long => 5,
            InstrOperand::Label(_) => 2,
            InstrOperand::Switch(cases) => {
                u32::try_from(crate::encode::switch_size(cases.len())).unwrap_or(u32::MAX)
            }
            _ => self.opcode.size() + self.opcode.info().map_or(0, |info| info.operand.size()),
        }
    }
}
