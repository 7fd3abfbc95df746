//! The trait that a profiler implements, and the COM objects through which the runtime calls it.
//!
//! The object that the runtime calls is written here and not made by com-rs (see [`object`]): com-rs would make it a `Box`
//! that is re-created, and so aliased, on every call of every thread. Interface pointers of the runtime are in
//! [`crate::raw::interface`], which with the raw layer is all that knows com-rs.

pub(crate) mod callbacks;
pub(crate) mod class_factory;
pub(crate) mod hosted;
pub(crate) mod object;
pub(crate) mod parts;
mod vtable;

use core::any::Any;

use sigparse::MethodDef;

use crate::error::{Error, Result};
use crate::hooks::Hooks;
use crate::runtime::ProfilerInfo;
use crate::runtime::control::{AssemblyReferences, FunctionControl};
use crate::runtime::event_pipe::EventPipeEvent;
use crate::values::{
    FinalizerFlags, GcReason, GcRoots, Generations, JitCacheResult, MovedRanges, SurvivingRanges,
    SuspendReason, TransitionReason,
};
use corprof_types::{
    AppDomainId, AssemblyId, ClassId, EventPipeProviderId, FunctionId, GcHandleId, ModuleId, ObjectId,
    ReJitId, ThreadId,
};
use corprof_types::{Guid, HResult};
use hosted::PartHost;

/// A profiler: one method for each callback of the runtime, with defaults that do nothing.
///
/// [`export_profiler!`](crate::export_profiler) makes the library loadable, with one profiler or with several that run together.
/// The runtime calls from many threads at once,
/// and calls back while it is called: hence `&self`, `Send` and `Sync`. A panic does not reach the runtime: it is caught
/// and reported once, and the callback returns a failure code.
///
/// A callback reaches a profiler only if the [`EventMask`](crate::EventMask) that this profiler has set has the flag that the
/// callback's documentation names, whatever other profilers of the library have set. A missing flag is not an error, and the crate cannot see which callbacks a profiler implements:
/// [`EventMask::undelivered_callbacks`](crate::EventMask::undelivered_callbacks) lists the callbacks that a mask switches
/// off. Debug builds emit that list as a `tracing` event when the mask is set. Unless the documentation says otherwise, every method of [`ProfilerInfo`] may be called from it.
/// Ids become stale when what they name is unloaded; object ids are borrowed from the callback.
///
/// The names are those of `ICorProfilerCallback` to `ICorProfilerCallback11` in snake case. Left out are the `Remoting*`
/// callbacks (.NET Framework only), and those that a newer version of themselves supersedes (`MovedReferences`,
/// `SurvivingReferences`, `RootReferences`). `docs/coverage.md` in the repository lists all of them.
///
/// The trait is object-safe: what makes a profiler, and its hooks, need its type, and callbacks reach a `dyn Profiler`.
#[allow(unused_variables, reason = "the defaults ignore their arguments")]
pub trait Profiler: Any + Send + Sync {
    /// Creates the profiler when the runtime starts.
    ///
    /// `ICorProfilerCallback::Initialize`. Sets the event mask, and clones `info` for later calls.
    ///
    /// # Errors
    /// Any error is logged; the runtime unloads the profiler, and the program runs on.
    fn initialize(info: &ProfilerInfo) -> Result<Self>
    where
        Self: Sized;

    /// Creates the profiler in a process that already runs.
    ///
    /// `ICorProfilerCallback3::InitializeForAttach`. `client_data` is what the attaching side sent.
    ///
    /// The event mask may have the flags of
    /// [`EventMask::allowable_after_attach_on`](crate::EventMask::allowable_after_attach_on) only: no hooks, and before .NET 10
    /// no say in how code is compiled. Earlier loads are not reported; [`ProfilerInfo::modules`] lists what is loaded.
    ///
    /// # Errors
    /// As for [`Profiler::initialize`]; the code is returned to the attaching side. The default returns
    /// [`Error::NotAttachable`].
    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self>
    where
        Self: Sized,
    {
        Err(Error::NotAttachable(""))
    }

