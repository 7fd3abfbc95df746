//! The callbacks: each learns what it is passed, and makes calls.

use corprof::token::MethodDef;
use corprof::values::{
    FinalizerFlags, GcReason, GcRoots, Generations, JitCacheResult, MovedRanges, SurvivingRanges,
    SuspendReason, TransitionReason,
};
use corprof::widestring::U16Str;
use corprof::{
    AppDomainId, AssemblyId, AssemblyReferences, ClassId, EventPipeEvent, EventPipeProviderId,
    FunctionControl, FunctionId, GcHandleId, Guid, HResult, Hooks, ModuleId, ObjectId, PartHost, Profiler,
    ProfilerInfo, ReJitId, Result, ThreadId,
};

use crate::Adversary;
use crate::learn::Learn;
use crate::place::{Given, Place};
use crate::shared::Shared;

macro_rules! callbacks {
    ($($place:ident: $name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty = $value:expr)?;)*) => {$(
        fn $name(&self, $($arg: $ty),*) $(-> $out)? {
            #[allow(unused_mut, reason = "some callbacks pass nothing")]
            let mut given = Given::default();
            $(Learn::learn($arg, &self.shared, &mut given);)*
            self.shared.attack(Place::$place, given);
            $($value)?
        }
    )*};
}

type Status = Result<(), HResult>;

