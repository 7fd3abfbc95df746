//! The limits of this crate.

use std::time::Duration;

/// No block is longer.
pub(crate) const MAX_BLOCK: u32 = 16 << 20;

/// The maximum number of functions.
pub(crate) const MAX_FUNCTIONS: u32 = 1 << 28;

/// The maximum length of a line.
pub(crate) const MAX_LINE: usize = 256 << 20;

/// The time that a thread sleeps between two attempts when it waits for memory.
pub(crate) const NAP: Duration = Duration::from_micros(100);
