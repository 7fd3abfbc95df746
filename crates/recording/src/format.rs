//! The numbers of the format, which the README describes.

/// The first bytes of a file.
pub(crate) const MAGIC: [u8; 8] = *b"\x89CLRREC\n";
/// Changes when older readers cannot read the file.
pub(crate) const MAJOR: u16 = 3;
/// Changes when there are new kinds of blocks, which older readers skip.
pub(crate) const MINOR: u16 = 0;
/// Magic, major and minor version, four bytes that are zero.
pub(crate) const FILE_HEADER: usize = 16;
/// The bytes of a block's header: kind, length of the content and check, four bytes each.
pub const BLOCK_HEADER: usize = 12;
/// Kinds of blocks.
pub(crate) mod block {
    pub(crate) const START: u32 = 1;
    pub(crate) const CLOCK: u32 = 2;
    pub(crate) const FUNCTIONS: u32 = 3;
    pub(crate) const THREAD: u32 = 4;
    pub(crate) const RECORDS: u32 = 5;
    pub(crate) const THREAD_END: u32 = 6;
    pub(crate) const END: u32 = 7;
    pub(crate) const PACKED_RECORDS: u32 = 8;
    pub(crate) const OMITTED: u32 = 9;
    pub(crate) const SESSION: u32 = 10;
    pub(crate) const TEXTS: u32 = 11;
    pub(crate) const FRAMES: u32 = 12;
    pub(crate) const NODES: u32 = 13;
    pub(crate) const SCHEMA: u32 = 14;
    pub(crate) const EVENTS: u32 = 15;
    // 16 is for heap images.
    pub(crate) const REGION: u32 = 17;
    pub(crate) const LOSS: u32 = 18;
    pub(crate) const MARK: u32 = 19;
    pub(crate) const MODULES: u32 = 20;
    pub(crate) const PACKED_EVENTS: u32 = 21;
}

/// What a block about a session reports.
pub(crate) mod session {
    pub(crate) const BEGINS: u8 = 0;
    pub(crate) const ENDS: u8 = 1;
}

/// Kinds of frames.
pub(crate) mod frame {
    pub(crate) const METHOD: u8 = 1;
    pub(crate) const NATIVE: u8 = 2;
    pub(crate) const CLASS: u8 = 3;
    pub(crate) const LABEL: u8 = 4;
}

/// Kinds of records, in the lowest four bits of their first word.
pub(crate) mod kind {
    pub(crate) const ENTER: u32 = 0;
    pub(crate) const ENTER_VALUES: u32 = 1;
    pub(crate) const ENTER_FAILED: u32 = 2;
    pub(crate) const LEAVE: u32 = 3;
    pub(crate) const LEAVE_VALUES: u32 = 4;
    pub(crate) const LEAVE_FAILED: u32 = 5;
    pub(crate) const TAILCALL: u32 = 6;
    pub(crate) const UNWIND: u32 = 7;
    pub(crate) const TIME: u32 = 8;
    pub(crate) const LOST: u32 = 9;
    pub(crate) const NAMES: u32 = 10;
    pub(crate) const ENTER_REFERRING: u32 = 11;
    pub(crate) const LEAVE_REFERRING: u32 = 12;
    pub(crate) const SUSPEND: u32 = 13;
    pub(crate) const RESUME: u32 = 14;

    /// Returns the kind of a record with the same values that refers to others; `kind` is [`ENTER_VALUES`] or
    /// [`LEAVE_VALUES`].
    pub(crate) const fn referring(kind: u32) -> u32 {
        if kind == ENTER_VALUES { ENTER_REFERRING } else { LEAVE_REFERRING }
    }

    /// Returns the kind of a record that has the values as they are.
    pub(crate) const fn with_values(kind: u32) -> u32 {
        match kind {
            ENTER_REFERRING => ENTER_VALUES,
            LEAVE_REFERRING => LEAVE_VALUES,
            _ => kind,
        }
    }
}

/// The bytes of a record's first word.
pub(crate) const HEAD: usize = 8;
/// The number of bits of the kind.
pub(crate) const KIND_BITS: u32 = 4;
/// The check of a block: CRC-32 (ISO-HDLC) of kind, length and content.
#[must_use]
pub fn check(kind: u32, content: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&kind.to_le_bytes());
    crc.update(&u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes());
    crc.update(content);
    crc.finalize()
}

/// The header of a file.
pub(crate) fn file_header() -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&MAJOR.to_le_bytes());
    header[10..12].copy_from_slice(&MINOR.to_le_bytes());
    header
}

/// The header of a block.
#[must_use]
pub fn block_header(kind: u32, content: &[u8]) -> [u8; BLOCK_HEADER] {
    let mut header = [0; BLOCK_HEADER];
    header[..4].copy_from_slice(&kind.to_le_bytes());
    header[4..8].copy_from_slice(&u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes());
    header[8..].copy_from_slice(&check(kind, content).to_le_bytes());
    header
}
