//! Synchronisation primitives of `alive`, `inflight` and `slot`: the standard library's, or those of `loom`, which tries every
//! interleaving.
//!
//! `loom` is selected by `--cfg loom`, in `cargo xtask loom` only.
#![forbid(unsafe_code)]

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
#[cfg(loom)]
pub(super) use loom::sync::{Mutex, RwLock};
#[cfg(loom)]
pub(super) use loom::thread::yield_now;
#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub(super) use std::sync::{Mutex, RwLock};
#[cfg(not(loom))]
pub(super) use std::thread::yield_now;

/// Stands for the single order of all `SeqCst` accesses, which `loom` does not model: it orders fences only. Does nothing
/// without `loom`.
#[inline(always)]
pub(super) fn in_single_order() {
    #[cfg(loom)]
    loom::sync::atomic::fence(Ordering::SeqCst);
}
