//! The macro behind the opcode table.

/// Declares the constants of [`Opcode`](super::Opcode) and the table of their properties.
macro_rules! opcodes {
    ($( $id:ident $value:literal $name:literal [$($pop:ident),*] [$($push:ident),*] $operand:ident $flow:ident; )+) => {
        use super::{Flow, Opcode, OpcodeInfo, OperandKind, StackItem};

        impl Opcode {
            $(
                #[doc = concat!("`", $name, "`.")]
                pub const $id: Self = Self($value);
            )+
        }

        /// All opcodes, in ascending order.
        pub(super) const OPCODES: &[OpcodeInfo] = &[
            $(
                OpcodeInfo {
                    opcode: Opcode::$id,
                    name: $name,
                    pops: &[$(StackItem::$pop),*],
                    pushes: &[$(StackItem::$push),*],
                    operand: OperandKind::$operand,
                    flow: Flow::$flow,
                },
            )+
        ];
    };
}

pub(super) use opcodes;
