//! The limits of this crate.

/// No block is longer.
pub(crate) const MAX_BLOCK: u32 = 16 << 20;

/// The maximum number of functions.
pub(crate) const MAX_FUNCTIONS: u32 = 1 << 28;
