//! Instructions of encoded code (ECMA-335 III.1.2), one after the other.

use core::fmt;
use core::iter::FusedIterator;

use sigparse::Token;

use crate::error::{Error, ErrorKind};
use crate::opcode::{FORMS, Form, Opcode, OpcodeInfo, OperandKind, TWO_BYTE};

/// An instruction in encoded code.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Instruction<'a> {
    /// The IL offset of its first byte.
    pub offset: u32,
    /// The IL offset after its last byte.
    pub end: u32,
    pub(crate) form: Form,
    /// The operand: a number with its sign, the bits of a floating-point number, the target of a branch. Of a `switch` the
    /// number of targets.
    pub(crate) bits: u64,
    /// The code that the instruction is in.
    code: &'a [u8],
}

impl<'a> Instruction<'a> {
    /// The opcode.
    #[inline]
    #[must_use]
    pub const fn opcode(&self) -> Opcode {
        self.form.opcode
    }

    /// The properties of the opcode.
    #[inline]
    #[must_use]
    pub fn info(&self) -> &'static OpcodeInfo {
        self.form.info()
    }

    /// The operand as a number, whatever its kind: integers with their sign, the bits of floating-point numbers, numbers of
    /// variables, tokens, targets of branches as IL offsets. Of a `switch` the number of targets, 0 if there is no operand.
    ///
    /// For hashes, statistics and searches: faster than [`operand`](Self::operand), as it depends on no condition.
    #[inline]
    #[must_use]
    pub const fn operand_bits(&self) -> u64 {
        self.bits
    }

    /// The operand.
    #[inline]
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the bits have no more than the operand's size, or its sign"
    )]
    pub fn operand(&self) -> Operand<'a> {
        match self.form.operand {
            OperandKind::None => Operand::None,
            OperandKind::I1 | OperandKind::U1 | OperandKind::I4 => Operand::I4(self.bits as i32),
            OperandKind::I8 => Operand::I8(self.bits.cast_signed()),
            OperandKind::R4 => Operand::R4(self.bits as u32),
            OperandKind::R8 => Operand::R8(self.bits),
            OperandKind::ShortVariable | OperandKind::Variable => Operand::Variable(self.bits as u16),
            OperandKind::ShortTarget | OperandKind::Target => Operand::Target(self.bits as u32),
            OperandKind::Method
            | OperandKind::Field
            | OperandKind::Type
            | OperandKind::Token
            | OperandKind::Signature
            | OperandKind::String => Operand::Token(Token(self.bits as u32)),
            OperandKind::Switch => Operand::Switch(Targets::before(self.end, self.bits, self.code)),
        }
    }
}

impl PartialEq for Instruction<'_> {
    fn eq(&self, other: &Self) -> bool {
        let parts = |it: &Self| (it.offset, it.end, it.opcode());
        parts(self) == parts(other) && self.operand() == other.operand()
    }
}

impl Eq for Instruction<'_> {}

impl fmt::Debug for Instruction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("Instruction");
        f.field("offset", &self.offset).field("end", &self.end);
        f.field("opcode", &self.opcode()).field("operand", &self.operand()).finish()
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

impl<'a> Targets<'a> {
    /// The targets of a `switch` that ends at this offset.
    // Takes no reference to the instruction, which would keep it in memory.
    fn before(end: u32, count: u64, code: &'a [u8]) -> Self {
        let size = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(4);
        let distances = code.get((end as usize).saturating_sub(size)..end as usize).unwrap_or_default();
        let code_size = u32::try_from(code.len()).unwrap_or(u32::MAX);
        Self { distances: distances.as_chunks().0, end, code_size }
    }

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
#[derive(Clone)]
pub struct Instructions<'a> {
    code: &'a [u8],
    /// The IL offset of the next instruction.
    position: usize,
    /// The begin of the last bytes, which are copied to `tail`: bytes can be read after them, whose values do not matter.
    tail_start: usize,
    tail: [u8; TAIL + WINDOW],
}

/// The most bytes of an instruction other than `switch`.
const WINDOW: usize = 10;
/// The number of copied bytes.
const TAIL: usize = 16;

impl<'a> Instructions<'a> {
    /// Reads code that has no header.
    #[inline]
    #[must_use]
    pub fn new(code: &'a [u8]) -> Self {
        Self::starting_at(code, 0)
    }

