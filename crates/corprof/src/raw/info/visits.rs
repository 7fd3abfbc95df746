//! The methods that call back for each frame, object or reference.
//!
//! Contract of the unsafe code here, beside that of the folder: the pointer that a callback gets is the [`Visit`] of the
//! call, which lives until the call returns and which nobody else uses meanwhile.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ops::ControlFlow;
use core::ptr::null_mut;
use core::sync::atomic::Ordering;

use corprof_sys as sys;
use corprof_types::{FunctionId, HResult, ObjectId, ThreadId};

use super::{Info, call, name};
use crate::error::{Error, Result};
use crate::raw::abi::{Pass, borrowed};
use crate::raw::buffers::length_of;
use crate::raw::call_site;
use crate::raw::evidence::{FrameInfo, NoCollection};
use crate::raw::visit::Visit;

/// A frame of a stack: its function, instruction pointer, generic context, and registers.
pub(crate) struct Frame<'f> {
    pub(crate) function: Option<FunctionId>,
    pub(crate) ip: usize,
    pub(crate) frame: FrameInfo<'f>,
    pub(crate) registers: &'f [u8],
}

/// The registers that a walk begins with: a `CONTEXT` of the platform.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackSeed<'s>(&'s [u8]);

impl<'s> StackSeed<'s> {
    /// # Safety
    /// The registers are those of a managed frame of the thread that is walked.
    pub(crate) const unsafe fn new(registers: &'s [u8]) -> Self {
        Self(registers)
    }
}

/// Whether each frame has its registers, and the registers to begin with.
pub(crate) type HowToWalk<'s> = (bool, Option<StackSeed<'s>>);

/// The runtime, suspended by this thread (`ICorProfilerInfo10::SuspendRuntime`) until this is dropped
/// (`ICorProfilerInfo10::ResumeRuntime`).
///
/// Meanwhile no managed code runs, no collection begins, and no thread is freed: the suspending thread has the lock of the
/// runtime's list of threads.
#[derive(Debug)]
pub(crate) struct Suspended<'i> {
    info: &'i Info,
    thread_bound: PhantomData<*mut ()>,
}

impl<'i> Suspended<'i> {
    /// Walks the stack of a thread.
    ///
    /// # Errors
    /// [`Error::Unloaded`](crate::Error::Unloaded): the thread has been destroyed.
    pub(crate) fn walk_stack<B>(
        &self,
        thread: ThreadId,
        how: HowToWalk<'_>,
        visit: impl FnMut(Frame<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        self.info.alive.check(thread.into())?;
        // SAFETY: the thread has not been destroyed before, and is not freed as long as the runtime is suspended.
        unsafe { self.info.walk_stack(Some(thread), how, visit) }
    }
}

impl<'s> From<&'s Suspended<'_>> for NoCollection<'s> {
    fn from(_: &'s Suspended<'_>) -> Self {
        // SAFETY: the runtime is suspended.
        unsafe { Self::new() }
    }
}

impl Drop for Suspended<'_> {
    fn drop(&mut self) {
        call_site::set_suspended(false);
        if let Err(error) = self.info.resume_runtime() {
            tracing::error!("the runtime stays suspended: {error}");
        }
        self.info.is_suspended.store(false, Ordering::Release);
    }
}

const SUSPEND: &str = "ICorProfilerInfo10::SuspendRuntime";

