//! `ICorProfilerInfo`: events, modules, assemblies, threads, suspension, environment.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the methods keep their COM names here")]

use corprof::{EventMask, HResult};
use corprof_sys as sys;

use super::{Answer, Kind, List, Object, methods, put, put_list, put_text, text_of};
use crate::model::{APP_DOMAIN, State, assembly_id, module_id, thread_id};
use crate::site::{self, Site};

/// Sets the event mask, under the runtime's conditions.
fn set_mask(object: &Object, low: u32, high: u32) -> Answer {
    let [major, ..] = object.shared().version.numbers();
    let mut model = object.model();
    let profiling = &mut model.profiling;
    let (old, new) = (profiling.mask, EventMask::from_halves(low, high));
    if profiling.is_attached && !EventMask::allowable_after_attach_on(major).contains(new) {
        return Err(HResult::CORPROF_E_UNSUPPORTED_FOR_ATTACHING_PROFILER);
    }
    let changed = EventMask::from_halves(old[0] ^ low, old[1] ^ high);
    if profiling.is_initialized && changed.intersects(EventMask::immutable_on(major)) {
        return Err(HResult::E_FAIL);
    }
    // The collector is concurrent unless the flag was there from the start.
    if profiling.is_initialized && changed.contains(EventMask::GC) && new.contains(EventMask::GC) {
        return Err(HResult::CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE);
    }
    profiling.mask = [low, high];
    Ok(())
}

