//! Native libraries of the process: the dispenser that the runtime's library exports; keeping the profiler's own in memory.
//!
//! Contract of the unsafe code here: an address is only looked up, never read. A library is not loaded but found; the
//! runtime's stays loaded as long as the process has a runtime.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_void};
use core::ptr::{NonNull, null_mut};

use corprof_sys as sys;

use super::call::checked;
use super::interface::{DispenserPtr, from_raw};
use crate::error::{Error, Result};

/// Returns the metadata dispenser of the runtime's library, which has `within` in it (`MetaDataGetDispenser`).
pub(crate) fn metadata_dispenser(within: *const c_void) -> Result<DispenserPtr> {
    type GetDispenser =
        unsafe extern "system" fn(sys::REFCLSID, sys::REFIID, *mut *mut c_void) -> sys::HRESULT;
    const CALL: &str = "MetaDataGetDispenser";
    let function = exported(within, c"MetaDataGetDispenser")?;
    // SAFETY: the runtime exports a function of this name with this signature (cor.h).
    let function: GetDispenser = unsafe { core::mem::transmute(function.as_ptr()) };
    let mut out = null_mut();
    let (clsid, iid) = (sys::CLSID_CorMetaDataDispenser, sys::IID_IMetaDataDispenserEx);
    // SAFETY: locals.
    checked(CALL, unsafe { function(&raw const clsid, &raw const iid, &raw mut out) })?;
    // SAFETY: the call succeeded and returned the interface that was named, with a reference.
    unsafe { from_raw(out) }.ok_or(Error::Null { call: CALL, what: "dispenser" })
}

/// Returns the function that a library exports by this name: the library that has `within` in it.
fn exported(within: *const c_void, name: &CStr) -> Result<NonNull<c_void>> {
    let missing =
        || Error::NotFound(format!("the runtime's library does not export {}", name.to_string_lossy()));
    platform::exported(within, name).ok_or_else(missing)
}

/// Keeps the library that has `within` in it mapped until the process ends, whoever closes it. Returns `false` where it
/// is no library: a program stays anyway.
///
/// Nothing else keeps a profiler's code in place: glibc 2.34 to 2.36 may crash in a later `dlopen` after a library with
/// thread-local variables has been unmapped, and a thread may still be on its way out of the library's code.
pub(crate) fn keep_mapped(within: *const c_void) -> bool {
    platform::keep_mapped(within)
}

#[cfg(unix)]
mod platform {
    use core::ffi::{CStr, c_void};
    use core::mem::MaybeUninit;
    use core::ptr::{NonNull, null};

    pub(super) fn exported(within: *const c_void, name: &CStr) -> Option<NonNull<c_void>> {
        let runtime = object_of(within)?;
        // The runtime does not export globally: a handle of its own library is needed. One handle more or less does not
        // count for something that stays. A single-file program has the runtime in its executable, which the loader does
        // not know by its path; without a path it looks there first.
        let handle = handle_of(&runtime, libc::RTLD_LAZY).or_else(|| {
            // SAFETY: no path means the executable; none of its code runs.
            NonNull::new(unsafe { libc::dlopen(null(), libc::RTLD_LAZY) })
        })?;
        // SAFETY: the handle of a loaded object, and a name with a terminating zero.
        let symbol = NonNull::new(unsafe { libc::dlsym(handle.as_ptr(), name.as_ptr()) })?;
        // Of this object, and not one of another that the executable brings along.
        (object_of(symbol.as_ptr())?.dli_fbase == runtime.dli_fbase).then_some(symbol)
    }

    pub(super) fn keep_mapped(within: *const c_void) -> bool {
        object_of(within)
            .is_some_and(|object| handle_of(&object, libc::RTLD_LAZY | libc::RTLD_NODELETE).is_some())
    }

    /// The library or executable that has `within` in it.
    fn object_of(within: *const c_void) -> Option<libc::Dl_info> {
        let mut found = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: any address, and a place for what is known of it.
        if unsafe { libc::dladdr(within, found.as_mut_ptr()) } == 0 {
            return None;
        }
        // SAFETY: a result that is not zero says that it has been written.
        Some(unsafe { found.assume_init() })
    }

    /// One more handle of a library that is loaded already; `None` for the executable.
    fn handle_of(object: &libc::Dl_info, flags: libc::c_int) -> Option<NonNull<c_void>> {
        if object.dli_fname.is_null() {
            return None;
        }
        // SAFETY: the path of a loaded object, with a terminating zero; no code of it runs.
        NonNull::new(unsafe { libc::dlopen(object.dli_fname, flags | libc::RTLD_NOLOAD) })
    }
}

#[cfg(windows)]
mod platform {
    use core::ffi::{CStr, c_char, c_void};
    use core::ptr::{NonNull, null_mut};

    /// `GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS` and `GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT`.
    const FROM_ADDRESS_UNCOUNTED: u32 = 0x4 | 0x2;

    /// `GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS` and `GET_MODULE_HANDLE_EX_FLAG_PIN`.
    const FROM_ADDRESS_PINNED: u32 = 0x4 | 0x1;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetModuleHandleExW(flags: u32, within: *const c_void, module: *mut *mut c_void) -> i32;
        fn GetProcAddress(module: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    pub(super) fn exported(within: *const c_void, name: &CStr) -> Option<NonNull<c_void>> {
        let module = module_of(within, FROM_ADDRESS_UNCOUNTED)?;
        // SAFETY: a loaded module, and a name with a terminating zero.
        NonNull::new(unsafe { GetProcAddress(module.as_ptr(), name.as_ptr()) })
    }

    pub(super) fn keep_mapped(within: *const c_void) -> bool {
        module_of(within, FROM_ADDRESS_PINNED).is_some()
    }

    fn module_of(within: *const c_void, flags: u32) -> Option<NonNull<c_void>> {
        let mut module = null_mut();
        // SAFETY: any address, and a local.
        let found = unsafe { GetModuleHandleExW(flags, within, &raw mut module) } != 0;
        NonNull::new(module).filter(|_| found)
    }
}
