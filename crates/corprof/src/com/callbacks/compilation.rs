//! The JIT compiler, precompiled code, ReJIT.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::ptr::NonNull;

use corprof_sys as sys;
use sigparse::MethodDef;

use super::{Given, ask, callbacks, deliver, list, status};
use crate::control::FunctionControl;
use crate::ids::ReJitId;
use crate::values::JitCacheResult;
use crate::{HResult, Profiler};

pub(in crate::com) unsafe extern "system" fn JITCachedFunctionSearchStarted<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    function: sys::FunctionID,
    use_cached: *mut sys::BOOL,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours and a place for the answer.
    unsafe {
        ask::<P>(this.cast(), "JITCachedFunctionSearchStarted", use_cached, |profiler, given| {
            Some(profiler.jit_cached_function_search_started(given.function(function)?))
        })
    }
}

pub(in crate::com) unsafe extern "system" fn JITInlining<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    caller: sys::FunctionID,
    callee: sys::FunctionID,
    should_inline: *mut sys::BOOL,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours and a place for the answer.
    unsafe {
        ask::<P>(this.cast(), "JITInlining", should_inline, |profiler, given| {
            Some(profiler.jit_inlining(given.function(caller)?, given.function(callee)?))
        })
    }
}

/// What a method that is compiled again shall be: the profiler fills it in. A profiler that fails leaves the
/// method as it was.
pub(in crate::com) unsafe extern "system" fn GetReJITParameters<P: Profiler>(
    this: *mut sys::ICorProfilerCallback4,
    module: sys::ModuleID,
    method: sys::mdMethodDef,
    control: *mut sys::ICorProfilerFunctionControl,
) -> sys::HRESULT {
    let mut outcome = Ok(());
    let tell = |profiler: &P, given: Given<'_>| {
        let (module, method) = (given.module(module)?, MethodDef::from_token(method)?);
        // SAFETY: the runtime's control is alive during the call.
        let control = unsafe { FunctionControl::new(NonNull::new(control)?) };
        outcome = profiler.rejit_parameters(module, method, &control);
        Some(())
    };
    // SAFETY: the runtime calls with a live object of ours.
    let code = unsafe { deliver::<P>(this.cast(), "GetReJITParameters", tell) };
    match outcome {
        Ok(()) => code,
        Err(error) => error.hresult().0,
    }
}

callbacks! {
    ICorProfilerCallback: JITCompilationStarted(id: sys::FunctionID, safe: sys::BOOL)
        => |p, given| p.jit_compilation_started(given.function(id)?, safe != 0);
    ICorProfilerCallback: JITCompilationFinished(id: sys::FunctionID, code: sys::HRESULT, safe: sys::BOOL)
        => |p, given| p.jit_compilation_finished(given.function(id)?, status(code), safe != 0);
    ICorProfilerCallback: JITCachedFunctionSearchFinished(id: sys::FunctionID, result: sys::COR_PRF_JIT_CACHE)
        => |p, given| p.jit_cached_function_search_finished(given.function(id)?, JitCacheResult(result.0));
    ICorProfilerCallback: JITFunctionPitched(id: sys::FunctionID)
        => |p, given| p.jit_function_pitched(given.function(id)?);
    ICorProfilerCallback4: ReJITCompilationStarted(id: sys::FunctionID, rejit: sys::ReJITID, safe: sys::BOOL)
        => |p, given| p.rejit_compilation_started(given.function(id)?, ReJitId::from_raw(rejit), safe != 0);
    ICorProfilerCallback4: ReJITCompilationFinished(id: sys::FunctionID, rejit: sys::ReJITID, code: sys::HRESULT, safe: sys::BOOL)
        => |p, given| p.rejit_compilation_finished(
            given.function(id)?, ReJitId::from_raw(rejit), status(code), safe != 0,
        );
    ICorProfilerCallback8: DynamicMethodJITCompilationStarted(
        id: sys::FunctionID, safe: sys::BOOL, il: sys::LPCBYTE, length: sys::ULONG
    ) => |p, given| p.dynamic_method_jit_compilation_started(given.function(id)?, safe != 0, list(il, length));
    ICorProfilerCallback8: DynamicMethodJITCompilationFinished(id: sys::FunctionID, code: sys::HRESULT, safe: sys::BOOL)
        => |p, given| p.dynamic_method_jit_compilation_finished(given.function(id)?, status(code), safe != 0);
    ICorProfilerCallback4: ReJITError(
        module: sys::ModuleID, method: sys::mdMethodDef, function: sys::FunctionID, code: sys::HRESULT
    ) => |p, given| p.rejit_error(
        given.module(module)?,
        MethodDef::from_token(method)?,
        given.function(function),
        HResult(code),
    );
}