    /// Returns the enter, leave and tailcall (ELT) hooks to install.
    ///
    /// Called once, after `initialize`. Needs [`ENTER_LEAVE`](crate::EventMask::ENTER_LEAVE).
    fn hooks(&self) -> Hooks<Self>
    where
        Self: Sized,
    {
        Hooks::none()
    }

    /// Returns the host of the parts that this profiler adds while the program runs.
    ///
    /// Called once, after `initialize`. One profiler of a class id may have one.
    fn host(&self) -> Option<&PartHost> {
        None
    }

    /// The process ends.
    ///
    /// `ICorProfilerCallback::Shutdown`. The last callback; others may still run on other threads. Not called when the
    /// process is killed. When it has returned, every call of [`ProfilerInfo`] fails with [`Error::Ended`].
    fn shutdown(&self) {}

    /// The profiler has been attached.
    ///
    /// `ICorProfilerCallback3::ProfilerAttachComplete`.
    fn profiler_attach_complete(&self) {}

    /// The profiler has been detached and will be released.
    ///
    /// `ICorProfilerCallback3::ProfilerDetachSucceeded`.
    fn profiler_detach_succeeded(&self) {}

    /// Returns whether the profiler may be loaded beside others, for notifications only.
    ///
    /// `ICorProfilerCallback11::LoadAsNotificationOnly`. Called before the profiler is created.
    ///
    /// Since .NET 7 any number of notification-only profilers can be attached, or loaded at the start with
    /// `CORECLR_ENABLE_NOTIFICATION_PROFILERS=1` and `CORECLR_NOTIFICATION_PROFILERS=path={clsid};path={clsid};`; .NET 11 also
    /// reads them with `DOTNET_` in the place of `CORECLR_`. On .NET 9 the last entry needs its semicolon too. Each may set the flags of
    /// [`EventMask::ALLOWABLE_NOTIFICATION_PROFILER`](crate::EventMask::ALLOWABLE_NOTIFICATION_PROFILER).
    fn load_as_notification_only() -> bool
    where
        Self: Sized,
    {
        false
    }

    // Application domains.

    /// An application domain is being created.
    ///
    /// Needs [`APP_DOMAIN_LOADS`](crate::EventMask::APP_DOMAIN_LOADS). `ICorProfilerCallback::AppDomainCreationStarted`.
    fn app_domain_creation_started(&self, app_domain: AppDomainId) {}
    /// An application domain has been created.
    ///
    /// Needs [`APP_DOMAIN_LOADS`](crate::EventMask::APP_DOMAIN_LOADS). `ICorProfilerCallback::AppDomainCreationFinished`.
    fn app_domain_creation_finished(&self, app_domain: AppDomainId, status: Result<(), HResult>) {}
    /// An application domain is being shut down.
    ///
    /// Needs [`APP_DOMAIN_LOADS`](crate::EventMask::APP_DOMAIN_LOADS). `ICorProfilerCallback::AppDomainShutdownStarted`.
    fn app_domain_shutdown_started(&self, app_domain: AppDomainId) {}
    /// An application domain has been shut down.
    ///
    /// Needs [`APP_DOMAIN_LOADS`](crate::EventMask::APP_DOMAIN_LOADS). `ICorProfilerCallback::AppDomainShutdownFinished`.
    fn app_domain_shutdown_finished(&self, app_domain: AppDomainId, status: Result<(), HResult>) {}

    // Assemblies and modules.

