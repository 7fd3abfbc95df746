//! Application domains, assemblies, modules and types that come and go.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;
use widestring::U16CStr;

use super::{Given, HeldFunctions, answer, callbacks, deliver, note, status};
use crate::event_mask::EventMask;
use crate::profiler::Profiler;
use crate::profiler::object::CallbackObject;
use crate::raw::collecting::Callback;
use crate::raw::evidence::InCallback;
use crate::runtime::control::AssemblyReferences;
use corprof_types::{AppDomainId, AssemblyId, ClassId, FunctionId, ModuleId, ThreadId};
use corprof_types::{Guid, HResult};

pub(super) fn ModuleAttachedToAssembly<P: Profiler>(
    object: &CallbackObject<P>,
    module: Option<ModuleId>,
    assembly: Option<AssemblyId>,
) -> HResult {
    let Some(running) = object.running() else { return HResult::S_OK };
    let held = HeldFunctions::default();
    let given = Given(&running.info, &held);
    let both = given.module(module).zip(given.assembly(assembly));
    if let Some((module, assembly)) = both {
        note(running, "ModuleAttachedToAssembly", || running.info.seen_module(module, assembly));
    }
    answer(Callback::begin(), running, "ModuleAttachedToAssembly", |profiler| {
        let (module, assembly) = both?;
        if running.info.wants(EventMask::MODULE_LOADS) {
            profiler.module_attached_to_assembly(module, assembly);
        }
        Some(())
    })
}

pub(super) fn ClassLoadFinished<P: Profiler>(
    object: &CallbackObject<P>,
    class: Option<ClassId>,
    code: sys::HRESULT,
) -> HResult {
    let Some(running) = object.running() else { return HResult::S_OK };
    let held = HeldFunctions::default();
    let class = Given(&running.info, &held).class(class);
    if let Some(class) = class.filter(|_| HResult(code).is_ok()) {
        note(running, "ClassLoadFinished", || running.info.seen_class(class));
    }
    answer(Callback::begin(), running, "ClassLoadFinished", |profiler| {
        profiler.class_load_finished(class?, status(code));
        Some(())
    })
}

/// Declares callbacks that announce the end of something: what to tell the profiler, for which it is the last chance
/// to use the id, and then what the library does before the callback returns.
macro_rules! unloads {
    ($($flag:ident, $method:ident($id:ident: $kind:ident $(, $arg:ident: $ty:ty)*)
        => |$profiler:ident, $loaded:ident| $tell:expr, $forget:expr;)*) => {$(
        pub(super) fn $method<P: Profiler>(
            object: &CallbackObject<P>,
            $id: Option<$kind>,
            $($arg: $ty),*
        ) -> HResult {
            let Some(running) = object.running() else { return HResult::S_OK };
            let code = answer(Callback::begin(), running, stringify!($method), |$profiler| {
                let $id = $id?;
                if running.info.wants(EventMask::$flag) {
                    $tell;
                }
                Some(())
            });
            if let Some($id) = $id {
                note(running, stringify!($method), || {
                    let $loaded = running.info.loaded();
                    $forget;
                });
            }
            code
        }
    )*};
}

