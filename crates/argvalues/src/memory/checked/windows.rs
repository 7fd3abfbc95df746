//! Windows: `ReadProcessMemory`.
//!
//! Contract of the unsafe code here: the kernel copies from our own process into a Rust buffer that is borrowed for
//! the call. It validates the range and reports a bad one.
#![allow(unsafe_code)]

use core::ffi::c_void;
use std::io;

use super::last_error;

/// The errors for a bad address: `ERROR_PARTIAL_COPY`, `ERROR_NOACCESS`, `ERROR_INVALID_ADDRESS`.
pub(super) const BAD_ADDRESS: [i32; 3] = [299, 998, 487];

#[link(name = "kernel32")]
unsafe extern "system" {
    safe fn GetCurrentProcess() -> *mut c_void;
    fn ReadProcessMemory(
        process: *mut c_void,
        from: *const c_void,
        to: *mut c_void,
        size: usize,
        read: *mut usize,
    ) -> i32;
}

/// How our own memory is read: there is one way.
#[derive(Clone, Debug)]
pub(super) struct Reader;

impl Reader {
    pub(super) fn choose(probe: impl Fn(&Self) -> io::Result<()>) -> io::Result<Self> {
        probe(&Self).map(|()| Self)
    }

    /// Copies from an address; returns the number of bytes, or the system's error.
    #[allow(clippy::unused_self, reason = "the system's other ways have state")]
    pub(super) fn read(&self, address: usize, buffer: &mut [u8]) -> Result<usize, i32> {
        let mut read = 0;
        // SAFETY: the pseudo handle of our process; an address that only the kernel accesses, which reports a range
        // that it cannot read; an exclusively borrowed buffer of its own length; a local.
        let is_done = unsafe {
            ReadProcessMemory(
                GetCurrentProcess(),
                core::ptr::without_provenance(address),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                &raw mut read,
            )
        };
        if is_done == 0 { Err(last_error()) } else { Ok(read) }
    }

    /// The system has no call for several addresses.
    #[allow(clippy::unused_self, reason = "the system's other ways have state")]
    pub(super) const fn readable_at_once(&self, _: &[usize]) -> Option<usize> {
        None
    }
}
