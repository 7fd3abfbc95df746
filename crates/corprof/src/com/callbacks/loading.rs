//! Application domains, assemblies, modules and types that come and go.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::ffi::c_void;
use core::ptr::NonNull;

use corprof_sys as sys;

use super::super::object::CallbackObject;
use super::{Given, answer, callbacks, deliver, not_surfaced, status};
use crate::control::AssemblyReferences;
use crate::ids::{AppDomainId, AssemblyId, ClassId, FunctionId, ModuleId};
use crate::{Guid, HResult, Profiler};

// What the library itself has to know: which modules are loaded, and what goes away.

pub(in crate::com) unsafe extern "system" fn ModuleAttachedToAssembly<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    module: sys::ModuleID,
    assembly: sys::AssemblyID,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    let Some(running) = object.running() else { return HResult::S_OK.0 };
    answer(running, "ModuleAttachedToAssembly", |profiler| {
        let given = Given(&running.info);
        let (module, assembly) = (given.module(module)?, given.assembly(assembly)?);
        running.info.seen_module(module, assembly);
        profiler.module_attached_to_assembly(module, assembly);
        Some(())
    })
}

pub(in crate::com) unsafe extern "system" fn ClassLoadFinished<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    class: sys::ClassID,
    code: sys::HRESULT,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    let Some(running) = object.running() else { return HResult::S_OK.0 };
    answer(running, "ClassLoadFinished", |profiler| {
        let class = Given(&running.info).class(class)?;
        if HResult(code).is_ok() {
            running.info.seen_class(class);
        }
        profiler.class_load_finished(class, status(code));
        Some(())
    })
}

/// Declares callbacks that announce the end of something: what to tell the profiler, for which it is the last chance
/// to use the id, and then what the library does before the callback returns.
macro_rules! unloads {
    ($($interface:ident: $method:ident($id:ident: $kind:ident $(, $arg:ident: $ty:ty)*)
        => |$profiler:ident, $loaded:ident| $tell:expr, $forget:expr;)*) => {$(
        pub(in crate::com) unsafe extern "system" fn $method<P: Profiler>(
            this: *mut sys::$interface,
            $id: usize,
            $($arg: $ty),*
        ) -> sys::HRESULT {
            // SAFETY: the runtime calls with a live object of ours.
            let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
            let Some(running) = object.running() else { return HResult::S_OK.0 };
            answer(running, stringify!($method), |$profiler| {
                let $id = $kind::from_raw($id)?;
                let $loaded = running.info.loaded();
                $tell;
                $forget;
                Some(())
            })
        }
    )*};
}

unloads! {
    ICorProfilerCallback: AppDomainShutdownStarted(id: AppDomainId)
        => |p, loaded| p.app_domain_shutdown_started(id), loaded.unloading(id.into());
    ICorProfilerCallback: AppDomainShutdownFinished(id: AppDomainId, code: sys::HRESULT)
        => |p, loaded| p.app_domain_shutdown_finished(id, status(code)), loaded.unloading(id.into());
    ICorProfilerCallback: AssemblyUnloadStarted(id: AssemblyId)
        => |p, loaded| p.assembly_unload_started(id), loaded.unloading(id.into());
    ICorProfilerCallback: AssemblyUnloadFinished(id: AssemblyId, code: sys::HRESULT)
        => |p, loaded| p.assembly_unload_finished(id, status(code)), loaded.unloading(id.into());
    ICorProfilerCallback: ModuleUnloadStarted(id: ModuleId)
        => |p, loaded| p.module_unload_started(id), loaded.module_unloading(id);
    ICorProfilerCallback: ModuleUnloadFinished(id: ModuleId, code: sys::HRESULT)
        => |p, loaded| p.module_unload_finished(id, status(code)), loaded.module_unloading(id);
    ICorProfilerCallback: ClassUnloadStarted(id: ClassId)
        => |p, loaded| p.class_unload_started(id), loaded.unloading_briefly(id.into());
    ICorProfilerCallback: ClassUnloadFinished(id: ClassId, code: sys::HRESULT)
        => |p, loaded| p.class_unload_finished(id, status(code)), loaded.unloading_briefly(id.into());
    ICorProfilerCallback: FunctionUnloadStarted(id: FunctionId)
        => |p, loaded| p.function_unload_started(id), loaded.unloading_briefly(id.into());
    ICorProfilerCallback9: DynamicMethodUnloaded(id: FunctionId)
        => |p, loaded| p.dynamic_method_unloaded(id), loaded.unloading_briefly(id.into());
}

