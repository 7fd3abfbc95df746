//! Stacks: the frames of a thread, one after the other.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ops::ControlFlow;
use core::ptr::null_mut;

use corprof_sys as sys;

use super::visit::Visit;
use super::{call, length_of};
use crate::ids::{FrameInfo, FunctionId, ThreadId};
use crate::{HResult, ProfilerInfo, Result};

/// How a stack is walked; see [`ProfilerInfo::walk_stack`].
#[derive(Clone, Copy, Debug, Default)]
pub struct StackWalk<'a> {
    /// The thread; `None` for the one that asks.
    pub thread: Option<ThreadId>,
    /// Whether each frame comes with the processor's registers, which costs time.
    pub registers: bool,
    /// The registers to begin with: a `CONTEXT` of the platform, as the runtime's headers declare it, of a managed
    /// frame of the thread, for a thread that was stopped in native code. The runtime uses it on x86, and does not
    /// check it: registers that are not a frame's can crash the process. Elsewhere it ignores it, and begins where it
    /// can (Linux x86-64, .NET Core 3.1 and .NET 9: whatever the bytes).
    pub seed: Option<&'a [u8]>,
}

/// A frame of a stack.
#[derive(Clone, Copy, Debug)]
pub struct StackFrame<'f> {
    /// The method; `None` for a run of native frames, of which only the last is reported.
    pub function: Option<FunctionId>,
    /// The address at which it goes on; for the innermost frame, at which it is.
    pub ip: usize,
    /// The generic context of the call, for [`ProfilerInfo::function_instance`]. Exact only with
    /// [`EventMask::ENABLE_FRAME_INFO`](crate::EventMask::ENABLE_FRAME_INFO).
    pub frame: FrameInfo<'f>,
    /// The registers, a `CONTEXT` of the platform; empty unless they were asked for.
    pub registers: &'f [u8],
}

impl ProfilerInfo {
    /// Walks a stack from the innermost frame outwards (`ICorProfilerInfo2::DoStackSnapshot`), until `visit` breaks.
    /// Managed frames come one by one, native ones as runs.
    ///
    /// ```
    /// # use core::ops::ControlFlow;
    /// use corprof::{FunctionId, ProfilerInfo, Result, StackWalk};
    ///
    /// /// The managed functions on this thread's stack, innermost first.
    /// fn stack(info: &ProfilerInfo) -> Result<Vec<FunctionId>> {
    ///     let mut functions = Vec::new();
    ///     let _ = info.walk_stack(StackWalk::default(), |frame| {
    ///         functions.extend(frame.function);
    ///         ControlFlow::<()>::Continue(())
    ///     })?;
    ///     Ok(functions)
    /// }
    /// ```
    ///
    /// Needs [`EventMask::ENABLE_STACK_SNAPSHOT`](crate::EventMask::ENABLE_STACK_SNAPSHOT). Another thread has to
    /// stand still: suspend the runtime first ([`ProfilerInfo::suspend_runtime`]). A thread that was stopped by other
    /// means may hold any lock, that of the allocator too: `visit` must then not allocate.
    ///
    /// Frames end with their visit: keeping one does not compile.
    ///
    /// # Errors
    /// `CORPROF_E_STACKSNAPSHOT_UNSAFE` where the thread cannot be walked now,
    /// `CORPROF_E_STACKSNAPSHOT_UNMANAGED_CTX` on x86 where it is in native code and there is no seed, what else the runtime
    /// reports. Frames may have been visited before.
    ///
    /// # Panics
    /// When `visit` does: the walk is ended first.
    #[doc(alias = "DoStackSnapshot")]
    pub fn walk_stack<B>(
        &self,
        how: StackWalk<'_>,
        visit: impl FnMut(StackFrame<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let flags = if how.registers {
            sys::COR_PRF_SNAPSHOT_REGISTER_CONTEXT
        } else {
            sys::COR_PRF_SNAPSHOT_DEFAULT
        };
        // A CONTEXT is aligned to 16 bytes.
        let mut seed: Vec<u128> = Vec::new();
        if let Some(bytes) = how.seed {
            seed.extend(bytes.chunks(16).map(|chunk| {
                let mut word = [0; 16];
                word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
                u128::from_ne_bytes(word)
            }));
        }
        let seed_length = length_of("ICorProfilerInfo2::DoStackSnapshot", how.seed.unwrap_or_default())?;
        let seed = if seed.is_empty() { null_mut() } else { seed.as_mut_ptr().cast() };
        let mut visit = Visit::new(visit);
        // SAFETY: the function expects the visit, which lives until the call returns; a seed with its length, or null.
        let answer = unsafe {
            let (function, state) = frame_callback(&mut visit);
            call!(
                self,
                ICorProfilerInfo2::DoStackSnapshot(
                    how.thread.map_or(0, ThreadId::as_raw),
                    Some(function),
                    flags.0,
                    state,
                    seed,
                    seed_length,
                )
            )
        };
        visit.finish(answer)
    }
}

/// Called for each frame.
type FrameCallback = unsafe extern "system" fn(
    sys::FunctionID,
    sys::UINT_PTR,
    sys::COR_PRF_FRAME_INFO,
    sys::ULONG32,
    *mut sys::BYTE,
    *mut c_void,
) -> sys::HRESULT;

/// The function for a visit of frames, and what it expects.
fn frame_callback<V, B>(visit: &mut Visit<V, B>) -> (FrameCallback, *mut c_void)
where
    V: FnMut(StackFrame<'_>) -> ControlFlow<B>,
{
    unsafe extern "system" fn callback<V, B>(
        function: sys::FunctionID,
        ip: sys::UINT_PTR,
        frame: sys::COR_PRF_FRAME_INFO,
        registers_length: sys::ULONG32,
        registers: *mut sys::BYTE,
        state: *mut c_void,
    ) -> sys::HRESULT
    where
        V: FnMut(StackFrame<'_>) -> ControlFlow<B>,
    {
        // SAFETY: the state is the visit, and nobody else uses it during the call.
        let visit = unsafe { &mut *state.cast::<Visit<V, B>>() };
        let frame = StackFrame {
            function: FunctionId::from_raw(function),
            ip,
            frame: FrameInfo::in_callback(frame),
            // SAFETY: the runtime lends as many bytes for the duration of the call, or null.
            registers: unsafe { super::lent(registers, registers_length) },
        };
        if visit.step(|look| look(frame)) { HResult::S_OK.0 } else { HResult::S_FALSE.0 }
    }
    (callback::<V, B>, core::ptr::from_mut(visit).cast())
}
