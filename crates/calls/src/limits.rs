//! The limits of this crate.

/// The maximum number of followed pointers to pointers.
pub(crate) const MAX_POINTERS: usize = 8;

/// The maximum number of followed jumps.
pub(crate) const MAX_JUMPS: usize = 4;

/// The maximum nesting of inspected structs.
pub(crate) const MAX_STRUCT_DEPTH: usize = 8;
