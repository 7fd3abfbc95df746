//! Exceptions.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::{callbacks, deliver};
use crate::Profiler;
use crate::ids::ObjectId;

callbacks! {
    ICorProfilerCallback: ExceptionThrown(object: sys::ObjectID)
        => |p, _| p.exception_thrown(ObjectId::in_callback(object)?);
    ICorProfilerCallback: ExceptionSearchFunctionEnter(id: sys::FunctionID)
        => |p, given| p.exception_search_function_enter(given.function(id)?);
    ICorProfilerCallback: ExceptionSearchFunctionLeave() => |p, _| p.exception_search_function_leave();
    ICorProfilerCallback: ExceptionSearchFilterEnter(id: sys::FunctionID)
        => |p, given| p.exception_search_filter_enter(given.function(id)?);
    ICorProfilerCallback: ExceptionSearchFilterLeave() => |p, _| p.exception_search_filter_leave();
    ICorProfilerCallback: ExceptionSearchCatcherFound(id: sys::FunctionID)
        => |p, given| p.exception_search_catcher_found(given.function(id)?);
    ICorProfilerCallback: ExceptionUnwindFunctionEnter(id: sys::FunctionID)
        => |p, given| p.exception_unwind_function_enter(given.function(id)?);
    ICorProfilerCallback: ExceptionUnwindFunctionLeave() => |p, _| p.exception_unwind_function_leave();
    ICorProfilerCallback: ExceptionUnwindFinallyEnter(id: sys::FunctionID)
        => |p, given| p.exception_unwind_finally_enter(given.function(id)?);
    ICorProfilerCallback: ExceptionUnwindFinallyLeave() => |p, _| p.exception_unwind_finally_leave();
    ICorProfilerCallback: ExceptionCatcherEnter(id: sys::FunctionID, object: sys::ObjectID)
        => |p, given| p.exception_catcher_enter(given.function(id)?, ObjectId::in_callback(object));
    ICorProfilerCallback: ExceptionCatcherLeave() => |p, _| p.exception_catcher_leave();
    ICorProfilerCallback: ExceptionOSHandlerEnter(id: sys::UINT_PTR)
        => |p, given| p.exception_os_handler_enter(given.function(id));
    ICorProfilerCallback: ExceptionOSHandlerLeave(id: sys::UINT_PTR)
        => |p, given| p.exception_os_handler_leave(given.function(id));
    ICorProfilerCallback: ExceptionCLRCatcherFound() => |p, _| p.exception_clr_catcher_found();
    ICorProfilerCallback: ExceptionCLRCatcherExecute() => |p, _| p.exception_clr_catcher_execute();
}
