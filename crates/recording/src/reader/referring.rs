//! Records that refer to bytes before them in their block: the values as they were.

use crate::bytes::{Cursor, Malformed};
use crate::limits::MAX_BLOCK;

/// Makes the values of a referring record from its pieces, in memory that is used again. `block` is the content of the block
/// up to the record's first byte.
///
/// A reference names bytes as they are in the block: there are no references to references.
pub(super) fn expand(pieces: &[u8], block: &[u8], values: &mut Vec<u8>) -> Result<(), Malformed> {
    values.clear();
    let mut cursor = Cursor::new(pieces);
    while !cursor.is_at_end() {
        let begin = cursor.at;
        let error = |what| Err(Malformed { at: begin, what, is_cut: false });
        let number = cursor.small()?;
        let half = (number >> 1) as usize;
        let bytes = if number & 1 == 0 {
            cursor.take(half)?
        } else {
            let length = cursor.small()? as usize;
            let before = block.len().checked_sub(half).and_then(|at| block.get(at..));
            let Some(bytes) = before.and_then(|before| before.get(..length)) else {
                return error("a record refers to bytes outside of its block");
            };
            bytes
        };
        if values.len() + bytes.len() > MAX_BLOCK as usize {
            return error("the values of a record are longer than any that are written");
        }
        values.extend_from_slice(bytes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(pieces: &[u8], block: &[u8]) -> Result<Vec<u8>, &'static str> {
        let mut values = vec![9];
        expand(pieces, block, &mut values).map(|()| values).map_err(|error| error.what)
    }

    #[test]
    fn pieces_are_bytes_or_refer_to_them() {
        assert_eq!(expanded(&[], b"abc").unwrap(), b"");
        assert_eq!(expanded(&[2 << 1, b'x', b'y', 3 << 1 | 1, 2, 1 << 1 | 1, 1], b"abc").unwrap(), b"xyabc");
    }

    #[test]
    fn bytes_outside_of_the_block_are_an_error() {
        for pieces in [[4 << 1 | 1, 1], [3 << 1 | 1, 4], [1, 1]] {
            assert!(expanded(&pieces, b"abc").unwrap_err().contains("outside"), "{pieces:?}");
        }
        assert!(expanded(&[3 << 1, 0, 0], b"abc").is_err());
        assert!(expanded(&[3 << 1 | 1], b"abc").is_err());
    }

    #[test]
    fn what_grows_without_end_is_an_error() {
        let block = vec![7; 1 << 20];
        let mut pieces = Vec::new();
        for _ in 0..100 {
            crate::bytes::put_count(&mut pieces, (block.len() << 1 | 1) as u64);
            crate::bytes::put_count(&mut pieces, block.len() as u64);
        }
        let mut values = Vec::new();
        assert!(expand(&pieces, &block, &mut values).unwrap_err().what.contains("longer"));
        assert!(values.capacity() <= 2 * MAX_BLOCK as usize);
    }
}
