//! The call that a hook was called for.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | what the frames have in common |
//! | `enter` | a call that begins |
//! | `leave` | a call that ends, by a return or a tail call |
//! | `registers` | what is in the registers, for fast hooks |
//!
//! Contract of the unsafe code here: a frame is made by the hook with what the runtime passed to it, and
//! cannot outlive the hook: it is lent to the profiler, and it is neither `Send` nor `Sync`, since only the
//! thread whose call it is may ask about it.
#![allow(unsafe_code)]

mod enter;
mod leave;
mod registers;

use core::marker::PhantomData;

use corprof_sys as sys;

pub use enter::EnterFrame;
pub use leave::{LeaveFrame, LeaveValue, ReturnRegisters, TailcallFrame};
pub use registers::{EnterRegisters, LeaveRegisters};

use super::save_area::caller_stack_pointer;
use crate::ids::FunctionId;
use crate::{Error, ProfilerInfo};

/// What every frame has: the call, and what its hook knows of it.
pub(super) struct Call<'cb, A> {
    pub(super) info: &'cb ProfilerInfo,
    /// Read when it is asked for.
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

    /// What the runtime has passed to a hook with info.
    pub(super) fn elt(&self) -> Option<sys::COR_PRF_ELT_INFO> {
        match self.source {
            Source::WithInfo(elt) => Some(elt),
            Source::Fast(_) => None,
        }
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

/// What a hook knows of its call: from the runtime, or from the registers that its stub has saved.
enum Source<'cb, A> {
    WithInfo(sys::COR_PRF_ELT_INFO),
    Fast(&'cb A),
}

// Not derived: that would ask for an area that can be copied.
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
fn no_locations() -> Error {
    Error::other("fast hooks have to be told where arguments and return values are: call `arguments_by`")
}
