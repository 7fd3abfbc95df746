//! The COM object that hears of tokens that change when metadata is saved.
//!
//! Contract of the unsafe code here: the object is made once, on the heap, and lives until its count of references
//! falls to zero. Its first field is the pointer to the vtable, so a pointer to the object is an interface pointer.
//! It is only ever read through shared references; what changes in it is atomic or behind a lock, which is held
//! while the list grows and not while anything is called.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering, fence};
use std::sync::{Mutex, PoisonError};

use corprof_sys as sys;
use sigparse::Token;

use corprof_types::{Guid, HResult};

/// A reference to the object.
pub(super) struct TokenMap(NonNull<MapObject>);

#[repr(C)]
struct MapObject {
    vtable: &'static sys::IMapTokenVtbl,
    references: AtomicU32,
    moved: Mutex<Vec<(Token, Token)>>,
}

/// The methods.
static VTABLE: sys::IMapTokenVtbl = sys::IMapTokenVtbl {
    base: sys::IUnknownVtbl { QueryInterface: query_interface, AddRef: add_ref, Release: release },
    Map: map,
};

impl TokenMap {
    pub(super) fn new() -> Self {
        let object =
            MapObject { vtable: &VTABLE, references: AtomicU32::new(1), moved: Mutex::new(Vec::new()) };
        Self(NonNull::from(Box::leak(Box::new(object))))
    }

    /// The interface pointer, without a reference of its own.
    pub(super) fn as_unknown(&self) -> *mut sys::IUnknown {
        self.0.as_ptr().cast()
    }

    /// What has been heard.
    pub(super) fn moved(&self) -> Vec<(Token, Token)> {
        // SAFETY: this reference keeps the object alive.
        let object = unsafe { self.0.as_ref() };
        object.moved.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for TokenMap {
    fn drop(&mut self) {
        // SAFETY: the object is alive, and this reference is given up once.
        unsafe { release(self.as_unknown()) };
    }
}

/// The object behind an interface pointer.
///
/// # Safety
/// `this` came from [`TokenMap::new`] and has a reference for as long as `'a`.
unsafe fn object<'a>(this: *mut sys::IUnknown) -> &'a MapObject {
    // SAFETY: says the caller; the object is never borrowed mutably.
    unsafe { &*this.cast::<MapObject>() }
}

unsafe extern "system" fn query_interface(
    this: *mut sys::IUnknown,
    riid: sys::REFIID,
    out: *mut *mut c_void,
) -> sys::HRESULT {
    if riid.is_null() || out.is_null() {
        return HResult::E_POINTER.0;
    }
    // SAFETY: the caller passes an interface id and a place for a pointer.
    let iid = Guid::from_sys(unsafe { *riid });
    if iid != Guid::from_sys(sys::IID_IUnknown) && iid != Guid::from_sys(sys::IID_IMapToken) {
        // SAFETY: as above.
        unsafe { *out = core::ptr::null_mut() };
        return HResult::E_NOINTERFACE.0;
    }
    // SAFETY: as above; the caller has a reference.
    unsafe {
        add_ref(this);
        *out = this.cast();
    }
    HResult::S_OK.0
}

unsafe extern "system" fn add_ref(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: the caller has a reference.
    let object = unsafe { object(this) };
    object.references.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

unsafe extern "system" fn release(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: the caller has a reference, and gives it up.
    let left = unsafe { object(this) }.references.fetch_sub(1, Ordering::Release).wrapping_sub(1);
    if left == 0 {
        fence(Ordering::Acquire);
        // SAFETY: the last reference; the object came from a box.
        drop(unsafe { Box::from_raw(this.cast::<MapObject>()) });
    }
    left
}

/// `IMapToken::Map`: a row has another token from now on.
unsafe extern "system" fn map(
    this: *mut sys::IMapToken,
    from: sys::mdToken,
    to: sys::mdToken,
) -> sys::HRESULT {
    // SAFETY: the caller has a reference.
    let object = unsafe { object(this.cast()) };
    object.moved.lock().unwrap_or_else(PoisonError::into_inner).push((Token(from), Token(to)));
    HResult::S_OK.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_counts_its_references_and_collects_tokens() {
        let tokens = TokenMap::new();
        let unknown = tokens.as_unknown();
        let (known, other) = (sys::IID_IMapToken, sys::IID_IMetaDataEmit);
        let mut out = core::ptr::null_mut();
        // SAFETY: the object is alive; locals.
        unsafe {
            let vtable = &*(*unknown).lpVtbl;
            assert_eq!((vtable.QueryInterface)(unknown, &raw const known, &raw mut out), 0);
            let mapping: *mut sys::IMapToken = out.cast();
            assert_eq!(((*(*mapping).lpVtbl).Map)(mapping, 0x0600_0001, 0x0600_0002), 0);
            assert_eq!(
                (vtable.QueryInterface)(unknown, &raw const other, &raw mut out),
                HResult::E_NOINTERFACE.0
            );
            assert!(out.is_null());
            assert_eq!((vtable.Release)(unknown), 1);
        }
        assert_eq!(tokens.moved(), [(Token(0x0600_0001), Token(0x0600_0002))]);
    }
}
