//! The profiler's own life: start, attachment, detachment, the end of the process.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::mem::MaybeUninit;

use corprof_sys as sys;

use super::{callbacks, note, set};
use crate::error::{Error, Result};
use crate::guard::Switch;
use crate::profiler::Profiler;
use crate::profiler::object::CallbackObject;
use crate::raw::collecting::Callback;
use crate::raw::interface::Unknown;
use crate::report;
use crate::running::Running;
use crate::runtime::ProfilerInfo;
use corprof_types::HResult;

/// `Initialize` and `InitializeForAttach`: makes the profiler, keeps it, installs its hooks. `unknown` is the runtime's own
/// object.
fn start<P: Profiler>(
    object: &CallbackObject<P>,
    unknown: Option<Unknown<'_>>,
    callback: &'static str,
    make: impl FnOnce(&ProfilerInfo) -> Result<P>,
) -> HResult {
    let mut given = None;
    let _begun = Callback::begin();
    let started = Switch::new().guard(callback, || {
        let unknown = unknown.ok_or(Error::Null { call: callback, what: "ICorProfilerInfo" })?;
        let info = ProfilerInfo::from_unknown(unknown)?;
        given = Some(info.clone());
        info.watch_ends()?;
        let profiler = make(&info)?;
        let running = object.start(profiler, info);
        running.profiler.hooks().install(running)
    });
    if !matches!(started, Some(Ok(()))) {
        // Threads of the profiler may hold a `ProfilerInfo`, and the runtime does not know of the profiler any more.
        given.inspect(ProfilerInfo::end);
        if let Some(running) = object.running() {
            running.stop();
        }
    }
    match started {
        Some(Ok(())) => HResult::S_OK,
        Some(Err(error)) => {
            report::failure(&format!("the profiler does not run: {error}"));
            error.hresult()
        }
        None => HResult::E_FAIL,
    }
}

pub(super) fn Initialize<P: Profiler>(object: &CallbackObject<P>, unknown: Option<Unknown<'_>>) -> HResult {
    start(object, unknown, "Initialize", P::initialize)
}

pub(super) fn InitializeForAttach<P: Profiler>(
    object: &CallbackObject<P>,
    unknown: Option<Unknown<'_>>,
    data: &[u8],
) -> HResult {
    start(object, unknown, "InitializeForAttach", |info| {
        info.note_attached();
        P::initialize_for_attach(info, data)
    })
}

/// Delivers that the profiler ends, also to one that has been switched off: it may have threads to join and a file to
/// close. Nothing is delivered afterwards. The runtime may still be called.
fn end<P>(running: &Running<P>, callback: &'static str, notify: impl FnOnce(&P)) -> HResult {
    let notified = running.switch.guard_even_if_off(callback, || notify(&running.profiler));
    let code = if notified.is_some() || running.switch.has_ended() { HResult::S_OK } else { HResult::E_FAIL };
    running.switch.end();
    code
}

pub(super) fn Shutdown<P: Profiler>(object: &CallbackObject<P>) -> HResult {
    let Some(running) = object.running() else { return HResult::S_OK };
    let _begun = Callback::begin();
    // Threads may throw until the process has ended, and the library answers none of their callbacks then.
    note(running, "Shutdown", || drop(running.info.end_exceptions()));
    let code = end(running, "Shutdown", P::shutdown);
    // Hooks return at once from here on, so that threads are found in the program's code.
    running.info.hold_threads_at_the_end();
    running.stop();
    code
}

pub(super) fn ProfilerDetachSucceeded<P: Profiler>(object: &CallbackObject<P>) -> HResult {
    let Some(running) = object.running() else { return HResult::S_OK };
    let _begun = Callback::begin();
    let code = end(running, "ProfilerDetachSucceeded", P::profiler_detach_succeeded);
    running.stop();
    code
}

pub(super) fn LoadAsNotificationOnly<P: Profiler>(
    _: &CallbackObject<P>,
    notification_only: Option<&mut MaybeUninit<sys::BOOL>>,
) -> HResult {
    if notification_only.is_none() {
        return HResult::E_POINTER;
    }
    let answer = Switch::new().guard("LoadAsNotificationOnly", P::load_as_notification_only);
    set(notification_only, answer.unwrap_or(false));
    HResult::S_OK
}

callbacks! {
    ProfilerAttachComplete() => |p, given| {
        given.0.note_loaded_modules();
        p.profiler_attach_complete();
    };
}