    /// An assembly is being loaded.
    ///
    /// Needs [`ASSEMBLY_LOADS`](crate::EventMask::ASSEMBLY_LOADS). `ICorProfilerCallback::AssemblyLoadStarted`.
    ///
    /// The id may not be passed back before the load has finished.
    fn assembly_load_started(&self, assembly: AssemblyId) {}
    /// An assembly has been loaded, or its load has failed.
    ///
    /// Needs [`ASSEMBLY_LOADS`](crate::EventMask::ASSEMBLY_LOADS). `ICorProfilerCallback::AssemblyLoadFinished`.
    fn assembly_load_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {}
    /// An assembly is being unloaded.
    ///
    /// Needs [`ASSEMBLY_LOADS`](crate::EventMask::ASSEMBLY_LOADS). `ICorProfilerCallback::AssemblyUnloadStarted`.
    ///
    /// The id may be used until this returns. .NET Core 3.1 does not call it
    /// ([dotnet/runtime#86178](https://github.com/dotnet/runtime/issues/86178)).
    fn assembly_unload_started(&self, assembly: AssemblyId) {}
    /// An assembly has been unloaded.
    ///
    /// Needs [`ASSEMBLY_LOADS`](crate::EventMask::ASSEMBLY_LOADS). `ICorProfilerCallback::AssemblyUnloadFinished`.
    ///
    /// The id is stale.
    fn assembly_unload_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {}
    /// A module is being loaded.
    ///
    /// Needs [`MODULE_LOADS`](crate::EventMask::MODULE_LOADS). `ICorProfilerCallback::ModuleLoadStarted`.
    ///
    /// The id may not be passed back before the load has finished.
    fn module_load_started(&self, module: ModuleId) {}
    /// A module has been loaded, or its load has failed.
    ///
    /// Needs [`MODULE_LOADS`](crate::EventMask::MODULE_LOADS). `ICorProfilerCallback::ModuleLoadFinished`.
    ///
    /// Its metadata can be read from here on. Its assembly is not known before
    /// [`module_attached_to_assembly`](Self::module_attached_to_assembly).
    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {}
    /// A module is being unloaded.
    ///
    /// Needs [`MODULE_LOADS`](crate::EventMask::MODULE_LOADS). `ICorProfilerCallback::ModuleUnloadStarted`.
    ///
    /// Its id, and every id in the module, may be used until this returns.
    fn module_unload_started(&self, module: ModuleId) {}
    /// A module has been unloaded.
    ///
    /// Needs [`MODULE_LOADS`](crate::EventMask::MODULE_LOADS). `ICorProfilerCallback::ModuleUnloadFinished`.
    ///
    /// The id is stale.
    fn module_unload_finished(&self, module: ModuleId, status: Result<(), HResult>) {}
    /// A module has become part of an assembly.
    ///
    /// Needs [`MODULE_LOADS`](crate::EventMask::MODULE_LOADS). `ICorProfilerCallback::ModuleAttachedToAssembly`.
    ///
    /// The assembly of the module is known from here on.
    fn module_attached_to_assembly(&self, module: ModuleId, assembly: AssemblyId) {}
    /// The symbols of an in-memory module have changed.
    ///
    /// Needs [`IN_MEMORY_SYMBOLS_UPDATED`](crate::EventMask::IN_MEMORY_SYMBOLS_UPDATED). `ICorProfilerCallback7::ModuleInMemorySymbolsUpdated`.
    ///
    /// [`ProfilerInfo::in_memory_symbols`] reads them.
    fn module_in_memory_symbols_updated(&self, module: ModuleId) {}
    /// Adds assembly references to an assembly before it is loaded.
    ///
    /// Needs [`ADD_ASSEMBLY_REFERENCES`](crate::EventMask::ADD_ASSEMBLY_REFERENCES). `ICorProfilerCallback6::GetAssemblyReferences`.
    ///
    /// Called with the path of the file, before the runtime decides which code may be shared.
    ///
    /// # Errors
    /// Any error keeps the references as they are; its code is returned to the runtime.
    #[doc(alias = "GetAssemblyReferences")]
    fn assembly_references(&self, path: &str, references: &AssemblyReferences<'_>) -> Result<()> {
        Ok(())
    }

    // Types and functions.