    /// Reads code from an IL offset on, at which an instruction has to begin.
    #[inline]
    #[must_use]
    pub fn starting_at(code: &'a [u8], offset: u32) -> Self {
        let mut tail = [0; TAIL + WINDOW];
        let tail_start = match code.last_chunk::<TAIL>() {
            Some(last) => {
                if let Some(copy) = tail.first_chunk_mut() {
                    *copy = *last;
                }
                code.len() - TAIL
            }
            None => {
                tail.iter_mut().zip(code).for_each(|(copy, byte)| *copy = *byte);
                0
            }
        };
        Self { code, position: offset as usize, tail_start, tail }
    }

    /// The IL offset of the next instruction.
    #[must_use]
    pub fn offset(&self) -> u32 {
        u32::try_from(self.position).unwrap_or(u32::MAX)
    }

    #[inline]
    fn read(&mut self) -> Result<Instruction<'a>, Error> {
        let position = self.position;
        let (bytes, at) = match position.checked_sub(self.tail_start) {
            Some(at) => (&self.tail[..], at),
            None => (self.code, position),
        };
        let window = bytes.get(at..).and_then(|rest| rest.first_chunk::<WINDOW>());
        // Not out of the window: the next instruction is found sooner if this byte does not wait for the choice above.
        let (Some(&first), Some(window)) = (self.code.get(position), window) else {
            return Err(error(position, ErrorKind::UnexpectedEnd));
        };
        let (slot, operand) = match first {
            TWO_BYTE => (usize::from(window[1]) | (FORMS.len() / 2), window.last_chunk()),
            _ => (first.into(), window.get(1..).and_then(<[u8]>::first_chunk)),
        };
        let (Some(&form), Some(&operand)) = (FORMS.get(slot), operand) else {
            return Err(error(position, ErrorKind::UnexpectedEnd));
        };
        let mut end = position + usize::from(form.size);
        let widening = form.operand.widening();
        let bits = widening.widen(u64::from_le_bytes(operand)).wrapping_add(end as u64 & widening.is_target);
        let limit = self.code.len();
        if form.is_special || end > limit || bits & widening.is_target >= limit as u64 {
            end = special_end(form, bits, position, limit)?;
        }
        self.position = end;
        let offset = |position| u32::try_from(position).unwrap_or(u32::MAX);
        let (offset, end) = (offset(position), offset(end));
        Ok(Instruction { offset, end, form, bits, code: self.code })
    }
}

/// Returns the end of a `switch`, or what is wrong with an instruction.
// Takes no reference to the iterator, which would keep it in memory.
#[cold]
#[inline(never)]
fn special_end(form: Form, bits: u64, begin: usize, code_size: usize) -> Result<usize, Error> {
    let left = code_size.saturating_sub(begin);
    let opcode_size = form.opcode.size() as usize;
    if left < opcode_size {
        return Err(error(code_size, ErrorKind::UnexpectedEnd));
    }
    if !form.exists() {
        return Err(error(begin, ErrorKind::UnknownOpcode(form.opcode.0)));
    }
    if left < usize::from(form.size) {
        return Err(error(begin + opcode_size, ErrorKind::UnexpectedEnd));
    }
    if form.operand != OperandKind::Switch {
        return Err(error(begin, ErrorKind::BranchOutside(bits.cast_signed())));
    }
    let first = begin + usize::from(form.size);
    let size = usize::try_from(bits).ok().and_then(|count| count.checked_mul(4));
    match size.and_then(|size| first.checked_add(size)) {
        None => Err(error(begin, ErrorKind::UnexpectedEnd)),
        Some(end) if end > code_size => Err(error(first, ErrorKind::UnexpectedEnd)),
        Some(end) => Ok(end),
    }
}

#[cold]
fn error(position: usize, kind: ErrorKind) -> Error {
    Error::il(u32::try_from(position).unwrap_or(u32::MAX), kind)
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.position >= self.code.len() {
            return None;
        }
        let instruction = self.read();
        if instruction.is_err() {
            // Nothing can be read after an error.
            self.position = usize::MAX;
        }
        Some(instruction)
    }
}

impl FusedIterator for Instructions<'_> {}

impl fmt::Debug for Instructions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instructions").field("offset", &self.offset()).finish_non_exhaustive()
    }
}
