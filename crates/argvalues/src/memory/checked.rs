//! Memory of our own process, read through the kernel.
//!
//! # Safety contract of this file
//!
//! The one unsafe act is the call of `process_vm_readv` on our own process. The kernel validates the
//! remote range and reports a bad one; the local range is a Rust buffer that is borrowed for the call.
#![allow(unsafe_code)]

use std::io;

use super::{Memory, MemoryCause, MemoryError};

/// The memory of the process that the profiler is loaded into, copied by the kernel: a bad address is an
/// error and never a crash. A read costs a system call; a decode reads what lies together at once.
///
/// ```
/// use argvalues::{Checked, Memory};
///
/// let memory = Checked::new()?;
/// let value = 42_u32;
/// let mut bytes = [0; 4];
/// memory.read(&raw const value as usize, &mut bytes)?;
/// assert_eq!(u32::from_ne_bytes(bytes), 42);
/// assert!(memory.read(0x10, &mut bytes).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Checked {
    process: libc::pid_t,
}

impl Checked {
    /// A reader of our own memory.
    ///
    /// # Errors
    /// When the kernel does not let this process read itself, which some sandboxes forbid.
    pub fn new() -> io::Result<Self> {
        let checked = Self { process: libc::pid_t::try_from(std::process::id()).unwrap_or(0) };
        let probe = 0x5a_u8;
        let mut copy = [0];
        match checked.read((&raw const probe).expose_provenance(), &mut copy) {
            Ok(()) => Ok(checked),
            Err(MemoryError { cause: MemoryCause::Refused(code), .. }) => {
                Err(io::Error::from_raw_os_error(code))
            }
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

impl Memory for Checked {
    fn reads_ahead(&self) -> bool {
        true
    }

    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        let length = buffer.len();
        let error = |cause| MemoryError::new(address, length, cause);
        if length == 0 {
            return Ok(());
        }
        if address.checked_add(length).is_none() {
            return Err(error(MemoryCause::Overflow));
        }
        let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: length };
        let remote = libc::iovec { iov_base: core::ptr::without_provenance_mut(address), iov_len: length };
        // SAFETY: one local and one remote vector, both alive for the call; the local one is an
        // exclusively borrowed buffer of its own length; the remote one is only looked at by the kernel,
        // which reports what it cannot read.
        let read =
            unsafe { libc::process_vm_readv(self.process, &raw const local, 1, &raw const remote, 1, 0) };
        match usize::try_from(read) {
            Ok(read) if read == length => Ok(()),
            Ok(_) => Err(error(MemoryCause::Unmapped)),
            Err(_) => {
                let code = io::Error::last_os_error().raw_os_error().unwrap_or(0);
                Err(error(if code == libc::EFAULT {
                    MemoryCause::Unmapped
                } else {
                    MemoryCause::Refused(code)
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_there_and_refuses_what_is_not() {
        let memory = Checked::new().unwrap();
        let bytes = [1_u8, 2, 3, 4, 5];
        let base = bytes.as_ptr().expose_provenance();
        let mut copy = [0; 5];
        memory.read(base, &mut copy).unwrap();
        assert_eq!(copy, bytes);
        memory.read(0, &mut []).unwrap();
        for address in [0, 1, 0x1234, usize::MAX - 2, usize::MAX / 2 + 1] {
            let error = memory.read(address, &mut copy).unwrap_err();
            assert_eq!((error.address, error.length), (address, 5));
        }
    }
}
