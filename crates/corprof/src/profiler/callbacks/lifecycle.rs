//! The profiler's own life: start, attachment, detachment, the end of the process.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::mem::MaybeUninit;

use corprof_sys as sys;

use super::set;
use crate::error::Error;
use crate::guard::Switch;
use crate::profiler::object::CallbackObject;
use crate::profiler::parts::{Failed, Part, Parts, Start};
use crate::raw::interface::Unknown;
use crate::report;
use crate::runtime::ProfilerInfo;
use corprof_in_process::LastError;
use corprof_types::HResult;

/// `Initialize` and `InitializeForAttach`: makes the profiler, keeps it, installs its hooks. `unknown` is the runtime's own
/// object.
fn start(
    object: &CallbackObject,
    unknown: Option<Unknown<'_>>,
    callback: &'static str,
    start: Start<'_>,
) -> HResult {
    let mut given = None;
    let started = Switch::new().guard(callback, || {
        let unknown = unknown.ok_or(Error::Null { call: callback, what: "ICorProfilerInfo" })?;
        let info = ProfilerInfo::from_unknown(unknown)?;
        given = Some(info.clone());
        info.watch_ends()?;
        if matches!(start, Start::Attached(_)) {
            info.raw().alive().note_attached();
            info.note_attached();
        }
        let (parts, hooks) = Parts::make(object.made_of, info, callback, start)?;
        let parts = object.start(parts);
        parts.install(hooks, callback)?;
        parts.begin(matches!(start, Start::Attached(_)));
        Ok(())
    });
    if !matches!(started, Some(Ok(()))) {
        // Threads of the profiler may hold a `ProfilerInfo`, and the runtime does not know of the profiler any more.
        given.inspect(ProfilerInfo::end);
        if let Some(parts) = object.parts() {
            parts.stop();
        }
    }
    match started {
        Some(Ok(())) => HResult::S_OK,
        // Who wanted it has been told.
        Some(Err(Failed::Error(error @ Error::Declined(_)))) => {
            tracing::info!("{error}");
            error.hresult()
        }
        Some(Err(Failed::Error(error))) => {
            report::failure(&format!("the profiler does not run: {error}"));
            error.hresult()
        }
        Some(Err(Failed::Panicked)) | None => HResult::E_FAIL,
    }
}

pub(super) fn Initialize(object: &CallbackObject, unknown: Option<Unknown<'_>>) -> HResult {
    start(object, unknown, "Initialize", Start::WithProgram)
}

pub(super) fn InitializeForAttach(
    object: &CallbackObject,
    unknown: Option<Unknown<'_>>,
    data: &[u8],
) -> HResult {
    start(object, unknown, "InitializeForAttach", Start::Attached(data))
}

pub(super) fn Shutdown(object: &CallbackObject) -> HResult {
    let Some(parts) = object.parts() else { return HResult::S_OK };
    // Threads may throw until the process has ended, and the library answers none of their callbacks then.
    parts.note("Shutdown", || drop(parts.info.end_exceptions()));
    // Nothing is delivered afterwards. The runtime may still be called.
    let code = parts.each_even_if_off("Shutdown", |profiler| profiler.shutdown());
    parts.end();
    // Hooks return at once from here on, so that threads are found in the program's code.
    parts.info.hold_threads_at_the_end();
    parts.stop();
    code
}

pub(super) fn ProfilerDetachSucceeded(object: &CallbackObject) -> HResult {
    let Some(parts) = object.parts() else { return HResult::S_OK };
    let code =
        parts.each_even_if_off("ProfilerDetachSucceeded", |profiler| profiler.profiler_detach_succeeded());
    parts.stop();
    code
}

pub(super) fn LoadAsNotificationOnly(
    object: &CallbackObject,
    notification_only: Option<&mut MaybeUninit<sys::BOOL>>,
) -> HResult {
    if notification_only.is_none() {
        return HResult::E_POINTER;
    }
    let answer =
        Switch::new().guard("LoadAsNotificationOnly", || Part::are_notification_only(object.made_of));
    set(notification_only, answer.unwrap_or(false));
    HResult::S_OK
}

pub(super) fn ProfilerAttachComplete(object: &CallbackObject) -> HResult {
    let Some(parts) = object.parts().filter(|parts| !parts.have_ended()) else { return HResult::S_OK };
    let _kept = LastError::keep();
    parts.note("ProfilerAttachComplete", || parts.info.note_loaded_modules());
    parts.each_without_flags("ProfilerAttachComplete", |profiler| profiler.profiler_attach_complete())
}