/// What an assembly is going to refer to: the profiler adds to it.
pub(in crate::com) unsafe extern "system" fn GetAssemblyReferences<P: Profiler>(
    this: *mut sys::ICorProfilerCallback6,
    path: *const sys::WCHAR,
    provider: *mut sys::ICorProfilerAssemblyReferenceProvider,
) -> sys::HRESULT {
    let mut outcome = Ok(());
    let tell = |profiler: &P, _: Given<'_>| {
        // SAFETY: the runtime lends a text with a terminating zero, or null.
        let path = unsafe { text(path) };
        // SAFETY: the runtime's provider is alive during the call.
        let references = unsafe { AssemblyReferences::new(NonNull::new(provider)?) };
        outcome = profiler.assembly_references(&path, &references);
        Some(())
    };
    // SAFETY: the runtime calls with a live object of ours.
    let code = unsafe { deliver::<P>(this.cast(), "GetAssemblyReferences", tell) };
    match outcome {
        Ok(()) => code,
        Err(error) => error.hresult().0,
    }
}

/// A text with a terminating zero; empty for null.
///
/// # Safety
/// `text` is null, or points to a text with a terminating zero.
unsafe fn text(text: *const sys::WCHAR) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: says the caller.
    unsafe { widestring::U16CStr::from_ptr_str(text) }.to_string_lossy()
}

callbacks! {
    ICorProfilerCallback: AppDomainCreationStarted(id: sys::AppDomainID)
        => |p, given| p.app_domain_creation_started(given.app_domain(id)?);
    ICorProfilerCallback: AppDomainCreationFinished(id: sys::AppDomainID, code: sys::HRESULT)
        => |p, given| p.app_domain_creation_finished(given.app_domain(id)?, status(code));
    ICorProfilerCallback: AssemblyLoadStarted(id: sys::AssemblyID)
        => |p, given| p.assembly_load_started(given.assembly(id)?);
    ICorProfilerCallback: AssemblyLoadFinished(id: sys::AssemblyID, code: sys::HRESULT)
        => |p, given| p.assembly_load_finished(given.assembly(id)?, status(code));
    ICorProfilerCallback: ModuleLoadStarted(id: sys::ModuleID)
        => |p, given| p.module_load_started(given.module(id)?);
    ICorProfilerCallback: ModuleLoadFinished(id: sys::ModuleID, code: sys::HRESULT)
        => |p, given| p.module_load_finished(given.module(id)?, status(code));
    ICorProfilerCallback: ClassLoadStarted(id: sys::ClassID)
        => |p, given| p.class_load_started(given.class(id)?);
    ICorProfilerCallback7: ModuleInMemorySymbolsUpdated(id: sys::ModuleID)
        => |p, given| p.module_in_memory_symbols_updated(given.module(id)?);
    ICorProfilerCallback: COMClassicVTableCreated(
        class: sys::ClassID, iid: sys::REFGUID, vtable: *mut c_void, slots: sys::ULONG
    ) => |p, given| p.com_classic_vtable_created(given.class(class)?, Guid(*iid.as_ref()?), vtable.addr(), slots);
    ICorProfilerCallback: COMClassicVTableDestroyed(class: sys::ClassID, iid: sys::REFGUID, vtable: *mut c_void)
        => |p, given| p.com_classic_vtable_destroyed(given.class(class)?, Guid(*iid.as_ref()?), vtable.addr());
}

not_surfaced! { "Remoting exists on the .NET Framework only.":
    ICorProfilerCallback: RemotingClientInvocationStarted();
    ICorProfilerCallback: RemotingClientSendingMessage(*mut sys::GUID, sys::BOOL);
    ICorProfilerCallback: RemotingClientReceivingReply(*mut sys::GUID, sys::BOOL);
    ICorProfilerCallback: RemotingClientInvocationFinished();
    ICorProfilerCallback: RemotingServerReceivingMessage(*mut sys::GUID, sys::BOOL);
    ICorProfilerCallback: RemotingServerInvocationStarted();
    ICorProfilerCallback: RemotingServerInvocationReturned();
    ICorProfilerCallback: RemotingServerSendingReply(*mut sys::GUID, sys::BOOL);
}