    /// A class is being loaded.
    ///
    /// Needs [`CLASS_LOADS`](crate::EventMask::CLASS_LOADS). `ICorProfilerCallback::ClassLoadStarted`.
    ///
    /// The id may not be passed back before the load has finished.
    fn class_load_started(&self, class: ClassId) {}
    /// A class has been loaded, or its load has failed.
    ///
    /// Needs [`CLASS_LOADS`](crate::EventMask::CLASS_LOADS). `ICorProfilerCallback::ClassLoadFinished`.
    fn class_load_finished(&self, class: ClassId, status: Result<(), HResult>) {}
    /// A class is being unloaded.
    ///
    /// Needs [`CLASS_LOADS`](crate::EventMask::CLASS_LOADS). `ICorProfilerCallback::ClassUnloadStarted`.
    ///
    /// The id is refused already if the module of the class was unloaded before. Up to .NET 9 not called for instantiations
    /// of a generic class that another module defines
    /// ([dotnet/runtime#114068](https://github.com/dotnet/runtime/issues/114068)).
    fn class_unload_started(&self, class: ClassId) {}
    /// A class has been unloaded.
    ///
    /// Needs [`CLASS_LOADS`](crate::EventMask::CLASS_LOADS). `ICorProfilerCallback::ClassUnloadFinished`.
    ///
    /// The id is stale.
    fn class_unload_finished(&self, class: ClassId, status: Result<(), HResult>) {}
    /// A function is being unloaded.
    ///
    /// Needs [`FUNCTION_UNLOADS`](crate::EventMask::FUNCTION_UNLOADS). `ICorProfilerCallback::FunctionUnloadStarted`.
    ///
    /// The id may be used until this returns. CoreCLR does not call it.
    fn function_unload_started(&self, function: FunctionId) {}
    /// A dynamic method has been collected.
    ///
    /// Needs [`DYNAMIC_FUNCTION_UNLOADS`](crate::EventMask::DYNAMIC_FUNCTION_UNLOADS). `ICorProfilerCallback9::DynamicMethodUnloaded`.
    ///
    /// The id is stale.
    fn dynamic_method_unloaded(&self, function: FunctionId) {}

    // COM interop, on Windows only.

    /// A COM-callable vtable for a managed class has been created.
    ///
    /// Needs [`CCW`](crate::EventMask::CCW). `ICorProfilerCallback::COMClassicVTableCreated`.
    ///
    /// Windows only. `vtable` is the address of a table of `slots` functions.
    fn com_classic_vtable_created(&self, class: ClassId, iid: Guid, vtable: usize, slots: u32) {}
    /// A COM-callable vtable has been destroyed.
    ///
    /// Needs [`CCW`](crate::EventMask::CCW). `ICorProfilerCallback::COMClassicVTableDestroyed`.
    ///
    /// Windows only.
    fn com_classic_vtable_destroyed(&self, class: ClassId, iid: Guid, vtable: usize) {}

    // Compilation.

