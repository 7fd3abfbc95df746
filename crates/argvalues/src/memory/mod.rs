//! Where bytes come from.
//!
//! Everything that is decoded is read through [`Memory`]. The decoder asks for an address and a length
//! and gets a copy of the bytes or an error, so a value in the traced program can never be borrowed,
//! and a bad address costs one value and not the process, as far as the implementation can tell:
//!
//! | implementation | bad address | cost of a read | for |
//! |---|---|---|---|
//! | [`Direct`] | undefined for references of the runtime's own; an error for unmanaged pointers | a copy | production, inside a callback |
//! | [`Checked`] (Linux) | an error | a system call for what lies together | production where nothing is trusted, and debugging |
//! | [`SliceMemory`] | an error | a search and a copy | tests, fuzzing, dumps |

#[cfg(target_os = "linux")]
mod checked;
mod direct;
mod slice;
pub(crate) mod units;

#[cfg(target_os = "linux")]
pub use checked::Checked;
pub use direct::Direct;
pub use slice::SliceMemory;

use core::fmt;

/// The size of a reference, a pointer or a native integer in the process that is traced: our own.
pub const POINTER_SIZE: usize = size_of::<usize>();

/// Addresses below this are never mapped: null with an offset, or a sentinel such as the `1` that the
/// framework uses for a reference to the elements of an empty span.
pub(crate) const LOWEST_ADDRESS: usize = 0x1_0000;

/// A source of bytes at addresses.
///
/// Reading copies. An implementation fills the whole buffer or returns an error; what is in the buffer
/// after an error is unspecified.
pub trait Memory {
    /// Reads memory that the runtime itself vouches for: argument ranges, the objects that references
    /// point to, and what lies inside them.
    ///
    /// # Errors
    /// When any byte of the range cannot be read.
    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError>;

    /// Reads memory that only the program vouches for: the targets of unmanaged pointers, of managed
    /// references and of spans, all of which a correct program may leave dangling or use as sentinels.
    ///
    /// The default is [`read`](Self::read), right for an implementation to which a bad address is
    /// harmless.
    ///
    /// # Errors
    /// When any byte of the range cannot be read, or when the implementation cannot find out whether it
    /// could.
    fn read_unvouched(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        self.read(address, buffer)
    }

    /// Reads UTF-16 units that the runtime vouches for, as [`read`](Self::read) does bytes.
    ///
    /// # Errors
    /// When any byte of the range cannot be read.
    fn read_units(&self, address: usize, units: &mut [u16]) -> Result<(), MemoryError> {
        self.read(address, units::as_bytes_mut(units))
    }

    /// Whether a read costs so much more than its bytes that it pays to read the bytes beside them too, in the same page.
    /// They are kept for one decode.
    fn reads_ahead(&self) -> bool {
        false
    }
}

impl<M: Memory + ?Sized> Memory for &M {
    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        (**self).read(address, buffer)
    }

    fn read_unvouched(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        (**self).read_unvouched(address, buffer)
    }

    fn read_units(&self, address: usize, units: &mut [u16]) -> Result<(), MemoryError> {
        (**self).read_units(address, units)
    }

    fn reads_ahead(&self) -> bool {
        (**self).reads_ahead()
    }
}

/// Bytes that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryError {
    /// The first address of the range that was asked for.
    pub address: usize,
    /// How many bytes were asked for.
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
