//! Exceptions.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use super::callbacks;
use corprof_types::{FunctionId, ObjectId};

callbacks! {
    without_collection;
    ExceptionThrown(object: Option<ObjectId<'_>>)
        => |p, _| p.exception_thrown(object?);
    ExceptionCatcherEnter(id: Option<FunctionId>, object: Option<ObjectId<'_>>)
        => |p, given| p.exception_catcher_enter(given.function(id)?, object);
}

callbacks! {
    ExceptionSearchFunctionEnter(id: Option<FunctionId>)
        => |p, given| p.exception_search_function_enter(given.function(id)?);
    ExceptionSearchFunctionLeave() => |p, _| p.exception_search_function_leave();
    ExceptionSearchFilterEnter(id: Option<FunctionId>)
        => |p, given| p.exception_search_filter_enter(given.function(id)?);
    ExceptionSearchFilterLeave() => |p, _| p.exception_search_filter_leave();
    ExceptionSearchCatcherFound(id: Option<FunctionId>)
        => |p, given| p.exception_search_catcher_found(given.function(id)?);
    ExceptionUnwindFunctionEnter(id: Option<FunctionId>)
        => |p, given| p.exception_unwind_function_enter(given.function(id)?);
    ExceptionUnwindFunctionLeave() => |p, _| p.exception_unwind_function_leave();
    ExceptionUnwindFinallyEnter(id: Option<FunctionId>)
        => |p, given| p.exception_unwind_finally_enter(given.function(id)?);
    ExceptionUnwindFinallyLeave() => |p, _| p.exception_unwind_finally_leave();
    ExceptionCatcherLeave() => |p, _| p.exception_catcher_leave();
    ExceptionOSHandlerEnter(id: Option<FunctionId>)
        => |p, given| p.exception_os_handler_enter(given.function(id));
    ExceptionOSHandlerLeave(id: Option<FunctionId>)
        => |p, given| p.exception_os_handler_leave(given.function(id));
    ExceptionCLRCatcherFound() => |p, _| p.exception_clr_catcher_found();
    ExceptionCLRCatcherExecute() => |p, _| p.exception_clr_catcher_execute();
}
