//! The limits of this crate.

/// The largest message: its size field has 16 bits.
pub(crate) const MAX_MESSAGE: usize = u16::MAX as usize;

/// The largest environment that is read, in bytes.
pub(crate) const MAX_ENVIRONMENT: u32 = 1 << 26;
