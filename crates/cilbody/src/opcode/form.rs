//! The encoding of instructions: what decoding and encoding need of the table of opcodes, in few bytes.

use super::table::OPCODES;
use super::{Opcode, OpcodeInfo, OperandKind, TWO_BYTE};

/// The encoding of an instruction with some opcode.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub(crate) opcode: Opcode,
    pub(crate) operand: OperandKind,
    /// The number of bytes: opcode and operand. Of a `switch` without the distances.
    pub(crate) size: u8,
    /// Whether the size does not say everything: of `switch`, and of values that no opcode has.
    pub(crate) is_special: bool,
    row: u8,
}

/// The row of values that no opcode has.
const NO_ROW: u8 = u8::MAX;

/// By the first byte; after 0xFE 256 and the second byte.
pub(crate) static FORMS: [Form; 512] = {
    let none = Form { opcode: Opcode(0), operand: OperandKind::None, size: 1, is_special: true, row: NO_ROW };
    let mut forms = [none; 512];
    let mut slot = 0;
    #[allow(
        clippy::cast_possible_truncation,
        reason = "slots are less than 512, rows than 255, sizes than 10"
    )]
    while slot < 512 {
        forms[slot].opcode = match slot < 256 {
            true => Opcode(slot as u16),
            false => Opcode((TWO_BYTE as u16) << 8 | (slot - 256) as u16),
        };
        forms[slot].size = forms[slot].opcode.size() as u8;
        slot += 1;
    }
    let mut row = 0;
    #[allow(clippy::cast_possible_truncation, reason = "see above")]
    while row < OPCODES.len() {
        let OpcodeInfo { opcode, operand, .. } = OPCODES[row];
        let slot = match opcode.0 > 0xFF {
            true => 256 + (opcode.0 & 0xFF) as usize,
            false => opcode.0 as usize,
        };
        let size = opcode.size() as u8 + operand.size() as u8;
        let is_special = matches!(operand, OperandKind::Switch);
        forms[slot] = Form { opcode, operand, size, is_special, row: row as u8 };
        row += 1;
    }
    forms
};

impl Form {
    pub(crate) const fn exists(self) -> bool {
        self.row != NO_ROW
    }

    /// The properties of the opcode, which has to exist.
    #[inline]
    pub(crate) fn info(self) -> &'static OpcodeInfo {
        OPCODES.get(usize::from(self.row)).unwrap_or(&OPCODES[0])
    }
}

impl OperandKind {
    #[inline]
    pub(crate) fn widening(self) -> &'static Widening {
        &WIDENINGS[self as usize]
    }
}

/// How an operand becomes a number of 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Widening {
    /// The bits of the operand.
    mask: u64,
    /// The sign of the operand; 0 if it has none.
    sign: u64,
    /// All bits for the distance of a branch, otherwise 0.
    pub(crate) is_target: u64,
}

impl Widening {
    /// Returns the number whose lower bits are the operand.
    #[inline]
    pub(crate) const fn widen(self, bits: u64) -> u64 {
        ((bits & self.mask) ^ self.sign).wrapping_sub(self.sign)
    }
}

/// By the kind of the operand.
static WIDENINGS: [Widening; OperandKind::ALL.len()] = {
    let mut widenings = [Widening { mask: 0, sign: 0, is_target: 0 }; OperandKind::ALL.len()];
    let mut index = 0;
    while index < widenings.len() {
        let kind = OperandKind::ALL[index];
        let bits = 8 * kind.size();
        let is_target = matches!(kind, OperandKind::ShortTarget | OperandKind::Target);
        let is_signed = is_target || matches!(kind, OperandKind::I1 | OperandKind::I4);
        widenings[kind as usize] = Widening {
            mask: if bits == 0 { 0 } else { u64::MAX >> (64 - bits) },
            sign: if is_signed { 1 << (bits - 1) } else { 0 },
            is_target: if is_target { u64::MAX } else { 0 },
        };
        index += 1;
    }
    widenings
};
