//! The call that a hook was called for.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | what all frames have |
//! | `enter` | a call that begins |
//! | `leave` | a call that ends, by a return or a tail call |
//!
//! Contract of the unsafe code here: a frame is made by the hook with what the runtime passed to it, and
//! cannot outlive the hook: the profiler borrows it, and it is neither `Send` nor `Sync`, since only the
//! thread whose call it is may query it.
#![allow(unsafe_code)]

mod enter;
mod leave;

use core::marker::PhantomData;

use corprof_sys as sys;

pub use enter::EnterFrame;
pub use leave::{LeaveFrame, LeaveValue, TailcallFrame};

pub use super::save_area::ReturnRegisters;

use super::arguments::{EnterArguments, LocatedValue};
use super::fast::{EnterArea, LeaveArea};
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", unix)))]
use super::save_area::saved;
use super::save_area::{SaveArea, caller_stack_pointer, return_registers};
use crate::error::{Error, Result};
use crate::raw::evidence::{FrameInfo, NoCollection};
use crate::runtime::ProfilerInfo;
use corprof_types::FunctionId;

/// The state of every frame: the call, and what its hook has of it.
pub(super) struct Call<'cb, A> {
    pub(super) info: &'cb ProfilerInfo,
    /// Read on access.
    function: &'cb FunctionId,
    source: Source<'cb, A>,
    thread_bound: PhantomData<*mut ()>,
}

impl<'cb, A> Call<'cb, A> {
    /// That of a hook with info.
    ///
    /// # Safety
    /// `elt` is what the runtime passed to the hook that is running for `function`, of the kind that the area is for, and
    /// `'cb` ends with the hook.
    #[inline]
    pub(super) unsafe fn with_info(
        info: &'cb ProfilerInfo,
        function: &'cb FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Self {
        Self { info, function, source: Source::WithInfo(elt), thread_bound: PhantomData }
    }

    /// That of a fast hook that is running for `function`.
    #[inline]
    pub(super) fn fast(info: &'cb ProfilerInfo, function: &'cb FunctionId, area: &'cb A) -> Self {
        Self { info, function, source: Source::Fast(area), thread_bound: PhantomData }
    }

    /// The stack pointer of the caller; `stack` finds it in an area.
    #[inline]
    fn caller_stack_pointer(&self, stack: impl FnOnce(&A) -> usize) -> Option<usize> {
        match self.source {
            Source::Fast(area) => Some(stack(area)),
            // SAFETY: it is the runtime's, for the hook that is running.
            Source::WithInfo(elt) => unsafe { caller_stack_pointer(elt) },
        }
    }
}

impl<A> Call<'_, A> {
    /// The argument that the runtime passed to the slow-path hook.
    #[inline(always)]
    fn elt(&self) -> Result<sys::COR_PRF_ELT_INFO> {
        match self.source {
            Source::WithInfo(elt) => Ok(elt),
            Source::Fast(_) => Err(no_info()),
        }
    }
}

impl Call<'_, EnterArea> {
    /// Calls `read` with the type arguments and the arguments.
    #[inline(always)]
    fn enter_info<R>(&self, read: impl FnOnce(EnterArguments<'_>) -> R) -> Result<R> {
        let elt = self.elt()?;
        let mut restored_on_drop = SaveArea::new();
        // SAFETY: `elt` is the runtime's, for this hook.
        unsafe { restored_on_drop.guard(self.info, elt) };
        // SAFETY: `elt` is the runtime's, for this hook and this function; it has located the arguments.
        unsafe {
            self.info.raw().enter_info(
                *self.function,
                elt,
                #[inline(always)]
                |found| read(EnterArguments::of_runtime(found.frame, found.ranges)),
            )
        }
    }

    /// The frame of a fast hook at this call.
    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", unix)))]
    pub(super) fn saved_registers(&self) -> Option<EnterArea> {
        // SAFETY: `elt` is the runtime's, for this hook.
        unsafe { saved::enter(self.info, self.elt().ok()?) }
    }
}

impl Call<'_, LeaveArea> {
    /// Calls `read` with the type arguments, the result, and its registers where the runtime does not assemble it.
    #[inline(always)]
    fn leave_info<R>(
        &self,
        read: impl FnOnce(FrameInfo<'_>, LocatedValue<'_>, Option<ReturnRegisters>) -> R,
    ) -> Result<R> {
        let elt = self.elt()?;
        let mut restored_on_drop = SaveArea::new();
        // SAFETY: `elt` is the runtime's, for this hook.
        unsafe { restored_on_drop.guard(self.info, elt) };
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        let (frame, range) = unsafe { self.info.raw().leave_info(*self.function, elt) }?;
        // SAFETY: `elt` is the runtime's, for this hook.
        let registers = unsafe { return_registers(self.info, elt, range.startAddress) };
        // SAFETY: the runtime has located the value.
        Ok(read(frame, unsafe { LocatedValue::new(range) }, registers))
    }

    /// The frame of a fast hook at this call.
    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", unix)))]
    pub(super) fn saved_registers(&self) -> Option<LeaveArea> {
        // SAFETY: `elt` is the runtime's, for this hook.
        unsafe { saved::leave(self.info, self.elt().ok()?) }
    }
}

impl<'cb> Call<'cb, LeaveArea> {
    /// The generic context of a call that ends with a tail call.
    fn tailcall_info(&self) -> Option<Result<FrameInfo<'cb>>> {
        let elt = self.elt().ok()?;
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        Some(unsafe { self.info.raw().tailcall_info(*self.function, elt) })
    }
}

/// The source of a frame's values: the runtime, or the registers that the stub has saved.
enum Source<'cb, A> {
    WithInfo(sys::COR_PRF_ELT_INFO),
    Fast(&'cb A),
}

/// No collection begins while a hook runs: the collector waits for the hook's thread.
macro_rules! no_collection {
    ($($frame:ident)*) => {$(
        impl<'s> From<&'s $frame<'_>> for NoCollection<'s> {
            fn from(_: &'s $frame<'_>) -> Self {
                // SAFETY: the frame, which is borrowed, cannot outlive its hook.
                unsafe { Self::new() }
            }
        }
    )*};
}

no_collection! { EnterFrame LeaveFrame TailcallFrame }

// Not derived: a derived implementation would require an area that is `Clone`.
impl<A> Clone for Call<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Call<'_, A> {}

impl<A> Clone for Source<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Source<'_, A> {}

#[cold]
fn no_info() -> Error {
    Error::other(
        "fast hooks cannot query the runtime for values: read them from the `registers` of the frame",
    )
}