methods! {
    ICorProfilerInfo: GetEventMask(events: *mut sys::DWORD) => |object| {
        put(events, object.model().profiling.mask[0]);
        Ok(())
    };
    ICorProfilerInfo: SetEventMask(events: sys::DWORD) => |object| {
        let high = object.model().profiling.mask[1];
        set_mask(object, events, high)
    };
    ICorProfilerInfo5: GetEventMask2(low: *mut sys::DWORD, high: *mut sys::DWORD) => |object| {
        let mask = object.model().profiling.mask;
        put(low, mask[0]);
        put(high, mask[1]);
        Ok(())
    };
    ICorProfilerInfo5: SetEventMask2(low: sys::DWORD, high: sys::DWORD) => |object| set_mask(object, low, high);
    ICorProfilerInfo: ForceGC() => |object| {
        let mut model = object.model();
        if model.current_thread().is_some() {
            return Err(HResult::CORPROF_E_UNSUPPORTED_CALL_SEQUENCE);
        }
        model.profiling.forced_collections += 1;
        Ok(())
    };
    ICorProfilerInfo3: RequestProfilerDetach(milliseconds: sys::DWORD) => |object| {
        let [major, ..] = object.shared().version.numbers();
        let mut model = object.model();
        let profiling = &mut model.profiling;
        let [low, high] = profiling.mask;
        if profiling.has_hooks() {
            return Err(HResult::CORPROF_E_IRREVERSIBLE_INSTRUMENTATION_PRESENT);
        }
        if EventMask::from_halves(low, high).intersects(EventMask::immutable_on(major)) {
            return Err(HResult::CORPROF_E_IMMUTABLE_FLAGS_SET);
        }
        if profiling.detach.is_some() {
            return Err(HResult::CORPROF_E_PROFILER_DETACHING);
        }
        profiling.detach = Some(milliseconds);
        Ok(())
    };
    ICorProfilerInfo3: GetRuntimeInformation(
        instance: *mut sys::USHORT, runtime: *mut sys::COR_PRF_RUNTIME_TYPE, major: *mut sys::USHORT,
        minor: *mut sys::USHORT, build: *mut sys::USHORT, qfe: *mut sys::USHORT,
        room: sys::ULONG, count: *mut sys::ULONG, text: *mut sys::WCHAR,
    ) => |object| {
        let version = object.shared().version;
        let [first, second, third, fourth] = version.numbers();
        put(instance, 0);
        // COR_PRF_CORE_CLR.
        put(runtime, sys::COR_PRF_RUNTIME_TYPE(2));
        put(major, first);
        put(minor, second);
        put(build, third);
        put(qfe, fourth);
        put_text(text, room, count, &format!("v{first}.{second}.{third}"));
        Ok(())
    };

    ICorProfilerInfo: GetModuleInfo(
        id: sys::ModuleID, base: *mut sys::LPCBYTE, room: sys::ULONG, count: *mut sys::ULONG, text: *mut sys::WCHAR,
        assembly: *mut sys::AssemblyID,
    ) => |object| module_info(object, id, (base, room, count, text, assembly), core::ptr::null_mut());
    ICorProfilerInfo3: GetModuleInfo2(
        id: sys::ModuleID, base: *mut sys::LPCBYTE, room: sys::ULONG, count: *mut sys::ULONG, text: *mut sys::WCHAR,
        assembly: *mut sys::AssemblyID, flags: *mut sys::DWORD,
    ) => |object| module_info(object, id, (base, room, count, text, assembly), flags);
    ICorProfilerInfo: GetModuleMetaData(
        id: sys::ModuleID, flags: sys::DWORD, iid: sys::REFIID, out: *mut *mut sys::IUnknown,
    ) => |object| {
        let module = object.module_of(&object.model(), id)?;
        put(out, core::ptr::null_mut());
        // The double's metadata cannot be written.
        if flags & 1 != 0 {
            return Err(HResult::E_NOTIMPL);
        }
        let is = |known: sys::GUID| known == *iid;
        let kind = if is(sys::IID_IMetaDataImport) || is(sys::IID_IMetaDataImport2) || is(sys::IID_IUnknown) {
            Kind::Import(module)
        } else if is(sys::IID_IMetaDataAssemblyImport) {
            Kind::Manifest(module)
        } else {
            return Err(HResult::E_NOINTERFACE);
        };
        put(out, object.sibling(kind).cast());
        Ok(())
    };
    ICorProfilerInfo: GetAssemblyInfo(
        id: sys::AssemblyID, room: sys::ULONG, count: *mut sys::ULONG, text: *mut sys::WCHAR,
        domain: *mut sys::AppDomainID, module: *mut sys::ModuleID,
    ) => |object| {
        let model = object.model();
        let index = object.assembly_of(&model, id)?;
        let known = model.modules.get(index).ok_or(HResult::E_INVALIDARG)?;
        put_text(text, room, count, &known.assembly);
        put(domain, APP_DOMAIN);
        put(module, module_id(index));
        Ok(())
    };
    ICorProfilerInfo: GetAppDomainInfo(
        id: sys::AppDomainID, room: sys::ULONG, count: *mut sys::ULONG, text: *mut sys::WCHAR,
        process: *mut sys::ProcessID,
    ) => |_| {
        if id != APP_DOMAIN {
            return Err(HResult::E_INVALIDARG);
        }
        put_text(text, room, count, "clrhost");
        put(process, std::process::id() as usize);
        Ok(())
    };
    ICorProfilerInfo3: GetAppDomainsContainingModule(
        id: sys::ModuleID, room: sys::ULONG32, count: *mut sys::ULONG32, list: *mut sys::AppDomainID,
    ) => |object| {
        object.module_of(&object.model(), id)?;
        put_list(list, room, count, &[APP_DOMAIN]);
        Ok(())
    };
    ICorProfilerInfo3: EnumModules(out: *mut *mut sys::ICorProfilerModuleEnum) => |object| {
        let model = object.model();
        let loaded = model.modules.iter().enumerate().filter(|(_, module)| module.state == State::Loaded);
        let ids = loaded.map(|(index, _)| module_id(index)).collect();
        drop(model);
        put(out, object.sibling(Kind::List(List::modules(ids))).cast());
        Ok(())
    };

    ICorProfilerInfo: GetCurrentThreadID(out: *mut sys::ThreadID) => |object| {
        let thread = object.model().current_thread().ok_or(HResult::CORPROF_E_NOT_MANAGED_THREAD)?;
        put(out, thread_id(thread));
        Ok(())
    };
    ICorProfilerInfo: GetThreadInfo(id: sys::ThreadID, os_thread: *mut sys::DWORD) => |object| {
        let model = object.model();
        let thread = object.thread_of(&model, id)?;
        put(os_thread, model.threads.get(thread).map_or(0, |thread| thread.os_thread));
        Ok(())
    };
    ICorProfilerInfo2: GetThreadAppDomain(id: sys::ThreadID, out: *mut sys::AppDomainID) => |object| {
        object.thread_of(&object.model(), id)?;
        put(out, APP_DOMAIN);
        Ok(())
    };
    ICorProfilerInfo4: EnumThreads(out: *mut *mut sys::ICorProfilerThreadEnum) => |object| {
        let model = object.model();
        let alive = model.threads.iter().enumerate().filter(|(_, thread)| thread.is_alive);
        let ids = alive.map(|(index, _)| thread_id(index)).collect();
        drop(model);
        put(out, object.sibling(Kind::List(List::threads(ids))).cast());
        Ok(())
    };
    ICorProfilerInfo4: InitializeCurrentThread() => |_| Ok(());
    ICorProfilerInfo10: SuspendRuntime() => |object| {
        let mut model = object.model();
        if model.profiling.suspensions > 0 {
            return Err(HResult::CORPROF_E_SUSPENSION_IN_PROGRESS);
        }
        model.profiling.suspensions += 1;
        core::mem::forget(site::enter(Site::Suspended));
        Ok(())
    };
    ICorProfilerInfo10: ResumeRuntime() => |object| {
        let mut model = object.model();
        let left = model.profiling.suspensions.checked_sub(1);
        model.profiling.suspensions = left.ok_or(HResult::CORPROF_E_UNSUPPORTED_CALL_SEQUENCE)?;
        site::leave(Site::Suspended);
        Ok(())
    };

    ICorProfilerInfo11: GetEnvironmentVariableA(
        name: *const sys::WCHAR, room: sys::ULONG, count: *mut sys::ULONG, text: *mut sys::WCHAR,
    ) => |object| {
        let name = text_of(name);
        let model = object.model();
        let value = model.environment.get(&name).ok_or(HResult(ERROR_ENVVAR_NOT_FOUND))?;
        put_text(text, room, count, value);
        Ok(())
    };
    ICorProfilerInfo11: SetEnvironmentVariableA(name: *const sys::WCHAR, value: *const sys::WCHAR) => |object| {
        let (name, value) = (text_of(name), (!value.is_null()).then(|| text_of(value)));
        let mut model = object.model();
        match value {
            Some(value) => model.environment.insert(name, value),
            None => model.environment.remove(&name),
        };
        Ok(())
    };
}

/// `ERROR_ENVVAR_NOT_FOUND`, as a result code.
const ERROR_ENVVAR_NOT_FOUND: i32 = 0x8007_00CB_u32.cast_signed();

type ModuleAnswer = (*mut sys::LPCBYTE, sys::ULONG, *mut sys::ULONG, *mut sys::WCHAR, *mut sys::AssemblyID);

/// # Safety
/// As the interface declares it.
unsafe fn module_info(
    object: &Object,
    id: sys::ModuleID,
    out: ModuleAnswer,
    flags: *mut sys::DWORD,
) -> Answer {
    let model = object.model();
    let index = object.module_of(&model, id)?;
    let module = model.modules.get(index).ok_or(HResult::E_INVALIDARG)?;
    let (base, room, count, text, assembly) = out;
    // SAFETY: guaranteed by the caller.
    unsafe {
        // No module has an image.
        put(base, core::ptr::null());
        put_text(text, room, count, &module.path);
        put(assembly, if module.is_attached { assembly_id(index) } else { 0 });
        put(flags, module.flags);
    }
    Ok(())
}
