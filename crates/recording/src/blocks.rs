//! The framing of a recording, for other streams: blocks of a kind, a length and a check, and the numbers and texts in them.
//!
//! A stream between two processes that has the same framing needs no second decoder of bytes that somebody else has written.

pub use crate::bytes::{Cursor, Malformed, put_count, put_text};
pub use crate::format::{BLOCK_HEADER, block_header, check};
pub use crate::limits::MAX_BLOCK;
