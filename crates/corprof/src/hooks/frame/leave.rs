//! A call that ends, by a return or by a tail call.
//!
//! Contract of the unsafe code here: as in [`super`].
#![allow(unsafe_code)]

use corprof_sys as sys;

use super::{Call, LeaveRegisters, Source, no_locations};
use crate::hooks::arguments::{ArgumentRange, read_word};
use crate::hooks::fast::LeaveArea;
use crate::hooks::locations::{Context, Locations};
use crate::hooks::save_area::{SaveArea, return_registers};
use crate::ids::{FrameInfo, FunctionId};
use crate::{Error, Result};

/// What is known of a call that ends.
#[derive(Clone, Copy, Debug)]
pub struct LeaveValue<'a> {
    /// The call's generic context. On leave, a method of a generic class no longer knows `this`, and may name
    /// its class less exactly than on enter.
    pub frame: FrameInfo<'a>,
    /// Where the return value is; of length 0 for `void`, and without `ENABLE_FUNCTION_RETVAL`. Of a struct, only
    /// if there are no [`registers`](Self::registers).
    pub range: ArgumentRange,
    /// The registers that a struct of up to 16 bytes is returned in, on a runtime that does not put it together
    /// from them (.NET Core 3.1). Which of them have it, its fields say.
    pub registers: Option<ReturnRegisters>,
}

/// What is in the registers that return values on x86-64 outside of Windows.
///
/// A struct of up to 16 bytes consists of one or two *eightbytes*. One that has nothing but `float` and `double` in
/// it is in the next of the floating-point registers, any other in the next of the integer registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnRegisters {
    /// `rax` and `rdx`.
    pub integer: [u64; 2],
    /// The lower halves of `xmm0` and `xmm1`.
    pub float: [u64; 2],
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

    /// [`return_value_by`](Self::return_value_by) for a profiler that has hooks with info only.
    ///
    /// # Errors
    /// What the runtime reports. With fast hooks always: they cannot know where the value is.
    #[inline(always)]
    pub fn return_value<R>(&self, read: impl FnOnce(LeaveValue<'_>) -> R) -> Result<R> {
        self.return_value_by(|| Err(no_locations()), read)
    }

    /// Finds the return value and lends it to `read`. It is gone when it returns.
    ///
    /// With hooks with info, the runtime is asked (`ICorProfilerInfo3::GetFunctionLeave3Info`), with fast hooks
    /// `locations`; see [`EnterFrame::arguments_by`](crate::EnterFrame::arguments_by).
    ///
    /// # Errors
    /// What the runtime or `locations` reports.
    #[doc(alias = "GetFunctionLeave3Info")]
    #[inline(always)]
    pub fn return_value_by<'l, R>(
        &self,
        locations: impl FnOnce() -> Result<&'l Locations>,
        read: impl FnOnce(LeaveValue<'_>) -> R,
    ) -> Result<R> {
        match self.0.source {
            Source::Fast(area) => {
                let range = area.range(&locations()?.result);
                Ok(read(LeaveValue { frame: FrameInfo::of_context(Context::None), range, registers: None }))
            }
            Source::WithInfo(elt) => self.ask(elt, read),
        }
    }

    /// Asks the runtime for what [`return_value_by`](Self::return_value_by) hands out.
    #[inline(always)]
    fn ask<R>(&self, elt: sys::COR_PRF_ELT_INFO, read: impl FnOnce(LeaveValue<'_>) -> R) -> Result<R> {
        // SAFETY: `elt` is the runtime's, for this hook.
        let _restored_on_drop = unsafe { SaveArea::guard(self.0.info, elt) };
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        let (frame, range) = unsafe { self.0.info.leave_info(*self.0.function, elt) }?;
        // SAFETY: `elt` is the runtime's, for this hook.
        let registers = unsafe { return_registers(self.0.info, elt, range.startAddress) };
        let frame = FrameInfo::in_callback(frame);
        Ok(read(LeaveValue { frame, range: range.into(), registers }))
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

    /// The bytes of a return value of 1, 2, 4 or 8 bytes, in the lowest bytes of a number: what is above them is not of the
    /// value. `None` if it has another size, or is not known where it is, and for `void`.
    ///
    /// It is found as by [`return_value_by`](Self::return_value_by).
    ///
    /// # Errors
    /// What the runtime or `locations` reports.
    #[inline(always)]
    pub fn return_word<'l>(&self, locations: impl FnOnce() -> Result<&'l Locations>) -> Result<Option<u64>> {
        match self.0.source {
            Source::Fast(area) => Ok(LeaveArea::word_at(locations()?.result).map(|word| word.load(area))),
            Source::WithInfo(_) => self.return_value_by(locations, |value| {
                // SAFETY: the runtime has told where the value is, to the hook that is running.
                unsafe { read_word(value.range.address, value.range.length) }
            }),
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
        let Source::WithInfo(elt) = self.0.source else {
            return Err(Error::other("fast hooks do not know the type arguments of a tail call"));
        };
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        unsafe { self.0.info.tailcall_info(*self.0.function, elt) }.map(FrameInfo::in_callback)
    }
}
