//! macOS: `mach_vm_read_overwrite`. Compiled, and not run yet.
//!
//! Contract of the unsafe code here: the kernel copies from our own task into a Rust buffer that is borrowed for the
//! call. It validates the range and reports a bad one.
#![allow(unsafe_code)]

use std::io;

/// The errors for a bad address: `KERN_INVALID_ADDRESS`, `KERN_PROTECTION_FAILURE`.
pub(super) const BAD_ADDRESS: [i32; 2] = [1, 2];

unsafe extern "C" {
    /// The port of our own task, which `mach_task_self()` stands for.
    static mach_task_self_: u32;
    fn mach_vm_read_overwrite(task: u32, from: u64, size: u64, to: u64, read: *mut u64) -> i32;
}

/// How our own memory is read: there is one way.
#[derive(Clone, Debug)]
pub(super) struct Reader;

impl Reader {
    pub(super) fn choose(probe: impl Fn(&Self) -> io::Result<()>) -> io::Result<Self> {
        probe(&Self).map(|()| Self)
    }

    /// Copies from an address; returns the number of bytes, or the kernel's error.
    #[allow(clippy::unused_self, reason = "the system's other ways have state")]
    pub(super) fn read(&self, address: usize, buffer: &mut [u8]) -> Result<usize, i32> {
        let (size, to) = (buffer.len() as u64, buffer.as_mut_ptr().expose_provenance() as u64);
        let mut read = 0;
        // SAFETY: the port is set before any code of a library runs and stays; an address that only the kernel
        // accesses, which reports a range that it cannot read; an exclusively borrowed buffer of its own length; a local.
        let code =
            unsafe { mach_vm_read_overwrite(mach_task_self_, address as u64, size, to, &raw mut read) };
        if code == 0 { usize::try_from(read).map_err(|_| 0) } else { Err(code) }
    }

    /// The system has no call for several addresses.
    #[allow(clippy::unused_self, reason = "the system's other ways have state")]
    pub(super) const fn readable_at_once(&self, _: &[usize]) -> Option<usize> {
        None
    }
}
