//! Exceptions.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_types::{FunctionId, HResult, ObjectId};

use super::{CallbackObject, callbacks, note_and_deliver};
use crate::event_mask::Callback;
use crate::profiler::Profiler;
use crate::runtime::ProfilerInfo;

// The four callbacks for which the library keeps the exception in its place.

pub(super) fn ExceptionThrown(object: &CallbackObject, exception: Option<ObjectId<'_>>) -> HResult {
    let own = |info: &ProfilerInfo| info.exception_thrown(exception);
    note_and_deliver(object, Callback::ExceptionThrown, own, |_| {
        let exception = exception?;
        Some(move |p: &dyn Profiler| p.exception_thrown(exception))
    })
}

pub(super) fn ExceptionSearchFilterEnter(object: &CallbackObject, id: Option<FunctionId>) -> HResult {
    let own = ProfilerInfo::filter_begins;
    note_and_deliver(object, Callback::ExceptionSearchFilterEnter, own, |given| {
        let id = given.function(id)?;
        Some(move |p: &dyn Profiler| p.exception_search_filter_enter(id))
    })
}

pub(super) fn ExceptionCatcherEnter(
    object: &CallbackObject,
    id: Option<FunctionId>,
    exception: Option<ObjectId<'_>>,
) -> HResult {
    let own = |info| ProfilerInfo::catch_begins(info, exception);
    note_and_deliver(object, Callback::ExceptionCatcherEnter, own, |given| {
        let id = given.function(id)?;
        Some(move |p: &dyn Profiler| p.exception_catcher_enter(id, exception))
    })
}

pub(super) fn ExceptionCatcherLeave(object: &CallbackObject) -> HResult {
    let own = ProfilerInfo::catch_ends;
    note_and_deliver(object, Callback::ExceptionCatcherLeave, own, |_| {
        Some(|p: &dyn Profiler| p.exception_catcher_leave())
    })
}

callbacks! {
    ExceptionSearchFunctionEnter(id: Option<FunctionId>)
        => |given| exception_search_function_enter(id = given.function(id)?);
    ExceptionSearchFunctionLeave() => |_| exception_search_function_leave();
    ExceptionSearchFilterLeave() => |_| exception_search_filter_leave();
    ExceptionSearchCatcherFound(id: Option<FunctionId>)
        => |given| exception_search_catcher_found(id = given.function(id)?);
    ExceptionUnwindFunctionEnter(id: Option<FunctionId>)
        => |given| exception_unwind_function_enter(id = given.function(id)?);
    ExceptionUnwindFunctionLeave() => |_| exception_unwind_function_leave();
    ExceptionUnwindFinallyEnter(id: Option<FunctionId>)
        => |given| exception_unwind_finally_enter(id = given.function(id)?);
    ExceptionUnwindFinallyLeave() => |_| exception_unwind_finally_leave();
    ExceptionOSHandlerEnter(id: Option<FunctionId>) => |given| exception_os_handler_enter(id = given.function(id));
    ExceptionOSHandlerLeave(id: Option<FunctionId>) => |given| exception_os_handler_leave(id = given.function(id));
    ExceptionCLRCatcherFound() => |_| exception_clr_catcher_found();
    ExceptionCLRCatcherExecute() => |_| exception_clr_catcher_execute();
}
