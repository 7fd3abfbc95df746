//! Copies of memory, made once and within the limits.

use std::time::Instant;

use super::ahead::Ahead;
use super::{Decoder, Scratch};
use crate::limits::READS_PER_LOOK;
use crate::memory::{LOWEST_ADDRESS, Memory, MemoryCause, MemoryError};
use crate::runtime::Runtime;

/// Copied bytes: their position in the scratch, their address, and whether the runtime guarantees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The offset in the scratch.
    pub(super) at: usize,
    /// The number of bytes from there to the end of the value or of the value that contains it.
    pub(super) room: usize,
    /// The address of the bytes.
    pub(super) address: usize,
    pub(super) trusted: bool,
}

impl Slot {
    /// A part of the slot, which may be a wrong description's idea of one.
    #[inline]
    pub(super) fn part(self, offset: usize, size: usize) -> Option<Self> {
        let end = offset.checked_add(size)?;
        (end <= self.room).then(|| Self {
            at: self.at + offset,
            room: size,
            address: self.address.wrapping_add(offset),
            trusted: self.trusted,
        })
    }
}

/// Why bytes could not be had.
pub(super) enum Fail {
    Memory(MemoryError),
    Budget,
}

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// Copies bytes to the top of the scratch.
    #[inline]
    pub(super) fn copy(&mut self, address: usize, size: usize, trusted: bool) -> Result<Slot, Fail> {
        self.spend(size)?;
        let at = self.scratch.reserve(size);
        let Scratch { bytes, ahead, .. } = &mut *self.scratch;
        let buffer = bytes.get_mut(at..at + size).unwrap_or_default();
        if let Err(error) = load(self.memory, ahead, address, buffer, trusted) {
            self.scratch.release(at);
            return Err(Fail::Memory(error));
        }
        Ok(Slot { at, room: size, address, trusted })
    }

    /// Reads a few bytes past the scratch.
    #[inline]
    pub(super) fn small<const N: usize>(&mut self, address: usize, trusted: bool) -> Result<[u8; N], Fail> {
        self.spend(N)?;
        let mut bytes = [0; N];
        load(self.memory, &mut self.scratch.ahead, address, &mut bytes, trusted).map_err(Fail::Memory)?;
        Ok(bytes)
    }

    /// Reads the few bytes of a slot, which cost nothing of the budget.
    #[inline]
    pub(super) fn free<const N: usize>(&mut self, address: usize, trusted: bool) -> Result<[u8; N], Fail> {
        let mut bytes = [0; N];
        load(self.memory, &mut self.scratch.ahead, address, &mut bytes, trusted).map_err(Fail::Memory)?;
        Ok(bytes)
    }

    /// Subtracts a read from the remaining limits.
    #[inline]
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), Fail> {
        self.budget = self.budget.checked_sub(bytes).ok_or(Fail::Budget)?;
        self.reads = self.reads.wrapping_add(1);
        if self.reads.is_multiple_of(READS_PER_LOOK) { self.look_at_the_clock() } else { Ok(()) }
    }

    #[cold]
    fn look_at_the_clock(&mut self) -> Result<(), Fail> {
        let now = Instant::now();
        match self.deadline {
            None => self.deadline = now.checked_add(self.limits.time),
            Some(deadline) if now >= deadline => {
                self.late = true;
                self.budget = 0;
                return Err(Fail::Budget);
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Some bytes of a slot.
    #[inline]
    pub(super) fn bytes(&self, slot: Slot, offset: usize, size: usize) -> Option<&[u8]> {
        let part = slot.part(offset, size)?;
        self.scratch.bytes.get(part.at..part.at + size)
    }

    /// A few bytes of a slot.
    #[inline]
    pub(super) fn array<const N: usize>(&self, slot: Slot, offset: usize) -> Option<[u8; N]> {
        self.bytes(slot, offset, N)?.try_into().ok()
    }

    /// The native word in a slot.
    #[inline]
    pub(super) fn word(&self, slot: Slot, offset: usize) -> Option<usize> {
        self.array(slot, offset).map(usize::from_ne_bytes)
    }
}

/// Fills a buffer from memory, or from a cached block.
#[inline]
pub(super) fn load<M: Memory + ?Sized>(
    memory: &M,
    ahead: &mut Ahead,
    address: usize,
    buffer: &mut [u8],
    trusted: bool,
) -> Result<(), MemoryError> {
    if buffer.is_empty() {
        return Ok(());
    }
    if address < LOWEST_ADDRESS {
        return Err(MemoryError::new(address, buffer.len(), MemoryCause::Unmapped));
    }
    if memory.reads_ahead()
        && (memory.read_in_place(address, buffer) || ahead.read(memory, address, buffer, trusted))
    {
        return Ok(());
    }
    if trusted { memory.read(address, buffer) } else { memory.read_untrusted(address, buffer) }
}
