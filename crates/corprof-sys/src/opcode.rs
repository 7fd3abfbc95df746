//! What is known about one CIL opcode.

use crate::{CilFlow, CilKind, CilOperand, CilStack, OPCODE};

/// One CIL opcode: its encoding, its operand, and what it does to the stack and to control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CilOpcode {
    /// Its position in [`CIL_OPCODES`](crate::CIL_OPCODES).
    pub id: OPCODE,
    /// Its name in assembly language, such as `ldarg.0`; `unused` for the gaps between opcodes.
    pub name: &'static str,
    /// Its encoding: one byte, or 0xFE and another; none for the markers that only tools use.
    pub bytes: &'static [u8],
    /// What it pops, the deepest first.
    pub pops: &'static [CilStack],
    /// What it pushes, in that order.
    pub pushes: &'static [CilStack],
    /// What follows its bytes.
    pub operand: CilOperand,
    /// What sort of instruction it is.
    pub kind: CilKind,
    /// Where control goes after it.
    pub flow: CilFlow,
}
