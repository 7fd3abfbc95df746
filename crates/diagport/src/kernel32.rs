//! What Windows tells about processes and named pipes: the ids of processes, whether a pipe exists, how much it holds.
//!
//! Contract of the unsafe code here: calls of the system's library, with pointers to locals and buffers that are borrowed for
//! the call, and with handles that are borrowed from a `File`.
#![allow(unsafe_code)]

use core::ffi::c_void;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::AsRawHandle as _;

/// The errors of a pipe all of whose instances have clients: `ERROR_SEM_TIMEOUT`, `ERROR_PIPE_BUSY`.
const BUSY: [Option<i32>; 2] = [Some(121), Some(231)];

/// The time in milliseconds for which a call waits for a free instance of a pipe. Zero is the time that its server has set.
const SHORTLY: u32 = 1;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn K32EnumProcesses(ids: *mut u32, size: u32, needed: *mut u32) -> i32;
    fn WaitNamedPipeW(name: *const u16, milliseconds: u32) -> i32;
    fn PeekNamedPipe(
        pipe: *mut c_void,
        buffer: *mut c_void,
        size: u32,
        read: *mut u32,
        available: *mut u32,
        left: *mut u32,
    ) -> i32;
}

/// Returns the ids of all processes.
pub(crate) fn process_ids() -> io::Result<Vec<u32>> {
    let mut ids = vec![0_u32; 1024];
    loop {
        let size = u32::try_from(size_of_val(&*ids)).map_err(io::Error::other)?;
        let mut needed = 0;
        // SAFETY: an exclusively borrowed buffer of `size` bytes; a local.
        if unsafe { K32EnumProcesses(ids.as_mut_ptr(), size, &raw mut needed) } == 0 {
            return Err(io::Error::last_os_error());
        }
        // A full buffer may lack some.
        if needed < size {
            ids.truncate(needed as usize / size_of::<u32>());
            return Ok(ids);
        }
        ids.resize(ids.len() * 2, 0);
    }
}

/// Returns whether a named pipe has an instance. No connection is made, so that its server does not notice.
pub(crate) fn has_pipe(name: &OsStr) -> bool {
    let name: Vec<u16> = name.encode_wide().chain([0]).collect();
    // SAFETY: text that ends with a zero.
    let is_free = unsafe { WaitNamedPipeW(name.as_ptr(), SHORTLY) } != 0;
    is_free || BUSY.contains(&io::Error::last_os_error().raw_os_error())
}

/// Returns the number of bytes that can be read from a pipe at once.
pub(crate) fn available(pipe: &File) -> io::Result<u32> {
    let mut available = 0;
    let none = core::ptr::null_mut;
    // SAFETY: a borrowed handle; no buffer, of size zero; a local; the other two results may be absent.
    let is_done = unsafe {
        PeekNamedPipe(pipe.as_raw_handle(), none(), 0, none().cast(), &raw mut available, none().cast())
    };
    if is_done == 0 { Err(io::Error::last_os_error()) } else { Ok(available) }
}
