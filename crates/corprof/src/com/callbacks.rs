//! The callbacks: one function for each, which checks, converts and delivers. The table of them is in [`vtable`](super::vtable).
//!
//! Contract of the unsafe code here: the runtime calls these functions with `this` a live object made by
//! [`CallbackObject::<P>::create`], and with arguments as `corprof.idl` declares them: a count and as many
//! elements behind a pointer that may be null when the count is zero. Lists are lent for the duration of the
//! call, and the types that wrap them borrow from it. Nothing unwinds out of these functions.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

use corprof_sys as sys;

use super::guard::guarded;
use super::object::{CallbackObject, Running};
use crate::ids::{
    AppDomainId, AssemblyId, ClassId, FunctionId, GcHandleId, ModuleId, ObjectId, ReJitId, ThreadId,
};
use crate::values::{
    FinalizerFlags, GcReason, GcRootKind, GcRoots, Generations, JitCacheResult, MovedRanges, SurvivingRanges,
    SuspendReason, TransitionReason,
};
use crate::{HResult, Profiler, ProfilerInfo, Result, report};

/// A list that the runtime lends.
///
/// # Safety
/// `data` points to `count` elements that stay as they are for `'a`, or `count` is zero. `T` has the layout
/// of the elements.
unsafe fn list<'a, T>(data: *const T, count: sys::ULONG) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: says the caller; a u32 fits a usize on every target that the runtime has.
    unsafe { core::slice::from_raw_parts(data, count as usize) }
}

/// What the runtime reports of something that it has finished.
fn status(code: sys::HRESULT) -> Result<(), HResult> {
    HResult(code).ok()
}

/// Delivers one callback to the profiler behind `this`: `S_OK`, unless the profiler panicked.
///
/// # Safety
/// `this` is a live object made by [`CallbackObject::<P>::create`].
unsafe fn deliver<P: Profiler>(
    this: *mut c_void,
    callback: &'static str,
    work: impl FnOnce(&P) -> Option<()>,
) -> sys::HRESULT {
    // SAFETY: forwarded to the caller.
    match unsafe { CallbackObject::<P>::from_interface(this) }.running() {
        Some(running) => answer(running, callback, work),
        None => HResult::S_OK.0,
    }
}

/// Delivers to a profiler that runs. An argument that is null against the contract ends `work` early, and is
/// logged.
fn answer<P>(
    running: &Running<P>,
    callback: &'static str,
    work: impl FnOnce(&P) -> Option<()>,
) -> sys::HRESULT {
    if running.stopped.load(Ordering::Relaxed) {
        return HResult::S_OK.0;
    }
    match running.deliver(callback, work) {
        Some(Some(())) => HResult::S_OK.0,
        Some(None) => {
            tracing::warn!("{callback} came with a null id and was not delivered");
            HResult::S_OK.0
        }
        None => HResult::E_FAIL.0,
    }
}

/// Declares callbacks: the interface, the COM name, the arguments, and what to tell the profiler. In the
/// body, `?` on a null id ends the delivery.
macro_rules! callbacks {
    ($($interface:ident: $method:ident($($arg:ident: $ty:ty),*) => |$profiler:ident| $body:expr;)*) => {$(
        pub(super) unsafe extern "system" fn $method<P: Profiler>(
            this: *mut sys::$interface,
            $($arg: $ty),*
        ) -> sys::HRESULT {
            // SAFETY: the runtime calls with a live object of ours.
            unsafe { deliver::<P>(this.cast(), stringify!($method), |$profiler| { $body; Some(()) }) }
        }
    )*};
}

/// Declares callbacks that tell the profiler nothing, with the reason.
macro_rules! not_surfaced {
    ($reason:literal: $($interface:ident: $method:ident($($ty:ty),*);)*) => {$(
        #[doc = $reason]
        pub(super) unsafe extern "system" fn $method(_: *mut sys::$interface, $(_: $ty),*) -> sys::HRESULT {
            HResult::S_OK.0
        }
    )*};
}

