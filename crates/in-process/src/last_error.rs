//! The running thread's `errno`, and on Windows its last error.
//!
//! Contract of the unsafe code here: calls of the C library and the system that read or write a number of the running
//! thread.
#![allow(unsafe_code)]

/// Puts back on drop what the last error of the running thread was.
///
/// The program reads it after a system call, and hooks and callbacks run in between. Callbacks have one of their own. A hook
/// has none, since most do nothing that changes it: hold one in a hook around what may make a system call, which includes
/// locks that are contended, allocation, output, and first use of a thread-local variable. It takes about a nanosecond.
///
/// ```
/// use corprof_in_process::LastError;
///
/// fn slow_path_of_a_hook(line: &str) {
///     let _kept = LastError::keep();
///     eprintln!("{line}");
/// }
/// ```
#[derive(Debug)]
#[must_use = "the last error is put back when this is dropped"]
pub struct LastError {
    code: Code,
    /// It is the thread's.
    thread_bound: core::marker::PhantomData<*mut ()>,
}

impl LastError {
    /// Takes the running thread's last error.
    #[inline]
    pub fn keep() -> Self {
        Self { code: get(), thread_bound: core::marker::PhantomData }
    }
}

impl Drop for LastError {
    #[inline]
    fn drop(&mut self) {
        set(self.code);
    }
}

#[cfg(unix)]
type Code = i32;
#[cfg(windows)]
type Code = u32;

#[cfg(unix)]
#[inline]
fn place() -> *mut i32 {
    #[cfg(not(any(target_os = "macos", target_os = "ios", target_os = "freebsd")))]
    use libc::__errno_location as errno;
    #[cfg(any(target_os = "macos", target_os = "ios", target_os = "freebsd"))]
    use libc::__error as errno;
    // SAFETY: has no arguments and does not fail.
    unsafe { errno() }
}

#[cfg(unix)]
#[inline]
fn get() -> Code {
    // SAFETY: points to the running thread's number for as long as that lives.
    unsafe { place().read() }
}

#[cfg(unix)]
#[inline]
fn set(code: Code) {
    // SAFETY: as above; nobody holds a reference to it.
    unsafe { place().write(code) }
}

#[cfg(windows)]
mod system {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        pub(super) safe fn GetLastError() -> u32;
        pub(super) safe fn SetLastError(code: u32);
    }
}

#[cfg(windows)]
fn get() -> Code {
    system::GetLastError()
}

#[cfg(windows)]
fn set(code: Code) {
    system::SetLastError(code);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_leaves_behind_is_put_back() {
        set(77);
        {
            let _kept = LastError::keep();
            assert!(std::fs::File::open("/nowhere/at/all").is_err());
            assert_ne!(get(), 77);
        }
        assert_eq!(get(), 77);
    }
}
