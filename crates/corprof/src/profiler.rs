//! The trait that a profiler implements.

use sigparse::MethodDef;

use crate::control::{AssemblyReferences, FunctionControl};
use crate::event_pipe::EventPipeEvent;
use crate::hooks::Hooks;
use crate::ids::{
    AppDomainId, AssemblyId, ClassId, EventPipeProviderId, FunctionId, GcHandleId, ModuleId, ObjectId,
    ReJitId, ThreadId,
};
use crate::values::{
    FinalizerFlags, GcReason, GcRoots, Generations, JitCacheResult, MovedRanges, SurvivingRanges,
    SuspendReason, TransitionReason,
};
use crate::{Error, Guid, HResult, ProfilerInfo, Result};

/// A profiler: what the runtime tells it, one method per callback, each doing nothing unless overridden.
///
/// [`export_profiler!`](crate::export_profiler) makes the library loadable. The runtime calls from many
/// threads at once, and calls back while it is called: hence `&self`, `Send` and `Sync`. A panic does not
/// reach the runtime: it is caught, logged once and answered with a failure code.
///
/// Which callbacks arrive is decided by the [`EventMask`](crate::EventMask) that `initialize` sets.
/// Ids are borrowed from the runtime; see [`ids`](crate::ids) for how long they live. Unless a method says
/// otherwise, any call of [`ProfilerInfo`] may be made from it.
///
/// The names are those of `ICorProfilerCallback` to `ICorProfilerCallback11` in snake case. Not surfaced:
/// the `Remoting*` callbacks (.NET Framework only), and those superseded by a newer version of themselves
/// (`MovedReferences`, `SurvivingReferences`, `RootReferences`). `docs/coverage.md` in the repository has all.
#[allow(unused_variables, reason = "the defaults do nothing with what they are told")]
pub trait Profiler: Sized + Send + Sync + 'static {
    /// Makes the profiler (`ICorProfilerCallback::Initialize`), when the runtime starts.
    ///
    /// Sets the event mask, and clones `info` for later.
    ///
    /// # Errors
    /// The profiler's reason not to run. It is logged, the runtime unloads the profiler, and the program
    /// runs on.
    fn initialize(info: &ProfilerInfo) -> Result<Self>;

    /// Makes the profiler in a process that already runs (`ICorProfilerCallback3::InitializeForAttach`),
    /// with the bytes that the attaching side sent.
    ///
    /// The event mask may have the flags of
    /// [`EventMask::ALLOWABLE_AFTER_ATTACH`](crate::EventMask::ALLOWABLE_AFTER_ATTACH) only: no hooks, no say in
    /// how code is compiled. What the program had loaded before is not reported;
    /// [`ProfilerInfo::modules`] and [`ProfilerInfo::threads`] list it.
    ///
    /// # Errors
    /// As for [`Profiler::initialize`], with the code handed to the attaching side; by default
    /// [`Error::NotAttachable`].
    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self> {
        Err(Error::NotAttachable(""))
    }

    /// The enter, leave and tailcall hooks to install, asked for once, after `initialize`.
    ///
    /// The event mask has to contain [`EventMask::ENTER_LEAVE`](crate::EventMask::ENTER_LEAVE) for them to
    /// be called.
    fn hooks(&self) -> Hooks<Self> {
        Hooks::none()
    }

    /// The process ends (`ICorProfilerCallback::Shutdown`). The last callback, but others may still be
    /// running on other threads. Not called when the process is killed. When it returns, [`ProfilerInfo`] answers
    /// [`Error::Ended`] only.
    fn shutdown(&self) {}

    /// An attached profiler has been set up (`ICorProfilerCallback3::ProfilerAttachComplete`).
    fn profiler_attach_complete(&self) {}
    /// The profiler has been detached and will be released
    /// (`ICorProfilerCallback3::ProfilerDetachSucceeded`).
    fn profiler_detach_succeeded(&self) {}
    /// Whether the runtime may load this profiler beside another one, for notifications only
    /// (`ICorProfilerCallback11::LoadAsNotificationOnly`). Asked before the profiler is made.
    ///
    /// Since .NET 7 as many as are wanted can be attached, and are loaded at the start with
    /// `CORECLR_ENABLE_NOTIFICATION_PROFILERS=1` and `CORECLR_NOTIFICATION_PROFILERS=path={clsid};path={clsid};`: on .NET
    /// 9 the last entry needs its semicolon too. Each may set the flags of
    /// [`EventMask::ALLOWABLE_NOTIFICATION_PROFILER`](crate::EventMask::ALLOWABLE_NOTIFICATION_PROFILER).
    fn load_as_notification_only() -> bool {
        false
    }

    // Application domains.

    /// `ICorProfilerCallback::AppDomainCreationStarted`.
    fn app_domain_creation_started(&self, app_domain: AppDomainId) {}
    /// `ICorProfilerCallback::AppDomainCreationFinished`.
    fn app_domain_creation_finished(&self, app_domain: AppDomainId, status: Result<(), HResult>) {}
    /// `ICorProfilerCallback::AppDomainShutdownStarted`.
    fn app_domain_shutdown_started(&self, app_domain: AppDomainId) {}
    /// `ICorProfilerCallback::AppDomainShutdownFinished`.
    fn app_domain_shutdown_finished(&self, app_domain: AppDomainId, status: Result<(), HResult>) {}

    // Assemblies and modules.

    /// `ICorProfilerCallback::AssemblyLoadStarted`. The id may not be passed back yet.
    fn assembly_load_started(&self, assembly: AssemblyId) {}
    /// `ICorProfilerCallback::AssemblyLoadFinished`.
    fn assembly_load_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {}
    /// `ICorProfilerCallback::AssemblyUnloadStarted`. The last chance to use the id. Not called by .NET Core 3.1
    /// ([dotnet/runtime#86178](https://github.com/dotnet/runtime/issues/86178)).
    fn assembly_unload_started(&self, assembly: AssemblyId) {}
    /// `ICorProfilerCallback::AssemblyUnloadFinished`. The id is stale.
    fn assembly_unload_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {}
    /// `ICorProfilerCallback::ModuleLoadStarted`. The id may not be passed back yet.
    fn module_load_started(&self, module: ModuleId) {}
    /// `ICorProfilerCallback::ModuleLoadFinished`. Metadata can be read; the assembly is not known yet.
    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {}
    /// `ICorProfilerCallback::ModuleUnloadStarted`. The last chance to use the id and every id in the module.
    fn module_unload_started(&self, module: ModuleId) {}
    /// `ICorProfilerCallback::ModuleUnloadFinished`. The id is stale.
    fn module_unload_finished(&self, module: ModuleId, status: Result<(), HResult>) {}
    /// `ICorProfilerCallback::ModuleAttachedToAssembly`. From here on the module's assembly can be asked for.
    fn module_attached_to_assembly(&self, module: ModuleId, assembly: AssemblyId) {}
    /// `ICorProfilerCallback7::ModuleInMemorySymbolsUpdated`:
    /// [`ProfilerInfo::in_memory_symbols`] has new ones.
    fn module_in_memory_symbols_updated(&self, module: ModuleId) {}
    /// `ICorProfilerCallback6::GetAssemblyReferences`: what the assembly in this file is going to refer to beyond
    /// what it says; called early, before the runtime decides which code may be shared. Needs
    /// [`EventMask::ADD_ASSEMBLY_REFERENCES`](crate::EventMask::ADD_ASSEMBLY_REFERENCES).
    ///
    /// # Errors
    /// The profiler's reason to add nothing; its code is handed to the runtime.
    #[doc(alias = "GetAssemblyReferences")]
    fn assembly_references(&self, path: &str, references: &AssemblyReferences<'_>) -> Result<()> {
        Ok(())
    }

    // Types and functions.

    /// `ICorProfilerCallback::ClassLoadStarted`. The id may not be passed back yet.
    fn class_load_started(&self, class: ClassId) {}
    /// `ICorProfilerCallback::ClassLoadFinished`.
    fn class_load_finished(&self, class: ClassId, status: Result<(), HResult>) {}
    /// `ICorProfilerCallback::ClassUnloadStarted`. When its module has gone before, the class has gone with it: its id is
    /// refused already. Not called for instances of a generic class that another module defines, up to .NET 9
    /// ([dotnet/runtime#114068](https://github.com/dotnet/runtime/issues/114068)).
    fn class_unload_started(&self, class: ClassId) {}
    /// `ICorProfilerCallback::ClassUnloadFinished`. The id is stale.
    fn class_unload_finished(&self, class: ClassId, status: Result<(), HResult>) {}
    /// `ICorProfilerCallback::FunctionUnloadStarted`. The last chance to use the id.
    fn function_unload_started(&self, function: FunctionId) {}
    /// `ICorProfilerCallback9::DynamicMethodUnloaded`. The id is stale.
    fn dynamic_method_unloaded(&self, function: FunctionId) {}

    // COM interop, on Windows only.

    /// `ICorProfilerCallback::COMClassicVTableCreated`: managed objects of the class can be called through COM, by
    /// a table of `slots` functions at the address `vtable`.
    fn com_classic_vtable_created(&self, class: ClassId, iid: Guid, vtable: usize, slots: u32) {}
    /// `ICorProfilerCallback::COMClassicVTableDestroyed`.
    fn com_classic_vtable_destroyed(&self, class: ClassId, iid: Guid, vtable: usize) {}

    // Compilation.

    /// `ICorProfilerCallback::JITCompilationStarted`.
    fn jit_compilation_started(&self, function: FunctionId, is_safe_to_block: bool) {}
    /// `ICorProfilerCallback::JITCompilationFinished`.
    fn jit_compilation_finished(
        &self,
        function: FunctionId,
        status: Result<(), HResult>,
        is_safe_to_block: bool,
    ) {
    }
    /// `ICorProfilerCallback8::DynamicMethodJITCompilationStarted`, with the method's IL header and body.
    fn dynamic_method_jit_compilation_started(
        &self,
        function: FunctionId,
        is_safe_to_block: bool,
        il: &[u8],
    ) {
    }
    /// `ICorProfilerCallback8::DynamicMethodJITCompilationFinished`.
    fn dynamic_method_jit_compilation_finished(
        &self,
        function: FunctionId,
        status: Result<(), HResult>,
        is_safe_to_block: bool,
    ) {
    }
    /// `ICorProfilerCallback::JITCachedFunctionSearchStarted`: whether precompiled code may be used.
    fn jit_cached_function_search_started(&self, function: FunctionId) -> bool {
        true
    }
    /// `ICorProfilerCallback::JITCachedFunctionSearchFinished`.
    fn jit_cached_function_search_finished(&self, function: FunctionId, result: JitCacheResult) {}
    /// `ICorProfilerCallback::JITFunctionPitched`.
    fn jit_function_pitched(&self, function: FunctionId) {}
    /// `ICorProfilerCallback::JITInlining`: whether `callee` may be inlined into `caller`, which calls it and may be about
    /// to be inlined itself.
    fn jit_inlining(&self, caller: FunctionId, callee: FunctionId) -> bool {
        true
    }
    /// `ICorProfilerCallback4::ReJITCompilationStarted`.
    fn rejit_compilation_started(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
        is_safe_to_block: bool,
    ) {
    }
    /// `ICorProfilerCallback4::ReJITCompilationFinished`.
    fn rejit_compilation_finished(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
        status: Result<(), HResult>,
        is_safe_to_block: bool,
    ) {
    }

    /// `ICorProfilerCallback4::GetReJITParameters`: how the method is compiled again that
    /// [`ProfilerInfo::request_rejit`] has asked for, once for each method. Leaving `control` as it is gives the
    /// method the IL that it has.
    ///
    /// # Errors
    /// The profiler's reason not to; its code is handed to the runtime, and the method stays as it was.
    #[doc(alias = "GetReJITParameters")]
    fn rejit_parameters(
        &self,
        module: ModuleId,
        method: MethodDef,
        control: &FunctionControl<'_>,
    ) -> Result<()> {
        Ok(())
    }
    /// `ICorProfilerCallback4::ReJITError`: a method could not be compiled again; no function where that is not
    /// known.
    fn rejit_error(&self, module: ModuleId, method: MethodDef, function: Option<FunctionId>, error: HResult) {
    }

    // Threads.

    /// `ICorProfilerCallback::ThreadCreated`.
    fn thread_created(&self, thread: ThreadId) {}
    /// `ICorProfilerCallback::ThreadDestroyed`. The id is stale afterwards.
    fn thread_destroyed(&self, thread: ThreadId) {}
    /// `ICorProfilerCallback::ThreadAssignedToOSThread`, with the operating system's thread id.
    fn thread_assigned_to_os_thread(&self, thread: ThreadId, os_thread: u32) {}
    /// `ICorProfilerCallback2::ThreadNameChanged`, with the new name in UTF-16.
    fn thread_name_changed(&self, thread: ThreadId, name: &widestring::U16Str) {}

    // Transitions and suspension.

    /// `ICorProfilerCallback::UnmanagedToManagedTransition`; no function for a stub without one.
    fn unmanaged_to_managed_transition(&self, function: Option<FunctionId>, reason: TransitionReason) {}
    /// `ICorProfilerCallback::ManagedToUnmanagedTransition`; no function for a stub without one.
    fn managed_to_unmanaged_transition(&self, function: Option<FunctionId>, reason: TransitionReason) {}
    /// `ICorProfilerCallback::RuntimeSuspendStarted`.
    fn runtime_suspend_started(&self, reason: SuspendReason) {}
    /// `ICorProfilerCallback::RuntimeSuspendFinished`: all managed threads stand still.
    fn runtime_suspend_finished(&self) {}
    /// `ICorProfilerCallback::RuntimeSuspendAborted`.
    fn runtime_suspend_aborted(&self) {}
    /// `ICorProfilerCallback::RuntimeResumeStarted`.
    fn runtime_resume_started(&self) {}
    /// `ICorProfilerCallback::RuntimeResumeFinished`.
    fn runtime_resume_finished(&self) {}
    /// `ICorProfilerCallback::RuntimeThreadSuspended`.
    fn runtime_thread_suspended(&self, thread: ThreadId) {}
    /// `ICorProfilerCallback::RuntimeThreadResumed`.
    fn runtime_thread_resumed(&self, thread: ThreadId) {}

    // Garbage collection. Between started and finished, only what is documented as safe may be called.

    /// `ICorProfilerCallback2::GarbageCollectionStarted`.
    fn garbage_collection_started(&self, generations: Generations<'_>, reason: GcReason) {}
    /// `ICorProfilerCallback2::GarbageCollectionFinished`.
    fn garbage_collection_finished(&self) {}
    /// `ICorProfilerCallback4::MovedReferences2`: what a compacting collection moved.
    #[doc(alias = "MovedReferences")]
    #[doc(alias = "MovedReferences2")]
    fn moved_references(&self, ranges: MovedRanges<'_>) {}
    /// `ICorProfilerCallback4::SurvivingReferences2`: what a collection without compaction left.
    #[doc(alias = "SurvivingReferences")]
    #[doc(alias = "SurvivingReferences2")]
    fn surviving_references(&self, ranges: SurvivingRanges<'_>) {}
    /// `ICorProfilerCallback::ObjectAllocated`.
    fn object_allocated(&self, object: ObjectId<'_>, class: ClassId) {}
    /// `ICorProfilerCallback::ObjectsAllocatedByClass`: how many objects of which class since the last
    /// collection, pairwise.
    fn objects_allocated_by_class(&self, classes: &[Option<ClassId>], counts: &[u32]) {}
    /// `ICorProfilerCallback::ObjectReferences`: what an object refers to. `false` ends the enumeration.
    fn object_references(
        &self,
        object: ObjectId<'_>,
        class: ClassId,
        references: &[Option<ObjectId<'_>>],
    ) -> bool {
        true
    }
    /// `ICorProfilerCallback2::RootReferences2`.
    #[doc(alias = "RootReferences")]
    #[doc(alias = "RootReferences2")]
    fn root_references(&self, roots: GcRoots<'_>) {}
    /// `ICorProfilerCallback5::ConditionalWeakTableElementReferences`: keys, values and handles, one of each
    /// per element.
    fn conditional_weak_table_element_references(
        &self,
        keys: &[Option<ObjectId<'_>>],
        values: &[Option<ObjectId<'_>>],
        handles: &[Option<GcHandleId>],
    ) {
    }
    /// `ICorProfilerCallback2::FinalizeableObjectQueued`.
    fn finalizeable_object_queued(&self, flags: FinalizerFlags, object: ObjectId<'_>) {}
    /// `ICorProfilerCallback2::HandleCreated`.
    fn handle_created(&self, handle: GcHandleId, initial: Option<ObjectId<'_>>) {}
    /// `ICorProfilerCallback2::HandleDestroyed`.
    fn handle_destroyed(&self, handle: GcHandleId) {}

    // Exceptions: first a search for the catcher, then the unwinding.

    /// `ICorProfilerCallback::ExceptionThrown`.
    fn exception_thrown(&self, exception: ObjectId<'_>) {}
    /// `ICorProfilerCallback::ExceptionSearchFunctionEnter`. .NET 9 calls this and its leave once more for each `finally`
    /// block that the exception was thrown out of ([dotnet/runtime#123351](https://github.com/dotnet/runtime/issues/123351)).
    fn exception_search_function_enter(&self, function: FunctionId) {}
    /// `ICorProfilerCallback::ExceptionSearchFunctionLeave`.
    fn exception_search_function_leave(&self) {}
    /// `ICorProfilerCallback::ExceptionSearchFilterEnter`.
    fn exception_search_filter_enter(&self, function: FunctionId) {}
    /// `ICorProfilerCallback::ExceptionSearchFilterLeave`.
    fn exception_search_filter_leave(&self) {}
    /// `ICorProfilerCallback::ExceptionSearchCatcherFound`.
    fn exception_search_catcher_found(&self, function: FunctionId) {}
    /// `ICorProfilerCallback::ExceptionUnwindFunctionEnter`: the frame is about to be left. .NET 9 calls this and its leave
    /// once more for each `finally` block that the exception was thrown out of, as if it were a frame
    /// ([dotnet/runtime#123351](https://github.com/dotnet/runtime/issues/123351)).
    fn exception_unwind_function_enter(&self, function: FunctionId) {}
    /// `ICorProfilerCallback::ExceptionUnwindFunctionLeave`: the frame of the last
    /// [`exception_unwind_function_enter`](Self::exception_unwind_function_enter) is gone.
    fn exception_unwind_function_leave(&self) {}
    /// `ICorProfilerCallback::ExceptionUnwindFinallyEnter`.
    fn exception_unwind_finally_enter(&self, function: FunctionId) {}
    /// `ICorProfilerCallback::ExceptionUnwindFinallyLeave`.
    fn exception_unwind_finally_leave(&self) {}
    /// `ICorProfilerCallback::ExceptionCatcherEnter`.
    fn exception_catcher_enter(&self, function: FunctionId, exception: Option<ObjectId<'_>>) {}
    /// `ICorProfilerCallback::ExceptionCatcherLeave`.
    fn exception_catcher_leave(&self) {}

    // Exceptions, callbacks that CoreCLR has and does not call.

    /// `ICorProfilerCallback::ExceptionOSHandlerEnter`.
    fn exception_os_handler_enter(&self, function: Option<FunctionId>) {}
    /// `ICorProfilerCallback::ExceptionOSHandlerLeave`.
    fn exception_os_handler_leave(&self, function: Option<FunctionId>) {}
    /// `ICorProfilerCallback::ExceptionCLRCatcherFound`: the runtime itself catches the exception.
    fn exception_clr_catcher_found(&self) {}
    /// `ICorProfilerCallback::ExceptionCLRCatcherExecute`.
    fn exception_clr_catcher_execute(&self) {}

    // EventPipe.

    /// `ICorProfilerCallback10::EventPipeEventDelivered`: an event of a session that the profiler has started with
    /// [`ProfilerInfo::event_pipe_start_session`]. Called on the thread that writes the event, in the middle of
    /// whatever it does: nothing may block here.
    fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {}
    /// `ICorProfilerCallback10::EventPipeProviderCreated`: there is a provider that sessions can ask for.
    fn event_pipe_provider_created(&self, provider: EventPipeProviderId) {}
}
