//! Read-ahead: reads whole blocks where a read costs more than copying its bytes.

use crate::memory::Memory;

/// The size of a block: a power of two that divides the page size, so that a block is readable if any of its bytes is.
/// A system call takes longer than copying a block.
const BLOCK: usize = 1024;

/// The number of cached blocks: the arguments, and a few objects.
const BLOCKS: usize = 8;

/// Aligned blocks of memory that were read during this decode.
#[derive(Debug)]
pub(super) struct Ahead {
    /// Empty until the first read.
    blocks: Vec<Block>,
    /// The index of the block that is replaced next.
    next: usize,
    /// Whether a block was read since the last [`clear`](Self::clear).
    is_used: bool,
}

#[derive(Debug)]
struct Block {
    /// The start of the block; 0 if it is empty.
    address: usize,
    bytes: [u8; BLOCK],
}

impl Ahead {
    pub(super) const fn new() -> Self {
        Self { blocks: Vec::new(), next: 0, is_used: false }
    }

    /// Forgets everything: the program runs on between two decodes.
    #[inline]
    pub(super) fn clear(&mut self) {
        if self.is_used {
            self.forget();
        }
    }

    #[cold]
    fn forget(&mut self) {
        self.is_used = false;
        for block in &mut self.blocks {
            block.address = 0;
        }
    }

    /// Reads from a block, or reads one. `false` if the bytes do not lie in one, or it cannot be read: then they are to
    /// be read by themselves.
    pub(super) fn read<M: Memory + ?Sized>(
        &mut self,
        memory: &M,
        address: usize,
        buffer: &mut [u8],
        trusted: bool,
    ) -> bool {
        let offset = address % BLOCK;
        let base = address - offset;
        if base == 0 || offset + buffer.len() > BLOCK {
            return false;
        }
        let found = self.blocks.iter().position(|block| block.address == base);
        let Some(block) = found.or_else(|| self.fetch(memory, base, trusted)) else { return false };
        let bytes = self.blocks.get(block).and_then(|block| block.bytes.get(offset..offset + buffer.len()));
        bytes.map(|bytes| buffer.copy_from_slice(bytes)).is_some()
    }

    fn fetch<M: Memory + ?Sized>(&mut self, memory: &M, base: usize, trusted: bool) -> Option<usize> {
        if self.blocks.is_empty() {
            self.blocks.resize_with(BLOCKS, || Block { address: 0, bytes: [0; BLOCK] });
        }
        self.is_used = true;
        let at = self.next;
        let block = self.blocks.get_mut(at)?;
        let read = match trusted {
            true => memory.read(base, &mut block.bytes),
            false => memory.read_untrusted(base, &mut block.bytes),
        };
        block.address = if read.is_ok() { base } else { 0 };
        read.ok()?;
        self.next = (at + 1) % BLOCKS;
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{MemoryError, SliceMemory};

    struct Counted(SliceMemory, Cell<usize>);

    impl Memory for Counted {
        fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
            self.1.set(self.1.get() + 1);
            self.0.read(address, buffer)
        }
    }

    #[test]
    fn what_lies_together_is_read_once() {
        let mut slices = SliceMemory::new();
        slices.insert(0x1_0000, (0..=255).cycle().take((BLOCKS + 1) * BLOCK).collect());
        let memory = Counted(slices, Cell::new(0));
        let mut ahead = Ahead::new();
        let mut two = [0; 2];
        for at in [3, 200, BLOCK - 2] {
            assert!(ahead.read(&memory, 0x1_0000 + at, &mut two, true));
            assert_eq!(usize::from(two[0]), at % 256);
        }
        assert_eq!(memory.1.get(), 1);
        assert!(!ahead.read(&memory, 0x1_0000 + BLOCK - 1, &mut two, true), "it lies in two blocks");
        // One block more than there is room for takes the place of the first.
        for block in 1..=BLOCKS {
            assert!(ahead.read(&memory, 0x1_0000 + block * BLOCK, &mut two, true));
        }
        assert!(ahead.read(&memory, 0x1_0000, &mut two, true));
        assert_eq!(memory.1.get(), BLOCKS + 2);
        ahead.clear();
        assert!(ahead.read(&memory, 0x1_0000, &mut two, true));
        assert_eq!(memory.1.get(), BLOCKS + 3);
    }

    #[test]
    fn what_cannot_be_read_is_left_to_others() {
        let mut ahead = Ahead::new();
        assert!(!ahead.read(&SliceMemory::new(), 0x1_0000, &mut [0; 2], true));
        assert!(!ahead.read(&SliceMemory::new(), 7, &mut [0; 2], false));
    }
}
