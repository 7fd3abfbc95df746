//! Application domains, assemblies, modules and types that come and go.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::ffi::c_void;
use core::ptr::NonNull;

use corprof_sys as sys;

use super::super::object::CallbackObject;
use super::{answer, callbacks, deliver, not_surfaced, status};
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
        let (module, assembly) = (ModuleId::from_raw(module)?, AssemblyId::from_raw(assembly)?);
        running.info.seen_module(module, assembly);
        profiler.module_attached_to_assembly(module, assembly);
        Some(())
    })
}

pub(in crate::com) unsafe extern "system" fn ModuleUnloadStarted<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    module: sys::ModuleID,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    let Some(running) = object.running() else { return HResult::S_OK.0 };
    answer(running, "ModuleUnloadStarted", |profiler| {
        let module = ModuleId::from_raw(module)?;
        profiler.module_unload_started(module);
        running.info.loaded().unloading(module);
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
        let class = ClassId::from_raw(class)?;
        if HResult(code).is_ok() {
            running.info.seen_class(class);
        }
        profiler.class_load_finished(class, status(code));
        Some(())
    })
}

pub(in crate::com) unsafe extern "system" fn ClassUnloadStarted<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    class: sys::ClassID,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    let Some(running) = object.running() else { return HResult::S_OK.0 };
    answer(running, "ClassUnloadStarted", |profiler| {
        let class = ClassId::from_raw(class)?;
        profiler.class_unload_started(class);
        running.info.loaded().class_unloading(class);
        Some(())
    })
}

/// What an assembly is going to refer to: the profiler adds to it.
pub(in crate::com) unsafe extern "system" fn GetAssemblyReferences<P: Profiler>(
    this: *mut sys::ICorProfilerCallback6,
    path: *const sys::WCHAR,
    provider: *mut sys::ICorProfilerAssemblyReferenceProvider,
) -> sys::HRESULT {
    let mut outcome = Ok(());
    let tell = |profiler: &P| {
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
        => |p| p.app_domain_creation_started(AppDomainId::from_raw(id)?);
    ICorProfilerCallback: AppDomainCreationFinished(id: sys::AppDomainID, code: sys::HRESULT)
        => |p| p.app_domain_creation_finished(AppDomainId::from_raw(id)?, status(code));
    ICorProfilerCallback: AppDomainShutdownStarted(id: sys::AppDomainID)
        => |p| p.app_domain_shutdown_started(AppDomainId::from_raw(id)?);
    ICorProfilerCallback: AppDomainShutdownFinished(id: sys::AppDomainID, code: sys::HRESULT)
        => |p| p.app_domain_shutdown_finished(AppDomainId::from_raw(id)?, status(code));
    ICorProfilerCallback: AssemblyLoadStarted(id: sys::AssemblyID)
        => |p| p.assembly_load_started(AssemblyId::from_raw(id)?);
    ICorProfilerCallback: AssemblyLoadFinished(id: sys::AssemblyID, code: sys::HRESULT)
        => |p| p.assembly_load_finished(AssemblyId::from_raw(id)?, status(code));
    ICorProfilerCallback: AssemblyUnloadStarted(id: sys::AssemblyID)
        => |p| p.assembly_unload_started(AssemblyId::from_raw(id)?);
    ICorProfilerCallback: AssemblyUnloadFinished(id: sys::AssemblyID, code: sys::HRESULT)
        => |p| p.assembly_unload_finished(AssemblyId::from_raw(id)?, status(code));
    ICorProfilerCallback: ModuleLoadStarted(id: sys::ModuleID)
        => |p| p.module_load_started(ModuleId::from_raw(id)?);
    ICorProfilerCallback: ModuleLoadFinished(id: sys::ModuleID, code: sys::HRESULT)
        => |p| p.module_load_finished(ModuleId::from_raw(id)?, status(code));
    ICorProfilerCallback: ModuleUnloadFinished(id: sys::ModuleID, code: sys::HRESULT)
        => |p| p.module_unload_finished(ModuleId::from_raw(id)?, status(code));
    ICorProfilerCallback: ClassLoadStarted(id: sys::ClassID)
        => |p| p.class_load_started(ClassId::from_raw(id)?);
    ICorProfilerCallback: ClassUnloadFinished(id: sys::ClassID, code: sys::HRESULT)
        => |p| p.class_unload_finished(ClassId::from_raw(id)?, status(code));
    ICorProfilerCallback: FunctionUnloadStarted(id: sys::FunctionID)
        => |p| p.function_unload_started(FunctionId::from_raw(id)?);
    ICorProfilerCallback7: ModuleInMemorySymbolsUpdated(id: sys::ModuleID)
        => |p| p.module_in_memory_symbols_updated(ModuleId::from_raw(id)?);
    ICorProfilerCallback9: DynamicMethodUnloaded(id: sys::FunctionID)
        => |p| p.dynamic_method_unloaded(FunctionId::from_raw(id)?);
    ICorProfilerCallback: COMClassicVTableCreated(
        class: sys::ClassID, iid: sys::REFGUID, vtable: *mut c_void, slots: sys::ULONG
    ) => |p| p.com_classic_vtable_created(ClassId::from_raw(class)?, Guid(*iid.as_ref()?), vtable.addr(), slots);
    ICorProfilerCallback: COMClassicVTableDestroyed(class: sys::ClassID, iid: sys::REFGUID, vtable: *mut c_void)
        => |p| p.com_classic_vtable_destroyed(ClassId::from_raw(class)?, Guid(*iid.as_ref()?), vtable.addr());
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