    /// The JIT starts to compile a method.
    ///
    /// Needs [`JIT_COMPILATION`](crate::EventMask::JIT_COMPILATION). `ICorProfilerCallback::JITCompilationStarted`.
    ///
    /// The IL of the method may be replaced here. With tiered compilation a method is compiled more than once.
    fn jit_compilation_started(&self, function: FunctionId, is_safe_to_block: bool) {}
    /// The JIT has compiled a method, or has failed to.
    ///
    /// Needs [`JIT_COMPILATION`](crate::EventMask::JIT_COMPILATION). `ICorProfilerCallback::JITCompilationFinished`.
    fn jit_compilation_finished(
        &self,
        function: FunctionId,
        status: Result<(), HResult>,
        is_safe_to_block: bool,
    ) {
    }
    /// The JIT starts to compile a dynamic method.
    ///
    /// Needs [`JIT_COMPILATION`](crate::EventMask::JIT_COMPILATION). `ICorProfilerCallback8::DynamicMethodJITCompilationStarted`.
    ///
    /// `il` is the header and the body of the method.
    fn dynamic_method_jit_compilation_started(
        &self,
        function: FunctionId,
        is_safe_to_block: bool,
        il: &[u8],
    ) {
    }
    /// The JIT has compiled a dynamic method, or has failed to.
    ///
    /// Needs [`JIT_COMPILATION`](crate::EventMask::JIT_COMPILATION). `ICorProfilerCallback8::DynamicMethodJITCompilationFinished`.
    fn dynamic_method_jit_compilation_finished(
        &self,
        function: FunctionId,
        status: Result<(), HResult>,
        is_safe_to_block: bool,
    ) {
    }
    /// Returns whether precompiled code of a method may be used.
    ///
    /// Needs [`CACHE_SEARCHES`](crate::EventMask::CACHE_SEARCHES). `ICorProfilerCallback::JITCachedFunctionSearchStarted`.
    ///
    /// `false` has the method compiled by the JIT.
    fn jit_cached_function_search_started(&self, function: FunctionId) -> bool {
        true
    }
    /// The search for precompiled code of a method has ended.
    ///
    /// Needs [`CACHE_SEARCHES`](crate::EventMask::CACHE_SEARCHES). `ICorProfilerCallback::JITCachedFunctionSearchFinished`.
    fn jit_cached_function_search_finished(&self, function: FunctionId, result: JitCacheResult) {}
    /// The code of a method has been discarded.
    ///
    /// Needs [`JIT_COMPILATION`](crate::EventMask::JIT_COMPILATION). `ICorProfilerCallback::JITFunctionPitched`.
    ///
    /// CoreCLR does not call it.
    fn jit_function_pitched(&self, function: FunctionId) {}
    /// Returns whether `callee` may be inlined into `caller`.
    ///
    /// Needs [`JIT_COMPILATION`](crate::EventMask::JIT_COMPILATION). `ICorProfilerCallback::JITInlining`.
    ///
    /// `caller` may be about to be inlined itself.
    fn jit_inlining(&self, caller: FunctionId, callee: FunctionId) -> bool {
        true
    }
    /// The JIT starts to compile a ReJIT version of a method.
    ///
    /// Needs [`JIT_COMPILATION`](crate::EventMask::JIT_COMPILATION) and [`ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT). `ICorProfilerCallback4::ReJITCompilationStarted`.
    fn rejit_compilation_started(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
        is_safe_to_block: bool,
    ) {
    }
    /// The JIT has compiled a ReJIT version of a method, or has failed to.
    ///
    /// Needs [`JIT_COMPILATION`](crate::EventMask::JIT_COMPILATION) and [`ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT). `ICorProfilerCallback4::ReJITCompilationFinished`.
    fn rejit_compilation_finished(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
        status: Result<(), HResult>,
        is_safe_to_block: bool,
    ) {
    }

    /// Supplies the IL of a method after [`ProfilerInfo::request_rejit`].
    ///
    /// Needs [`ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT). `ICorProfilerCallback4::GetReJITParameters`.
    ///
    /// Called once for each request and method. A `control` that is left as it is keeps the IL that the method has.
    ///
    /// # Errors
    /// Any error keeps the method as it is; its code is returned to the runtime.
    #[doc(alias = "GetReJITParameters")]
    fn rejit_parameters(
        &self,
        module: ModuleId,
        method: MethodDef,
        control: &FunctionControl<'_>,
    ) -> Result<()> {
        Ok(())
    }
    /// A requested ReJIT of a method has failed.
    ///
    /// Needs [`ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT). `ICorProfilerCallback4::ReJITError`.
    ///
    /// `function` is `None` where the instantiation is not known.
    fn rejit_error(&self, module: ModuleId, method: MethodDef, function: Option<FunctionId>, error: HResult) {
    }

    // Threads.

    /// A managed thread has been created.
    ///
    /// Needs [`THREADS`](crate::EventMask::THREADS). `ICorProfilerCallback::ThreadCreated`.
    fn thread_created(&self, thread: ThreadId) {}
    /// A managed thread has ended.
    ///
    /// Needs [`THREADS`](crate::EventMask::THREADS). `ICorProfilerCallback::ThreadDestroyed`.
    ///
    /// The id is stale when this returns.
    fn thread_destroyed(&self, thread: ThreadId) {}
    /// A managed thread runs on an operating system thread.
    ///
    /// Needs [`THREADS`](crate::EventMask::THREADS). `ICorProfilerCallback::ThreadAssignedToOSThread`.
    ///
    /// `os_thread` is the thread id of the operating system.
    fn thread_assigned_to_os_thread(&self, thread: ThreadId, os_thread: u32) {}
    /// A managed thread has got a name.
    ///
    /// Needs [`THREADS`](crate::EventMask::THREADS). `ICorProfilerCallback2::ThreadNameChanged`.
    ///
    /// `name` is UTF-16.
    fn thread_name_changed(&self, thread: ThreadId, name: &widestring::U16Str) {}

