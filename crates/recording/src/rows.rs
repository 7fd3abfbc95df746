//! Rows as bytes: in the memory of a session, and in the file.
//!
//! In memory a row is a head of 8 bytes (the forms of its columns in 4, the number of the stream in 2, the number of columns in
//! 2) and 8 bytes for each value, so that emitting it is a few stores. The writing thread, and whatever completes the file of a
//! killed process, makes blocks of rows from them.

use crate::bytes::put_count;
use crate::format::{BLOCK_HEADER, block, block_header};
use crate::limits::MAX_FIELDS;
use crate::packed::Packer;

/// The encoding of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A count.
    Count = 0,
    /// A zigzag count.
    Signed = 1,
    /// The difference to the value in the row before, as a zigzag count.
    Delta = 2,
}

impl Form {
    /// The number of bits of a form.
    pub(crate) const BITS: u32 = 2;

    pub(crate) const fn from_raw(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Count),
            1 => Some(Self::Signed),
            2 => Some(Self::Delta),
            _ => None,
        }
    }
}

const HEAD: usize = 8;
const WORD: usize = 8;

/// Returns the number of bytes of a row in memory.
pub(crate) const fn bytes(columns: usize) -> usize {
    HEAD + WORD * columns
}

/// Puts a row into memory of its size.
pub(crate) fn put(space: &mut [u8], stream: u16, forms: u32, row: impl ExactSizeIterator<Item = u64>) {
    let Some((head, words)) = space.split_first_chunk_mut::<HEAD>() else { return };
    let columns = u64::from(u16::try_from(row.len()).unwrap_or_default());
    *head = (u64::from(forms) | u64::from(stream) << 32 | columns << 48).to_le_bytes();
    for (word, value) in words.as_chunks_mut::<WORD>().0.iter_mut().zip(row) {
        *word = value.to_le_bytes();
    }
}

/// The rows of a stream in a piece of memory, as they will be in the file.
struct Group {
    stream: u16,
    last: [u64; MAX_FIELDS],
    rows: Vec<u8>,
}

/// Appends the rows in a piece of a session's memory as blocks, one for each stream. Rows that were damaged in a journal, and those
/// behind them, are left out.
pub(crate) fn put_blocks(session: u32, piece: &[u8], mut packer: Option<&mut Packer>, out: &mut Vec<u8>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut rest = piece;
    while let Some((head, behind)) = rest.split_first_chunk::<HEAD>() {
        let [f0, f1, f2, f3, s0, s1, c0, c1] = *head;
        let (mut forms, stream) = (u32::from_le_bytes([f0, f1, f2, f3]), u16::from_le_bytes([s0, s1]));
        let columns = usize::from(u16::from_le_bytes([c0, c1]));
        if !(1..=MAX_FIELDS).contains(&columns) {
            break;
        }
        let Some((words, next)) = behind.split_at_checked(WORD * columns) else { break };
        rest = next;
        let index = groups.iter().position(|group| group.stream == stream).unwrap_or(groups.len());
        if index == groups.len() {
            groups.push(Group { stream, last: [0; MAX_FIELDS], rows: Vec::new() });
        }
        let Some(Group { last, rows, .. }) = groups.get_mut(index) else { break };
        for (word, last) in words.as_chunks::<WORD>().0.iter().zip(last) {
            let word = u64::from_le_bytes(*word);
            put_count(
                rows,
                match forms & ((1 << Form::BITS) - 1) {
                    form if form == Form::Signed as u32 => zigzag(word),
                    form if form == Form::Delta as u32 => zigzag(word.wrapping_sub(*last)),
                    _ => word,
                },
            );
            *last = word;
            forms >>= Form::BITS;
        }
    }
    for Group { stream, rows, .. } in groups {
        let begin = out.len();
        out.extend_from_slice(&[0; BLOCK_HEADER]);
        put_count(out, session.into());
        put_count(out, stream.into());
        let is_packed = packer.as_mut().is_some_and(|packer| packer.pack(&rows, out));
        if !is_packed {
            out.extend_from_slice(&rows);
        }
        let written = out.get_mut(begin..).and_then(<[u8]>::split_first_chunk_mut::<BLOCK_HEADER>);
        if let Some((header, content)) = written {
            *header = block_header(if is_packed { block::PACKED_EVENTS } else { block::EVENTS }, content);
        }
    }
}

/// Small numbers for those near 0, negative ones too: the sign is in the lowest bit.
const fn zigzag(word: u64) -> u64 {
    word << 1 ^ (word.cast_signed() >> 63).cast_unsigned()
}

pub(crate) const fn unzigzag(count: u64) -> u64 {
    count >> 1 ^ (count & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzag_counts_come_back() {
        for (number, count) in
            [(0, 0), (-1, 1), (1, 2), (-2, 3), (i64::MAX, u64::MAX - 1), (i64::MIN, u64::MAX)]
        {
            assert_eq!(zigzag(number.cast_unsigned()), count);
            assert_eq!(unzigzag(count), number.cast_unsigned());
        }
    }

    #[test]
    fn damaged_memory_ends_the_rows() {
        let mut piece = vec![0; bytes(1)];
        put(&mut piece, 1, 0, [7].into_iter());
        let mut whole = Vec::new();
        put_blocks(1, &piece, None, &mut whole);
        assert_eq!(whole.get(BLOCK_HEADER..), Some(&[1, 1, 7][..]));
        for damage in [&[0xFF; 8][..], &[0; 30], &[0, 0, 0, 0, 1, 0, 1, 0, 5]] {
            let mut out = Vec::new();
            put_blocks(1, &[&piece, damage].concat(), None, &mut out);
            assert_eq!(out, whole, "{damage:?}");
        }
    }
}
