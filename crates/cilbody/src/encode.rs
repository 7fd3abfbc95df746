//! Headers, instructions and sections as bytes (ECMA-335 II.25.4).

use alloc::vec::Vec;

use sigparse::token::StandAloneSig;

use crate::body::{
    FAT_HEADER_WORDS, FAT_INIT_LOCALS, FAT_MORE_SECTIONS, FORMAT_FAT, FORMAT_TINY, MethodBody,
};
use crate::clause::{
    CLAUSE_CATCH, CLAUSE_FAULT, CLAUSE_FILTER, CLAUSE_FINALLY, Clause, ClauseKind, FAT_CLAUSE, SECTION_EH,
    SECTION_FAT, SECTION_HEADER, SECTION_MORE, SMALL_CLAUSE,
};
use crate::error::{Error, ErrorKind, Location};
use crate::instruction::{Instruction, Operand};
use crate::limits;
use crate::opcode::{Opcode, OperandKind, TWO_BYTE};

/// The parts of a method body, to be put together.
///
/// The header is tiny where that is possible, and the clauses are small where all of them can be.
///
/// ```
/// use cilbody::{BodyParts, MethodBody};
///
/// let body = MethodBody::parse(&[0x0A, 0x02, 0x2A])?;
/// let code = body.code_bytes();
/// let parts = BodyParts { code, max_stack: 9, init_locals: false, local_var_sig: None, clauses: &[] };
/// // A stack deeper than 8 needs a fat header.
/// assert_eq!(parts.to_bytes()?, [0x03, 0x30, 9, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x2A]);
/// # Ok::<(), cilbody::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BodyParts<'a> {
    /// The bytes of the code.
    pub code: &'a [u8],
    /// The largest number of items on the evaluation stack.
    pub max_stack: u16,
    /// Whether local variables begin as zero.
    pub init_locals: bool,
    /// The signature of the local variables.
    pub local_var_sig: Option<StandAloneSig>,
    /// The exception handling clauses, inner ones before those that they are nested in.
    pub clauses: &'a [Clause],
}