impl Info {
    /// Suspends the runtime, unless a thread of the profiler has.
    ///
    /// The runtime notes only that a profiler has suspended it. A second thread would wait for the first one, whose end clears the
    /// note, and then could not resume the runtime.
    pub(crate) fn suspend(&self) -> Result<Suspended<'_>> {
        // What the calling thread itself has suspended is refused like any other call there.
        if !call_site::has_suspended() && self.is_suspended.swap(true, Ordering::Acquire) {
            let (call, hresult) = (SUSPEND, HResult::CORPROF_E_SUSPENSION_IN_PROGRESS);
            return Err(Error::Call { call, hresult });
        }
        if let Err(error) = self.suspend_runtime() {
            if !call_site::has_suspended() {
                self.is_suspended.store(false, Ordering::Release);
            }
            return Err(error);
        }
        call_site::set_suspended(true);
        Ok(Suspended { info: self, thread_bound: PhantomData })
    }

    /// Walks the stack of the calling thread.
    pub(crate) fn walk_own_stack<B>(
        &self,
        how: HowToWalk<'_>,
        visit: impl FnMut(Frame<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        // SAFETY: no other thread.
        unsafe { self.walk_stack(None, how, visit) }
    }

    /// `ICorProfilerInfo2::DoStackSnapshot`; `None` is the calling thread.
    ///
    /// # Safety
    /// Another thread is alive until the call returns, and is suspended by the runtime.
    unsafe fn walk_stack<B>(
        &self,
        mut thread: Option<ThreadId>,
        (registers, seed): HowToWalk<'_>,
        visit: impl FnMut(Frame<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let flags = match registers {
            true => sys::COR_PRF_SNAPSHOT_REGISTER_CONTEXT,
            false => sys::COR_PRF_SNAPSHOT_DEFAULT,
        };
        let seed = seed.map_or(&[][..], |seed| seed.0);
        let length = length_of(name!(ICorProfilerInfo2::DoStackSnapshot), seed)?;
        // A CONTEXT is aligned to 16 bytes.
        let aligned = seed.chunks(16).map(|chunk| {
            let mut word = [0; 16];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            u128::from_ne_bytes(word)
        });
        let mut aligned: Vec<u128> = aligned.collect();
        let seed = if aligned.is_empty() { null_mut() } else { aligned.as_mut_ptr().cast() };
        let mut visit = Visit::new(visit);
        let (function, state) = frame_callback(&mut visit);
        // SAFETY: the function and the visit that it expects; a seed with its length, or null; the caller vouches for the
        // thread.
        let answer = unsafe {
            call!(self, Reads ICorProfilerInfo2::DoStackSnapshot(
                Pass::pass(&mut thread), Some(function), flags.0, state, seed, length,
            ))
        };
        visit.finish(answer)
    }

    /// `ICorProfilerInfo15::EnumerateGCHeapObjects`.
    pub(crate) fn visit_heap_objects<B>(
        &self,
        visit: impl FnMut(ObjectId<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let mut visit = Visit::new(visit);
        let (function, state) = heap_callback(&mut visit);
        // SAFETY: the function and the visit that it expects.
        let answer = unsafe {
            call!(self, WalksHeap ICorProfilerInfo15::EnumerateGCHeapObjects(Some(function), state))
        };
        visit.finish(answer)
    }

    /// `ICorProfilerInfo10::EnumerateObjectReferences`: each object and the address of the reference to it.
    pub(crate) fn visit_object_references<B>(
        &self,
        object: ObjectId<'_>,
        visit: impl FnMut(ObjectId<'_>, usize) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let mut visit = Visit::new(visit);
        let (function, state) = reference_callback(&mut visit);
        // SAFETY: the function and the visit that it expects; the object neither moves nor ends as long as its id lives.
        let answer = unsafe {
            call!(self, Reads ICorProfilerInfo10::EnumerateObjectReferences(
                object.as_raw(), Some(function), state,
            ))
        };
        visit.finish(answer)
    }
}

type FrameCallback = unsafe extern "system" fn(
    sys::FunctionID,
    sys::UINT_PTR,
    sys::COR_PRF_FRAME_INFO,
    sys::ULONG32,
    *mut sys::BYTE,
    *mut c_void,
) -> sys::HRESULT;

fn frame_callback<V, B>(visit: &mut Visit<V, B>) -> (FrameCallback, *mut c_void)
where
    V: FnMut(Frame<'_>) -> ControlFlow<B>,
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
        V: FnMut(Frame<'_>) -> ControlFlow<B>,
    {
        // SAFETY: see the contract of this file.
        let visit = unsafe { &mut *state.cast::<Visit<V, B>>() };
        // SAFETY: the runtime passes a function or 0, a frame or 0, and a buffer with its length or null, all for the duration
        // of the call.
        let frame = unsafe {
            Frame {
                function: FunctionId::from_raw(function),
                ip,
                frame: FrameInfo::in_callback(frame),
                registers: borrowed(registers, registers_length),
            }
        };
        if visit.step(|look| look(frame)) { HResult::S_OK.0 } else { HResult::S_FALSE.0 }
    }
    (callback::<V, B>, core::ptr::from_mut(visit).cast())
}

type HeapCallback = unsafe extern "system" fn(sys::ObjectID, *mut c_void) -> sys::BOOL;

fn heap_callback<V, B>(visit: &mut Visit<V, B>) -> (HeapCallback, *mut c_void)
where
    V: FnMut(ObjectId<'_>) -> ControlFlow<B>,
{
    unsafe extern "system" fn callback<V, B>(object: sys::ObjectID, state: *mut c_void) -> sys::BOOL
    where
        V: FnMut(ObjectId<'_>) -> ControlFlow<B>,
    {
        // SAFETY: see the contract of this file.
        let visit = unsafe { &mut *state.cast::<Visit<V, B>>() };
        // SAFETY: the runtime passes an object that stays where it is until the visit returns.
        let object = unsafe { ObjectId::from_raw(object) };
        visit.step(|look| object.map_or(ControlFlow::Continue(()), look)).into()
    }
    (callback::<V, B>, core::ptr::from_mut(visit).cast())
}

type ReferenceCallback =
    unsafe extern "system" fn(sys::ObjectID, *mut sys::ObjectID, *mut c_void) -> sys::BOOL;

fn reference_callback<V, B>(visit: &mut Visit<V, B>) -> (ReferenceCallback, *mut c_void)
where
    V: FnMut(ObjectId<'_>, usize) -> ControlFlow<B>,
{
    unsafe extern "system" fn callback<V, B>(
        _: sys::ObjectID,
        reference: *mut sys::ObjectID,
        state: *mut c_void,
    ) -> sys::BOOL
    where
        V: FnMut(ObjectId<'_>, usize) -> ControlFlow<B>,
    {
        // SAFETY: see the contract of this file.
        let visit = unsafe { &mut *state.cast::<Visit<V, B>>() };
        // SAFETY: the runtime passes the place of the reference, or null.
        let object = unsafe { reference.as_ref() };
        // SAFETY: the object stays where it is until the visit returns.
        let object = object.and_then(|object| unsafe { ObjectId::from_raw(*object) });
        let address = reference.addr();
        visit.step(|look| object.map_or(ControlFlow::Continue(()), |object| look(object, address))).into()
    }
    (callback::<V, B>, core::ptr::from_mut(visit).cast())
}
