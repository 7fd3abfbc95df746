//! The profiler's own life: start, attachment, detachment, the end of the process.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::atomic::AtomicBool;

use corprof_sys as sys;

use super::super::guard::guarded;
use super::super::object::CallbackObject;
use super::{answer, callbacks, deliver, list};
use crate::{HResult, Profiler, ProfilerInfo, Result, report};

/// `Initialize` and `InitializeForAttach`: makes the profiler, keeps it, installs its hooks.
///
/// # Safety
/// `this` is a live object of ours, `unknown` the runtime's own object or null.
unsafe fn start<P: Profiler>(
    this: *mut c_void,
    unknown: *mut sys::IUnknown,
    callback: &'static str,
    make: impl FnOnce(&ProfilerInfo) -> Result<P>,
) -> sys::HRESULT {
    // SAFETY: forwarded to the caller.
    let object = unsafe { CallbackObject::<P>::from_interface(this) };
    report::note_for_launcher("called");
    let started = guarded(callback, &AtomicBool::new(false), || {
        let Some(unknown) = NonNull::new(unknown.cast()) else {
            return Err(crate::Error::Null { call: callback, what: "ICorProfilerInfo" });
        };
        // SAFETY: the runtime's object is alive during the call.
        let info = unsafe { ProfilerInfo::from_unknown(unknown) }?;
        let profiler = make(&info)?;
        let running = object.start(profiler, info);
        running.profiler.hooks().install(running)
    });
    match started {
        Some(Ok(())) => HResult::S_OK.0,
        Some(Err(error)) => {
            report::failure(&format!("the profiler does not run: {error}"));
            error.hresult().0
        }
        None => HResult::E_FAIL.0,
    }
}

pub(in crate::com) unsafe extern "system" fn Initialize<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    unknown: *mut sys::IUnknown,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours and its own object.
    unsafe { start::<P>(this.cast(), unknown, "Initialize", P::initialize) }
}

pub(in crate::com) unsafe extern "system" fn InitializeForAttach<P: Profiler>(
    this: *mut sys::ICorProfilerCallback3,
    unknown: *mut sys::IUnknown,
    data: *mut c_void,
    length: sys::UINT,
) -> sys::HRESULT {
    // SAFETY: the runtime lends `length` bytes of client data.
    let data = unsafe { list(data.cast_const().cast::<u8>(), length) };
    // SAFETY: the runtime calls with a live object of ours and its own object.
    unsafe {
        start::<P>(this.cast(), unknown, "InitializeForAttach", |info| P::initialize_for_attach(info, data))
    }
}

pub(in crate::com) unsafe extern "system" fn Shutdown<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    let Some(running) = object.running() else { return HResult::S_OK.0 };
    let code = answer(running, "Shutdown", |profiler| {
        profiler.shutdown();
        Some(())
    });
    running.stop();
    code
}

pub(in crate::com) unsafe extern "system" fn ProfilerDetachSucceeded<P: Profiler>(
    this: *mut sys::ICorProfilerCallback3,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    let Some(running) = object.running() else { return HResult::S_OK.0 };
    let code = answer(running, "ProfilerDetachSucceeded", |profiler| {
        profiler.profiler_detach_succeeded();
        Some(())
    });
    running.stop();
    code
}

pub(in crate::com) unsafe extern "system" fn LoadAsNotificationOnly<P: Profiler>(
    _: *mut sys::ICorProfilerCallback11,
    notification_only: *mut sys::BOOL,
) -> sys::HRESULT {
    if notification_only.is_null() {
        return HResult::E_POINTER.0;
    }
    let answer = guarded("LoadAsNotificationOnly", &AtomicBool::new(false), P::load_as_notification_only);
    // SAFETY: points to a place for a BOOL.
    unsafe { notification_only.write(answer.unwrap_or(false).into()) };
    HResult::S_OK.0
}

callbacks! {
    ICorProfilerCallback3: ProfilerAttachComplete() => |p, _| p.profiler_attach_complete();
}