impl BodyParts<'_> {
    /// Encodes the body.
    ///
    /// # Errors
    /// If the code is empty or too long, there are too many clauses, or a clause has an empty range.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let code_size = u32::try_from(self.code.len()).unwrap_or(u32::MAX);
        if code_size == 0 || code_size > limits::MAX_CODE {
            return Err(Error { location: Location::Body(0), kind: ErrorKind::CodeSize(code_size) });
        }
        if self.clauses.len() > limits::MAX_CLAUSES {
            return Err(Error { location: Location::Clause(0), kind: ErrorKind::TooManyClauses });
        }
        let mut out =
            Vec::with_capacity(12 + self.code.len() + 8 + self.clauses.len().saturating_mul(FAT_CLAUSE));
        self.header(false, code_size, &mut out);
        out.extend_from_slice(self.code);
        self.sections(false, &mut out)?;
        Ok(out)
    }

    /// Appends a header: a fat one also where it is not needed, if `fat` is set.
    fn header(&self, fat: bool, code_size: u32, out: &mut Vec<u8>) {
        match u8::try_from(code_size) {
            Ok(size) if !fat && self.is_tiny(code_size) => out.push(size << 2 | FORMAT_TINY),
            _ => self.fat_header(code_size, out),
        }
    }

    /// Returns whether the tiny format can hold the body. `init_locals` means nothing without variables, but is kept.
    fn is_tiny(&self, code_size: u32) -> bool {
        code_size <= limits::MAX_TINY_CODE
            && self.max_stack <= limits::TINY_MAX_STACK
            && self.local_var_sig.is_none()
            && !self.init_locals
            && self.clauses.is_empty()
    }

    fn fat_header(&self, code_size: u32, out: &mut Vec<u8>) {
        let mut flags = u16::from(FORMAT_FAT) | FAT_HEADER_WORDS << 12;
        if self.init_locals {
            flags |= FAT_INIT_LOCALS;
        }
        if !self.clauses.is_empty() {
            flags |= FAT_MORE_SECTIONS;
        }
        out.extend(flags.to_le_bytes());
        out.extend(self.max_stack.to_le_bytes());
        out.extend(code_size.to_le_bytes());
        out.extend(self.local_var_sig.map_or(0, StandAloneSig::token).to_le_bytes());
    }

    /// Appends the sections: fat ones also where they are not needed, if `fat` is set.
    fn sections(&self, fat: bool, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.clauses.is_empty() {
            return Ok(());
        }
        if let Some(index) =
            self.clauses.iter().position(|clause| clause.ranges().any(|range| range.is_empty()))
        {
            let location = Location::Clause(u32::try_from(index).unwrap_or(u32::MAX));
            let start = self.clauses.get(index).map_or(0, |clause| clause.protected.start);
            return Err(Error { location, kind: ErrorKind::ClauseRange { start, length: 0 } });
        }
        let small: Option<Vec<[u8; SMALL_CLAUSE]>> = match self.clauses.len() {
            ..=limits::MAX_SMALL_CLAUSES if !fat => self.clauses.iter().map(small_clause).collect(),
            _ => None,
        };
        out.resize(out.len().next_multiple_of(4), 0);
        match small {
            Some(small) => {
                let size = small.len() * SMALL_CLAUSE + SECTION_HEADER;
                out.extend([SECTION_EH, u8::try_from(size).unwrap_or(u8::MAX), 0, 0]);
                out.extend(small.as_flattened());
            }
            None => {
                let sections = self.clauses.chunks(limits::MAX_FAT_CLAUSES);
                let last = sections.len() - 1;
                for (index, clauses) in sections.enumerate() {
                    let more = if index < last { SECTION_MORE } else { 0 };
                    let size = clauses.len() * FAT_CLAUSE + SECTION_HEADER;
                    let size = u32::try_from(size).unwrap_or(u32::MAX);
                    out.extend((size << 8 | u32::from(SECTION_EH | SECTION_FAT | more)).to_le_bytes());
                    out.extend(clauses.iter().flat_map(fat_clause));
                }
            }
        }
        Ok(())
    }
}

/// Returns the kind of a clause, and the value of its last four bytes.
fn kind(clause: &Clause) -> (u8, u32) {
    let (kind, last) = match clause.kind {
        ClauseKind::Catch(token) => (CLAUSE_CATCH, token.0),
        ClauseKind::Filter(filter) => (CLAUSE_FILTER, filter),
        ClauseKind::Finally => (CLAUSE_FINALLY, 0),
        ClauseKind::Fault => (CLAUSE_FAULT, 0),
    };
    (u8::try_from(kind).unwrap_or(0), last)
}

/// A clause in the small form, unless an offset or a length is too large for it.
fn small_clause(clause: &Clause) -> Option<[u8; SMALL_CLAUSE]> {
    let (kind, last) = kind(clause);
    let [try_low, try_high] = u16::try_from(clause.protected.start).ok()?.to_le_bytes();
    let try_length = u8::try_from(clause.protected.len()).ok()?;
    let [handler_low, handler_high] = u16::try_from(clause.handler.start).ok()?.to_le_bytes();
    let handler_length = u8::try_from(clause.handler.len()).ok()?;
    let [a, b, c, d] = last.to_le_bytes();
    Some([kind, 0, try_low, try_high, try_length, handler_low, handler_high, handler_length, a, b, c, d])
}

fn fat_clause(clause: &Clause) -> [u8; FAT_CLAUSE] {
    let (kind, last) = kind(clause);
    let Clause { protected, handler, .. } = clause;
    let words = [kind.into(), protected.start, protected.len(), handler.start, handler.len(), last];
    let mut bytes = [0; FAT_CLAUSE];
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    bytes
}

