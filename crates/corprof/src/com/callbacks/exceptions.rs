//! Exceptions.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::{callbacks, deliver};
use crate::Profiler;
use crate::ids::{FunctionId, ObjectId};

callbacks! {
    ICorProfilerCallback: ExceptionThrown(object: sys::ObjectID)
        => |p| p.exception_thrown(ObjectId::in_callback(object)?);
    ICorProfilerCallback: ExceptionSearchFunctionEnter(id: sys::FunctionID)
        => |p| p.exception_search_function_enter(FunctionId::from_raw(id)?);
    ICorProfilerCallback: ExceptionSearchFunctionLeave() => |p| p.exception_search_function_leave();
    ICorProfilerCallback: ExceptionSearchFilterEnter(id: sys::FunctionID)
        => |p| p.exception_search_filter_enter(FunctionId::from_raw(id)?);
    ICorProfilerCallback: ExceptionSearchFilterLeave() => |p| p.exception_search_filter_leave();
    ICorProfilerCallback: ExceptionSearchCatcherFound(id: sys::FunctionID)
        => |p| p.exception_search_catcher_found(FunctionId::from_raw(id)?);
    ICorProfilerCallback: ExceptionUnwindFunctionEnter(id: sys::FunctionID)
        => |p| p.exception_unwind_function_enter(FunctionId::from_raw(id)?);
    ICorProfilerCallback: ExceptionUnwindFunctionLeave() => |p| p.exception_unwind_function_leave();
    ICorProfilerCallback: ExceptionUnwindFinallyEnter(id: sys::FunctionID)
        => |p| p.exception_unwind_finally_enter(FunctionId::from_raw(id)?);
    ICorProfilerCallback: ExceptionUnwindFinallyLeave() => |p| p.exception_unwind_finally_leave();
    ICorProfilerCallback: ExceptionCatcherEnter(id: sys::FunctionID, object: sys::ObjectID)
        => |p| p.exception_catcher_enter(FunctionId::from_raw(id)?, ObjectId::in_callback(object));
    ICorProfilerCallback: ExceptionCatcherLeave() => |p| p.exception_catcher_leave();
    ICorProfilerCallback: ExceptionOSHandlerEnter(id: sys::UINT_PTR)
        => |p| p.exception_os_handler_enter(FunctionId::from_raw(id));
    ICorProfilerCallback: ExceptionOSHandlerLeave(id: sys::UINT_PTR)
        => |p| p.exception_os_handler_leave(FunctionId::from_raw(id));
    ICorProfilerCallback: ExceptionCLRCatcherFound() => |p| p.exception_clr_catcher_found();
    ICorProfilerCallback: ExceptionCLRCatcherExecute() => |p| p.exception_clr_catcher_execute();
}
