//! Application domains, assemblies, modules and types that come and go.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;
use widestring::U16CStr;

use super::{CallbackObject, Given, HeldFunctions, callbacks, deliver, each, note_and_deliver, status};
use crate::event_mask::Callback;
use crate::profiler::Profiler;
use crate::raw::evidence::InCallback;
use crate::runtime::ProfilerInfo;
use crate::runtime::control::AssemblyReferences;
use corprof_in_process::LastError;
use corprof_types::{AnyId, AppDomainId, AssemblyId, ClassId, FunctionId, ModuleId, ThreadId};
use corprof_types::{Guid, HResult};

/// The load of an id begins: it is refused until the load has finished.
fn set_loading(info: &ProfilerInfo, id: Option<impl Into<AnyId>>) {
    id.into_iter().for_each(|id| info.raw().alive().set_loading(id.into(), true));
}

pub(super) fn ModuleLoadStarted(object: &CallbackObject, module: Option<ModuleId>) -> HResult {
    let own = |info: &ProfilerInfo| set_loading(info, module);
    note_and_deliver(object, Callback::ModuleLoadStarted, own, |given| {
        let id = given.module(module)?;
        Some(move |p: &dyn Profiler| p.module_load_started(id))
    })
}

pub(super) fn AssemblyLoadStarted(object: &CallbackObject, assembly: Option<AssemblyId>) -> HResult {
    let own = |info: &ProfilerInfo| set_loading(info, assembly);
    note_and_deliver(object, Callback::AssemblyLoadStarted, own, |given| {
        let id = given.assembly(assembly)?;
        Some(move |p: &dyn Profiler| p.assembly_load_started(id))
    })
}

/// The load of an id has finished. If it has failed, the id stays refused: the runtime frees what it names.
fn load_finished<'o, C: FnMut(&dyn Profiler)>(
    object: &'o CallbackObject,
    callback: Callback,
    (id, code): (Option<AnyId>, sys::HRESULT),
    loaded: impl FnOnce(&ProfilerInfo),
    given: impl FnOnce(Given<'o, '_>) -> Option<C>,
) -> HResult {
    let Some(parts) = object.parts() else { return HResult::S_OK };
    let alive = parts.info.raw().alive();
    let has_failed = HResult(code).is_err();
    if let Some(id) = id.filter(|_| !has_failed) {
        parts.note(callback.name(), || {
            alive.set_loading(id, false);
            loaded(&parts.info);
        });
    }
    let answer = deliver(object, callback, given);
    if let Some(id) = id.filter(|_| has_failed) {
        parts.note(callback.name(), || {
            parts.info.loaded().unloading(id);
            alive.set_loading(id, false);
        });
    }
    answer
}

pub(super) fn ModuleLoadFinished(
    object: &CallbackObject,
    module: Option<ModuleId>,
    code: sys::HRESULT,
) -> HResult {
    // What the profiler asks about the module has the assembly, whose load goes on.
    let loaded = |info: &ProfilerInfo| {
        let assembly = module.and_then(|module| info.raw().module_info(module).ok()?.2);
        assembly.into_iter().for_each(|id| info.raw().alive().set_loading(id.into(), false));
    };
    let load = (module.map(AnyId::from), code);
    load_finished(object, Callback::ModuleLoadFinished, load, loaded, |given| {
        let id = given.module(module)?;
        Some(move |p: &dyn Profiler| p.module_load_finished(id, status(code)))
    })
}

pub(super) fn AssemblyLoadFinished(
    object: &CallbackObject,
    assembly: Option<AssemblyId>,
    code: sys::HRESULT,
) -> HResult {
    let load = (assembly.map(AnyId::from), code);
    load_finished(
        object,
        Callback::AssemblyLoadFinished,
        load,
        |_| (),
        |given| {
            let id = given.assembly(assembly)?;
            Some(move |p: &dyn Profiler| p.assembly_load_finished(id, status(code)))
        },
    )
}

pub(super) fn ModuleAttachedToAssembly(
    object: &CallbackObject,
    module: Option<ModuleId>,
    assembly: Option<AssemblyId>,
) -> HResult {
    let Some(parts) = object.parts() else { return HResult::S_OK };
    let held = HeldFunctions::default();
    let given = Given(&parts.info, &held);
    let both = given.module(module).zip(given.assembly(assembly));
    if let Some((module, assembly)) = both {
        parts.note("ModuleAttachedToAssembly", || {
            parts.info.raw().alive().set_loading(assembly.into(), false);
            parts.info.seen_module(module, assembly);
        });
    }
    let call = both
        .map(|(module, assembly)| move |p: &dyn Profiler| p.module_attached_to_assembly(module, assembly));
    each(parts, Callback::ModuleAttachedToAssembly, call)
}

pub(super) fn ClassLoadFinished(
    object: &CallbackObject,
    class: Option<ClassId>,
    code: sys::HRESULT,
) -> HResult {
    let Some(parts) = object.parts() else { return HResult::S_OK };
    let held = HeldFunctions::default();
    let class = Given(&parts.info, &held).class(class);
    if let Some(class) = class.filter(|_| HResult(code).is_ok()) {
        parts.note("ClassLoadFinished", || parts.info.seen_class(class));
    }
    let call = class.map(|class| move |p: &dyn Profiler| p.class_load_finished(class, status(code)));
    each(parts, Callback::ClassLoadFinished, call)
}

