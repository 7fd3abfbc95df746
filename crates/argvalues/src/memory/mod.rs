//! Sources of bytes.
//!
//! Everything that is decoded is read through [`Memory`]. The decoder passes an address and a length and gets a copy of
//! the bytes or an error. No value of the traced program is ever borrowed, and a bad address costs one value and not
//! the process, as far as the implementation can detect it:
//!
//! | implementation | bad address | cost of a read | for |
//! |---|---|---|---|
//! | [`Direct`] | undefined for references of the runtime's own; an error for unmanaged pointers | a copy | production, inside a callback |
//! | [`Checked`] | an error | a system call for what lies together | production where nothing is trusted, and debugging |
//! | [`HeapMemory`] | an error | a copy in the managed heap and on the stack, a system call elsewhere | production in hooks |
//! | [`SliceMemory`] | an error | a search and a copy | tests, fuzzing, dumps |

mod checked;
mod direct;
mod heap;
mod slice;
pub(crate) mod units;

pub use checked::Checked;
pub use direct::Direct;
pub use heap::{HeapMemory, HeapRange, HeapRanges};
pub use slice::SliceMemory;

use core::fmt;

/// The size of a reference, a pointer or a native integer in the process that is traced: our own.
pub const POINTER_SIZE: usize = size_of::<usize>();

/// Addresses below this are never mapped: null with an offset, or a sentinel such as the `1` that the
/// framework uses for a reference to the elements of an empty span.
pub(crate) const LOWEST_ADDRESS: usize = 0x1_0000;

/// A source of bytes at addresses.
///
/// A read copies. An implementation fills the whole buffer or returns an error, after which the contents of the buffer
/// are unspecified.
pub trait Memory {
    /// Reads memory at an address that the runtime guarantees: argument ranges, the objects that references point to,
    /// and the fields and items in them.
    ///
    /// # Errors
    /// If a byte of the range cannot be read.
    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError>;

    /// Reads memory at an address that only the program guarantees: the targets of unmanaged pointers, of managed
    /// references and of spans, all of which a correct program may leave dangling or use as sentinels.
    ///
    /// The default is [`read`](Self::read), for implementations that survive bad addresses.
    ///
    /// # Errors
    /// If a byte of the range cannot be read, or if the implementation cannot check that.
    fn read_untrusted(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        self.read(address, buffer)
    }

    /// Reads UTF-16 units at an address that the runtime guarantees, as [`read`](Self::read).
    ///
    /// # Errors
    /// If a byte of the range cannot be read.
    fn read_units(&self, address: usize, units: &mut [u16]) -> Result<(), MemoryError> {
        self.read(address, units::as_bytes_mut(units))
    }

    /// Returns whether it pays to read neighbouring bytes of the same page too, because a read costs far more than its
    /// bytes. They are cached for one decode.
    fn reads_ahead(&self) -> bool {
        false
    }

    /// Reads memory without the operating system, if the address is known to be good: `false`, and nothing read, if it is
    /// not. [`read`](Self::read) is called where this fails.
    fn read_in_place(&self, address: usize, buffer: &mut [u8]) -> bool {
        let _ = (address, buffer);
        false
    }
}

impl<M: Memory + ?Sized> Memory for &M {
    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        (**self).read(address, buffer)
    }

    fn read_untrusted(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        (**self).read_untrusted(address, buffer)
    }

    fn read_units(&self, address: usize, units: &mut [u16]) -> Result<(), MemoryError> {
        (**self).read_units(address, units)
    }

    #[inline]
    fn reads_ahead(&self) -> bool {
        (**self).reads_ahead()
    }

    fn read_in_place(&self, address: usize, buffer: &mut [u8]) -> bool {
        (**self).read_in_place(address, buffer)
    }
}

/// Bytes that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryError {
    /// The start of the range.
    pub address: usize,
    /// The length of the range in bytes.
    pub length: usize,
    /// Why they could not be read.
    pub cause: MemoryCause,
}

/// Why memory could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryCause {
    /// Nothing is mapped there, or it may not be read.
    Unmapped,
    /// The range leaves the address space.
    Overflow,
    /// The operating system refused the reader itself; the number is its error code.
    Refused(i32),
    /// The reader has no means to find out whether the address is good, and so did not touch it.
    Unverifiable,
}

impl MemoryError {
    /// An error for `length` bytes at `address`.
    #[must_use]
    pub const fn new(address: usize, length: usize, cause: MemoryCause) -> Self {
        Self { address, length, cause }
    }
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes at {:#x} cannot be read: ", self.length, self.address)?;
        match self.cause {
            MemoryCause::Unmapped => f.write_str("not mapped"),
            MemoryCause::Overflow => f.write_str("past the end of the address space"),
            MemoryCause::Refused(code) => write!(f, "the operating system refused, error {code}"),
            MemoryCause::Unverifiable => {
                f.write_str("an address from the program, and no way here to check it")
            }
        }
    }
}

impl core::error::Error for MemoryError {}
