//! The running thread as the operating system has it: its id, the bounds of its stack.
//!
//! Contract of the unsafe code here: calls of the system's library about the running thread, with pointers to locals.
#![allow(unsafe_code)]

use core::ops::Range;

/// The operating system's id of the running thread.
#[cfg(target_os = "linux")]
pub(crate) fn thread_id() -> u64 {
    // SAFETY: has no arguments and does not fail. The C library's function is younger than glibc 2.17.
    let id = unsafe { libc::syscall(libc::SYS_gettid) };
    id.unsigned_abs()
}

/// The operating system's id of the running thread.
#[cfg(target_os = "macos")]
pub(crate) fn thread_id() -> u64 {
    let mut id = 0;
    // SAFETY: 0 means the running thread; the pointer is to a local.
    unsafe { libc::pthread_threadid_np(0, &raw mut id) };
    id
}

/// The operating system's id of the running thread.
#[cfg(windows)]
pub(crate) fn thread_id() -> u64 {
    kernel32::GetCurrentThreadId().into()
}

/// A number for the running thread, on systems where its id cannot be read.
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
pub(crate) fn thread_id() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// An address in the frame of the function that this is inlined into.
#[inline(always)]
pub(crate) fn here() -> usize {
    let here = 0_u8;
    (&raw const here).addr()
}

/// The bounds of the running thread's stack; `None` if unknown.
#[cfg(target_os = "linux")]
pub(crate) fn stack() -> Option<Range<usize>> {
    // SAFETY: the attributes are initialised by the first call, read by the second if that succeeded, and
    // destroyed by the third; all pointers are to locals.
    unsafe {
        let mut attributes = core::mem::zeroed::<libc::pthread_attr_t>();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let (mut lowest, mut size) = (core::ptr::null_mut(), 0);
        let found = libc::pthread_attr_getstack(&raw const attributes, &raw mut lowest, &raw mut size) == 0;
        libc::pthread_attr_destroy(&raw mut attributes);
        found.then(|| lowest.addr()..lowest.addr().saturating_add(size))
    }
}

/// The bounds of the running thread's stack; `None` if unknown.
#[cfg(target_os = "macos")]
#[allow(clippy::unnecessary_wraps, reason = "it may be unknown elsewhere")]
pub(crate) fn stack() -> Option<Range<usize>> {
    // SAFETY: about the running thread; no call fails.
    let (top, size) = unsafe {
        let thread = libc::pthread_self();
        (libc::pthread_get_stackaddr_np(thread).addr(), libc::pthread_get_stacksize_np(thread))
    };
    Some(top.saturating_sub(size)..top)
}

/// The bounds of the running thread's stack; `None` if unknown.
#[cfg(windows)]
#[allow(clippy::unnecessary_wraps, reason = "it may be unknown elsewhere")]
pub(crate) fn stack() -> Option<Range<usize>> {
    let (mut low, mut high) = (0, 0);
    // SAFETY: two locals, which the call fills.
    unsafe { kernel32::GetCurrentThreadStackLimits(&raw mut low, &raw mut high) };
    Some(low..high)
}

#[cfg(windows)]
mod kernel32 {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        pub(super) safe fn GetCurrentThreadId() -> u32;
        pub(super) fn GetCurrentThreadStackLimits(low: *mut usize, high: *mut usize);
    }
}

/// The bounds of the running thread's stack; `None` if unknown.
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
pub(crate) fn stack() -> Option<Range<usize>> {
    None
}

#[cfg(all(test, any(target_os = "linux", target_os = "macos", windows)))]
mod tests {
    #[test]
    fn a_local_lies_on_the_stack() {
        let local = 0_u8;
        let stack = super::stack().unwrap();
        assert!(stack.contains(&(&raw const local).addr()));
        let other = std::thread::spawn(|| super::stack().unwrap()).join().unwrap();
        assert!(other.end <= stack.start || stack.end <= other.start);
    }

    #[test]
    fn threads_have_ids_of_their_own() {
        let here = super::thread_id();
        assert_ne!(here, 0);
        assert_ne!(std::thread::spawn(super::thread_id).join().unwrap(), here);
    }
}
