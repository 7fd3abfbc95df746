//! The managed heap: memory with addresses that the profiler may read.

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// The bytes before the elements of an array: header word and length.
pub(crate) const VECTOR: usize = 16;
/// The bytes before the code units of a string: header word and length.
pub(crate) const STRING: usize = 12;

/// Memory in words. A read by address sees the last write.
#[derive(Clone)]
pub(crate) struct Memory(Arc<[AtomicU64]>);

impl Memory {
    /// Zeroed memory for a number of bytes, at least one word.
    pub(crate) fn new(bytes: usize) -> Self {
        Self((0..bytes.div_ceil(8).max(1)).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn of(bytes: &[u8]) -> Self {
        let memory = Self::new(bytes.len());
        memory.write(0, bytes);
        memory
    }

    pub(crate) fn address(&self) -> usize {
        self.0.as_ptr().expose_provenance()
    }

    pub(crate) fn length(&self) -> usize {
        self.0.len() * 8
    }

    pub(crate) fn word(&self, index: usize) -> u64 {
        self.0.get(index).map_or(0, |word| word.load(Ordering::SeqCst))
    }

    pub(crate) fn set_word(&self, index: usize, value: u64) {
        if let Some(word) = self.0.get(index) {
            word.store(value, Ordering::SeqCst);
        }
    }

    /// Writes bytes at an offset; those beyond the end are dropped.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        for (at, byte) in (offset..).zip(bytes) {
            let shift = at % 8 * 8;
            let word = self.word(at / 8) & !(0xFF << shift) | u64::from(*byte) << shift;
            self.set_word(at / 8, word);
        }
    }

    pub(crate) fn bytes(&self, offset: usize, length: usize) -> Vec<u8> {
        (offset..offset + length).map(|at| self.word(at / 8).to_le_bytes()[at % 8]).collect()
    }
}

/// An object. The object header word lies in front of it.
pub(crate) struct Placed {
    pub(crate) class: usize,
    pub(crate) memory: Memory,
    /// Its earlier addresses.
    earlier: Vec<Memory>,
    /// The size in bytes, from the address of the object.
    pub(crate) size: usize,
    /// The number of elements of an array, or of code units of a string.
    pub(crate) length: usize,
    pub(crate) generation: u32,
    pub(crate) is_alive: bool,
}

impl Placed {
    pub(crate) fn address(&self) -> usize {
        self.memory.address() + 8
    }

    /// Moves the object to another address. The memory at the old one stays readable as long as the heap.
    pub(crate) fn relocate(&mut self) {
        let copy = Memory::of(&self.memory.bytes(0, self.memory.length()));
        self.earlier.push(core::mem::replace(&mut self.memory, copy));
    }

    /// The lengths of an array's dimensions, and where its elements begin.
    pub(crate) fn dimensions(&self, rank: u32) -> (Vec<u32>, usize) {
        if rank == 1 {
            return (vec![u32::try_from(self.length).unwrap_or(u32::MAX)], VECTOR);
        }
        let lengths = self.memory.bytes(8 + VECTOR, 4 * rank as usize);
        let lengths =
            lengths.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        (lengths.collect(), VECTOR + 8 * rank as usize)
    }
}

/// All objects. The memory of freed objects stays in place, so that reading it is harmless.
#[derive(Default)]
pub(crate) struct Heap {
    pub(crate) objects: Vec<Placed>,
}

impl Heap {
    /// The object at an address: its index.
    pub(crate) fn at(&self, address: usize) -> Option<usize> {
        self.objects.iter().position(|object| object.address() == address)
    }

    pub(crate) fn address(&self, index: usize) -> usize {
        self.objects.get(index).map_or(0, Placed::address)
    }

    /// Places an object with this header word and zeroed fields.
    pub(crate) fn place(&mut self, class: usize, head: usize, size: usize, length: usize) -> usize {
        let memory = Memory::new(8 + size);
        memory.set_word(1, head as u64);
        self.objects.push(Placed {
            class,
            memory,
            earlier: Vec::new(),
            size,
            length,
            generation: 0,
            is_alive: true,
        });
        self.objects.len() - 1
    }
}
