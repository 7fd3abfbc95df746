//! The native library that the runtime is, and what it exports.
//!
//! Contract of the unsafe code here: an address is only looked up, never read. The library is not loaded but found,
//! and stays loaded as long as the process has a runtime.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;

use crate::{Error, Result};

/// The function that a library exports by this name: the library that has `within` in it.
pub(crate) fn exported(within: *const c_void, name: &CStr) -> Result<NonNull<c_void>> {
    let missing =
        || Error::NotFound(format!("the runtime's library does not export {}", name.to_string_lossy()));
    platform::exported(within, name).ok_or_else(missing)
}

#[cfg(unix)]
mod platform {
    use core::ffi::{CStr, c_void};
    use core::mem::MaybeUninit;
    use core::ptr::NonNull;

    pub(super) fn exported(within: *const c_void, name: &CStr) -> Option<NonNull<c_void>> {
        let mut found = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: any address, and a place for what is known of it.
        if unsafe { libc::dladdr(within, found.as_mut_ptr()) } == 0 {
            return None;
        }
        // SAFETY: a result that is not zero says that it has been written.
        let path = unsafe { found.assume_init() }.dli_fname;
        if path.is_null() {
            return None;
        }
        // The runtime does not export globally: a handle of its own library is needed. It is loaded already, and one
        // handle more or less does not count for something that stays.
        // SAFETY: the path of a loaded library, and a name, both with a terminating zero.
        unsafe {
            let handle = NonNull::new(libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD))?;
            NonNull::new(libc::dlsym(handle.as_ptr(), name.as_ptr()))
        }
    }
}

#[cfg(windows)]
mod platform {
    use core::ffi::{CStr, c_char, c_void};
    use core::ptr::{NonNull, null_mut};

    /// `GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS` and `GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT`.
    const FROM_ADDRESS_UNCOUNTED: u32 = 0x4 | 0x2;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetModuleHandleExW(flags: u32, within: *const c_void, module: *mut *mut c_void) -> i32;
        fn GetProcAddress(module: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    pub(super) fn exported(within: *const c_void, name: &CStr) -> Option<NonNull<c_void>> {
        let mut module = null_mut();
        // SAFETY: any address, and a local.
        if unsafe { GetModuleHandleExW(FROM_ADDRESS_UNCOUNTED, within, &raw mut module) } == 0 {
            return None;
        }
        // SAFETY: a loaded module, and a name with a terminating zero.
        NonNull::new(unsafe { GetProcAddress(module, name.as_ptr()) })
    }
}