    // Transitions and suspension.

    /// Unmanaged code calls, or returns to, managed code.
    ///
    /// Needs [`CODE_TRANSITIONS`](crate::EventMask::CODE_TRANSITIONS). `ICorProfilerCallback::UnmanagedToManagedTransition`.
    ///
    /// `function` is `None` for a stub without a method.
    fn unmanaged_to_managed_transition(&self, function: Option<FunctionId>, reason: TransitionReason) {}
    /// Managed code calls, or returns to, unmanaged code.
    ///
    /// Needs [`CODE_TRANSITIONS`](crate::EventMask::CODE_TRANSITIONS). `ICorProfilerCallback::ManagedToUnmanagedTransition`.
    ///
    /// `function` is `None` for a stub without a method.
    fn managed_to_unmanaged_transition(&self, function: Option<FunctionId>, reason: TransitionReason) {}
    /// The runtime starts to suspend all managed threads.
    ///
    /// Needs [`SUSPENDS`](crate::EventMask::SUSPENDS). `ICorProfilerCallback::RuntimeSuspendStarted`.
    fn runtime_suspend_started(&self, reason: SuspendReason) {}
    /// All managed threads are suspended.
    ///
    /// Needs [`SUSPENDS`](crate::EventMask::SUSPENDS). `ICorProfilerCallback::RuntimeSuspendFinished`.
    fn runtime_suspend_finished(&self) {}
    /// A suspension has been given up.
    ///
    /// Needs [`SUSPENDS`](crate::EventMask::SUSPENDS). `ICorProfilerCallback::RuntimeSuspendAborted`.
    fn runtime_suspend_aborted(&self) {}
    /// The runtime starts to resume the managed threads.
    ///
    /// Needs [`SUSPENDS`](crate::EventMask::SUSPENDS). `ICorProfilerCallback::RuntimeResumeStarted`.
    fn runtime_resume_started(&self) {}
    /// All managed threads have been resumed.
    ///
    /// Needs [`SUSPENDS`](crate::EventMask::SUSPENDS). `ICorProfilerCallback::RuntimeResumeFinished`.
    fn runtime_resume_finished(&self) {}
    /// A managed thread has been suspended.
    ///
    /// Needs [`SUSPENDS`](crate::EventMask::SUSPENDS). `ICorProfilerCallback::RuntimeThreadSuspended`.
    fn runtime_thread_suspended(&self, thread: ThreadId) {}
    /// A managed thread has been resumed.
    ///
    /// Needs [`SUSPENDS`](crate::EventMask::SUSPENDS). `ICorProfilerCallback::RuntimeThreadResumed`.
    fn runtime_thread_resumed(&self, thread: ThreadId) {}

    // Garbage collection. Between started and finished, only what is documented as safe may be called.

