//! Memory made of byte slices at chosen addresses.

use super::{Memory, MemoryCause, MemoryError};

/// Byte regions at chosen addresses; all other memory is unmapped.
///
/// For tests, fuzzing, and dumps. A read may span adjacent regions.
///
/// ```
/// use argvalues::{Memory, SliceMemory};
///
/// let mut memory = SliceMemory::new();
/// memory.insert(0x7000_0000, vec![1, 2, 3, 4]);
///
/// let mut two = [0; 2];
/// memory.read(0x7000_0001, &mut two)?;
/// assert_eq!(two, [2, 3]);
/// assert!(memory.read(0x7000_0003, &mut two).is_err());
/// # Ok::<(), argvalues::MemoryError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SliceMemory {
    /// Sorted by address, never overlapping.
    regions: Vec<(usize, Vec<u8>)>,
}

impl SliceMemory {
    /// No memory at all.
    #[must_use]
    pub const fn new() -> Self {
        Self { regions: Vec::new() }
    }

    /// Puts bytes at an address. Where regions overlap, the bytes that were put last are seen.
    pub fn insert(&mut self, address: usize, bytes: Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        // Bytes beyond the address space cannot be read. They are cut off, so that no later sum overflows.
        let room = usize::MAX - address;
        let mut bytes = bytes;
        bytes.truncate(room);
        let end = address + bytes.len();

        let mut kept = Vec::with_capacity(self.regions.len() + 2);
        for (start, old) in self.regions.drain(..) {
            let old_end = start + old.len();
            if old_end <= address || start >= end {
                kept.push((start, old));
                continue;
            }
            if start < address {
                kept.push((start, old[..address - start].to_vec()));
            }
            if old_end > end {
                kept.push((end, old[end - start..].to_vec()));
            }
        }
        kept.push((address, bytes));
        kept.sort_by_key(|region| region.0);
        self.regions = kept;
    }

    /// The region that holds `address`, from there on.
    fn tail(&self, address: usize) -> Option<&[u8]> {
        let next = self.regions.partition_point(|region| region.0 <= address);
        let (start, bytes) = self.regions.get(next.checked_sub(1)?)?;
        bytes.get(address - start..).filter(|tail| !tail.is_empty())
    }
}

impl Memory for SliceMemory {
    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        let length = buffer.len();
        let mut at = address;
        let mut rest = buffer;
        while !rest.is_empty() {
            let tail = self.tail(at).ok_or(MemoryError::new(address, length, MemoryCause::Unmapped))?;
            let take = tail.len().min(rest.len());
            let (now, later) = rest.split_at_mut(take);
            now.copy_from_slice(&tail[..take]);
            rest = later;
            at = at.checked_add(take).ok_or(MemoryError::new(address, length, MemoryCause::Overflow))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_read_as_one_and_gaps_do_not() {
        let mut memory = SliceMemory::new();
        memory.insert(100, vec![1, 2]);
        memory.insert(102, vec![3]);
        memory.insert(104, vec![5]);
        let mut three = [0; 3];
        memory.read(100, &mut three).unwrap();
        assert_eq!(three, [1, 2, 3]);
        let error = memory.read(102, &mut three).unwrap_err();
        assert_eq!(error.to_string(), "3 bytes at 0x66 cannot be read: not mapped");
        memory.read(7, &mut []).unwrap();
    }

    #[test]
    fn later_bytes_cover_earlier_ones() {
        let mut memory = SliceMemory::new();
        memory.insert(10, vec![1; 10]);
        memory.insert(13, vec![2; 3]);
        let mut ten = [0; 10];
        memory.read(10, &mut ten).unwrap();
        assert_eq!(ten, [1, 1, 1, 2, 2, 2, 1, 1, 1, 1]);
    }

    #[test]
    fn the_end_of_the_address_space_is_an_error() {
        let mut memory = SliceMemory::new();
        memory.insert(usize::MAX - 3, vec![9; 16]);
        assert!(memory.read(usize::MAX - 3, &mut [0; 3]).is_ok());
        assert!(memory.read(usize::MAX - 3, &mut [0; 4]).is_err());
    }
}
