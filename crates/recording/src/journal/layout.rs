//! The positions of a journal's fields. Numbers are little-endian.

use std::path::Path;

/// The unit of the file: the header has the first page, and each chunk begins with a page.
pub(super) const PAGE: usize = 4096;
/// The first bytes of the file.
pub(super) const MAGIC: u64 = u64::from_le_bytes(*b"\x89CLRJNL\n");
/// Changes when older readers cannot read the file.
pub(super) const VERSION: u64 = 1;
/// The position of a text in the header that says what the file is.
pub(super) const TEXT: usize = 128;
/// The first word of a chunk.
pub(super) const CHUNK_MAGIC: u32 = u32::from_le_bytes(*b"CHNK");
/// The bytes of a chunk that are not for records.
pub(crate) const CHUNK_HEADER: usize = 128;
/// The length of a new journal, and the most by which it grows at a time if a chunk does not need more.
pub(super) const FIRST_SEGMENT: usize = 64 << 10;
pub(super) const LARGEST_SEGMENT: usize = 4 << 20;

/// The content of a chunk. Chunks of kinds with lower numbers come first in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Blocks of a recording, as they are in the file.
    Blocks = 1,
    /// Records of a thread.
    Records = 2,
    /// Lines, as they are in the file.
    Lines = 3,
    /// Rows of a session.
    Rows = 4,
}

impl Kind {
    pub(super) const fn from_number(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::Blocks),
            2 => Some(Self::Records),
            3 => Some(Self::Lines),
            4 => Some(Self::Rows),
            _ => None,
        }
    }
}

/// The text for people who open the file.
pub(super) fn text(output: &Path, command: &str) -> Vec<u8> {
    let name = output.file_name().unwrap_or(output.as_os_str()).to_string_lossy();
    let mut text = format!(
        "The journal of {name:?}. If the process that writes it was killed, this command appends what is missing:\n{command}\n"
    );
    text.truncate(text.floor_char_boundary(PAGE - TEXT));
    text.into_bytes()
}
