//! Instructions of encoded code (ECMA-335 III.1.2), one after the other.

use core::iter::FusedIterator;

use sigparse::Token;

use crate::error::{Error, ErrorKind, Location};
use crate::opcode::{Opcode, OpcodeInfo, OperandKind, TWO_BYTE};
use crate::reader::Reader;

/// An instruction in encoded code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Instruction<'a> {
    /// The IL offset of its first byte.
    pub offset: u32,
    /// The IL offset after its last byte.
    pub end: u32,
    /// The properties of its opcode.
    pub info: &'static OpcodeInfo,
    /// The operand.
    pub operand: Operand<'a>,
}

impl Instruction<'_> {
    /// The opcode.
    #[inline]
    #[must_use]
    pub const fn opcode(&self) -> Opcode {
        self.info.opcode
    }
}

/// The operand of an instruction in encoded code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand<'a> {
    /// No operand.
    None,
    /// The integer of `ldc.i4`, `ldc.i4.s`, `unaligned.` and `no.`.
    I4(i32),
    /// The integer of `ldc.i8`.
    I8(i64),
    /// The number of `ldc.r4`, as its bits: every NaN is kept as it is.
    R4(u32),
    /// The number of `ldc.r8`, as its bits.
    R8(u64),
    /// The number of an argument or local variable.
    Variable(u16),
    /// The IL offset that a branch leads to.
    Target(u32),
    /// The targets of a `switch`.
    Switch(Targets<'a>),
    /// A metadata token.
    Token(Token),
}

/// The targets of a `switch`, in order.
///
/// An item is an error if it leads out of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Targets<'a> {
    distances: &'a [[u8; 4]],
    end: u32,
    code_size: u32,
}

impl Targets<'_> {
    /// The number of targets.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.distances.len()
    }

    /// Returns `true` if there are no targets.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.distances.is_empty()
    }
}

impl Iterator for Targets<'_> {
    type Item = Result<u32, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (first, rest) = self.distances.split_first()?;
        self.distances = rest;
        Some(target(self.end, i32::from_le_bytes(*first), self.code_size).map_err(|kind| {
            // The count and the targets before this one lie between it and the opcode.
            Error::il(self.end.saturating_sub(4 * (u32::try_from(rest.len()).unwrap_or(u32::MAX) + 1)), kind)
        }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len(), Some(self.len()))
    }
}

impl ExactSizeIterator for Targets<'_> {}
impl FusedIterator for Targets<'_> {}

/// The target of a branch with this distance.
#[inline]
fn target(end: u32, distance: i32, code_size: u32) -> Result<u32, ErrorKind> {
    let target = i64::from(end) + i64::from(distance);
    match u32::try_from(target) {
        Ok(target) if target < code_size => Ok(target),
        _ => Err(ErrorKind::BranchOutside(target)),
    }
}

/// Reads encoded code instruction by instruction, without allocating.
///
/// Stops after the first error. Branch targets lie within the code; whether an instruction begins there is checked
/// when a body is [imported](crate::edit::Body::import).
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    reader: Reader<'a>,
    code_size: u32,
    failed: bool,
}

impl<'a> Instructions<'a> {
    /// Reads code that has no header.
    #[must_use]
    pub fn new(code: &'a [u8]) -> Self {
        Self::starting_at(code, 0)
    }

    /// Reads code from an IL offset on, at which an instruction has to begin.
    #[must_use]
    pub fn starting_at(code: &'a [u8], offset: u32) -> Self {
        Self {
            reader: Reader::new(code, offset as usize, Location::Il),
            code_size: u32::try_from(code.len()).unwrap_or(u32::MAX),
            failed: false,
        }
    }

    /// The IL offset of the next instruction.
    #[must_use]
    pub fn offset(&self) -> u32 {
        u32::try_from(self.reader.position()).unwrap_or(u32::MAX)
    }

    #[inline]
    fn read(&mut self) -> Result<Instruction<'a>, Error> {
        let begin = self.reader.position();
        let offset = self.offset();
        let reader = &mut self.reader;
        let opcode = match reader.u8()? {
            TWO_BYTE => Opcode(u16::from(TWO_BYTE) << 8 | u16::from(reader.u8()?)),
            byte => Opcode(byte.into()),
        };
        let Some(info) = opcode.info() else {
            return Err(reader.error(begin, ErrorKind::UnknownOpcode(opcode.0)));
        };
        let operand = match info.operand {
            OperandKind::None => Operand::None,
            OperandKind::I1 => Operand::I4(i8::from_le_bytes(reader.array()?).into()),
            OperandKind::U1 => Operand::I4(reader.u8()?.into()),
            OperandKind::I4 => Operand::I4(i32::from_le_bytes(reader.array()?)),
            OperandKind::I8 => Operand::I8(i64::from_le_bytes(reader.array()?)),
            OperandKind::R4 => Operand::R4(u32::from_le_bytes(reader.array()?)),
            OperandKind::R8 => Operand::R8(u64::from_le_bytes(reader.array()?)),
            OperandKind::ShortVariable => Operand::Variable(reader.u8()?.into()),
            OperandKind::Variable => Operand::Variable(reader.u16()?),
            OperandKind::Method
            | OperandKind::Field
            | OperandKind::Type
            | OperandKind::Token
            | OperandKind::Signature
            | OperandKind::String => Operand::Token(Token(reader.u32()?)),
            OperandKind::ShortTarget => {
                let distance = i8::from_le_bytes(reader.array()?).into();
                Operand::Target(self.target(begin, distance)?)
            }
            OperandKind::Target => {
                let distance = i32::from_le_bytes(reader.array()?);
                Operand::Target(self.target(begin, distance)?)
            }
            OperandKind::Switch => {
                let count = reader.u32()? as usize;
                let size =
                    count.checked_mul(4).ok_or_else(|| reader.error(begin, ErrorKind::UnexpectedEnd))?;
                let (distances, _) = reader.take(size)?.as_chunks();
                Operand::Switch(Targets { distances, end: self.offset(), code_size: self.code_size })
            }
        };
        Ok(Instruction { offset, end: self.offset(), info, operand })
    }

    #[inline]
    fn target(&self, begin: usize, distance: i32) -> Result<u32, Error> {
        target(self.offset(), distance, self.code_size).map_err(|kind| self.reader.error(begin, kind))
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.reader.is_empty() {
            return None;
        }
        let instruction = self.read();
        self.failed = instruction.is_err();
        Some(instruction)
    }
}

impl FusedIterator for Instructions<'_> {}
