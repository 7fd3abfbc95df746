//! The object that the runtime calls: one per load of the profiler.
//!
//! Contract of the unsafe code here: a `CallbackObject<P>` is made once, on the heap, and lives until its
//! count of references falls to zero. Its first field is the pointer to the vtable, so a pointer to the
//! object is an interface pointer, the same one for `IUnknown` and for all eleven versions of
//! `ICorProfilerCallback`, each of which is a prefix of the next. After construction the object is only ever
//! read through shared references; what changes in it is atomic or a `OnceLock`.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering, fence};
use std::sync::{Arc, OnceLock};

use corprof_sys as sys;

use super::vtable;
use crate::guard::Switch;
use crate::profiler::Profiler;
use crate::running::Running;
use crate::runtime::ProfilerInfo;
use corprof_types::HResult;

/// The COM object.
#[repr(C)]
pub(crate) struct CallbackObject<P> {
    vtable: &'static sys::ICorProfilerCallback11Vtbl,
    references: AtomicU32,
    /// Empty until `Initialize` has succeeded.
    running: OnceLock<Arc<Running<P>>>,
}

impl<P: Profiler> CallbackObject<P> {
    /// A new object with one reference, as an interface pointer.
    pub(crate) fn create() -> *mut c_void {
        let object =
            Self { vtable: vtable::of::<P>(), references: AtomicU32::new(1), running: OnceLock::new() };
        Box::into_raw(Box::new(object)).cast()
    }

    /// The object behind an interface pointer.
    ///
    /// # Safety
    /// `this` came from [`CallbackObject::<P>::create`] and has a reference for as long as `'a`.
    pub(crate) unsafe fn from_interface<'a>(this: *mut c_void) -> &'a Self {
        // SAFETY: the pointer is one of ours and alive, says the caller; the object is never borrowed mutably.
        unsafe { &*this.cast::<Self>() }
    }

    /// The profiler, once it has been initialised.
    pub(crate) fn running(&self) -> Option<&Arc<Running<P>>> {
        self.running.get()
    }

    /// Stores the profiler that `Initialize` has made; the one stored before, if it is called twice.
    pub(crate) fn start(&self, profiler: P, info: ProfilerInfo) -> &Arc<Running<P>> {
        self.running.get_or_init(|| Arc::new(Running { profiler, info, switch: Switch::new() }))
    }
}

/// The profiler behind a callback object, once it has been initialised.
///
/// # Safety
/// `this` is an object that `P`'s class factory has made, and has a reference for as long as `'a`.
#[must_use]
pub unsafe fn profiler<'a, P: Profiler>(this: *mut c_void) -> Option<&'a P> {
    // SAFETY: forwarded to the caller.
    unsafe { CallbackObject::<P>::from_interface(this) }.running().map(|running| &running.profiler)
}

/// Returns whether the profiler behind a callback object has panicked in a callback or hook.
///
/// # Safety
/// As for [`profiler`].
#[must_use]
pub unsafe fn has_panicked<P: Profiler>(this: *mut c_void) -> bool {
    // SAFETY: forwarded to the caller.
    let running = unsafe { CallbackObject::<P>::from_interface(this) }.running();
    running.is_some_and(|running| running.switch.has_panicked())
}

/// `IUnknown::QueryInterface`: the same pointer for `IUnknown` and each version of the callback.
///
/// # Safety
/// As COM has it: `this` is a live object of ours, `iid` points to a GUID or is null, `out` to a place for a
/// pointer or is null.
pub(crate) unsafe extern "system" fn query_interface<P: Profiler>(
    this: *mut sys::IUnknown,
    iid: *const sys::GUID,
    out: *mut *mut c_void,
) -> sys::HRESULT {
    if out.is_null() || iid.is_null() {
        return HResult::E_POINTER.0;
    }
    // SAFETY: `iid` points to a GUID, says the caller.
    let iid = corprof_types::Guid::from_sys(unsafe { iid.read() });
    let known = vtable::INTERFACES.iter().any(|known| corprof_types::Guid::from_sys(*known) == iid);
    // SAFETY: `out` points to a place for a pointer; an interface that is not there leaves null in it.
    unsafe { out.write(if known { this.cast() } else { core::ptr::null_mut() }) };
    if !known {
        return HResult::E_NOINTERFACE.0;
    }
    // SAFETY: the object is alive.
    unsafe { add_ref::<P>(this) };
    HResult::S_OK.0
}

