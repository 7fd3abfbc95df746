//! The counting of the callback object's references.
#![allow(unsafe_code)]

use super::*;
use crate::profiler::Profiler;
use crate::raw::interface::{IID_IUNKNOWN, add_ref, new_object, query_interface, release};
use crate::runtime::ProfilerInfo;
use core::ptr::null_mut;
use corprof_sys as sys;
use corprof_types::HResult;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

/// Counts how many profilers are alive.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

struct Counted;

impl Profiler for Counted {
    fn initialize(_: &ProfilerInfo) -> crate::error::Result<Self> {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Ok(Self)
    }
}

const PARTS: &[Part] = &[Part::of::<Counted>()];

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn references_are_counted_and_the_last_one_frees() {
    let this: *mut sys::IUnknown = new_object(CallbackObject::new(PARTS)).as_ptr().cast();
    // SAFETY: a live object with one reference, released as often as it was referenced.
    unsafe {
        let mut out = null_mut();
        let iid = sys::IID_ICorProfilerCallback11;
        assert_eq!(query_interface::<CallbackObject>(this, &raw const iid, &raw mut out), 0);
        assert_eq!(out, this.cast());
        assert_eq!(add_ref::<CallbackObject>(this), 3);
        assert_eq!(release::<CallbackObject>(this), 2);
        assert_eq!(release::<CallbackObject>(this), 1);
        assert_eq!(release::<CallbackObject>(this), 0);
    }
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
}

#[test]
fn an_unknown_interface_is_refused_and_leaves_null() {
    let this: *mut sys::IUnknown = new_object(CallbackObject::new(PARTS)).as_ptr().cast();
    // SAFETY: a live object with one reference, which is released at the end.
    unsafe {
        let mut out = this.cast();
        let iid = sys::IID_ICorProfilerInfo;
        assert_eq!(
            query_interface::<CallbackObject>(this, &raw const iid, &raw mut out),
            HResult::E_NOINTERFACE.0
        );
        assert!(out.is_null());
        assert_eq!(query_interface::<CallbackObject>(this, &raw const iid, null_mut()), HResult::E_POINTER.0);
        assert_eq!(release::<CallbackObject>(this), 0);
    }
}

#[test]
fn every_version_of_the_callback_is_answered() {
    let this: *mut sys::IUnknown = new_object(CallbackObject::new(PARTS)).as_ptr().cast();
    for iid in sys::CALLBACK_INTERFACES.into_iter().chain([*IID_IUNKNOWN.as_sys()]) {
        let mut out = null_mut();
        // SAFETY: a live object; each reference that is given out is released.
        unsafe {
            assert_eq!(query_interface::<CallbackObject>(this, &raw const iid, &raw mut out), 0);
            assert_eq!(out, this.cast());
            assert_eq!(release::<CallbackObject>(this), 1);
        }
    }
    // SAFETY: the last reference.
    unsafe { assert_eq!(release::<CallbackObject>(this), 0) };
}
