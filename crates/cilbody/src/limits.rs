//! The limits of the crate.
//!
//! A count of bytes is checked against the remaining bytes and needs no limit of its own.

/// The longest code of a tiny method body, in bytes (II.25.4.2): its size has six bits.
pub const MAX_TINY_CODE: u32 = 63;

/// The stack depth that a tiny method body has room for (II.25.4.2).
pub const TINY_MAX_STACK: u16 = 8;

/// The maximum size of the code in bytes. A branch reaches half of the range of 32 bits.
pub const MAX_CODE: u32 = i32::MAX as u32;

/// The most exception handling clauses of a method: the CLR numbers them with 16 bits and keeps one number.
pub const MAX_CLAUSES: usize = u16::MAX as usize - 1;

/// The most clauses in a small exception handling section (II.25.4.5): its size has eight bits.
pub const MAX_SMALL_CLAUSES: usize = (u8::MAX as usize - 4) / 12;

/// The most clauses in a fat exception handling section (II.25.4.5): its size has 24 bits.
pub const MAX_FAT_CLAUSES: usize = (0x00FF_FFFF - 4) / 24;

/// The most sections of a method body. Compilers write one.
pub const MAX_SECTIONS: usize = 1 << 10;

/// The most local variables and arguments: their numbers have 16 bits, and `0xFFFF` is reserved (III.1.7.3).
pub const MAX_VARIABLES: u32 = u16::MAX as u32;

/// The most steps of the verifier for each byte of code, beside [`VERIFY_STEPS`].
///
/// A step is a stack item that is kept or compared where branches join, an instruction that is followed, a region that an
/// instruction leaves, or a byte of a signature. This bounds time and memory.
pub const VERIFY_STEPS_PER_BYTE: usize = 1 << 5;

/// The longest signature of a structure's type that the verifier compares, in bytes. A structure whose type is longer is compatible
/// with every other.
pub const MAX_COMPARED_TYPE: usize = 1 << 8;

/// The most steps of the verifier beside [`VERIFY_STEPS_PER_BYTE`].
pub const VERIFY_STEPS: usize = 1 << 20;
