//! The JIT compiler, precompiled code, ReJIT.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::mem::MaybeUninit;

use corprof_sys as sys;
use sigparse::MethodDef;

use super::{CallbackObject, callbacks, deliver, set, status};
use crate::profiler::Profiler;
use crate::raw::collecting::Callback;
use crate::raw::evidence::InCallback;
use crate::runtime::control::FunctionControl;
use crate::values::JitCacheResult;
use corprof_types::HResult;
use corprof_types::{FunctionId, ModuleId, ReJitId};

/// A profiler that fails leaves the method as it was.
pub(super) fn GetReJITParameters<P: Profiler>(
    object: &CallbackObject<P>,
    module: Option<ModuleId>,
    method: u32,
    control: Option<InCallback<'_, sys::ICorProfilerFunctionControl>>,
) -> HResult {
    let mut outcome = Ok(());
    let code = deliver(Callback::begin(), object, "GetReJITParameters", |profiler, given| {
        let (module, method) = (given.module(module)?, MethodDef::from_token(method)?);
        outcome = profiler.rejit_parameters(module, method, &FunctionControl(control?));
        Some(())
    });
    outcome.map_or_else(|error| error.hresult(), |()| code)
}

/// A place for a `BOOL`.
type Answer<'a> = Option<&'a mut MaybeUninit<sys::BOOL>>;

callbacks! {
    JITCachedFunctionSearchStarted(id: Option<FunctionId>, use_cached: Answer<'_>)
        => |p, given| set(use_cached, p.jit_cached_function_search_started(given.function(id)?));
    JITInlining(caller: Option<FunctionId>, callee: Option<FunctionId>, should_inline: Answer<'_>)
        => |p, given| set(should_inline, p.jit_inlining(given.function(caller)?, given.function(callee)?));
    JITCompilationStarted(id: Option<FunctionId>, safe: bool)
        => |p, given| p.jit_compilation_started(given.function(id)?, safe);
    JITCompilationFinished(id: Option<FunctionId>, code: sys::HRESULT, safe: bool)
        => |p, given| p.jit_compilation_finished(given.function(id)?, status(code), safe);
    JITCachedFunctionSearchFinished(id: Option<FunctionId>, result: sys::COR_PRF_JIT_CACHE)
        => |p, given| p.jit_cached_function_search_finished(given.function(id)?, JitCacheResult(result.0));
    JITFunctionPitched(id: Option<FunctionId>)
        => |p, given| p.jit_function_pitched(given.function(id)?);
    ReJITCompilationStarted(id: Option<FunctionId>, rejit: usize, safe: bool)
        => |p, given| p.rejit_compilation_started(given.function(id)?, ReJitId::from_raw(rejit), safe);
    ReJITCompilationFinished(id: Option<FunctionId>, rejit: usize, code: sys::HRESULT, safe: bool)
        => |p, given| p.rejit_compilation_finished(
            given.function(id)?, ReJitId::from_raw(rejit), status(code), safe,
        );
    DynamicMethodJITCompilationStarted(
        id: Option<FunctionId>, safe: bool, il: &[u8]
    ) => |p, given| p.dynamic_method_jit_compilation_started(given.function(id)?, safe, il);
    DynamicMethodJITCompilationFinished(id: Option<FunctionId>, code: sys::HRESULT, safe: bool)
        => |p, given| p.dynamic_method_jit_compilation_finished(given.function(id)?, status(code), safe);
    ReJITError(
        module: Option<ModuleId>, method: u32, function: Option<FunctionId>, code: sys::HRESULT
    ) => |p, given| p.rejit_error(
        given.module(module)?,
        MethodDef::from_token(method)?,
        given.function(function),
        HResult(code),
    );
}