impl Profiler for Adversary {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let shared = Shared::new(info)?;
        info.set_event_mask(shared.mask)?;
        shared.attack(Place::Initialize, Given::default());
        // Whatever the calls have set.
        info.set_event_mask(shared.mask)?;
        Ok(Self { shared })
    }

    fn hooks(&self) -> Hooks<Self> {
        self.shared.attack(Place::Hooks, Given::default());
        crate::own_threads::start(&self.shared);
        if self.shared.has_fast_hooks { Hooks::fast() } else { Hooks::with_info() }
    }

    fn host(&self) -> Option<&PartHost> {
        Some(&self.shared.host)
    }

    fn shutdown(&self) {
        self.shared.attack(Place::Shutdown, Given::default());
        self.shared.write_report();
    }

    callbacks! {
        AppDomainCreationStarted: app_domain_creation_started(it: AppDomainId);
        AppDomainCreationFinished: app_domain_creation_finished(it: AppDomainId, status: Status);
        AppDomainShutdownStarted: app_domain_shutdown_started(it: AppDomainId);
        AppDomainShutdownFinished: app_domain_shutdown_finished(it: AppDomainId, status: Status);
        AssemblyLoadStarted: assembly_load_started(it: AssemblyId);
        AssemblyLoadFinished: assembly_load_finished(it: AssemblyId, status: Status);
        AssemblyUnloadStarted: assembly_unload_started(it: AssemblyId);
        AssemblyUnloadFinished: assembly_unload_finished(it: AssemblyId, status: Status);
        ModuleLoadStarted: module_load_started(it: ModuleId);
        ModuleAttachedToAssembly: module_attached_to_assembly(it: ModuleId, assembly: AssemblyId);
        ModuleLoadFinished: module_load_finished(it: ModuleId, status: Status);
        ModuleUnloadStarted: module_unload_started(it: ModuleId);
        ModuleUnloadFinished: module_unload_finished(it: ModuleId, status: Status);
        ModuleInMemorySymbolsUpdated: module_in_memory_symbols_updated(it: ModuleId);
        AssemblyReferences: assembly_references(path: &str, it: &AssemblyReferences<'_>) -> Result<()> = Ok(());
        ClassLoadStarted: class_load_started(it: ClassId);
        ClassLoadFinished: class_load_finished(it: ClassId, status: Status);
        ClassUnloadStarted: class_unload_started(it: ClassId);
        ClassUnloadFinished: class_unload_finished(it: ClassId, status: Status);
        FunctionUnloadStarted: function_unload_started(it: FunctionId);
        DynamicMethodUnloaded: dynamic_method_unloaded(it: FunctionId);
        ComVtableCreated: com_classic_vtable_created(it: ClassId, iid: Guid, vtable: usize, slots: u32);
        ComVtableDestroyed: com_classic_vtable_destroyed(it: ClassId, iid: Guid, vtable: usize);
        JitCompilationStarted: jit_compilation_started(it: FunctionId, is_safe: bool);
        JitCompilationFinished: jit_compilation_finished(it: FunctionId, status: Status, is_safe: bool);
        DynamicMethodJitCompilationStarted:
            dynamic_method_jit_compilation_started(it: FunctionId, is_safe: bool, il: &[u8]);
        DynamicMethodJitCompilationFinished:
            dynamic_method_jit_compilation_finished(it: FunctionId, status: Status, is_safe: bool);
        JitCachedFunctionSearchStarted: jit_cached_function_search_started(it: FunctionId) -> bool = true;
        JitCachedFunctionSearchFinished: jit_cached_function_search_finished(it: FunctionId, result: JitCacheResult);
        JitFunctionPitched: jit_function_pitched(it: FunctionId);
        JitInlining: jit_inlining(caller: FunctionId, callee: FunctionId) -> bool = true;
        ReJitCompilationStarted:
            rejit_compilation_started(it: FunctionId, rejit: Option<ReJitId>, is_safe: bool);
        ReJitCompilationFinished:
            rejit_compilation_finished(it: FunctionId, rejit: Option<ReJitId>, status: Status, is_safe: bool);
        ReJitParameters: rejit_parameters(it: ModuleId, method: MethodDef, control: &FunctionControl<'_>)
            -> Result<()> = Ok(());
        ReJitError: rejit_error(it: ModuleId, method: MethodDef, function: Option<FunctionId>, error: HResult);
        ThreadCreated: thread_created(it: ThreadId);
        ThreadDestroyed: thread_destroyed(it: ThreadId);
        ThreadAssignedToOsThread: thread_assigned_to_os_thread(it: ThreadId, os_thread: u32);
        ThreadNameChanged: thread_name_changed(it: ThreadId, name: &U16Str);
        UnmanagedToManagedTransition:
            unmanaged_to_managed_transition(it: Option<FunctionId>, reason: TransitionReason);
        ManagedToUnmanagedTransition:
            managed_to_unmanaged_transition(it: Option<FunctionId>, reason: TransitionReason);
        RuntimeSuspendStarted: runtime_suspend_started(reason: SuspendReason);
        RuntimeSuspendFinished: runtime_suspend_finished();
        RuntimeSuspendAborted: runtime_suspend_aborted();
        RuntimeResumeStarted: runtime_resume_started();
        RuntimeResumeFinished: runtime_resume_finished();
        RuntimeThreadSuspended: runtime_thread_suspended(it: ThreadId);
        RuntimeThreadResumed: runtime_thread_resumed(it: ThreadId);
        GarbageCollectionStarted: garbage_collection_started(it: Generations<'_>, reason: GcReason);
        GarbageCollectionFinished: garbage_collection_finished();
        MovedReferences: moved_references(it: MovedRanges<'_>);
        SurvivingReferences: surviving_references(it: SurvivingRanges<'_>);
        ObjectAllocated: object_allocated(it: ObjectId<'_>, class: ClassId);
        ObjectsAllocatedByClass: objects_allocated_by_class(classes: &[Option<ClassId>], counts: &[u32]);
        ObjectReferences: object_references(it: ObjectId<'_>, class: ClassId, to: &[Option<ObjectId<'_>>])
            -> bool = true;
        RootReferences: root_references(it: GcRoots<'_>);
        ConditionalWeakTableElementReferences: conditional_weak_table_element_references(
            keys: &[Option<ObjectId<'_>>], values: &[Option<ObjectId<'_>>], handles: &[Option<GcHandleId>]);
        FinalizeableObjectQueued: finalizeable_object_queued(flags: FinalizerFlags, it: ObjectId<'_>);
        HandleCreated: handle_created(handle: GcHandleId, it: Option<ObjectId<'_>>);
        HandleDestroyed: handle_destroyed(handle: GcHandleId);
        ExceptionThrown: exception_thrown(it: ObjectId<'_>);
        ExceptionSearchFunctionEnter: exception_search_function_enter(it: FunctionId);
        ExceptionSearchFunctionLeave: exception_search_function_leave();
        ExceptionSearchFilterEnter: exception_search_filter_enter(it: FunctionId);
        ExceptionSearchFilterLeave: exception_search_filter_leave();
        ExceptionSearchCatcherFound: exception_search_catcher_found(it: FunctionId);
        ExceptionUnwindFunctionEnter: exception_unwind_function_enter(it: FunctionId);
        ExceptionUnwindFunctionLeave: exception_unwind_function_leave();
        ExceptionUnwindFinallyEnter: exception_unwind_finally_enter(it: FunctionId);
        ExceptionUnwindFinallyLeave: exception_unwind_finally_leave();
        ExceptionCatcherEnter: exception_catcher_enter(it: FunctionId, exception: Option<ObjectId<'_>>);
        ExceptionCatcherLeave: exception_catcher_leave();
        ExceptionOsHandlerEnter: exception_os_handler_enter(it: Option<FunctionId>);
        ExceptionOsHandlerLeave: exception_os_handler_leave(it: Option<FunctionId>);
        ExceptionClrCatcherFound: exception_clr_catcher_found();
        ExceptionClrCatcherExecute: exception_clr_catcher_execute();
        EventPipeEventDelivered: event_pipe_event_delivered(it: &EventPipeEvent<'_>);
        EventPipeProviderCreated: event_pipe_provider_created(it: EventPipeProviderId);
    }
}
