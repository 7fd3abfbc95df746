//! The methods of ELT hooks: installing them, and the arguments and results of calls.
//!
//! Contract of the unsafe code here: that of [`super`]. The `…3Info` methods are called in slow-path ELT hooks only, which
//! `ICorProfilerInfo3` has installed, so the version is not compared again. `hooked!` makes these calls.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::sync::atomic::Ordering;

use corprof_sys as sys;

use super::{Info, call, name};
use crate::error::{Error, Result};
use crate::limits::MAX_ARGUMENT_INFO;
use crate::raw::call::checked;
use crate::raw::evidence::FrameInfo;
use corprof_types::FunctionId;
use corprof_types::HResult;

/// Room for the arguments of most methods, in 8-byte words: a header and 31 ranges.
const INLINE_WORDS: usize = 63;

/// Room for the arguments of the others.
type Room = Box<[MaybeUninit<u64>]>;

/// Frees it. Apart, since hooks hardly ever need it.
#[cold]
#[inline(never)]
fn discard(_: Room) {}

/// The frame's generic context and the ranges of its arguments, as the runtime has written them.
pub(crate) struct FrameArguments<'b> {
    pub(crate) frame: FrameInfo<'b>,
    pub(crate) ranges: &'b [sys::COR_PRF_FUNCTION_ARGUMENT_RANGE],
}

/// Calls a method of slow-path ELT hooks. To be used in an `unsafe` block that argues for the arguments.
macro_rules! hooked {
    ($info:expr, $method:ident($($arg:expr),* $(,)?)) => {{
        const CALL: &str = name!(ICorProfilerInfo3::$method);
        $info.require_runtime(CALL).and_then(|()| {
            let this = $info.as_ptr().cast::<sys::ICorProfilerInfo3>();
            checked(CALL, ((*(*this).lpVtbl).$method)(this, $($arg),*))
        })
    }};
}

