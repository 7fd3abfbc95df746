//! The JIT compiler, precompiled code, ReJIT.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::mem::MaybeUninit;

use corprof_sys as sys;
use sigparse::MethodDef;

use super::{CallbackObject, Given, HeldFunctions, callbacks, each, set, status};
use crate::event_mask::Callback;
use crate::profiler::Profiler;
use crate::raw::evidence::InCallback;
use crate::runtime::control::FunctionControl;
use crate::values::JitCacheResult;
use corprof_in_process::LastError;
use corprof_types::HResult;
use corprof_types::{FunctionId, ModuleId, ReJitId};

/// One part changes IL. If it fails, the method stays as it was.
pub(super) fn GetReJITParameters(
    object: &CallbackObject,
    module: Option<ModuleId>,
    method: u32,
    control: Option<InCallback<'_, sys::ICorProfilerFunctionControl>>,
) -> HResult {
    let callback = Callback::GetReJITParameters;
    let Some(parts) = object.parts().filter(|parts| !parts.have_ended()) else { return HResult::S_OK };
    let _kept = LastError::keep();
    let held = HeldFunctions::default();
    let module = Given(&parts.info, &held).module(module);
    let (Some(module), Some(method), Some(control)) = (module, MethodDef::from_token(method), control) else {
        return each(parts, callback, None::<fn(&dyn Profiler)>);
    };
    let control = FunctionControl(control);
    let mut failure = None;
    let code = parts.each(callback, |part, profiler| {
        if let Err(error) = profiler.rejit_parameters(module, method, &control) {
            parts.report(part, callback, &error);
            failure.get_or_insert(error);
        }
    });
    failure.map_or(code, |error| error.hresult())
}

/// A place for a `BOOL`.
type Answer<'a> = Option<&'a mut MaybeUninit<sys::BOOL>>;

/// Inlining is refused if a part refuses it. The crate may refuse it by itself: before .NET 9, that of methods for which ReJIT
/// was requested.
pub(super) fn JITInlining(
    object: &CallbackObject,
    caller: Option<FunctionId>,
    callee: Option<FunctionId>,
    should_inline: Answer<'_>,
) -> HResult {
    let callback = Callback::JITInlining;
    let Some(parts) = object.parts() else { return HResult::S_OK };
    let _kept = LastError::keep();
    let held = HeldFunctions::default();
    let given = Given(&parts.info, &held);
    let both = given.function(caller).zip(given.function(callee));
    let mut is_accepted = true;
    let call = both.map(|(caller, callee)| {
        let is_accepted = &mut is_accepted;
        move |p: &dyn Profiler| *is_accepted &= p.jit_inlining(caller, callee)
    });
    let code = each(parts, callback, call);
    if let Some(callee) = callee.filter(|_| is_accepted) {
        is_accepted = false;
        parts.note(callback.name(), || is_accepted = parts.info.may_be_inlined(callee));
    }
    set(should_inline, is_accepted);
    code
}

/// Precompiled code is used unless a part refuses it.
pub(super) fn JITCachedFunctionSearchStarted(
    object: &CallbackObject,
    id: Option<FunctionId>,
    use_cached: Answer<'_>,
) -> HResult {
    let callback = Callback::JITCachedFunctionSearchStarted;
    let Some(parts) = object.parts().filter(|parts| !parts.have_ended()) else { return HResult::S_OK };
    let _kept = LastError::keep();
    let held = HeldFunctions::default();
    let mut answer = None;
    let call = Given(&parts.info, &held).function(id).map(|id| {
        let answer = &mut answer;
        move |p: &dyn Profiler| {
            let is_accepted = p.jit_cached_function_search_started(id);
            *answer = Some(answer.unwrap_or(true) && is_accepted);
        }
    });
    let code = each(parts, callback, call);
    if let Some(answer) = answer {
        set(use_cached, answer);
    }
    code
}

/// Declares the callbacks about compilations: the crate notes the begin and the end of each.
macro_rules! compilations {
    ($($callback:ident($($arg:ident: $ty:ty),*) $note:ident => |$profiler:ident, $id:ident| $body:expr;)*) => {$(
        pub(super) fn $callback(
            object: &CallbackObject,
            id: Option<FunctionId>,
            $($arg: $ty),*
        ) -> HResult {
            let Some(parts) = object.parts() else { return HResult::S_OK };
            let _kept = LastError::keep();
            let held = HeldFunctions::default();
            let id = Given(&parts.info, &held).function(id);
            if let Some(id) = id {
                parts.note(stringify!($callback), || parts.info.$note(id));
            }
            each(parts, Callback::$callback, id.map(|$id| move |$profiler: &dyn Profiler| $body))
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
    JITCachedFunctionSearchFinished(id: Option<FunctionId>, result: sys::COR_PRF_JIT_CACHE)
        => |given| jit_cached_function_search_finished(id = given.function(id)?, result = JitCacheResult(result.0));
    JITFunctionPitched(id: Option<FunctionId>) => |given| jit_function_pitched(id = given.function(id)?);
    ReJITError(module: Option<ModuleId>, method: u32, function: Option<FunctionId>, code: sys::HRESULT)
        => |given| rejit_error(
            module = given.module(module)?,
            method = MethodDef::from_token(method)?,
            function = given.function(function),
            code = HResult(code),
        );
}
