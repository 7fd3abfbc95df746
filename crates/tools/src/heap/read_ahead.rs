//! Memory that is read in large pieces, for objects that are visited in the order of their addresses.

use argvalues::{Checked, Memory};

/// The number of bytes that are read at once.
const PIECE: usize = 1 << 16;
/// The unit in which memory is mapped.
const PAGE: usize = 1 << 12;

/// A copy of the memory around the last read.
#[derive(Debug)]
pub(super) struct ReadAhead {
    memory: Checked,
    piece: Vec<u8>,
    start: usize,
}

impl ReadAhead {
    pub(super) const fn new(memory: Checked) -> Self {
        Self { memory, piece: Vec::new(), start: 0 }
    }

    /// Forgets what was read: the memory has changed.
    pub(super) fn clear(&mut self) {
        self.piece = Vec::new();
    }

    fn cached(&self, address: usize, length: usize) -> Option<&[u8]> {
        let from = address.checked_sub(self.start)?;
        self.piece.get(from..from.checked_add(length)?)
    }

    /// Returns the bytes at an address, at most [`PIECE`] of them; `None` if they cannot be read.
    pub(super) fn bytes(&mut self, address: usize, length: usize) -> Option<&[u8]> {
        if self.cached(address, length).is_none() {
            // The memory behind the object may not be mapped.
            let to_page_end = PAGE - address % PAGE;
            let read = [PIECE, to_page_end, length].into_iter().find(|size| {
                self.piece.resize(*size, 0);
                *size >= length && self.memory.read(address, &mut self.piece).is_ok()
            });
            self.start = address;
            if read.is_none() {
                self.piece.clear();
                return None;
            }
        }
        self.cached(address, length)
    }

    /// Reads a number of 32 bits.
    pub(super) fn u32(&mut self, address: usize) -> Option<u32> {
        self.bytes(address, 4)?.try_into().ok().map(u32::from_ne_bytes)
    }

    /// Reads an address.
    pub(super) fn word(&mut self, address: usize) -> Option<usize> {
        self.bytes(address, size_of::<usize>())?.try_into().ok().map(usize::from_ne_bytes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

    use super::*;

    #[test]
    fn bytes_are_those_of_the_memory() {
        let bytes: Vec<u8> = (0..200_000_u32).flat_map(u32::to_ne_bytes).collect();
        let base = bytes.as_ptr().expose_provenance();
        let mut memory = ReadAhead::new(Checked::new().unwrap());
        for index in [0_u32, 1, 5, 16_384, 3, 199_999] {
            assert_eq!(memory.u32(base + 4 * index as usize), Some(index));
        }
        assert_eq!(memory.bytes(8, 4), None);
        assert_eq!(memory.u32(base + 400), Some(100));
    }
}
