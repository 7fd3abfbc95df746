//! What only the operating system knows of the running thread.
//!
//! Contract of the unsafe code here: calls of the C library about the running thread, with pointers to locals.
#![allow(unsafe_code)]

/// The operating system's id of the running thread.
#[cfg(target_os = "linux")]
pub(crate) fn thread_id() -> u64 {
    // SAFETY: has no arguments and does not fail.
    let id = unsafe { libc::gettid() };
    id.unsigned_abs().into()
}

/// The operating system's id of the running thread.
#[cfg(target_os = "macos")]
pub(crate) fn thread_id() -> u64 {
    let mut id = 0;
    // SAFETY: 0 stands for the running thread; a local.
    unsafe { libc::pthread_threadid_np(0, &raw mut id) };
    id
}

/// A number for the running thread, where the operating system's id is not known how to get.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
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

/// The address above the running thread's stack, where it is known.
#[cfg(target_os = "linux")]
pub(crate) fn top() -> Option<usize> {
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
        found.then(|| lowest.addr().saturating_add(size))
    }
}

/// The address above the running thread's stack, where it is known.
#[cfg(not(target_os = "linux"))]
pub(crate) fn top() -> Option<usize> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn a_local_lies_below_the_top() {
        let local = 0_u8;
        let top = super::top().unwrap();
        assert!((&raw const local).addr() < top);
        assert!(std::thread::spawn(move || super::top().unwrap() != top).join().unwrap());
    }

    #[test]
    fn threads_have_ids_of_their_own() {
        let here = super::thread_id();
        assert_ne!(here, 0);
        assert_ne!(std::thread::spawn(super::thread_id).join().unwrap(), here);
    }
}
