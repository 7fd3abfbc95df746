//! Synchronisation primitives: the standard library's, or those of `loom`, which tries every interleaving.
//!
//! `loom` is selected by `--cfg loom`, in `cargo xtask loom` only.

#[cfg(loom)]
pub(crate) use loom::sync::Arc;
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::Arc;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Gives another thread a moment.
#[inline(always)]
pub(crate) fn pause() {
    #[cfg(loom)]
    loom::thread::yield_now();
    #[cfg(not(loom))]
    core::hint::spin_loop();
}

/// Stands for memory that is accessed through pointers, which `loom` does not see: it fails where two accesses are not in
/// an order, and one of them is a write. Nothing without `loom`.
#[derive(Default)]
pub(crate) struct Witness(#[cfg(loom)] loom::cell::UnsafeCell<()>);

impl Witness {
    #[inline(always)]
    pub(crate) fn read(&self) {
        #[cfg(loom)]
        self.0.with(|_| ());
    }

    #[inline(always)]
    pub(crate) fn write(&self) {
        #[cfg(loom)]
        self.0.with_mut(|_| ());
    }
}
