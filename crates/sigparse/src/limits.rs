//! Every limit of the decoder, in one place.
//!
//! A count that stands for bytes is checked against the bytes that are left and needs no limit of its own.
//! The numbers here bound what the bytes alone do not: recursion, and counts with nothing behind them.

/// The nesting depth of types: `int[][]` is two deep, a generic argument is one deeper than its instance.
///
/// A custom modifier counts as a level of its own. Code that recurses over a [`Type`](crate::Type) never
/// recurses deeper than this. The deepest type in the .NET 9 framework nests six levels.
pub const MAX_DEPTH: u32 = 128;

/// The highest rank of an ARRAY (II.23.2.13). ECMA-335 has no limit; the CLR refuses more than this.
pub const MAX_ARRAY_RANK: u32 = 32;

/// The highest generic parameter count of a method: `GenericParam.Number` has two bytes (II.22.20).
pub const MAX_GENERIC_PARAMS: u32 = 0xFFFF;

/// The highest row number of a metadata table: a token has three bytes for it (II.22).
pub const MAX_RID: u32 = 0x00FF_FFFF;

/// The highest value that a compressed unsigned integer can hold (II.23.2).
pub const MAX_COMPRESSED_UNSIGNED: u32 = 0x1FFF_FFFF;

/// The lowest value that a compressed signed integer can hold (II.23.2).
pub const MIN_COMPRESSED_SIGNED: i32 = -0x1000_0000;

/// The highest value that a compressed signed integer can hold (II.23.2).
pub const MAX_COMPRESSED_SIGNED: i32 = 0x0FFF_FFFF;
