//! The limits of this crate.

/// The largest block, in bytes. Blocks of version 6 cannot be larger.
pub(crate) const BLOCK: usize = 1 << 24;

/// The name of an object of version 4, in bytes.
pub(crate) const NAME: usize = 64;

/// The largest id of metadata.
pub(crate) const METADATA: u32 = (1 << 16) - 1;

/// The bytes of all metadata.
pub(crate) const METADATA_BYTES: usize = 1 << 24;

/// The depth of nested field types.
pub(crate) const DEPTH: u32 = 16;

/// The values of an event.
pub(crate) const VALUES: u32 = 1 << 20;

/// The bytes of the stacks between two sequence points.
pub(crate) const STACK_BYTES: usize = 1 << 26;

/// The stacks between two sequence points.
pub(crate) const STACKS: usize = 1 << 20;

/// The threads that are kept, and the label lists.
pub(crate) const TABLE: usize = 1 << 17;

/// The bytes of the threads that are kept, and of the label lists.
pub(crate) const TABLE_BYTES: usize = 1 << 24;