impl Info {
    /// `ICorProfilerInfo3::GetFunctionEnter3Info`, handed to `read`.
    ///
    /// # Safety
    /// `elt` is what the runtime gave to the enter hook that is running, for `function`.
    #[inline(always)]
    pub(crate) unsafe fn enter_info<R>(
        &self,
        function: FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
        read: impl FnOnce(FrameArguments<'_>) -> R,
    ) -> Result<R> {
        let mut inline = [MaybeUninit::<u64>::uninit(); INLINE_WORDS];
        let mut heap = None;
        // SAFETY: forwarded to the caller.
        let found = match unsafe { self.try_enter_info(function, elt, &mut inline) } {
            Ok(found) => found,
            // SAFETY: forwarded to the caller.
            Err(failure) => unsafe { self.enter_info_again(function, elt, failure, &mut heap) }?,
        };
        let answer = read(found);
        if let Some(heap) = heap {
            discard(heap);
        }
        Ok(answer)
    }

    /// After a failed attempt: another one, if the buffer was too small.
    ///
    /// # Safety
    /// As for [`Info::enter_info`].
    #[cold]
    #[inline(never)]
    unsafe fn enter_info_again<'b>(
        &self,
        function: FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
        failure: (Error, usize),
        heap: &'b mut Option<Room>,
    ) -> Result<FrameArguments<'b>> {
        let (Error::Call { hresult: HResult::INSUFFICIENT_BUFFER, .. }, needed) = failure else {
            return Err(failure.0);
        };
        if needed > MAX_ARGUMENT_INFO {
            return Err(Error::other(format!(
                "the runtime states {needed} bytes for the arguments of a call"
            )));
        }
        let heap = heap.insert(Box::new_uninit_slice(needed.div_ceil(size_of::<u64>())));
        // SAFETY: forwarded to the caller.
        unsafe { self.try_enter_info(function, elt, heap) }.map_err(|(error, _)| error)
    }

    /// One attempt with this buffer. In case of failure, the number of bytes that would be needed.
    ///
    /// # Safety
    /// As for [`Info::enter_info`].
    #[inline(always)]
    unsafe fn try_enter_info<'b>(
        &self,
        function: FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
        room: &'b mut [MaybeUninit<u64>],
    ) -> Result<FrameArguments<'b>, (Error, usize)> {
        let mut frame = 0;
        // The size is the capacity in bytes before the call, and the number of bytes that are needed afterwards.
        let mut bytes = u32::try_from(size_of_val(room)).unwrap_or(u32::MAX);
        let list = room.as_mut_ptr().cast::<sys::COR_PRF_FUNCTION_ARGUMENT_INFO>();
        // SAFETY: the contract of this function for the frame; locals, and a buffer with its length.
        let answer = unsafe {
            hooked!(
                self,
                GetFunctionEnter3Info(function.as_raw(), elt, &raw mut frame, &raw mut bytes, list,)
            )
        };
        if let Err(error) = answer {
            return Err((error, bytes as usize));
        }
        // SAFETY: on success the runtime has written the header and `numRanges` ranges after it, within the
        // room that it was given.
        let ranges = unsafe {
            let count = (&raw const (*list).numRanges).read() as usize;
            core::slice::from_raw_parts((&raw const (*list).ranges).cast(), count)
        };
        // SAFETY: the runtime has written the frame of the hook that is running.
        Ok(FrameArguments { frame: unsafe { FrameInfo::in_callback(frame) }, ranges })
    }

    /// `ICorProfilerInfo3::GetFunctionLeave3Info`: the frame's generic context and where the return value is.
    ///
    /// # Safety
    /// `elt` is what the runtime gave to the leave hook that is running, for `function`; `'hook` ends with it.
    #[inline(always)]
    pub(crate) unsafe fn leave_info<'hook>(
        &self,
        function: FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Result<(FrameInfo<'hook>, sys::COR_PRF_FUNCTION_ARGUMENT_RANGE)> {
        let mut frame = 0;
        let mut range = sys::COR_PRF_FUNCTION_ARGUMENT_RANGE { startAddress: 0, length: 0 };
        // SAFETY: the contract of this function for the frame; locals.
        unsafe {
            hooked!(self, GetFunctionLeave3Info(function.as_raw(), elt, &raw mut frame, &raw mut range))
        }?;
        // SAFETY: the runtime has written the frame of the hook that is running, which the caller does not outlive.
        Ok((unsafe { FrameInfo::in_callback(frame) }, range))
    }

    /// `ICorProfilerInfo3::GetFunctionTailcall3Info`: the frame's generic context.
    ///
    /// # Safety
    /// `elt` is what the runtime gave to the tailcall hook that is running, for `function`; `'hook` ends with it.
    pub(crate) unsafe fn tailcall_info<'hook>(
        &self,
        function: FunctionId,
        elt: sys::COR_PRF_ELT_INFO,
    ) -> Result<FrameInfo<'hook>> {
        let mut frame = 0;
        // SAFETY: the contract of this function for the frame; a local.
        unsafe { hooked!(self, GetFunctionTailcall3Info(function.as_raw(), elt, &raw mut frame)) }?;
        // SAFETY: as above.
        Ok(unsafe { FrameInfo::in_callback(frame) })
    }

    /// Installs the function id mapper.
    ///
    /// # Safety
    /// `client_data` is what `mapper` expects, for as long as the process lives.
    pub(crate) unsafe fn set_function_id_mapper(
        &self,
        mapper: sys::FunctionIDMapper2,
        client_data: *mut core::ffi::c_void,
    ) -> Result<()> {
        // SAFETY: a function and the data that it expects: the contract of this function.
        unsafe { call!(self, Reads ICorProfilerInfo3::SetFunctionIDMapper2(mapper, client_data)) }.map(drop)
    }

    /// Installs hooks that the compiled code calls directly.
    ///
    /// # Safety
    /// The hooks expect the client ids that the installed mapper returns, and keep the registers that compiled code
    /// has in use when it calls them.
    pub(crate) unsafe fn set_hooks(
        &self,
        enter: sys::FunctionEnter3,
        leave: sys::FunctionLeave3,
        tailcall: sys::FunctionTailcall3,
    ) -> Result<()> {
        // SAFETY: functions as the runtime calls them: the contract of this function.
        unsafe { call!(self, Reads ICorProfilerInfo3::SetEnterLeaveFunctionHooks3(enter, leave, tailcall)) }
            .map(drop)
    }

    /// Installs hooks that may ask for arguments and return values.
    ///
    /// # Safety
    /// The hooks expect the client ids that the installed mapper returns.
    pub(crate) unsafe fn set_hooks_with_info(
        &self,
        enter: sys::FunctionEnter3WithInfo,
        leave: sys::FunctionLeave3WithInfo,
        tailcall: sys::FunctionTailcall3WithInfo,
    ) -> Result<()> {
        // SAFETY: functions of the declared types.
        unsafe {
            call!(self, Reads ICorProfilerInfo3::SetEnterLeaveFunctionHooks3WithInfo(enter, leave, tailcall))
        }?;
        self.slow_path_hooks.store(true, Ordering::Relaxed);
        Ok(())
    }
}
