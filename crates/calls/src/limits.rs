//! The limits of this crate.

/// The maximum number of followed pointers to pointers.
pub(crate) const MAX_POINTERS: usize = 8;

/// The maximum number of followed jumps.
pub(crate) const MAX_JUMPS: usize = 4;

/// The maximum nesting of inspected structs.
pub(crate) const MAX_STRUCT_DEPTH: usize = 8;

/// The maximum number of ranges of moved objects. Those of the oldest collections are dropped first; references saved before
/// these become stale.
pub(crate) const MAX_RANGES: usize = 1 << 18;

/// The maximum number of exceptions of a thread. One inside the handling of another is rare.
pub(crate) const MAX_EXCEPTIONS: usize = 16;
