//! Exceptions.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_types::{FunctionId, HResult, ObjectId};

use super::{CallbackObject, callbacks, note_and_deliver};
use crate::profiler::Profiler;
use crate::raw::collecting::Callback;
use crate::runtime::ProfilerInfo;

// The four callbacks for which the library keeps the exception in its place.

pub(super) fn ExceptionThrown<P: Profiler>(
    object: &CallbackObject<P>,
    exception: Option<ObjectId<'_>>,
) -> HResult {
    let own = |info: &ProfilerInfo| info.exception_thrown(exception);
    let begin = Callback::begin_without_collection;
    note_and_deliver(begin, object, "ExceptionThrown", own, |profiler, _| {
        profiler.exception_thrown(exception?);
        Some(())
    })
}

pub(super) fn ExceptionSearchFilterEnter<P: Profiler>(
    object: &CallbackObject<P>,
    id: Option<FunctionId>,
) -> HResult {
    let own = ProfilerInfo::filter_begins;
    note_and_deliver(Callback::begin, object, "ExceptionSearchFilterEnter", own, |profiler, given| {
        profiler.exception_search_filter_enter(given.function(id)?);
        Some(())
    })
}

pub(super) fn ExceptionCatcherEnter<P: Profiler>(
    object: &CallbackObject<P>,
    id: Option<FunctionId>,
    exception: Option<ObjectId<'_>>,
) -> HResult {
    note_and_deliver(
        Callback::begin_without_collection,
        object,
        "ExceptionCatcherEnter",
        |info| info.catch_begins(exception),
        |profiler, given| {
            profiler.exception_catcher_enter(given.function(id)?, exception);
            Some(())
        },
    )
}

pub(super) fn ExceptionCatcherLeave<P: Profiler>(object: &CallbackObject<P>) -> HResult {
    let own = ProfilerInfo::catch_ends;
    note_and_deliver(Callback::begin, object, "ExceptionCatcherLeave", own, |profiler, _| {
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
