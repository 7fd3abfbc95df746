//! Exceptions.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_process::LastError;
use corprof_types::{FunctionId, HResult, ObjectId};

use super::{CallbackObject, callbacks, deliver, note};
use crate::profiler::Profiler;
use crate::raw::collecting::Callback;

// The four callbacks for which the library keeps the exception in its place.

pub(super) fn ExceptionThrown<P: Profiler>(
    object: &CallbackObject<P>,
    exception: Option<ObjectId<'_>>,
) -> HResult {
    let Some(running) = object.running() else { return HResult::S_OK };
    let _kept = LastError::keep();
    let begun = Callback::begin_without_collection();
    note(running, "ExceptionThrown", || running.info.exception_thrown(exception));
    deliver(begun, object, "ExceptionThrown", |profiler, _| {
        profiler.exception_thrown(exception?);
        Some(())
    })
}

pub(super) fn ExceptionSearchFilterEnter<P: Profiler>(
    object: &CallbackObject<P>,
    id: Option<FunctionId>,
) -> HResult {
    let _before = object.running().map(|running| running.info.filter_begins());
    deliver(Callback::begin(), object, "ExceptionSearchFilterEnter", |profiler, given| {
        profiler.exception_search_filter_enter(given.function(id)?);
        Some(())
    })
}

pub(super) fn ExceptionCatcherEnter<P: Profiler>(
    object: &CallbackObject<P>,
    id: Option<FunctionId>,
    exception: Option<ObjectId<'_>>,
) -> HResult {
    let Some(running) = object.running() else { return HResult::S_OK };
    let _kept = LastError::keep();
    let mut before = None;
    note(running, "ExceptionCatcherEnter", || before = running.info.catch_begins(exception));
    deliver(Callback::begin_without_collection(), object, "ExceptionCatcherEnter", |profiler, given| {
        profiler.exception_catcher_enter(given.function(id)?, exception);
        Some(())
    })
}

pub(super) fn ExceptionCatcherLeave<P: Profiler>(object: &CallbackObject<P>) -> HResult {
    let Some(running) = object.running() else { return HResult::S_OK };
    let _kept = LastError::keep();
    let begun = Callback::begin();
    note(running, "ExceptionCatcherLeave", || running.info.catch_ends());
    deliver(begun, object, "ExceptionCatcherLeave", |profiler, _| {
        profiler.exception_catcher_leave();
        Some(())
    })
}

callbacks! {
    ExceptionSearchFunctionEnter(id: Option<FunctionId>)
        => |p, given| p.exception_search_function_enter(given.function(id)?);
    ExceptionSearchFunctionLeave() => |p, _| p.exception_search_function_leave();
    ExceptionSearchFilterLeave() => |p, _| p.exception_search_filter_leave();
    ExceptionSearchCatcherFound(id: Option<FunctionId>)
        => |p, given| p.exception_search_catcher_found(given.function(id)?);
    ExceptionUnwindFunctionEnter(id: Option<FunctionId>)
        => |p, given| p.exception_unwind_function_enter(given.function(id)?);
    ExceptionUnwindFunctionLeave() => |p, _| p.exception_unwind_function_leave();
    ExceptionUnwindFinallyEnter(id: Option<FunctionId>)
        => |p, given| p.exception_unwind_finally_enter(given.function(id)?);
    ExceptionUnwindFinallyLeave() => |p, _| p.exception_unwind_finally_leave();
    ExceptionOSHandlerEnter(id: Option<FunctionId>)
        => |p, given| p.exception_os_handler_enter(given.function(id));
    ExceptionOSHandlerLeave(id: Option<FunctionId>)
        => |p, given| p.exception_os_handler_leave(given.function(id));
    ExceptionCLRCatcherFound() => |p, _| p.exception_clr_catcher_found();
    ExceptionCLRCatcherExecute() => |p, _| p.exception_clr_catcher_execute();
}
