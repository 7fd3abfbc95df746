//! The call that a hook was called for.
//!
//! Contract of the unsafe code here: a frame is made by the hook with what the runtime passed to it, and
//! cannot outlive the hook: it is lent to the profiler, and it is neither `Send` nor `Sync`, since only the
//! thread whose call it is may ask about it.
#![allow(unsafe_code)]

use core::marker::PhantomData;

use corprof_sys as sys;

use super::save_area::{SaveArea, return_registers};
use crate::ids::{FrameInfo, FunctionId};
use crate::{ProfilerInfo, Result};

/// A stretch of memory that holds an argument, or several that lie side by side, or a return value
/// (`COR_PRF_FUNCTION_ARGUMENT_RANGE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentRange {
    /// Where it begins; valid as long as the hook runs.
    pub address: usize,
    /// Its length in bytes.
    pub length: u32,
}

impl From<sys::COR_PRF_FUNCTION_ARGUMENT_RANGE> for ArgumentRange {
    fn from(range: sys::COR_PRF_FUNCTION_ARGUMENT_RANGE) -> Self {
        Self { address: range.startAddress, length: range.length }
    }
}

/// What the runtime knows of a call that begins.
#[derive(Clone, Copy)]
pub struct EnterArguments<'a> {
    frame: FrameInfo<'a>,
    ranges: &'a [sys::COR_PRF_FUNCTION_ARGUMENT_RANGE],
}

impl<'a> EnterArguments<'a> {
    /// The call's generic context, for [`ProfilerInfo::function_instance`].
    #[must_use]
    pub fn frame(&self) -> FrameInfo<'a> {
        self.frame
    }

    /// Where the arguments are, in order, `this` first. Usually one range for each; the contract allows one
    /// for several that lie side by side. Empty without `ENABLE_FUNCTION_ARGS`.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = ArgumentRange> + 'a {
        self.ranges.iter().map(|range| ArgumentRange::from(*range))
    }
}

/// A call that begins.
pub struct EnterFrame<'cb> {
    info: &'cb ProfilerInfo,
    function: FunctionId,
    elt: sys::COR_PRF_ELT_INFO,
    thread_bound: PhantomData<*mut ()>,
}

impl<'cb> EnterFrame<'cb> {
    /// # Safety
    /// `elt` is what the runtime passed to the enter hook that is running for `function`, and `'cb` ends with
    /// the hook.
    pub(super) unsafe fn new(
        info: &'cb ProfilerInfo,
        function: FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Self {
        Self { info, function, elt, thread_bound: PhantomData }
    }

    /// The method that is called.
    #[must_use]
    pub fn function(&self) -> FunctionId {
        self.function
    }

    /// Asks for the call's generic context and arguments and lends them to `read`
    /// (`ICorProfilerInfo3::GetFunctionEnter3Info`). They are gone when `read` returns.
    ///
    /// On runtimes whose answer damages the program's floating-point arguments (.NET Core 3.1), the damage is
    /// undone afterwards.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetFunctionEnter3Info")]
    pub fn arguments<R>(&self, read: impl FnOnce(EnterArguments<'_>) -> R) -> Result<R> {
        // SAFETY: `elt` is the runtime's, for this hook.
        let _restored_on_drop = unsafe { SaveArea::guard(self.info, self.elt) };
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        unsafe {
            self.info.enter_info(self.function, self.elt, |found| {
                read(EnterArguments { frame: FrameInfo::in_callback(found.frame), ranges: found.ranges })
            })
        }
    }
}

/// What the runtime knows of a call that ends.
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
pub struct LeaveFrame<'cb> {
    info: &'cb ProfilerInfo,
    function: FunctionId,
    elt: sys::COR_PRF_ELT_INFO,
    thread_bound: PhantomData<*mut ()>,
}

impl<'cb> LeaveFrame<'cb> {
    /// # Safety
    /// As for [`EnterFrame::new`], with the leave hook.
    pub(super) unsafe fn new(
        info: &'cb ProfilerInfo,
        function: FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Self {
        Self { info, function, elt, thread_bound: PhantomData }
    }

    /// The method that returns.
    #[must_use]
    pub fn function(&self) -> FunctionId {
        self.function
    }

    /// Asks for the return value and lends it to `read` (`ICorProfilerInfo3::GetFunctionLeave3Info`). It is
    /// gone when `read` returns.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetFunctionLeave3Info")]
    pub fn return_value<R>(&self, read: impl FnOnce(LeaveValue<'_>) -> R) -> Result<R> {
        // SAFETY: `elt` is the runtime's, for this hook.
        let _restored_on_drop = unsafe { SaveArea::guard(self.info, self.elt) };
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        let (frame, range) = unsafe { self.info.leave_info(self.function, self.elt) }?;
        // SAFETY: `elt` is the runtime's, for this hook.
        let registers = unsafe { return_registers(self.info, self.elt, range.startAddress) };
        Ok(read(LeaveValue { frame: FrameInfo::in_callback(frame), range: range.into(), registers }))
    }
}

/// A call that ends with a tail call.
pub struct TailcallFrame<'cb> {
    info: &'cb ProfilerInfo,
    function: FunctionId,
    elt: sys::COR_PRF_ELT_INFO,
    thread_bound: PhantomData<*mut ()>,
}

impl<'cb> TailcallFrame<'cb> {
    /// # Safety
    /// As for [`EnterFrame::new`], with the tailcall hook.
    pub(super) unsafe fn new(
        info: &'cb ProfilerInfo,
        function: FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Self {
        Self { info, function, elt, thread_bound: PhantomData }
    }

    /// The method that ends.
    #[must_use]
    pub fn function(&self) -> FunctionId {
        self.function
    }

    /// The call's generic context (`ICorProfilerInfo3::GetFunctionTailcall3Info`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetFunctionTailcall3Info")]
    pub fn frame(&self) -> Result<FrameInfo<'cb>> {
        // SAFETY: `elt` is the runtime's, for this hook and this function.
        unsafe { self.info.tailcall_info(self.function, self.elt) }.map(FrameInfo::in_callback)
    }
}
