//! The JIT compiler, precompiled code, ReJIT.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::mem::MaybeUninit;

use corprof_sys as sys;
use sigparse::MethodDef;

use super::{CallbackObject, Given, HeldFunctions, answer, callbacks, deliver, note, set, status};
use crate::event_mask::EventMask;
use crate::profiler::Profiler;
use crate::raw::collecting::Callback;
use crate::raw::evidence::InCallback;
use crate::runtime::control::FunctionControl;
use crate::values::JitCacheResult;
use corprof_process::LastError;
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

/// The crate may refuse inlining by itself: before .NET 9, that of methods for which ReJIT was requested.
pub(super) fn JITInlining<P: Profiler>(
    object: &CallbackObject<P>,
    caller: Option<FunctionId>,
    callee: Option<FunctionId>,
    should_inline: Answer<'_>,
) -> HResult {
    let Some(running) = object.running() else { return HResult::S_OK };
    let _kept = LastError::keep();
    let held = HeldFunctions::default();
    let given = Given(&running.info, &held);
    let (caller, callee) = (given.function(caller), given.function(callee));
    let mut is_accepted = true;
    let code = answer(Callback::begin(), running, "JITInlining", |profiler| {
        let (caller, callee) = (caller?, callee?);
        is_accepted =
            !running.info.wants(EventMask::JIT_COMPILATION) || profiler.jit_inlining(caller, callee);
        Some(())
    });
    if let Some(callee) = callee.filter(|_| is_accepted) {
        is_accepted = false;
        note(running, "JITInlining", || is_accepted = running.info.may_be_inlined(callee));
    }
    set(should_inline, is_accepted);
    code
}

/// Declares the callbacks about compilations: the crate notes the begin and the end of each.
macro_rules! compilations {
    ($($method:ident($($arg:ident: $ty:ty),*) $note:ident => |$profiler:ident, $id:ident| $body:expr;)*) => {$(
        pub(super) fn $method<P: Profiler>(
            object: &CallbackObject<P>,
            id: Option<FunctionId>,
            $($arg: $ty),*
        ) -> HResult {
            let Some(running) = object.running() else { return HResult::S_OK };
            let _kept = LastError::keep();
            let held = HeldFunctions::default();
            let id = Given(&running.info, &held).function(id);
            if let Some(id) = id {
                note(running, stringify!($method), || running.info.$note(id));
            }
            answer(Callback::begin(), running, stringify!($method), |$profiler| {
                let $id = id?;
                if running.info.wants(EventMask::JIT_COMPILATION) {
                    $body;
                }
                Some(())
            })
        }
    )*};
}

compilations! {
    JITCompilationStarted(safe: bool) compilation_started
        => |p, id| p.jit_compilation_started(id, safe);
    JITCompilationFinished(code: sys::HRESULT, safe: bool) compilation_finished
        => |p, id| p.jit_compilation_finished(id, status(code), safe);
    ReJITCompilationStarted(rejit: usize, safe: bool) compilation_started
        => |p, id| p.rejit_compilation_started(id, ReJitId::from_raw(rejit), safe);
    ReJITCompilationFinished(rejit: usize, code: sys::HRESULT, safe: bool) compilation_finished
        => |p, id| p.rejit_compilation_finished(id, ReJitId::from_raw(rejit), status(code), safe);
    DynamicMethodJITCompilationStarted(safe: bool, il: &[u8]) compilation_started
        => |p, id| p.dynamic_method_jit_compilation_started(id, safe, il);
    DynamicMethodJITCompilationFinished(code: sys::HRESULT, safe: bool) compilation_finished
        => |p, id| p.dynamic_method_jit_compilation_finished(id, status(code), safe);
}

callbacks! {
    JITCachedFunctionSearchStarted(id: Option<FunctionId>, use_cached: Answer<'_>)
        => |p, given| set(use_cached, p.jit_cached_function_search_started(given.function(id)?));
    JITCachedFunctionSearchFinished(id: Option<FunctionId>, result: sys::COR_PRF_JIT_CACHE)
        => |p, given| p.jit_cached_function_search_finished(given.function(id)?, JitCacheResult(result.0));
    JITFunctionPitched(id: Option<FunctionId>)
        => |p, given| p.jit_function_pitched(given.function(id)?);
    ReJITError(
        module: Option<ModuleId>, method: u32, function: Option<FunctionId>, code: sys::HRESULT
    ) => |p, given| p.rejit_error(
        given.module(module)?,
        MethodDef::from_token(method)?,
        given.function(function),
        HResult(code),
    );
}
