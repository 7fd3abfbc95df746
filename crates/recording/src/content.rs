//! The header of a file, and the content of a block.

use std::io::{self, Read};

use crate::bytes::{Cursor, put_count};
use crate::error::ReadError;
use crate::format::{BLOCK_HEADER, FILE_HEADER, MAGIC, MAJOR, block, check};
use crate::limits::MAX_BLOCK;
use crate::packed::unpack;

/// A block.
pub(crate) struct Loaded {
    /// Its kind; that of records or rows if they were compressed.
    pub(crate) kind: u32,
    pub(crate) content: Vec<u8>,
    /// Its length in the file, with the header.
    pub(crate) length: u64,
    /// Whether the file ends in it.
    pub(crate) is_cut: bool,
    /// Whether the content was compressed.
    pub(crate) was_packed: bool,
}

/// Reads the header of a file.
pub(crate) fn header(input: &mut impl Read) -> Result<(), ReadError> {
    let mut header = Vec::new();
    input.by_ref().take(FILE_HEADER as u64).read_to_end(&mut header)?;
    let Some((header, [])) = header.split_first_chunk::<FILE_HEADER>() else {
        return Err(ReadError::NotARecording { found: header });
    };
    if !header.starts_with(&MAGIC) {
        return Err(ReadError::NotARecording { found: header[..MAGIC.len()].to_vec() });
    }
    // The minor version stands behind the major one.
    let found = u16::from_le_bytes([header[MAGIC.len()], header[MAGIC.len() + 1]]);
    if found != MAJOR {
        return Err(ReadError::Version { found, known: MAJOR });
    }
    Ok(())
}

/// Reads the next block, which is at this offset, into memory that is used again. `packed` gets the content as it is in the file, if it is
/// compressed. Returns `None` if the file ends before anything that can be used.
pub(crate) fn load(
    input: &mut impl Read,
    offset: u64,
    mut content: Vec<u8>,
    packed: &mut Vec<u8>,
) -> Result<Option<Loaded>, ReadError> {
    let damaged = |what| ReadError::Damaged { offset, what };
    let mut header = [0; BLOCK_HEADER];
    let length = fill(input, &mut header)?;
    let mut cursor = Cursor::new(header.get(..length).unwrap_or_default());
    let (Ok(kind), Ok(length), Ok(crc)) = (cursor.u32(), cursor.u32(), cursor.u32()) else {
        return Ok(None);
    };
    if length > MAX_BLOCK {
        return Err(damaged("a block is longer than any that is written"));
    }
    content.resize(length as usize, 0);
    let read = fill(input, &mut content)?;
    let is_cut = read < content.len();
    content.truncate(read);
    if is_cut && !matches!(kind, block::RECORDS | block::EVENTS) {
        return Ok(None);
    }
    if !is_cut && check(kind, &content) != crc {
        return Err(damaged("the block's check does not hold"));
    }
    // The kind that the block would have, and the number of counts before what is compressed.
    let unpacked = match kind {
        block::PACKED_RECORDS => Some((block::RECORDS, 1)),
        block::PACKED_EVENTS => Some((block::EVENTS, 2)),
        _ => None,
    };
    if let Some((_, counts)) = unpacked {
        core::mem::swap(packed, &mut content);
        unpack_block(packed, counts, &mut content).map_err(damaged)?;
    }
    let was_packed = unpacked.is_some();
    let kind = unpacked.map_or(kind, |(kind, _)| kind);
    Ok(Some(Loaded { kind, content, length: (BLOCK_HEADER + read) as u64, is_cut, was_packed }))
}

/// Makes the content of a block of records or rows.
fn unpack_block(packed: &[u8], counts: usize, content: &mut Vec<u8>) -> Result<(), &'static str> {
    let mut cursor = Cursor::new(packed);
    content.clear();
    for _ in 0..counts {
        put_count(content, cursor.small().map_err(|error| error.what)?.into());
    }
    unpack(packed.get(cursor.at..).unwrap_or_default(), content)
}

/// Reads until the buffer is full or the input ends. Returns the number of bytes.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
