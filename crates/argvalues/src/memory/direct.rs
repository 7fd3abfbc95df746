//! Memory of this process, read in place.
//!
//! Contract of the unsafe code here: the only unsafe operation is the copy in [`copy`], which loads from an address
//! that the caller guarantees. The caller of an unsafe constructor of [`Direct`] promises, once, that it is used only
//! to decode values that the runtime passes to a profiler, while the runtime keeps that memory valid. The loads are
//! relaxed atomic ones, since other threads of the program continue to write: a value may be torn, but it is only
//! bytes, and a race with code outside of Rust is not undefined behaviour.
#![allow(unsafe_code)]

use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::units::as_bytes_mut;
use super::{LOWEST_ADDRESS, Memory, MemoryCause, MemoryError};

/// The memory of this process, read in place: the fastest implementation.
///
/// Addresses that only the program guarantees ([`Memory::read_untrusted`]) are read through the operating system where
/// that is possible ([`Checked`](super::Checked)), and refused elsewhere.
#[derive(Clone, Debug)]
pub struct Direct {
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
    ///   ([`SavedRefs`](crate::SavedRefs)), which are read as untrusted.
    #[must_use]
    pub unsafe fn new() -> Self {
        Self { checked: super::Checked::new().ok() }
    }
}

impl Memory for Direct {
    #[inline(always)]
    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        check(address, buffer.len())?;
        // SAFETY: the constructor's caller guarantees the addresses that the runtime refers to, and the decoder reads
        // no others this way; the check shows that the range does not wrap.
        unsafe { copy(address, buffer) };
        Ok(())
    }

    #[inline]
    fn read_units(&self, address: usize, units: &mut [u16]) -> Result<(), MemoryError> {
        let length = size_of_val(units);
        check(address, length)?;
        // SAFETY: as above. At an even address no unit is torn.
        unsafe { copy_words(address, as_bytes_mut(units)) };
        Ok(())
    }

    fn read_untrusted(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        if let Some(checked) = &self.checked {
            return checked.read(address, buffer);
        }
        Err(MemoryError::new(address, buffer.len(), MemoryCause::Unverifiable))
    }
}

/// Refuses a range that wraps, and addresses near null.
#[inline(always)]
fn check(address: usize, length: usize) -> Result<(), MemoryError> {
    if address.checked_add(length).is_none() {
        return Err(MemoryError::new(address, length, MemoryCause::Overflow));
    }
    if address < LOWEST_ADDRESS && length != 0 {
        return Err(MemoryError::new(address, length, MemoryCause::Unmapped));
    }
    Ok(())
}

/// Loads one number, so that one of the program's is not torn.
macro_rules! load {
    ($atomic:ty, $number:ty, $at:expr) => {{
        let number = core::ptr::with_exposed_provenance_mut::<$number>($at);
        <$atomic>::from_ptr(number).load(Ordering::Relaxed).to_ne_bytes()
    }};
}

/// Copies `buffer.len()` bytes from `address`.
///
/// # Safety
///
/// The bytes from `address` on are mapped and readable, and the range does not wrap around.
#[inline(always)]
pub(super) unsafe fn copy(address: usize, buffer: &mut [u8]) {
    macro_rules! one {
        ($atomic:ty, $number:ty) => {{
            let bytes = match address.is_multiple_of(size_of::<$number>()) {
                true => load!($atomic, $number, address),
                false => unaligned(address),
            };
            buffer.copy_from_slice(&bytes);
        }};
    }
    // The length is usually a constant, and one case of this remains.
    //
    // SAFETY: the length is the one that the caller guarantees, the alignment is checked, and the memory is only read.
    unsafe {
        match buffer.len() {
            8 => one!(AtomicU64, u64),
            4 => one!(AtomicU32, u32),
            2 => one!(AtomicU16, u16),
            1 => one!(AtomicU8, u8),
            _ => copy_words(address, buffer),
        }
    }
}

/// Reads a misaligned number. It is returned by value, so that the compiler need not keep the caller's buffer in memory
/// for the other cases.
///
/// # Safety
///
/// As for [`copy`].
#[cold]
#[inline(never)]
unsafe fn unaligned<const N: usize>(address: usize) -> [u8; N] {
    let mut bytes = [0; N];
    // SAFETY: forwarded to the caller.
    unsafe { copy_words(address, &mut bytes) };
    bytes
}

/// Copies by the widest aligned loads that fit.
///
/// # Safety
///
/// As for [`copy`].
unsafe fn copy_words(address: usize, buffer: &mut [u8]) {
    const WORD: usize = size_of::<u64>();
    let (mut at, mut to, mut left) = (address, buffer.as_mut_ptr(), buffer.len());
    macro_rules! step {
        ($atomic:ty, $number:ty, $count:literal) => {{
            const SIZE: usize = size_of::<$number>();
            for index in 0..$count {
                let bytes = load!($atomic, $number, at + index * SIZE);
                to.cast::<[u8; SIZE]>().add(index).write_unaligned(bytes);
            }
            at += $count * SIZE;
            to = to.add($count * SIZE);
            left -= $count * SIZE;
        }};
    }
    // SAFETY: each step is taken where as many bytes are left, in the range that the caller guarantees and in the
    // buffer alike, and where the address is a multiple of its size: the first three go up to a word's boundary or
    // leave fewer bytes than they would take; the words keep to it; each of the others is half of the one before, and
    // fewer bytes than twice its size are left.
    unsafe {
        if !at.is_multiple_of(2) && left >= 1 {
            step!(AtomicU8, u8, 1);
        }
        if !at.is_multiple_of(4) && left >= 2 {
            step!(AtomicU16, u16, 1);
        }
        if !at.is_multiple_of(WORD) && left >= 4 {
            step!(AtomicU32, u32, 1);
        }
        while left >= 4 * WORD {
            step!(AtomicU64, u64, 4);
        }
        if left >= 2 * WORD {
            step!(AtomicU64, u64, 2);
        }
        if left >= WORD {
            step!(AtomicU64, u64, 1);
        }
        if left >= 4 {
            step!(AtomicU32, u32, 1);
        }
        if left >= 2 {
            step!(AtomicU16, u16, 1);
        }
        if left >= 1 {
            to.write(load!(AtomicU8, u8, at)[0]);
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
    fn copies_units_of_any_alignment_and_length() {
        let bytes: Vec<u8> = (0..64).collect();
        let base = bytes.as_ptr().expose_provenance();
        for start in 0..5 {
            for length in 0..12 {
                let mut units = vec![0xffff; length];
                direct().read_units(base + start, &mut units).unwrap();
                let copied: Vec<u8> = units.iter().flat_map(|unit| unit.to_ne_bytes()).collect();
                assert_eq!(copied, bytes[start..start + 2 * length]);
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

    #[cfg(any(target_os = "linux", windows, target_os = "macos"))]
    #[test]
    fn what_nobody_vouches_for_is_checked() {
        // No program has memory there.
        assert!(direct().read_untrusted(usize::MAX - 0x1000, &mut [0; 8]).is_err());
        let value = 7_u64;
        let mut copy = [0; 8];
        direct().read_untrusted((&raw const value).expose_provenance(), &mut copy).unwrap();
        assert_eq!(copy, 7_u64.to_ne_bytes());
    }
}
