//! The callbacks by subject: one function for each, which checks, converts and delivers. The table of them is in
//! [`vtable`](super::vtable).
//!
//! Contract of the unsafe code in this folder: the runtime calls these functions with `this` a live object made by
//! [`CallbackObject::<P>::create`], and with arguments as `corprof.idl` declares them: a count and as many
//! elements behind a pointer that may be null when the count is zero. Lists are lent for the duration of the
//! call, and the types that wrap them borrow from it. Nothing unwinds out of these functions.
#![allow(unsafe_code)]

mod collection;
mod compilation;
mod event_pipe;
mod exceptions;
mod lifecycle;
mod loading;
mod threads;

use core::ffi::c_void;
use std::sync::atomic::Ordering;

use corprof_sys as sys;

pub(super) use collection::*;
pub(super) use compilation::*;
pub(super) use event_pipe::*;
pub(super) use exceptions::*;
pub(super) use lifecycle::*;
pub(super) use loading::*;
pub(super) use threads::*;

use super::object::{CallbackObject, Running};
use crate::ids::{AppDomainId, AssemblyId, ClassId, FunctionId, ModuleId};
use crate::{HResult, Profiler, ProfilerInfo, Result};

/// A list that the runtime lends.
///
/// # Safety
/// `data` points to `count` elements that stay as they are for `'a`, or `count` is zero. `T` has the layout
/// of the elements.
unsafe fn list<'a, T>(data: *const T, count: sys::ULONG) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: says the caller; a u32 fits a usize on every target that the runtime has.
    unsafe { core::slice::from_raw_parts(data, count as usize) }
}

/// What the runtime reports of something that it has finished.
fn status(code: sys::HRESULT) -> Result<(), HResult> {
    HResult(code).ok()
}

/// Delivers one callback to the profiler behind `this`: `S_OK`, unless the profiler panicked.
///
/// # Safety
/// `this` is a live object made by [`CallbackObject::<P>::create`].
unsafe fn deliver<P: Profiler>(
    this: *mut c_void,
    callback: &'static str,
    work: impl FnOnce(&P, Given<'_>) -> Option<()>,
) -> sys::HRESULT {
    // SAFETY: forwarded to the caller.
    match unsafe { CallbackObject::<P>::from_interface(this) }.running() {
        Some(running) => answer(running, callback, |profiler| work(profiler, Given(&running.info))),
        None => HResult::S_OK.0,
    }
}

/// Makes ids of what the runtime gives: what they name is there, whatever had these numbers before.
#[derive(Clone, Copy)]
struct Given<'a>(&'a ProfilerInfo);

impl Given<'_> {
    fn function(self, raw: usize) -> Option<FunctionId> {
        self.0.given(FunctionId::from_raw(raw))
    }

    fn class(self, raw: usize) -> Option<ClassId> {
        self.0.given(ClassId::from_raw(raw))
    }

    fn module(self, raw: usize) -> Option<ModuleId> {
        self.0.given(ModuleId::from_raw(raw))
    }

    fn assembly(self, raw: usize) -> Option<AssemblyId> {
        self.0.given(AssemblyId::from_raw(raw))
    }

    fn app_domain(self, raw: usize) -> Option<AppDomainId> {
        self.0.given(AppDomainId::from_raw(raw))
    }
}

/// Delivers to a profiler that runs. An argument that is null against the contract ends `work` early, and is
/// logged.
fn answer<P>(
    running: &Running<P>,
    callback: &'static str,
    work: impl FnOnce(&P) -> Option<()>,
) -> sys::HRESULT {
    if running.stopped.load(Ordering::Relaxed) {
        return HResult::S_OK.0;
    }
    match running.deliver(callback, work) {
        Some(Some(())) => HResult::S_OK.0,
        Some(None) => {
            tracing::warn!("{callback} came with a null id and was not delivered");
            HResult::S_OK.0
        }
        None => HResult::E_FAIL.0,
    }
}

/// Delivers a question: the answer is written where the runtime reads it, and left as it is if the profiler cannot
/// be asked.
///
/// # Safety
/// `this` is a live object made by [`CallbackObject::<P>::create`]; `answer` points to a place for a `BOOL`, or is
/// null.
unsafe fn ask<P: Profiler>(
    this: *mut c_void,
    callback: &'static str,
    answer: *mut sys::BOOL,
    question: impl FnOnce(&P, Given<'_>) -> Option<bool>,
) -> sys::HRESULT {
    let work = |profiler: &P, given: Given<'_>| {
        let said = question(profiler, given)?;
        // SAFETY: a place for a BOOL, or null.
        if let Some(place) = unsafe { answer.as_mut() } {
            *place = said.into();
        }
        Some(())
    };
    // SAFETY: forwarded to the caller.
    unsafe { deliver::<P>(this, callback, work) }
}

/// Declares callbacks: the interface, the COM name, the arguments, and what to tell the profiler, with the ids that
/// the runtime gives. In the body, `?` on a null id ends the delivery.
macro_rules! callbacks {
    ($($interface:ident: $method:ident($($arg:ident: $ty:ty),*) => |$profiler:ident, $given:pat_param| $body:expr;)*) => {$(
        pub(in crate::com) unsafe extern "system" fn $method<P: Profiler>(
            this: *mut sys::$interface,
            $($arg: $ty),*
        ) -> sys::HRESULT {
            // SAFETY: the runtime calls with a live object of ours.
            unsafe { deliver::<P>(this.cast(), stringify!($method), |$profiler, $given| { $body; Some(()) }) }
        }
    )*};
}

/// Declares callbacks that tell the profiler nothing, with the reason.
macro_rules! not_surfaced {
    ($reason:literal: $($interface:ident: $method:ident($($ty:ty),*);)*) => {$(
        #[doc = $reason]
        pub(in crate::com) unsafe extern "system" fn $method(_: *mut sys::$interface, $(_: $ty),*) -> sys::HRESULT {
            HResult::S_OK.0
        }
    )*};
}
use {callbacks, not_surfaced};