    /// A garbage collection starts.
    ///
    /// Needs [`GC`](crate::EventMask::GC) or [`BASIC_GC`](crate::EventMask::BASIC_GC). `ICorProfilerCallback2::GarbageCollectionStarted`.
    fn garbage_collection_started(&self, generations: Generations<'_>, reason: GcReason) {}
    /// A garbage collection has finished.
    ///
    /// Needs [`GC`](crate::EventMask::GC) or [`BASIC_GC`](crate::EventMask::BASIC_GC). `ICorProfilerCallback2::GarbageCollectionFinished`.
    fn garbage_collection_finished(&self) {}
    /// A compacting collection has moved ranges of objects.
    ///
    /// Needs [`GC`](crate::EventMask::GC) or [`GC_MOVED_OBJECTS`](crate::EventMask::GC_MOVED_OBJECTS). `ICorProfilerCallback4::MovedReferences2`.
    ///
    /// Seen with `GC_MOVED_OBJECTS` alone on .NET Core 3.1, and not on .NET 9.
    #[doc(alias = "MovedReferences")]
    #[doc(alias = "MovedReferences2")]
    fn moved_references(&self, ranges: MovedRanges<'_>) {}
    /// A collection without compaction has kept ranges of objects.
    ///
    /// Needs [`GC`](crate::EventMask::GC) or [`GC_MOVED_OBJECTS`](crate::EventMask::GC_MOVED_OBJECTS). `ICorProfilerCallback4::SurvivingReferences2`.
    #[doc(alias = "SurvivingReferences")]
    #[doc(alias = "SurvivingReferences2")]
    fn surviving_references(&self, ranges: SurvivingRanges<'_>) {}
    /// An object has been allocated.
    ///
    /// Needs [`OBJECT_ALLOCATED`](crate::EventMask::OBJECT_ALLOCATED) or
    /// [`LARGE_OBJECT_ALLOCATED`](crate::EventMask::LARGE_OBJECT_ALLOCATED) or
    /// [`PINNED_OBJECT_ALLOCATED`](crate::EventMask::PINNED_OBJECT_ALLOCATED). `ICorProfilerCallback::ObjectAllocated`.
    ///
    /// `OBJECT_ALLOCATED` itself needs [`ENABLE_OBJECT_ALLOCATED`](crate::EventMask::ENABLE_OBJECT_ALLOCATED). The other two
    /// report only objects on the large and on the pinned object heap, at little cost.
    fn object_allocated(&self, object: ObjectId<'_>, class: ClassId) {}
    /// The number of allocations of each class since the last collection.
    ///
    /// Needs [`GC`](crate::EventMask::GC). `ICorProfilerCallback::ObjectsAllocatedByClass`.
    ///
    /// `classes` and `counts` have the same length.
    fn objects_allocated_by_class(&self, classes: &[Option<ClassId>], counts: &[u32]) {}
    /// Visits an object and what it refers to, after a collection.
    ///
    /// Needs [`GC`](crate::EventMask::GC). `ICorProfilerCallback::ObjectReferences`.
    ///
    /// `false` ends the enumeration.
    fn object_references(
        &self,
        object: ObjectId<'_>,
        class: ClassId,
        references: &[Option<ObjectId<'_>>],
    ) -> bool {
        true
    }
    /// The roots that the collector has found.
    ///
    /// Needs [`GC`](crate::EventMask::GC). `ICorProfilerCallback2::RootReferences2`.
    #[doc(alias = "RootReferences")]
    #[doc(alias = "RootReferences2")]
    fn root_references(&self, roots: GcRoots<'_>) {}
    /// The elements of all `ConditionalWeakTable`s.
    ///
    /// Needs [`GC`](crate::EventMask::GC). `ICorProfilerCallback5::ConditionalWeakTableElementReferences`.
    ///
    /// `keys`, `values` and `handles` have the same length.
    fn conditional_weak_table_element_references(
        &self,
        keys: &[Option<ObjectId<'_>>],
        values: &[Option<ObjectId<'_>>],
        handles: &[Option<GcHandleId>],
    ) {
    }
    /// An object has been queued for finalization.
    ///
    /// Needs [`GC`](crate::EventMask::GC). `ICorProfilerCallback2::FinalizeableObjectQueued`.
    fn finalizeable_object_queued(&self, flags: FinalizerFlags, object: ObjectId<'_>) {}
    /// A GC handle has been created.
    ///
    /// Needs [`GC`](crate::EventMask::GC). `ICorProfilerCallback2::HandleCreated`.
    fn handle_created(&self, handle: GcHandleId, initial: Option<ObjectId<'_>>) {}
    /// A GC handle has been destroyed.
    ///
    /// Needs [`GC`](crate::EventMask::GC). `ICorProfilerCallback2::HandleDestroyed`.
    fn handle_destroyed(&self, handle: GcHandleId) {}

    // Exceptions: first a search for the catcher, then the unwinding.

    /// An exception has been thrown.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionThrown`.
    fn exception_thrown(&self, exception: ObjectId<'_>) {}
    /// The search for a handler enters a frame.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionSearchFunctionEnter`.
    ///
    /// .NET 9 calls this and its leave once more for each `finally` block that the exception was thrown out of
    /// ([dotnet/runtime#123351](https://github.com/dotnet/runtime/issues/123351)).
    fn exception_search_function_enter(&self, function: FunctionId) {}
    /// The search for a handler leaves a frame.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionSearchFunctionLeave`.
    fn exception_search_function_leave(&self) {}
    /// An exception filter is about to run.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionSearchFilterEnter`.
    fn exception_search_filter_enter(&self, function: FunctionId) {}
    /// An exception filter has run.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionSearchFilterLeave`.
    fn exception_search_filter_leave(&self) {}
    /// The search has found the method that catches the exception.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionSearchCatcherFound`.
    fn exception_search_catcher_found(&self, function: FunctionId) {}
    /// The unwinder is about to leave a frame.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionUnwindFunctionEnter`.
    ///
    /// .NET 9 calls this and its leave once more for each `finally` block that the exception was thrown out of
    /// ([dotnet/runtime#123351](https://github.com/dotnet/runtime/issues/123351)).
    fn exception_unwind_function_enter(&self, function: FunctionId) {}
    /// The unwinder has left a frame.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionUnwindFunctionLeave`.
    ///
    /// The frame is that of the last
    /// [`exception_unwind_function_enter`](Self::exception_unwind_function_enter) on this thread.
    fn exception_unwind_function_leave(&self) {}
    /// A `finally` block is about to run.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionUnwindFinallyEnter`.
    fn exception_unwind_finally_enter(&self, function: FunctionId) {}
    /// A `finally` block has run.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionUnwindFinallyLeave`.
    fn exception_unwind_finally_leave(&self) {}
    /// A `catch` block is about to run.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionCatcherEnter`.
    fn exception_catcher_enter(&self, function: FunctionId, exception: Option<ObjectId<'_>>) {}
    /// A `catch` block has ended.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionCatcherLeave`.
    fn exception_catcher_leave(&self) {}

    // Exceptions, callbacks that CoreCLR has and does not call.

    /// An operating system handler is entered.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionOSHandlerEnter`.
    ///
    /// CoreCLR does not call it.
    fn exception_os_handler_enter(&self, function: Option<FunctionId>) {}
    /// An operating system handler is left.
    ///
    /// Needs [`EXCEPTIONS`](crate::EventMask::EXCEPTIONS). `ICorProfilerCallback::ExceptionOSHandlerLeave`.
    ///
    /// CoreCLR does not call it.
    fn exception_os_handler_leave(&self, function: Option<FunctionId>) {}
    /// The runtime itself catches the exception.
    ///
    /// Needs [`CLR_EXCEPTIONS`](crate::EventMask::CLR_EXCEPTIONS). `ICorProfilerCallback::ExceptionCLRCatcherFound`.
    ///
    /// CoreCLR does not call it.
    fn exception_clr_catcher_found(&self) {}
    /// The runtime is about to handle an exception itself.
    ///
    /// Needs [`CLR_EXCEPTIONS`](crate::EventMask::CLR_EXCEPTIONS). `ICorProfilerCallback::ExceptionCLRCatcherExecute`.
    ///
    /// CoreCLR does not call it.
    fn exception_clr_catcher_execute(&self) {}

    // EventPipe.

    /// An event of an EventPipe session of this profiler.
    ///
    /// Needs [`EVENT_PIPE`](crate::EventMask::EVENT_PIPE). `ICorProfilerCallback10::EventPipeEventDelivered`.
    ///
    /// Called on the thread that writes the event, in the middle of its work: nothing may block here. The session is started by
    /// [`ProfilerInfo::event_pipe_start_session`].
    fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {}
    /// An EventPipe provider has been created.
    ///
    /// Needs [`EVENT_PIPE`](crate::EventMask::EVENT_PIPE). `ICorProfilerCallback10::EventPipeProviderCreated`.
    ///
    /// Sessions may enable it from here on.
    fn event_pipe_provider_created(&self, provider: EventPipeProviderId) {}
}