unloads! {
    APP_DOMAIN_LOADS, AppDomainShutdownStarted(id: AppDomainId)
        => |p, loaded| p.app_domain_shutdown_started(id), loaded.unloading(id.into());
    APP_DOMAIN_LOADS, AppDomainShutdownFinished(id: AppDomainId, code: sys::HRESULT)
        => |p, loaded| p.app_domain_shutdown_finished(id, status(code)), loaded.unloading(id.into());
    ASSEMBLY_LOADS, AssemblyUnloadStarted(id: AssemblyId)
        => |p, loaded| p.assembly_unload_started(id), loaded.unloading(id.into());
    ASSEMBLY_LOADS, AssemblyUnloadFinished(id: AssemblyId, code: sys::HRESULT)
        => |p, loaded| p.assembly_unload_finished(id, status(code)), loaded.unloading(id.into());
    MODULE_LOADS, ModuleUnloadStarted(id: ModuleId)
        => |p, loaded| p.module_unload_started(id), loaded.module_unloading(id);
    MODULE_LOADS, ModuleUnloadFinished(id: ModuleId, code: sys::HRESULT)
        => |p, loaded| p.module_unload_finished(id, status(code)), loaded.module_unloading(id);
    CLASS_LOADS, ClassUnloadStarted(id: ClassId)
        => |p, loaded| p.class_unload_started(id), loaded.unloading_briefly(id.into());
    CLASS_LOADS, ClassUnloadFinished(id: ClassId, code: sys::HRESULT)
        => |p, loaded| p.class_unload_finished(id, status(code)), loaded.unloading_briefly(id.into());
    FUNCTION_UNLOADS, FunctionUnloadStarted(id: FunctionId)
        => |p, loaded| p.function_unload_started(id), loaded.unloading_briefly(id.into());
    DYNAMIC_FUNCTION_UNLOADS, DynamicMethodUnloaded(id: FunctionId)
        => |p, loaded| p.dynamic_method_unloaded(id), loaded.unloading_briefly(id.into());
    THREADS, ThreadDestroyed(id: ThreadId)
        => |p, loaded| p.thread_destroyed(id), loaded.thread_destroyed(id);
}

/// Passes the references of an assembly to the profiler, which adds to them.
pub(super) fn GetAssemblyReferences<P: Profiler>(
    object: &CallbackObject<P>,
    path: Option<&U16CStr>,
    provider: Option<InCallback<'_, sys::ICorProfilerAssemblyReferenceProvider>>,
) -> HResult {
    let mut outcome = Ok(());
    let code = deliver(Callback::begin(), object, "GetAssemblyReferences", |profiler, _| {
        let path = path.map(U16CStr::to_string_lossy).unwrap_or_default();
        outcome = profiler.assembly_references(&path, &AssemblyReferences(provider?));
        Some(())
    });
    outcome.map_or_else(|error| error.hresult(), |()| code)
}

callbacks! {
    AppDomainCreationStarted(id: Option<AppDomainId>)
        => |p, given| p.app_domain_creation_started(given.app_domain(id)?);
    AppDomainCreationFinished(id: Option<AppDomainId>, code: sys::HRESULT)
        => |p, given| p.app_domain_creation_finished(given.app_domain(id)?, status(code));
    AssemblyLoadStarted(id: Option<AssemblyId>)
        => |p, given| {
            let id = given.assembly(id)?;
            given.if_wanted(EventMask::ASSEMBLY_LOADS, || p.assembly_load_started(id));
        };
    AssemblyLoadFinished(id: Option<AssemblyId>, code: sys::HRESULT)
        => |p, given| {
            let id = given.assembly(id)?;
            given.if_wanted(EventMask::ASSEMBLY_LOADS, || p.assembly_load_finished(id, status(code)));
        };
    ModuleLoadStarted(id: Option<ModuleId>)
        => |p, given| {
            let id = given.module(id)?;
            given.if_wanted(EventMask::MODULE_LOADS, || p.module_load_started(id));
        };
    ModuleLoadFinished(id: Option<ModuleId>, code: sys::HRESULT)
        => |p, given| {
            let id = given.module(id)?;
            given.if_wanted(EventMask::MODULE_LOADS, || p.module_load_finished(id, status(code)));
        };
    ClassLoadStarted(id: Option<ClassId>)
        => |p, given| p.class_load_started(given.class(id)?);
    ModuleInMemorySymbolsUpdated(id: Option<ModuleId>)
        => |p, given| p.module_in_memory_symbols_updated(given.module(id)?);
    COMClassicVTableCreated(class: Option<ClassId>, iid: Option<Guid>, vtable: usize, slots: u32)
        => |p, given| p.com_classic_vtable_created(given.class(class)?, iid?, vtable, slots);
    COMClassicVTableDestroyed(class: Option<ClassId>, iid: Option<Guid>, vtable: usize)
        => |p, given| p.com_classic_vtable_destroyed(given.class(class)?, iid?, vtable);
}
