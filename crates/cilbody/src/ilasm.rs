//! Method bodies as ILAsm writes them (ECMA-335 II.15.4 and VI.C).
//!
//! Names come from the caller, through [`Names`]; without them, tokens are written. Writing does not allocate.
//!
//! ```
//! use core::fmt;
//! use cilbody::{MethodBody, Opcode, ilasm::Names};
//! use sigparse::Token;
//!
//! struct Module;
//!
//! impl Names for Module {
//!     fn token(&self, opcode: Opcode, token: Token, out: &mut dyn fmt::Write) -> fmt::Result {
//!         match (opcode, token.0) {
//!             (Opcode::LDSTR, 0x7000_0001) => out.write_str("\"Hello\""),
//!             (_, 0x0A00_0005) => out.write_str("void [System.Console]System.Console::WriteLine(string)"),
//!             (_, other) => write!(out, "mdtoken(0x{other:08X})"),
//!         }
//!     }
//! }
//!
//! let body = MethodBody::parse(&[0x2E, 0x72, 1, 0, 0, 0x70, 0x28, 5, 0, 0, 0x0A, 0x2A])?;
//! assert_eq!(body.ilasm(&Module).to_string(), r#".maxstack 8
//! IL_0000:  ldstr      "Hello"
//! IL_0005:  call       void [System.Console]System.Console::WriteLine(string)
//! IL_000A:  ret
//! "#);
//! # Ok::<(), cilbody::Error>(())
//! ```

use core::fmt::{self, Write};

use sigparse::Token;
use sigparse::token::StandAloneSig;

use crate::body::MethodBody;
use crate::clause::{Clause, ClauseKind};
use crate::instruction::{Instruction, Operand};
use crate::opcode::Opcode;

/// The names of tokens.
pub trait Names {
    /// Writes the entity that the operand of an instruction refers to. For a catch clause the opcode is `castclass`.
    ///
    /// `mdtoken(0x0A000005)` by default.
    ///
    /// # Errors
    /// An error of `out`.
    fn token(&self, opcode: Opcode, token: Token, out: &mut dyn Write) -> fmt::Result {
        let _ = opcode;
        write!(out, "mdtoken({token})")
    }

    /// Writes the types of the local variables, which stand in parentheses after `.locals`.
    ///
    /// # Errors
    /// If `out` gives one.
    fn locals(&self, token: StandAloneSig, out: &mut dyn Write) -> fmt::Result {
        write!(out, "mdtoken({token})")
    }
}

/// Tokens in the place of names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokens;

impl Names for Tokens {}

impl<N: Names + ?Sized> Names for &N {
    fn token(&self, opcode: Opcode, token: Token, out: &mut dyn Write) -> fmt::Result {
        (**self).token(opcode, token, out)
    }

    fn locals(&self, token: StandAloneSig, out: &mut dyn Write) -> fmt::Result {
        (**self).locals(token, out)
    }
}

/// A method body to be written in ILAsm; made by [`MethodBody::ilasm`].
#[derive(Clone, Copy, Debug)]
pub struct BodyText<'b, N> {
    body: MethodBody<'b>,
    names: N,
}

/// An instruction to be written in ILAsm; made by [`Instruction::ilasm`].
#[derive(Clone, Copy, Debug)]
pub struct InstructionText<'b, N> {
    instruction: Instruction<'b>,
    names: N,
}

impl<'b> MethodBody<'b> {
    /// The body in ILAsm, a line for each instruction and clause. [`ilasm::Tokens`](Tokens) has no names.
    ///
    /// A malformed instruction or clause is written as a comment with the error, and is the last one.
    #[must_use]
    pub const fn ilasm<N: Names>(&self, names: N) -> BodyText<'b, N> {
        BodyText { body: *self, names }
    }
}

impl<'b> Instruction<'b> {
    /// The instruction in ILAsm, without its label.
    #[must_use]
    pub const fn ilasm<N: Names>(&self, names: N) -> InstructionText<'b, N> {
        InstructionText { instruction: *self, names }
    }
}

impl<N: Names> fmt::Display for BodyText<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, ".maxstack {}", self.body.max_stack())?;
        if let Some(locals) = self.body.local_var_sig() {
            f.write_str(if self.body.init_locals() { ".locals init (" } else { ".locals (" })?;
            self.names.locals(locals, f)?;
            f.write_str(")\n")?;
        }
        for instruction in self.body.instructions() {
            match instruction {
                Ok(it) => writeln!(f, "IL_{:04X}:  {}", it.offset, it.ilasm(&self.names))?,
                Err(error) => writeln!(f, "// {error}")?,
            }
        }
        for clause in self.body.clauses() {
            match clause {
                Ok(clause) => clause_line(&clause, &self.names, f)?,
                Err(error) => writeln!(f, "// {error}")?,
            }
        }
        Ok(())
    }
}

/// Writes a clause in the form with labels, which every clause has (II.19).
fn clause_line(clause: &Clause, names: &impl Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Clause { protected, handler, kind } = clause;
    write!(f, ".try IL_{:04X} to IL_{:04X} ", protected.start, protected.end)?;
    match kind {
        ClauseKind::Catch(ty) => {
            f.write_str("catch ")?;
            names.token(Opcode::CASTCLASS, *ty, f)?;
        }
        ClauseKind::Filter(filter) => write!(f, "filter IL_{filter:04X}")?,
        ClauseKind::Finally => f.write_str("finally")?,
        ClauseKind::Fault => f.write_str("fault")?,
    }
    writeln!(f, " handler IL_{:04X} to IL_{:04X}", handler.start, handler.end)
}

impl<N: Names> fmt::Display for InstructionText<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (info, operand) = (self.instruction.info(), self.instruction.operand());
        if operand == Operand::None {
            return f.write_str(info.name);
        }
        write!(f, "{:<10} ", info.name)?;
        match operand {
            Operand::None => Ok(()),
            Operand::I4(value) => write!(f, "{value}"),
            Operand::I8(value) => write!(f, "{value}"),
            Operand::R4(bits) => match f32::from_bits(bits) {
                number if number.is_finite() => write!(f, "{number:?}"),
                _ => write!(f, "float32(0x{bits:08X})"),
            },
            Operand::R8(bits) => match f64::from_bits(bits) {
                number if number.is_finite() => write!(f, "{number:?}"),
                _ => write!(f, "float64(0x{bits:016X})"),
            },
            Operand::Variable(number) => write!(f, "{number}"),
            Operand::Target(target) => write!(f, "IL_{target:04X}"),
            Operand::Switch(targets) => {
                f.write_char('(')?;
                for (index, target) in targets.enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    match target {
                        Ok(target) => write!(f, "IL_{target:04X}")?,
                        Err(error) => write!(f, "/* {error} */")?,
                    }
                }
                f.write_char(')')
            }
            Operand::Token(token) => self.names.token(info.opcode, token, f),
        }
    }
}
