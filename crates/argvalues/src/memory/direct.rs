//! Memory of our own process, read in place.
//!
//! # Safety contract of this file
//!
//! The one unsafe act is the copy in [`copy`]: it loads from an address that somebody else vouches for.
//! Whoever makes a [`Direct`] promises, once, by calling an unsafe constructor, that it is used only to
//! decode what the runtime hands to a profiler at a time when the runtime keeps that memory valid. The
//! loads are relaxed atomic ones, since the program's other threads go on writing: a value may be torn,
//! but it is only ever bytes, and a race with code outside Rust is not undefined.
#![allow(unsafe_code)]

use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicUsize, Ordering};

use super::{LOWEST_ADDRESS, Memory, MemoryCause, MemoryError, POINTER_SIZE};

/// The memory of the process that the profiler is loaded into, read in place: the fast way.
///
/// What only the program vouches for ([`Memory::read_unvouched`]) is not read in place but through the
/// operating system where that can be done (Linux), and refused elsewhere.
#[derive(Clone, Debug)]
pub struct Direct {
    #[cfg(target_os = "linux")]
    checked: Option<super::Checked>,
}

impl Direct {
    /// A reader of our own memory.
    ///
    /// # Safety
    ///
    /// For as long as this value is used to read:
    ///
    /// - every argument and return range that is decoded with it was given by the runtime for the
    ///   enter, leave or tailcall hook that is running on this thread;
    /// - every reference found from there on points to an object, that is: the thread is in such a
    ///   hook, or in a callback during which the garbage collector does not move objects;
    /// - no address is kept from one hook to a later one, except references to parameters
    ///   ([`SavedRefs`](crate::SavedRefs)), which are read as unvouched.
    #[must_use]
    pub unsafe fn new() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            checked: super::Checked::new().ok(),
        }
    }
}

impl Memory for Direct {
    #[inline]
    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        let length = buffer.len();
        if address.checked_add(length).is_none() {
            return Err(MemoryError::new(address, length, MemoryCause::Overflow));
        }
        if address < LOWEST_ADDRESS && length != 0 {
            return Err(MemoryError::new(address, length, MemoryCause::Unmapped));
        }
        // SAFETY: the constructor's caller vouches for what the runtime refers to, which is all that the
        // decoder reads this way; the sum above shows that the range does not wrap.
        unsafe { copy(address, buffer) };
        Ok(())
    }

    fn read_unvouched(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        #[cfg(target_os = "linux")]
        if let Some(checked) = &self.checked {
            return checked.read(address, buffer);
        }
        Err(MemoryError::new(address, buffer.len(), MemoryCause::Unverifiable))
    }
}

/// Copies `buffer.len()` bytes from `address`, by the widest aligned words that fit, so that a number of the
/// program's is not torn.
///
/// # Safety
///
/// The bytes from `address` on are mapped and readable, and the range does not wrap around.
#[inline]
unsafe fn copy(address: usize, buffer: &mut [u8]) {
    let mut at = address;
    let mut rest = buffer;
    macro_rules! word {
        ($atomic:ty, $word:ty) => {{
            let word = core::ptr::with_exposed_provenance_mut::<$word>(at);
            // SAFETY: in the range that the caller vouches for, aligned as the conditions below say, and
            // only read.
            let word = unsafe { <$atomic>::from_ptr(word) }.load(Ordering::Relaxed);
            let (now, later) = rest.split_at_mut(size_of::<$word>());
            now.copy_from_slice(&word.to_ne_bytes());
            rest = later;
            at += size_of::<$word>();
        }};
    }
    while !rest.is_empty() {
        if rest.len() >= POINTER_SIZE && at.is_multiple_of(POINTER_SIZE) {
            word!(AtomicUsize, usize);
        } else if rest.len() >= 4 && at.is_multiple_of(4) {
            word!(AtomicU32, u32);
        } else if rest.len() >= 2 && at.is_multiple_of(2) {
            word!(AtomicU16, u16);
        } else {
            word!(AtomicU8, u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direct() -> Direct {
        // SAFETY: these tests read their own live arrays, whose addresses they expose.
        unsafe { Direct::new() }
    }

    #[test]
    fn copies_any_alignment_and_length() {
        let bytes: Vec<u8> = (0..64).collect();
        let base = bytes.as_ptr().expose_provenance();
        for start in 0..9 {
            for length in 0..40 {
                let mut copy = vec![0xff; length];
                direct().read(base + start, &mut copy).unwrap();
                assert_eq!(copy, bytes[start..start + length]);
            }
        }
    }

    #[test]
    fn null_and_sentinels_and_wrapping_ranges_are_errors() {
        for address in [0, 1, 0xffff] {
            assert!(direct().read(address, &mut [0; 8]).is_err());
        }
        assert!(direct().read(usize::MAX - 3, &mut [0; 8]).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_nobody_vouches_for_is_checked() {
        assert!(direct().read_unvouched(0x10_0001, &mut [0; 8]).is_err());
        let value = 7_u64;
        let mut copy = [0; 8];
        direct().read_unvouched((&raw const value).expose_provenance(), &mut copy).unwrap();
        assert_eq!(copy, 7_u64.to_ne_bytes());
    }
}