/// Encodes instructions one after the other.
///
/// Every instruction keeps its form: a short branch has to reach its target. [`edit::Body`](crate::edit::Body) chooses
/// forms by itself.
#[derive(Clone, Debug, Default)]
pub struct CodeWriter {
    code: Vec<u8>,
    /// The number of bytes before the first instruction.
    start: usize,
}

/// The most bytes that are written at once.
const WRITTEN_AT_ONCE: usize = size_of::<u128>();

impl CodeWriter {
    /// Creates an empty writer with a capacity in bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self { code: Vec::with_capacity(bytes), start: 0 }
    }

    /// The IL offset of the next instruction.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> u32 {
        u32::try_from(self.code.len() - self.start).unwrap_or(u32::MAX)
    }

    /// The code so far.
    #[must_use]
    pub fn into_code(self) -> Vec<u8> {
        self.code
    }

    /// Appends an instruction in the form that it has. Its targets are IL offsets in the code that is written.
    ///
    /// # Errors
    /// If the operand is not of the opcode's kind, or is too large for it.
    #[inline]
    pub fn instruction(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        if instruction.opcode() == Opcode::SWITCH {
            return self.copied_switch(instruction);
        }
        let (offset, opcode) = (self.offset(), instruction.opcode());
        let size = instruction.end - instruction.offset;
        let widening = instruction.form.operand.widening();
        // A branch has the distance of its target from the next instruction.
        let end = u64::from(offset) + u64::from(size);
        let value = instruction.bits.wrapping_sub(end & widening.is_target);
        if widening.widen(value) != value {
            return Err(Error::il(offset, ErrorKind::OperandTooLarge(opcode)));
        }
        let [low, high] = opcode.0.to_le_bytes();
        let value = u128::from(value);
        let bytes = match high {
            TWO_BYTE => value << 16 | u128::from(low) << 8 | u128::from(TWO_BYTE),
            _ => value << 8 | u128::from(low),
        };
        // Appending a fixed number of bytes is faster.
        let end = self.code.len() + size as usize;
        self.code.extend_from_slice(&bytes.to_le_bytes());
        self.code.truncate(end);
        Ok(())
    }

    #[inline(never)]
    fn copied_switch(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let Operand::Switch(targets) = instruction.operand() else { return Ok(()) };
        // The targets are checked before the first byte is written.
        if let Some(error) = targets.clone().find_map(Result::err) {
            return Err(error);
        }
        self.switch(targets.map(Result::unwrap_or_default))
    }

    /// Appends an instruction that is not a branch.
    pub(crate) fn plain(&mut self, opcode: Opcode, operand: Operand<'_>) -> Result<(), Error> {
        let fail = |kind| Err(Error::il(self.offset(), kind));
        let Some(info) = opcode.info() else { return fail(ErrorKind::UnknownOpcode(opcode.0)) };
        let too_large = || Error::il(self.offset(), ErrorKind::OperandTooLarge(opcode));
        match (info.operand, operand) {
            (OperandKind::None, Operand::None) => self.opcode(opcode),
            (OperandKind::I1, Operand::I4(value)) => {
                let value = i8::try_from(value).map_err(|_| too_large())?;
                self.with(opcode, value.to_le_bytes());
            }
            (OperandKind::U1, Operand::I4(value)) => {
                let value = u8::try_from(value).map_err(|_| too_large())?;
                self.with(opcode, [value]);
            }
            (OperandKind::I4, Operand::I4(value)) => self.with(opcode, value.to_le_bytes()),
            (OperandKind::I8, Operand::I8(value)) => self.with(opcode, value.to_le_bytes()),
            (OperandKind::R4, Operand::R4(bits)) => self.with(opcode, bits.to_le_bytes()),
            (OperandKind::R8, Operand::R8(bits)) => self.with(opcode, bits.to_le_bytes()),
            (OperandKind::ShortVariable, Operand::Variable(number)) => {
                let number = u8::try_from(number).map_err(|_| too_large())?;
                self.with(opcode, [number]);
            }
            (OperandKind::Variable, Operand::Variable(number)) => self.with(opcode, number.to_le_bytes()),
            (
                OperandKind::Method
                | OperandKind::Field
                | OperandKind::Type
                | OperandKind::Token
                | OperandKind::Signature
                | OperandKind::String,
                Operand::Token(token),
            ) => self.with(opcode, token.0.to_le_bytes()),
            _ => return fail(ErrorKind::WrongOperand(opcode)),
        }
        Ok(())
    }

    /// Appends a branch in the form that its opcode has.
    pub(crate) fn branch(&mut self, opcode: Opcode, target: u32) -> Result<(), Error> {
        let offset = self.offset();
        let size = branch_size(opcode);
        let distance = i64::from(target) - i64::from(offset) - i64::from(size);
        let too_large = |_| Error::il(offset, ErrorKind::OperandTooLarge(opcode));
        if opcode.is_short_branch() {
            self.with(opcode, i8::try_from(distance).map_err(too_large)?.to_le_bytes());
        } else if opcode.is_long_branch() {
            self.with(opcode, i32::try_from(distance).map_err(too_large)?.to_le_bytes());
        } else {
            return Err(Error::il(offset, ErrorKind::WrongOperand(opcode)));
        }
        Ok(())
    }

    /// Appends a `switch`.
    pub(crate) fn switch(&mut self, targets: impl ExactSizeIterator<Item = u32>) -> Result<(), Error> {
        let offset = self.offset();
        let too_large = |_| Error::il(offset, ErrorKind::OperandTooLarge(Opcode::SWITCH));
        let count = u32::try_from(targets.len()).map_err(too_large)?;
        self.with(Opcode::SWITCH, count.to_le_bytes());
        let end = i64::from(offset) + switch_size(targets.len());
        for target in targets {
            let distance = i32::try_from(i64::from(target) - end).map_err(too_large)?;
            self.code.extend(distance.to_le_bytes());
        }
        Ok(())
    }

    #[inline]
    fn opcode(&mut self, opcode: Opcode) {
        let [low, high] = opcode.0.to_le_bytes();
        if high == TWO_BYTE {
            self.code.push(TWO_BYTE);
        }
        self.code.push(low);
    }

    #[inline]
    fn with<const N: usize>(&mut self, opcode: Opcode, operand: [u8; N]) {
        self.opcode(opcode);
        self.code.extend(operand);
    }
}

