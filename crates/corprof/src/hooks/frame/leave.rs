//! A call that ends, by a return or by a tail call.
#![forbid(unsafe_code)]

use super::{Call, LeaveRegisters, ReturnRegisters, Source};
use crate::error::{Error, Result};
use crate::hooks::fast::LeaveArea;
use crate::hooks::register_words::LocatedValue;
use crate::raw::evidence::FrameInfo;
use corprof_types::{ArgumentRange, FunctionId};

/// The return value of a call, and its generic context.
#[derive(Clone, Copy, Debug)]
pub struct LeaveValue<'a> {
    frame: FrameInfo<'a>,
    value: LocatedValue<'a>,
    registers: Option<ReturnRegisters>,
}

impl<'a> LeaveValue<'a> {
    /// The call's generic context.
    ///
    /// When a method of a generic class returns, the runtime no longer knows `this`, and may name the class less exactly
    /// than on enter.
    #[must_use]
    #[inline]
    pub fn frame(&self) -> FrameInfo<'a> {
        self.frame
    }

    /// The memory of the return value; of length 0 for `void`, and without `ENABLE_FUNCTION_RETVAL`. Of a struct, only
    /// if there are no [`registers`](Self::registers).
    #[must_use]
    #[inline]
    pub fn range(&self) -> ArgumentRange {
        self.value.range()
    }

    /// The registers of a struct of up to 16 bytes, on a runtime that does not assemble it from them (.NET Core 3.1). Its
    /// fields determine which of them have it.
    #[must_use]
    #[inline]
    pub fn registers(&self) -> Option<ReturnRegisters> {
        self.registers
    }

    /// The bytes of a return value of 1, 2, 4 or 8 bytes, in the lowest bytes of a number; those above are unspecified.
    /// `None` for another size.
    #[must_use]
    #[inline(always)]
    pub fn word(&self) -> Option<u64> {
        self.value.word()
    }
}

/// A call that ends.
#[derive(Clone, Copy)]
pub struct LeaveFrame<'cb>(pub(in crate::hooks) Call<'cb, LeaveArea>);

impl<'cb> LeaveFrame<'cb> {
    /// The method that returns.
    #[must_use]
    #[inline]
    pub fn function(&self) -> FunctionId {
        *self.0.function
    }

    /// The stack pointer of the caller, as
    /// [`EnterFrame::caller_stack_pointer`](crate::EnterFrame::caller_stack_pointer) of the same call has it.
    #[must_use]
    #[inline]
    pub fn caller_stack_pointer(&self) -> Option<usize> {
        self.0.caller_stack_pointer(LeaveArea::stack)
    }

    /// Calls `read` with the return value (`ICorProfilerInfo3::GetFunctionLeave3Info`). It cannot be kept: its memory is
    /// reused when `read` has returned.
    ///
    /// # Errors
    /// With fast hooks always: see [`registers`](Self::registers). Otherwise any failure of the call.
    #[doc(alias = "GetFunctionLeave3Info")]
    #[inline(always)]
    pub fn return_value<R>(&self, read: impl FnOnce(LeaveValue<'_>) -> R) -> Result<R> {
        self.0.leave_info(
            #[inline(always)]
            |frame, value, registers| read(LeaveValue { frame, value, registers }),
        )
    }
}

impl LeaveFrame<'_> {
    /// With fast hooks, what is in the registers; `None` with hooks with info. See
    /// [`EnterFrame::registers`](crate::EnterFrame::registers).
    #[inline]
    #[must_use]
    pub fn registers(&self) -> Option<LeaveRegisters<'_>> {
        match self.0.source {
            Source::Fast(area) => Some(LeaveRegisters(area)),
            Source::WithInfo(_) => None,
        }
    }
}

/// A call that ends with a tail call.
#[derive(Clone, Copy)]
pub struct TailcallFrame<'cb>(pub(in crate::hooks) Call<'cb, LeaveArea>);

impl<'cb> TailcallFrame<'cb> {
    /// The method that ends.
    #[must_use]
    #[inline]
    pub fn function(&self) -> FunctionId {
        *self.0.function
    }

    /// The stack pointer of the caller, as
    /// [`EnterFrame::caller_stack_pointer`](crate::EnterFrame::caller_stack_pointer) of the same call has it.
    #[must_use]
    #[inline]
    pub fn caller_stack_pointer(&self) -> Option<usize> {
        self.0.caller_stack_pointer(LeaveArea::stack)
    }

    /// The call's generic context (`ICorProfilerInfo3::GetFunctionTailcall3Info`).
    ///
    /// # Errors
    /// What the runtime reports. With fast hooks always: they do not know it.
    #[doc(alias = "GetFunctionTailcall3Info")]
    pub fn frame(&self) -> Result<FrameInfo<'cb>> {
        let not_known = || Err(Error::other("fast hooks do not know the type arguments of a tail call"));
        self.0.tailcall_info().unwrap_or_else(not_known)
    }
}