/// `Initialize` and `InitializeForAttach`: makes the profiler, keeps it, installs its hooks.
///
/// # Safety
/// `this` is a live object of ours, `unknown` the runtime's own object or null.
unsafe fn start<P: Profiler>(
    this: *mut c_void,
    unknown: *mut sys::IUnknown,
    callback: &'static str,
    make: impl FnOnce(&ProfilerInfo) -> Result<P>,
) -> sys::HRESULT {
    // SAFETY: forwarded to the caller.
    let object = unsafe { CallbackObject::<P>::from_interface(this) };
    report::note_for_launcher("called");
    let started = guarded(callback, &AtomicBool::new(false), || {
        let Some(unknown) = NonNull::new(unknown.cast()) else {
            return Err(crate::Error::Null { call: callback, what: "ICorProfilerInfo" });
        };
        // SAFETY: the runtime's object is alive during the call.
        let info = unsafe { ProfilerInfo::from_unknown(unknown) }?;
        let profiler = make(&info)?;
        let running = object.start(profiler, info);
        running.profiler.hooks().install(running)
    });
    match started {
        Some(Ok(())) => HResult::S_OK.0,
        Some(Err(error)) => {
            report::failure(&format!("the profiler does not run: {error}"));
            error.hresult().0
        }
        None => HResult::E_FAIL.0,
    }
}

pub(super) unsafe extern "system" fn Initialize<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    unknown: *mut sys::IUnknown,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours and its own object.
    unsafe { start::<P>(this.cast(), unknown, "Initialize", P::initialize) }
}

pub(super) unsafe extern "system" fn InitializeForAttach<P: Profiler>(
    this: *mut sys::ICorProfilerCallback3,
    unknown: *mut sys::IUnknown,
    data: *mut c_void,
    length: sys::UINT,
) -> sys::HRESULT {
    // SAFETY: the runtime lends `length` bytes of client data.
    let data = unsafe { list(data.cast_const().cast::<u8>(), length) };
    // SAFETY: the runtime calls with a live object of ours and its own object.
    unsafe {
        start::<P>(this.cast(), unknown, "InitializeForAttach", |info| P::initialize_for_attach(info, data))
    }
}

pub(super) unsafe extern "system" fn Shutdown<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    let Some(running) = object.running() else { return HResult::S_OK.0 };
    let code = answer(running, "Shutdown", |profiler| {
        profiler.shutdown();
        Some(())
    });
    running.stopped.store(true, Ordering::Relaxed);
    code
}

pub(super) unsafe extern "system" fn ProfilerDetachSucceeded<P: Profiler>(
    this: *mut sys::ICorProfilerCallback3,
) -> sys::HRESULT {
    // SAFETY: the runtime calls with a live object of ours.
    let object = unsafe { CallbackObject::<P>::from_interface(this.cast()) };
    let Some(running) = object.running() else { return HResult::S_OK.0 };
    let code = answer(running, "ProfilerDetachSucceeded", |profiler| {
        profiler.profiler_detach_succeeded();
        Some(())
    });
    running.stopped.store(true, Ordering::Relaxed);
    code
}

pub(super) unsafe extern "system" fn LoadAsNotificationOnly<P: Profiler>(
    _: *mut sys::ICorProfilerCallback11,
    notification_only: *mut sys::BOOL,
) -> sys::HRESULT {
    if notification_only.is_null() {
        return HResult::E_POINTER.0;
    }
    let answer = guarded("LoadAsNotificationOnly", &AtomicBool::new(false), P::load_as_notification_only);
    // SAFETY: points to a place for a BOOL.
    unsafe { notification_only.write(answer.unwrap_or(false).into()) };
    HResult::S_OK.0
}

// What the library itself has to know: which modules are loaded, and what goes away.