/// `IUnknown::AddRef`.
///
/// # Safety
/// `this` is a live object of ours.
pub(crate) unsafe extern "system" fn add_ref<P: Profiler>(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: forwarded to the caller.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    // Relaxed: a new reference is made from one that is held, which keeps the object alive.
    object.references.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

/// `IUnknown::Release`; the last reference destroys the object.
///
/// # Safety
/// `this` is a live object of ours, and the caller gives one of its references away.
pub(crate) unsafe extern "system" fn release<P: Profiler>(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: forwarded to the caller.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    let left = object.references.fetch_sub(1, Ordering::Release).wrapping_sub(1);
    if left == 0 {
        // Everything that other threads did with the object happens before it is destroyed.
        fence(Ordering::Acquire);
        // SAFETY: `create` made it with `Box::into_raw`, and this was the last reference to it.
        let object = unsafe { Box::from_raw(this.cast::<CallbackObject<P>>()) };
        Switch::new().guard("Release", || drop(object));
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ptr::null_mut;
    use std::sync::atomic::AtomicUsize;

    /// Counts how many profilers are alive.
    static ALIVE: AtomicUsize = AtomicUsize::new(0);

    struct Counted;

    impl Profiler for Counted {
        fn initialize(_: &ProfilerInfo) -> crate::error::Result<Self> {
            ALIVE.fetch_add(1, Ordering::SeqCst);
            Ok(Self)
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn references_are_counted_and_the_last_one_frees() {
        let this: *mut sys::IUnknown = CallbackObject::<Counted>::create().cast();
        // SAFETY: a live object with one reference, released as often as it was referenced.
        unsafe {
            let mut out = null_mut();
            let iid = sys::IID_ICorProfilerCallback11;
            assert_eq!(query_interface::<Counted>(this, &raw const iid, &raw mut out), 0);
            assert_eq!(out, this.cast());
            assert_eq!(add_ref::<Counted>(this), 3);
            assert_eq!(release::<Counted>(this), 2);
            assert_eq!(release::<Counted>(this), 1);
            assert_eq!(release::<Counted>(this), 0);
        }
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn an_unknown_interface_is_refused_and_leaves_null() {
        let this: *mut sys::IUnknown = CallbackObject::<Counted>::create().cast();
        // SAFETY: a live object with one reference, which is released at the end.
        unsafe {
            let mut out = this.cast();
            let iid = sys::IID_ICorProfilerInfo;
            assert_eq!(
                query_interface::<Counted>(this, &raw const iid, &raw mut out),
                HResult::E_NOINTERFACE.0
            );
            assert!(out.is_null());
            assert_eq!(query_interface::<Counted>(this, &raw const iid, null_mut()), HResult::E_POINTER.0);
            assert_eq!(release::<Counted>(this), 0);
        }
    }

    #[test]
    fn every_version_of_the_callback_is_answered() {
        let this: *mut sys::IUnknown = CallbackObject::<Counted>::create().cast();
        for iid in vtable::INTERFACES {
            let mut out = null_mut();
            // SAFETY: a live object; each reference that is given out is released.
            unsafe {
                assert_eq!(query_interface::<Counted>(this, &raw const iid, &raw mut out), 0);
                assert_eq!(out, this.cast());
                assert_eq!(release::<Counted>(this), 1);
            }
        }
        // SAFETY: the last reference.
        unsafe { assert_eq!(release::<Counted>(this), 0) };
    }
}
