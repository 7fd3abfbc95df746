//! The content of a block, from the file.

use std::io::{self, Read};

use crate::bytes::{Cursor, put_count};
use crate::error::ReadError;
use crate::format::{BLOCK_HEADER, block, check};
use crate::limits::MAX_BLOCK;
use crate::packed::unpack;

/// A block.
pub(super) struct Loaded {
    /// Its kind; that of records if they were compressed.
    pub(super) kind: u32,
    pub(super) content: Vec<u8>,
    /// Its length in the file, with the header.
    pub(super) length: u64,
    /// Whether the file ends in it.
    pub(super) is_cut: bool,
    /// Whether the content was compressed.
    pub(super) was_packed: bool,
}

/// Reads the next block, which is at this offset, into memory that is used again. `packed` gets the content as it is in the file, if it is
/// compressed. Returns `None` if the file ends before anything that can be used.
pub(super) fn load(
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
    if is_cut && kind != block::RECORDS {
        return Ok(None);
    }
    if !is_cut && check(kind, &content) != crc {
        return Err(damaged("the block's check does not hold"));
    }
    let was_packed = kind == block::PACKED_RECORDS;
    let kind = if was_packed { block::RECORDS } else { kind };
    if was_packed {
        core::mem::swap(packed, &mut content);
        unpack_block(packed, &mut content).map_err(damaged)?;
    }
    Ok(Some(Loaded { kind, content, length: (BLOCK_HEADER + read) as u64, is_cut, was_packed }))
}

/// Makes the content of a block of records.
fn unpack_block(packed: &[u8], content: &mut Vec<u8>) -> Result<(), &'static str> {
    let mut cursor = Cursor::new(packed);
    let thread = cursor.small().map_err(|error| error.what)?;
    content.clear();
    put_count(content, thread.into());
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