pub(super) unsafe extern "system" fn ModuleAttachedToAssembly<P: Profiler>(
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

pub(super) unsafe extern "system" fn ModuleUnloadStarted<P: Profiler>(
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

pub(super) unsafe extern "system" fn ClassLoadFinished<P: Profiler>(
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

pub(super) unsafe extern "system" fn ClassUnloadStarted<P: Profiler>(
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

// Questions: what the profiler answers is written where the runtime reads it.

pub(super) unsafe extern "system" fn JITCachedFunctionSearchStarted<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    function: sys::FunctionID,
    use_cached: *mut sys::BOOL,
) -> sys::HRESULT {
    let ask = |profiler: &P| {
        let answer = profiler.jit_cached_function_search_started(FunctionId::from_raw(function)?);
        // SAFETY: a place for a BOOL, or null.
        if let Some(place) = unsafe { use_cached.as_mut() } {
            *place = answer.into();
        }
        Some(())
    };
    // SAFETY: the runtime calls with a live object of ours.
    unsafe { deliver::<P>(this.cast(), "JITCachedFunctionSearchStarted", ask) }
}

pub(super) unsafe extern "system" fn JITInlining<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    caller: sys::FunctionID,
    callee: sys::FunctionID,
    should_inline: *mut sys::BOOL,
) -> sys::HRESULT {
    let ask = |profiler: &P| {
        let answer = profiler.jit_inlining(FunctionId::from_raw(caller)?, FunctionId::from_raw(callee)?);
        // SAFETY: a place for a BOOL, or null.
        if let Some(place) = unsafe { should_inline.as_mut() } {
            *place = answer.into();
        }
        Some(())
    };
    // SAFETY: the runtime calls with a live object of ours.
    unsafe { deliver::<P>(this.cast(), "JITInlining", ask) }
}

pub(super) unsafe extern "system" fn ObjectReferences<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    object: sys::ObjectID,
    class: sys::ClassID,
    count: sys::ULONG,
    references: *mut sys::ObjectID,
) -> sys::HRESULT {
    let mut go_on = true;
    // SAFETY: the runtime lends `count` object ids, which have the layout of `Option<ObjectId>`.
    let references = unsafe { list::<Option<ObjectId<'_>>>(references.cast_const().cast(), count) };
    let tell = |profiler: &P| {
        let object = ObjectId::in_callback(object)?;
        go_on = profiler.object_references(object, ClassId::from_raw(class)?, references);
        Some(())
    };
    // SAFETY: the runtime calls with a live object of ours.
    let code = unsafe { deliver::<P>(this.cast(), "ObjectReferences", tell) };
    if code == HResult::S_OK.0 && !go_on { HResult::E_FAIL.0 } else { code }
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
    ICorProfilerCallback: JITCompilationStarted(id: sys::FunctionID, safe: sys::BOOL)
        => |p| p.jit_compilation_started(FunctionId::from_raw(id)?, safe != 0);
    ICorProfilerCallback: JITCompilationFinished(id: sys::FunctionID, code: sys::HRESULT, safe: sys::BOOL)
        => |p| p.jit_compilation_finished(FunctionId::from_raw(id)?, status(code), safe != 0);
    ICorProfilerCallback: JITCachedFunctionSearchFinished(id: sys::FunctionID, result: sys::COR_PRF_JIT_CACHE)
        => |p| p.jit_cached_function_search_finished(FunctionId::from_raw(id)?, JitCacheResult(result.0));
    ICorProfilerCallback: JITFunctionPitched(id: sys::FunctionID)
        => |p| p.jit_function_pitched(FunctionId::from_raw(id)?);
    ICorProfilerCallback: ThreadCreated(id: sys::ThreadID)
        => |p| p.thread_created(ThreadId::from_raw(id)?);
    ICorProfilerCallback: ThreadDestroyed(id: sys::ThreadID)
        => |p| p.thread_destroyed(ThreadId::from_raw(id)?);
    ICorProfilerCallback: ThreadAssignedToOSThread(id: sys::ThreadID, os_thread: sys::DWORD)
        => |p| p.thread_assigned_to_os_thread(ThreadId::from_raw(id)?, os_thread);
    ICorProfilerCallback: UnmanagedToManagedTransition(id: sys::FunctionID, reason: sys::COR_PRF_TRANSITION_REASON)
        => |p| p.unmanaged_to_managed_transition(FunctionId::from_raw(id), TransitionReason(reason.0));
    ICorProfilerCallback: ManagedToUnmanagedTransition(id: sys::FunctionID, reason: sys::COR_PRF_TRANSITION_REASON)
        => |p| p.managed_to_unmanaged_transition(FunctionId::from_raw(id), TransitionReason(reason.0));
    ICorProfilerCallback: RuntimeSuspendStarted(reason: sys::COR_PRF_SUSPEND_REASON)
        => |p| p.runtime_suspend_started(SuspendReason(reason.0));
    ICorProfilerCallback: RuntimeSuspendFinished() => |p| p.runtime_suspend_finished();
    ICorProfilerCallback: RuntimeSuspendAborted() => |p| p.runtime_suspend_aborted();
    ICorProfilerCallback: RuntimeResumeStarted() => |p| p.runtime_resume_started();
    ICorProfilerCallback: RuntimeResumeFinished() => |p| p.runtime_resume_finished();
    ICorProfilerCallback: RuntimeThreadSuspended(id: sys::ThreadID)
        => |p| p.runtime_thread_suspended(ThreadId::from_raw(id)?);
    ICorProfilerCallback: RuntimeThreadResumed(id: sys::ThreadID)
        => |p| p.runtime_thread_resumed(ThreadId::from_raw(id)?);
    ICorProfilerCallback: ObjectAllocated(object: sys::ObjectID, class: sys::ClassID)
        => |p| p.object_allocated(ObjectId::in_callback(object)?, ClassId::from_raw(class)?);
    ICorProfilerCallback: ObjectsAllocatedByClass(count: sys::ULONG, classes: *mut sys::ClassID, counts: *mut sys::ULONG)
        => |p| p.objects_allocated_by_class(list(classes.cast_const().cast(), count), list(counts, count));
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
    ICorProfilerCallback2: ThreadNameChanged(id: sys::ThreadID, length: sys::ULONG, name: *mut sys::WCHAR)
        => |p| p.thread_name_changed(ThreadId::from_raw(id)?, widestring::U16Str::from_slice(list(name, length)));
    ICorProfilerCallback2: GarbageCollectionStarted(count: core::ffi::c_int, collected: *mut sys::BOOL, reason: sys::COR_PRF_GC_REASON)
        => |p| p.garbage_collection_started(
            Generations(list(collected, count.max(0).cast_unsigned())),
            GcReason(reason.0),
        );
    ICorProfilerCallback2: GarbageCollectionFinished() => |p| p.garbage_collection_finished();
    ICorProfilerCallback2: FinalizeableObjectQueued(flags: sys::DWORD, object: sys::ObjectID)
        => |p| p.finalizeable_object_queued(
            FinalizerFlags::from_bits_retain(flags),
            ObjectId::in_callback(object)?,
        );
    ICorProfilerCallback2: RootReferences2(
        count: sys::ULONG, objects: *mut sys::ObjectID, kinds: *mut sys::COR_PRF_GC_ROOT_KIND,
        flags: *mut sys::COR_PRF_GC_ROOT_FLAGS, ids: *mut sys::UINT_PTR
    ) => |p| p.root_references(GcRoots {
        objects: list(objects.cast_const().cast(), count),
        kinds: list(kinds.cast_const().cast::<GcRootKind>(), count),
        flags: list(flags.cast_const().cast(), count),
        ids: list(ids, count),
    });
    ICorProfilerCallback2: HandleCreated(handle: sys::GCHandleID, object: sys::ObjectID)
        => |p| p.handle_created(GcHandleId::from_raw(handle)?, ObjectId::in_callback(object));
    ICorProfilerCallback2: HandleDestroyed(handle: sys::GCHandleID)
        => |p| p.handle_destroyed(GcHandleId::from_raw(handle)?);
    ICorProfilerCallback3: ProfilerAttachComplete() => |p| p.profiler_attach_complete();
    ICorProfilerCallback4: ReJITCompilationStarted(id: sys::FunctionID, rejit: sys::ReJITID, safe: sys::BOOL)
        => |p| p.rejit_compilation_started(FunctionId::from_raw(id)?, ReJitId::from_raw(rejit), safe != 0);
    ICorProfilerCallback4: ReJITCompilationFinished(id: sys::FunctionID, rejit: sys::ReJITID, code: sys::HRESULT, safe: sys::BOOL)
        => |p| p.rejit_compilation_finished(
            FunctionId::from_raw(id)?, ReJitId::from_raw(rejit), status(code), safe != 0,
        );
    ICorProfilerCallback4: MovedReferences2(
        count: sys::ULONG, old: *mut sys::ObjectID, new: *mut sys::ObjectID, lengths: *mut sys::SIZE_T
    ) => |p| p.moved_references(MovedRanges {
        old: list(old, count),
        new: list(new, count),
        length: list(lengths, count),
    });
    ICorProfilerCallback4: SurvivingReferences2(
        count: sys::ULONG, starts: *mut sys::ObjectID, lengths: *mut sys::SIZE_T
    ) => |p| p.surviving_references(SurvivingRanges { start: list(starts, count), length: list(lengths, count) });
    ICorProfilerCallback5: ConditionalWeakTableElementReferences(
        count: sys::ULONG, keys: *mut sys::ObjectID, values: *mut sys::ObjectID, handles: *mut sys::GCHandleID
    ) => |p| p.conditional_weak_table_element_references(
        list(keys.cast_const().cast(), count),
        list(values.cast_const().cast(), count),
        list(handles.cast_const().cast(), count),
    );
    ICorProfilerCallback7: ModuleInMemorySymbolsUpdated(id: sys::ModuleID)
        => |p| p.module_in_memory_symbols_updated(ModuleId::from_raw(id)?);
    ICorProfilerCallback8: DynamicMethodJITCompilationStarted(
        id: sys::FunctionID, safe: sys::BOOL, il: sys::LPCBYTE, length: sys::ULONG
    ) => |p| p.dynamic_method_jit_compilation_started(FunctionId::from_raw(id)?, safe != 0, list(il, length));
    ICorProfilerCallback8: DynamicMethodJITCompilationFinished(id: sys::FunctionID, code: sys::HRESULT, safe: sys::BOOL)
        => |p| p.dynamic_method_jit_compilation_finished(FunctionId::from_raw(id)?, status(code), safe != 0);
    ICorProfilerCallback9: DynamicMethodUnloaded(id: sys::FunctionID)
        => |p| p.dynamic_method_unloaded(FunctionId::from_raw(id)?);
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

not_surfaced! { "Superseded by the second version of itself, which the runtime calls as well.":
    ICorProfilerCallback: MovedReferences(sys::ULONG, *mut sys::ObjectID, *mut sys::ObjectID, *mut sys::ULONG);
    ICorProfilerCallback: RootReferences(sys::ULONG, *mut sys::ObjectID);
    ICorProfilerCallback2: SurvivingReferences(sys::ULONG, *mut sys::ObjectID, *mut sys::ULONG);
}

not_surfaced! { "The runtime never calls it.":
    ICorProfilerCallback: ExceptionOSHandlerEnter(sys::UINT_PTR);
    ICorProfilerCallback: ExceptionOSHandlerLeave(sys::UINT_PTR);
    ICorProfilerCallback: ExceptionCLRCatcherFound();
    ICorProfilerCallback: ExceptionCLRCatcherExecute();
}

not_surfaced! { "Not surfaced yet.":
    ICorProfilerCallback: COMClassicVTableCreated(sys::ClassID, sys::REFGUID, *mut c_void, sys::ULONG);
    ICorProfilerCallback: COMClassicVTableDestroyed(sys::ClassID, sys::REFGUID, *mut c_void);
    ICorProfilerCallback4: GetReJITParameters(sys::ModuleID, sys::mdMethodDef, *mut sys::ICorProfilerFunctionControl);
    ICorProfilerCallback4: ReJITError(sys::ModuleID, sys::mdMethodDef, sys::FunctionID, sys::HRESULT);
    ICorProfilerCallback6: GetAssemblyReferences(*const sys::WCHAR, *mut sys::ICorProfilerAssemblyReferenceProvider);
    ICorProfilerCallback10: EventPipeEventDelivered(
        sys::EVENTPIPE_PROVIDER, sys::DWORD, sys::DWORD, sys::ULONG, sys::LPCBYTE, sys::ULONG, sys::LPCBYTE,
        sys::LPCGUID, sys::LPCGUID, sys::ThreadID, sys::ULONG, *mut sys::UINT_PTR
    );
    ICorProfilerCallback10: EventPipeProviderCreated(sys::EVENTPIPE_PROVIDER);
}
