//! A call that ends, by a return or by a tail call.
#![forbid(unsafe_code)]

use super::{Call, ReturnRegisters, Source};
use crate::error::{Error, Result};
use crate::hooks::arguments::LocatedValue;
use crate::hooks::fast::LeaveArea;
use crate::hooks::registers::LeaveRegisters;
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
    /// When a method of a generic class returns, the runtime no longer has `this`, and its answer may be less exact than on
    /// enter.
    #[must_use]
    #[inline]
    pub fn frame(&self) -> FrameInfo<'a> {
        self.frame
    }

    /// Returns the memory of the return value, or a range of length 0.
    ///
    /// The length is 0 for `void`, without `ENABLE_FUNCTION_RETVAL`, and for a struct that is in
    /// [`registers`](Self::registers).
    #[must_use]
    #[inline]
    pub fn range(&self) -> ArgumentRange {
        self.value.range()
    }

    /// Returns the registers of a returned struct of up to 16 bytes, on .NET Core 3.1.
    ///
    /// Newer runtimes copy such a struct to memory, which [`range`](Self::range) returns. The fields of the struct determine
    /// which of the registers contain it.
    #[must_use]
    #[inline]
    pub fn registers(&self) -> Option<ReturnRegisters> {
        self.registers
    }

    /// Returns a return value of 1, 2, 4 or 8 bytes in the lowest bytes of a number. The bytes above are unspecified.
    ///
    /// `None` for a value of another size.
    #[must_use]
    #[inline(always)]
    pub fn word(&self) -> Option<u64> {
        self.value.word()
    }
}

/// The call that a running leave hook reports.
#[derive(Clone, Copy)]
pub struct LeaveFrame<'cb>(pub(in crate::hooks) Call<'cb, LeaveArea>);

impl<'cb> LeaveFrame<'cb> {
    /// The method that returns.
    #[must_use]
    #[inline]
    pub fn function(&self) -> FunctionId {
        *self.0.function
    }

    /// Returns the caller's stack pointer, equal to the one of the
    /// [enter hook](crate::EnterFrame::caller_stack_pointer) of this call.
    #[must_use]
    #[inline]
    pub fn caller_stack_pointer(&self) -> Option<usize> {
        self.0.caller_stack_pointer(LeaveArea::stack)
    }

    /// Calls `read` with the return value. `ICorProfilerInfo3::GetFunctionLeave3Info`.
    ///
    /// Its memory is reused after `read` has returned.
    ///
    /// # Errors
    /// Always in fast-path hooks, which have [`registers`](Self::registers) instead. Any failure of the call.
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
    /// Returns the registers that a fast-path stub has saved; `None` in slow-path hooks. See
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

/// The call that a running tailcall hook reports.
#[derive(Clone, Copy)]
pub struct TailcallFrame<'cb>(pub(in crate::hooks) Call<'cb, LeaveArea>);

impl<'cb> TailcallFrame<'cb> {
    /// The method that ends.
    #[must_use]
    #[inline]
    pub fn function(&self) -> FunctionId {
        *self.0.function
    }

    /// Returns the caller's stack pointer, equal to the one of the
    /// [enter hook](crate::EnterFrame::caller_stack_pointer) of this call.
    #[must_use]
    #[inline]
    pub fn caller_stack_pointer(&self) -> Option<usize> {
        self.0.caller_stack_pointer(LeaveArea::stack)
    }

    /// Returns the generic context of the call. `ICorProfilerInfo3::GetFunctionTailcall3Info`.
    ///
    /// # Errors
    /// Always in fast-path hooks. Any failure of the call.
    #[doc(alias = "GetFunctionTailcall3Info")]
    pub fn frame(&self) -> Result<FrameInfo<'cb>> {
        let not_known = || Err(Error::other("fast hooks do not know the type arguments of a tail call"));
        self.0.tailcall_info().unwrap_or_else(not_known)
    }
}
