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

use corprof_sys as sys;

pub use enter::EnterFrame;
pub use leave::{LeaveFrame, LeaveValue, ReturnRegisters, TailcallFrame};
pub use registers::{EnterRegisters, LeaveRegisters};

use super::save_area::caller_stack_pointer;
use crate::Error;

/// What a hook knows of its call: from the runtime, or from the registers that its stub has saved.
enum Source<'cb, A> {
    WithInfo(sys::COR_PRF_ELT_INFO),
    Fast(&'cb A),
}

impl<A> Source<'_, A> {
    #[inline]
    fn caller_stack_pointer(&self, stack: impl FnOnce(&A) -> usize) -> Option<usize> {
        match *self {
            Self::Fast(area) => Some(stack(area)),
            // SAFETY: it is the runtime's, for the hook that is running.
            Self::WithInfo(elt) => unsafe { caller_stack_pointer(elt) },
        }
    }

    /// What the runtime has passed to a hook with info.
    fn elt(&self) -> Option<sys::COR_PRF_ELT_INFO> {
        match self {
            Self::WithInfo(elt) => Some(*elt),
            Self::Fast(_) => None,
        }
    }
}

#[cold]
fn no_locations() -> Error {
    Error::other("fast hooks have to be told where arguments and return values are: call `arguments_by`")
}