/// The size of a branch in the form that its opcode has.
pub(crate) const fn branch_size(opcode: Opcode) -> u32 {
    if opcode.is_short_branch() { 2 } else { 5 }
}

/// Returns the size of a `switch` with that many targets.
pub(crate) fn switch_size(targets: usize) -> i64 {
    i64::try_from(targets).unwrap_or(i64::MAX / 8) * 4 + 5
}

impl MethodBody<'_> {
    /// Decodes every instruction and clause and encodes them again, all in the form that they have.
    ///
    /// The result has the bytes of the body, if the compiler has left nothing in fields without a meaning.
    ///
    /// # Errors
    /// If an instruction or clause is malformed.
    pub fn reencode(&self) -> Result<Vec<u8>, Error> {
        let clauses: Vec<Clause> = self.clauses().collect::<Result<_, _>>()?;
        let parts = BodyParts {
            code: self.code_bytes(),
            max_stack: self.max_stack(),
            init_locals: self.init_locals(),
            local_var_sig: self.local_var_sig(),
            clauses: &clauses,
        };
        let mut out = Vec::with_capacity(self.bytes().len() + WRITTEN_AT_ONCE);
        parts.header(!self.is_tiny(), self.code_size(), &mut out);
        // Every instruction keeps its form, so the code keeps its size.
        let mut writer = CodeWriter { start: out.len(), code: out };
        for instruction in self.instructions() {
            writer.instruction(&instruction?)?;
        }
        let mut out = writer.code;
        parts.sections(self.has_fat_clauses(), &mut out)?;
        Ok(out)
    }
}
