//! The limits of this crate.

use std::time::Duration;

/// The content of no block is longer.
pub const MAX_BLOCK: u32 = 16 << 20;

/// The maximum number of functions.
pub(crate) const MAX_FUNCTIONS: u32 = 1 << 28;

/// The maximum length of a line.
pub(crate) const MAX_LINE: usize = 256 << 20;

/// The time that a thread sleeps between two attempts when it waits for memory.
pub(crate) const NAP: Duration = Duration::from_micros(100);

/// The maximum number of columns of a stream.
pub(crate) const MAX_FIELDS: usize = 16;

/// The maximum time between two times in a file while it is written.
pub(crate) const CLOCK: Duration = Duration::from_secs(1);

/// The maximum length of a text that rows refer to; a longer one is cut.
pub(crate) const MAX_TEXT: usize = 64 << 10;

/// The numbers of definitions that rows refer to, in a file: what is written, and what is read.
pub(crate) const MAX_TEXTS: usize = 1 << 18;
pub(crate) const MAX_FRAMES: usize = 1 << 18;
pub(crate) const MAX_NODES: usize = 1 << 20;
pub(crate) const MAX_MODULES: usize = 1 << 14;
pub(crate) const MAX_SESSIONS: usize = 1 << 10;
pub(crate) const MAX_STREAMS: usize = 1 << 10;

/// The maximum length of all texts that rows refer to.
pub(crate) const MAX_TEXT_BYTES: usize = 64 << 20;

/// The maximum lengths of the description of a session with its settings, of a stream, and of a module.
pub(crate) const MAX_SESSION: usize = 256 << 10;
pub(crate) const MAX_SCHEMA: usize = 64 << 10;
pub(crate) const MAX_MODULE: usize = 8 << 10;

/// The maximum number of groups that sums are kept for.
pub(crate) const MAX_GROUPS: usize = 1 << 20;