/// Declares callbacks that announce the end of something: what to tell the parts, for which it is the last chance
/// to use the id, and then what the library does before the callback returns.
macro_rules! unloads {
    ($($callback:ident($id:ident: $kind:ident $(, $arg:ident: $ty:ty)*)
        => |$profiler:ident, $loaded:ident| $tell:expr, $forget:expr;)*) => {$(
        pub(super) fn $callback(
            object: &CallbackObject,
            $id: Option<$kind>,
            $($arg: $ty),*
        ) -> HResult {
            let Some(parts) = object.parts() else { return HResult::S_OK };
            if let Some($id) = $id.filter(|_| !parts.have_ended()) {
                parts.info.raw().alive().reported($id.into());
            }
            let call = $id.map(|$id| move |$profiler: &dyn Profiler| $tell);
            let code = each(parts, Callback::$callback, call);
            if let Some($id) = $id {
                parts.note(stringify!($callback), || {
                    let $loaded = parts.info.loaded();
                    $forget;
                });
            }
            code
        }
    )*};
}

unloads! {
    AppDomainShutdownStarted(id: AppDomainId)
        => |p, loaded| p.app_domain_shutdown_started(id), loaded.unloading(id.into());
    AppDomainShutdownFinished(id: AppDomainId, code: sys::HRESULT)
        => |p, loaded| p.app_domain_shutdown_finished(id, status(code)), loaded.unloading(id.into());
    AssemblyUnloadStarted(id: AssemblyId)
        => |p, loaded| p.assembly_unload_started(id), loaded.unloading(id.into());
    AssemblyUnloadFinished(id: AssemblyId, code: sys::HRESULT)
        => |p, loaded| p.assembly_unload_finished(id, status(code)), loaded.unloading(id.into());
    ModuleUnloadStarted(id: ModuleId)
        => |p, loaded| p.module_unload_started(id), loaded.module_unloading(id);
    ModuleUnloadFinished(id: ModuleId, code: sys::HRESULT)
        => |p, loaded| p.module_unload_finished(id, status(code)), loaded.module_unloading(id);
    ClassUnloadStarted(id: ClassId)
        => |p, loaded| p.class_unload_started(id), loaded.unloading_briefly(id.into());
    ClassUnloadFinished(id: ClassId, code: sys::HRESULT)
        => |p, loaded| p.class_unload_finished(id, status(code)), loaded.unloading_briefly(id.into());
    FunctionUnloadStarted(id: FunctionId)
        => |p, loaded| p.function_unload_started(id), loaded.unloading_briefly(id.into());
    DynamicMethodUnloaded(id: FunctionId)
        => |p, loaded| p.dynamic_method_unloaded(id), loaded.unloading_briefly(id.into());
    ThreadDestroyed(id: ThreadId)
        => |p, loaded| p.thread_destroyed(id), loaded.thread_destroyed(id);
}

/// Passes the references of an assembly to the parts, which add to them.
pub(super) fn GetAssemblyReferences(
    object: &CallbackObject,
    path: Option<&U16CStr>,
    provider: Option<InCallback<'_, sys::ICorProfilerAssemblyReferenceProvider>>,
) -> HResult {
    let callback = Callback::GetAssemblyReferences;
    let Some(parts) = object.parts() else { return HResult::S_OK };
    let Some(provider) = provider else { return each(parts, callback, None::<fn(&dyn Profiler)>) };
    let _kept = LastError::keep();
    let path = path.map(U16CStr::to_string_lossy).unwrap_or_default();
    let references = AssemblyReferences(provider);
    let mut failure = None;
    let code = parts.each(callback, |part, profiler| {
        if let Err(error) = profiler.assembly_references(&path, &references) {
            parts.report(part, callback, &error);
            failure.get_or_insert(error);
        }
    });
    failure.map_or(code, |error| error.hresult())
}

callbacks! {
    AppDomainCreationStarted(id: Option<AppDomainId>)
        => |given| app_domain_creation_started(id = given.app_domain(id)?);
    AppDomainCreationFinished(id: Option<AppDomainId>, code: sys::HRESULT)
        => |given| app_domain_creation_finished(id = given.app_domain(id)?, status = status(code));
    ClassLoadStarted(id: Option<ClassId>) => |given| class_load_started(id = given.class(id)?);
    ModuleInMemorySymbolsUpdated(id: Option<ModuleId>)
        => |given| module_in_memory_symbols_updated(id = given.module(id)?);
    COMClassicVTableCreated(class: Option<ClassId>, iid: Option<Guid>, vtable: usize, slots: u32)
        => |given| com_classic_vtable_created(class = given.class(class)?, iid = iid?, vtable, slots);
    COMClassicVTableDestroyed(class: Option<ClassId>, iid: Option<Guid>, vtable: usize)
        => |given| com_classic_vtable_destroyed(class = given.class(class)?, iid = iid?, vtable);
}
