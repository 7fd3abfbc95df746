//! The events of the provider by number.

use crate::runtime_events::allocation::{AllocationSampled, AllocationTick, SampledAllocation};
use crate::runtime_events::bulk::{
    BulkConditionalWeakTableEdges, BulkEdges, BulkNodes, BulkRootEdges, BulkStaticRoots, BulkTypes,
    MovedRanges, SurvivingRanges,
};
use crate::runtime_events::contention::{ContentionStart, ContentionStop, LockCreated, WaitHandleWaitStart};
use crate::runtime_events::exception::{ExceptionHandling, ExceptionThrown};
use crate::runtime_events::gc::{
    DynamicEvent, FinalizeObject, Finalizers, GcEnd, GcGlobalHistory, GcHeapHistory, GcHeapStats, GcJoin,
    GcMark, GcSegment, GcStart, GcSuspend, GcTriggered, GenerationRange, Handle, HandleSet, MemoryPressure,
    NoFields, PinnedObject, SegmentFreed,
};
use crate::runtime_events::jit::{
    IlStub, IlStubReuse, Inlining, InliningFailure, JitProfile, TailCall, TailCallFailure, VerboseJitProfile,
};
use crate::runtime_events::layout::Layout as _;
use crate::runtime_events::loader::{
    AppDomain, AppDomainHandler, Assembly, AssemblyLoadStart, AssemblyLoadStop, ContextHandler, DomainModule,
    LoadFromHandler, Module, PathProbe, ResolutionAttempt, TypeLoadStart, TypeLoadStop,
};
use crate::runtime_events::method::{
    IlToNativeMap, JitMemory, JittingStarted, Method, MethodDetails, R2rEntryPoint, R2rLookup, VerboseMethod,
};
use crate::runtime_events::payload::{DecodeError, Reader};
use crate::runtime_events::rundown::RuntimeInformation;
use crate::runtime_events::threads::{
    Adjustment, AdjustmentSample, AdjustmentStats, IoWork, MinMaxThreads, ThreadCreated, ThreadStart,
    ThreadTerminated, Work, WorkerThreads, WorkingThreads, YieldMeasurement,
};
use crate::runtime_events::tiering::{BackgroundJitStart, BackgroundJitStop, TieringResume, TieringSettings};

/// Defines the enumeration of events. Versions before that of `.NET Core` 3.0 are not decoded where their layout differs.
macro_rules! runtime_events {
    ($($(#[$doc:meta])* $variant:ident($type:ty) = $id:literal $name:literal $constant:ident $(since $since:literal)?;)*) => {
        /// The numbers of the events.
        pub mod ids {
            $($(#[$doc])* pub const $constant: u32 = $id;)*
        }

        /// A decoded event.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum RuntimeEvent<'p> {
            $($(#[$doc])* $variant($type),)*
        }

        impl<'p> RuntimeEvent<'p> {
            /// Decodes the payload of an event of this provider. `pointer` is the size of an address in bytes, 4 or 8. Returns
            /// `None` for an event that is not decoded.
            ///
            /// # Errors
            /// [`DecodeError`]: the payload is too short for the version.
            pub fn decode(
                id: u32,
                version: u32,
                payload: &'p [u8],
                pointer: usize,
            ) -> Result<Option<Self>, DecodeError> {
                let from = &mut Reader::new(payload, pointer);
                Ok(match id {
                    $($id $(if version >= $since)? => Some(Self::$variant(<$type>::read(from, version)?)),)*
                    _ => None,
                })
            }

            /// Returns the number of the event.
            #[must_use]
            pub const fn id(&self) -> u32 {
                match self {
                    $(Self::$variant(_) => $id,)*
                }
            }

            /// Returns the name of the event in the runtime's manifest, without a version. Traces do not contain it.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }
        }
    };
}

runtime_events! {
    /// A collection begins.
    GcStart(GcStart) = 1 "GCStart" GC_START since 1;
    /// A collection has ended.
    GcEnd(GcEnd) = 2 "GCEnd" GC_END since 1;
    /// All threads run again.
    GcRestartEnd(NoFields) = 3 "GCRestartEEEnd" GC_RESTART_END;
    /// The heap after a collection.
    GcHeapStats(GcHeapStats) = 4 "GCHeapStats" GC_HEAP_STATS;
    /// The collector has got memory.
    GcCreateSegment(GcSegment) = 5 "GCCreateSegment" GC_CREATE_SEGMENT;
    /// The collector has released memory.
    GcFreeSegment(SegmentFreed) = 6 "GCFreeSegment" GC_FREE_SEGMENT;
    /// Threads begin to run again.
    GcRestartBegin(NoFields) = 7 "GCRestartEEBegin" GC_RESTART_BEGIN;
    /// All threads are suspended.
    GcSuspendEnd(NoFields) = 8 "GCSuspendEEEnd" GC_SUSPEND_END;
    /// The runtime begins to suspend the threads.
    GcSuspendBegin(GcSuspend) = 9 "GCSuspendEEBegin" GC_SUSPEND_BEGIN since 1;
    /// An allocation, after each 100 KB or so.
    AllocationTick(AllocationTick<'p>) = 10 "GCAllocationTick" ALLOCATION_TICK;
    /// The thread of background collections begins.
    GcCreateConcurrentThread(NoFields) = 11 "GCCreateConcurrentThread" GC_CREATE_CONCURRENT_THREAD;
    /// The thread of background collections ends.
    GcTerminateConcurrentThread(NoFields) = 12 "GCTerminateConcurrentThread" GC_TERMINATE_CONCURRENT_THREAD;
    /// Finalizers have run.
    GcFinalizersEnd(Finalizers) = 13 "GCFinalizersEnd" GC_FINALIZERS_END;
    /// Finalizers begin to run.
    GcFinalizersBegin(NoFields) = 14 "GCFinalizersBegin" GC_FINALIZERS_BEGIN;
    /// Types that other events refer to.
    BulkTypes(BulkTypes<'p>) = 15 "BulkType" BULK_TYPE;
    /// Roots of a heap.
    BulkRootEdges(BulkRootEdges<'p>) = 16 "GCBulkRootEdge" GC_BULK_ROOT_EDGE;
    /// Entries of a heap's `ConditionalWeakTable`s.
    BulkConditionalWeakTableEdges(BulkConditionalWeakTableEdges<'p>) = 17
        "GCBulkRootConditionalWeakTableElementEdge" GC_BULK_CONDITIONAL_WEAK_TABLE_EDGE;
    /// Objects of a heap.
    BulkNodes(BulkNodes<'p>) = 18 "GCBulkNode" GC_BULK_NODE;
    /// References of a heap.
    BulkEdges(BulkEdges<'p>) = 19 "GCBulkEdge" GC_BULK_EDGE;
    /// Objects that were allocated, sampled often. The keyword has an effect in sessions from the program's start only.
    SampledAllocationHigh(SampledAllocation) = 20
        "GCSampledObjectAllocationHigh" GC_SAMPLED_OBJECT_ALLOCATION_HIGH;
    /// What a collection has kept in place.
    SurvivingRanges(SurvivingRanges<'p>) = 21 "GCBulkSurvivingObjectRanges" GC_BULK_SURVIVING_OBJECT_RANGES;
    /// What a collection has moved.
    MovedRanges(MovedRanges<'p>) = 22 "GCBulkMovedObjectRanges" GC_BULK_MOVED_OBJECT_RANGES;
    /// Where a generation lies.
    GenerationRange(GenerationRange) = 23 "GCGenerationRange" GC_GENERATION_RANGE;
    /// The finalizer of an object runs.
    FinalizeObject(FinalizeObject) = 29 "FinalizeObject" FINALIZE_OBJECT;
    /// A handle is created.
    SetGcHandle(HandleSet) = 30 "SetGCHandle" SET_GC_HANDLE;
    /// A handle is freed.
    DestroyGcHandle(Handle) = 31 "DestroyGCHandle" DESTROY_GC_HANDLE;
    /// Objects that were allocated, sampled rarely. The keyword has an effect in sessions from the program's start only.
    SampledAllocationLow(SampledAllocation) = 32
        "GCSampledObjectAllocationLow" GC_SAMPLED_OBJECT_ALLOCATION_LOW;
    /// A pinned object.
    PinObjectAtGcTime(PinnedObject<'p>) = 33 "PinObjectAtGCTime" PIN_OBJECT_AT_GC_TIME;
    /// A collection is to begin.
    GcTriggered(GcTriggered) = 35 "GCTriggered" GC_TRIGGERED;
    /// Static variables of a heap.
    BulkStaticRoots(BulkStaticRoots<'p>) = 38 "GCBulkRootStaticVar" GC_BULK_ROOT_STATIC_VAR;
    /// An event that only the collector knows.
    GcDynamicEvent(DynamicEvent<'p>) = 39 "GCDynamicEvent" GC_DYNAMIC_EVENT;
    /// A worker thread of the thread pool starts.
    WorkerThreadStart(WorkerThreads) = 50 "ThreadPoolWorkerThreadStart" THREAD_POOL_WORKER_THREAD_START;
    /// A worker thread of the thread pool stops.
    WorkerThreadStop(WorkerThreads) = 51 "ThreadPoolWorkerThreadStop" THREAD_POOL_WORKER_THREAD_STOP;
    /// The throughput of the thread pool.
    AdjustmentSample(AdjustmentSample) = 54
        "ThreadPoolWorkerThreadAdjustmentSample" THREAD_POOL_ADJUSTMENT_SAMPLE;
    /// The number of worker threads is changed.
    Adjustment(Adjustment) = 55 "ThreadPoolWorkerThreadAdjustmentAdjustment" THREAD_POOL_ADJUSTMENT;
    /// What the number of worker threads was computed from.
    AdjustmentStats(AdjustmentStats) = 56
        "ThreadPoolWorkerThreadAdjustmentStats" THREAD_POOL_ADJUSTMENT_STATS;
    /// A worker thread of the thread pool waits for work.
    WorkerThreadWait(WorkerThreads) = 57 "ThreadPoolWorkerThreadWait" THREAD_POOL_WORKER_THREAD_WAIT;
    /// The duration of the processor's pause instruction was measured.
    YieldMeasurement(YieldMeasurement) = 58 "YieldProcessorMeasurement" YIELD_PROCESSOR_MEASUREMENT;
    /// The limits of the thread pool are set.
    MinMaxThreads(MinMaxThreads) = 59 "ThreadPoolMinMaxThreads" THREAD_POOL_MIN_MAX_THREADS;
    /// The number of threads that work.
    WorkingThreads(WorkingThreads) = 60 "ThreadPoolWorkingThreadCount" THREAD_POOL_WORKING_THREAD_COUNT;
    /// Work is queued.
    Enqueue(Work) = 61 "ThreadPoolEnqueue" THREAD_POOL_ENQUEUE;
    /// Work begins.
    Dequeue(Work) = 62 "ThreadPoolDequeue" THREAD_POOL_DEQUEUE;
    /// The result of I/O is queued.
    IoEnqueue(IoWork) = 63 "ThreadPoolIOEnqueue" THREAD_POOL_IO_ENQUEUE;
    /// The result of I/O is handled.
    IoDequeue(IoWork) = 64 "ThreadPoolIODequeue" THREAD_POOL_IO_DEQUEUE;
    /// I/O begins.
    IoPack(IoWork) = 65 "ThreadPoolIOPack" THREAD_POOL_IO_PACK;
    /// A thread is started.
    ThreadCreating(ThreadStart) = 70 "ThreadCreating" THREAD_CREATING;
    /// A started thread runs.
    ThreadRunning(ThreadStart) = 71 "ThreadRunning" THREAD_RUNNING;
    /// The type arguments of a method.
    MethodDetails(MethodDetails<'p>) = 72 "MethodDetails" METHOD_DETAILS;
    /// A type begins to load.
    TypeLoadStart(TypeLoadStart) = 73 "TypeLoadStart" TYPE_LOAD_START;
    /// A type is loaded.
    TypeLoadStop(TypeLoadStop<'p>) = 74 "TypeLoadStop" TYPE_LOAD_STOP;
    /// An exception is thrown.
    ExceptionThrown(ExceptionThrown<'p>) = 80 "ExceptionThrown" EXCEPTION_THROWN since 1;
    /// A thread begins to wait for a lock.
    ContentionStart(ContentionStart) = 81 "ContentionStart" CONTENTION_START since 1;
    /// A thread is created.
    ThreadCreated(ThreadCreated) = 85 "ThreadCreated" THREAD_CREATED;
    /// A thread has ended.
    ThreadTerminated(ThreadTerminated) = 86 "ThreadTerminated" THREAD_TERMINATED;
    /// The IL that marshals a method's arguments was generated.
    IlStub(IlStub<'p>) = 88 "ILStubGenerated" IL_STUB_GENERATED;
    /// The IL that marshals arguments is used again.
    IlStubReuse(IlStubReuse<'p>) = 89 "ILStubCacheHit" IL_STUB_CACHE_HIT;
    /// A lock has got the structure that threads wait on.
    LockCreated(LockCreated) = 90 "ContentionLockCreated" CONTENTION_LOCK_CREATED;
    /// A thread has got the lock.
    ContentionStop(ContentionStop) = 91 "ContentionStop" CONTENTION_STOP;
    /// Code of a method is ready.
    MethodLoad(Method) = 141 "MethodLoad" METHOD_LOAD;
    /// Code of a method is freed.
    MethodUnload(Method) = 142 "MethodUnload" METHOD_UNLOAD;
    /// Code of a method is ready, with names.
    MethodLoadVerbose(VerboseMethod<'p>) = 143 "MethodLoadVerbose" METHOD_LOAD_VERBOSE;
    /// Code of a method is freed, with names.
    MethodUnloadVerbose(VerboseMethod<'p>) = 144 "MethodUnloadVerbose" METHOD_UNLOAD_VERBOSE;
    /// The compilation of a method begins.
    JittingStarted(JittingStarted<'p>) = 145 "MethodJittingStarted" METHOD_JITTING_STARTED;
    /// Memory for the code of a method.
    JitMemory(JitMemory) = 146 "MethodJitMemoryAllocatedForCode" METHOD_JIT_MEMORY_ALLOCATED;
    /// A module is loaded into an application domain.
    DomainModuleLoad(DomainModule<'p>) = 151 "DomainModuleLoad" DOMAIN_MODULE_LOAD;
    /// A module is loaded.
    ModuleLoad(Module<'p>) = 152 "ModuleLoad" MODULE_LOAD;
    /// A module is unloaded.
    ModuleUnload(Module<'p>) = 153 "ModuleUnload" MODULE_UNLOAD;
    /// An assembly is loaded.
    AssemblyLoad(Assembly<'p>) = 154 "AssemblyLoad" ASSEMBLY_LOAD since 1;
    /// An assembly is unloaded.
    AssemblyUnload(Assembly<'p>) = 155 "AssemblyUnload" ASSEMBLY_UNLOAD since 1;
    /// An application domain is created.
    AppDomainLoad(AppDomain<'p>) = 156 "AppDomainLoad" APP_DOMAIN_LOAD since 1;
    /// An application domain is unloaded.
    AppDomainUnload(AppDomain<'p>) = 157 "AppDomainUnload" APP_DOMAIN_UNLOAD since 1;
    /// Precompiled code was looked for.
    R2rEntryPoint(R2rEntryPoint<'p>) = 159 "R2RGetEntryPoint" R2R_GET_ENTRY_POINT;
    /// Precompiled code is looked for.
    R2rLookup(R2rLookup) = 160 "R2RGetEntryPointStart" R2R_GET_ENTRY_POINT_START;
    /// A call was inlined.
    Inlining(Inlining<'p>) = 185 "MethodJitInliningSucceeded" METHOD_JIT_INLINING_SUCCEEDED;
    /// The runtime has started.
    RuntimeInformation(RuntimeInformation<'p>) = 187 "RuntimeInformationStart" RUNTIME_INFORMATION_START;
    /// A call was compiled as a tail call.
    TailCall(TailCall<'p>) = 188 "MethodJitTailCallSucceeded" METHOD_JIT_TAIL_CALL_SUCCEEDED;
    /// The mapping of code to IL.
    IlToNativeMap(IlToNativeMap<'p>) = 190 "MethodILToNativeMap" METHOD_IL_TO_NATIVE_MAP;
    /// A call before a return was not compiled as a tail call.
    TailCallFailure(TailCallFailure<'p>) = 191 "MethodJitTailCallFailed" METHOD_JIT_TAIL_CALL_FAILED;
    /// A call was not inlined.
    InliningFailure(InliningFailure<'p>) = 192 "MethodJitInliningFailed" METHOD_JIT_INLINING_FAILED;
    /// The program states that it has allocated native memory.
    IncreaseMemoryPressure(MemoryPressure) = 200 "IncreaseMemoryPressure" INCREASE_MEMORY_PRESSURE;
    /// The program states that it has freed native memory.
    DecreaseMemoryPressure(MemoryPressure) = 201 "DecreaseMemoryPressure" DECREASE_MEMORY_PRESSURE;
    /// What roots of a kind have kept.
    GcMark(GcMark) = 202 "GCMarkWithType" GC_MARK_WITH_TYPE;
    /// A thread of a server collector waits for the others, or continues.
    GcJoin(GcJoin) = 203 "GCJoin" GC_JOIN;
    /// What a collection has done with a heap.
    GcHeapHistory(GcHeapHistory<'p>) = 204 "GCPerHeapHistory" GC_PER_HEAP_HISTORY since 3;
    /// The decisions of a collection.
    GcGlobalHistory(GcGlobalHistory) = 205 "GCGlobalHeapHistory" GC_GLOBAL_HEAP_HISTORY;
    /// A handler begins.
    ExceptionCatchStart(ExceptionHandling<'p>) = 250 "ExceptionCatchStart" EXCEPTION_CATCH_START;
    /// A handler has ended.
    ExceptionCatchStop(NoFields) = 251 "ExceptionCatchStop" EXCEPTION_CATCH_STOP;
    /// A finally handler begins.
    ExceptionFinallyStart(ExceptionHandling<'p>) = 252 "ExceptionFinallyStart" EXCEPTION_FINALLY_START;
    /// A finally handler has ended.
    ExceptionFinallyStop(NoFields) = 253 "ExceptionFinallyStop" EXCEPTION_FINALLY_STOP;
    /// A filter begins.
    ExceptionFilterStart(ExceptionHandling<'p>) = 254 "ExceptionFilterStart" EXCEPTION_FILTER_START;
    /// A filter has ended.
    ExceptionFilterStop(NoFields) = 255 "ExceptionFilterStop" EXCEPTION_FILTER_STOP;
    /// The throw is over: the program runs again after a handler.
    ExceptionThrownStop(NoFields) = 256 "ExceptionThrownStop" EXCEPTION_THROWN_STOP;
    /// The settings of tiered compilation.
    TieringSettings(TieringSettings) = 280 "TieredCompilationSettings" TIERED_COMPILATION_SETTINGS;
    /// Methods are not promoted for now.
    TieringPause(NoFields) = 281 "TieredCompilationPause" TIERED_COMPILATION_PAUSE;
    /// Methods may be promoted again.
    TieringResume(TieringResume) = 282 "TieredCompilationResume" TIERED_COMPILATION_RESUME;
    /// The compilation of promoted methods begins.
    BackgroundJitStart(BackgroundJitStart) = 283
        "TieredCompilationBackgroundJitStart" TIERED_COMPILATION_BACKGROUND_JIT_START;
    /// The compilation of promoted methods has ended.
    BackgroundJitStop(BackgroundJitStop) = 284
        "TieredCompilationBackgroundJitStop" TIERED_COMPILATION_BACKGROUND_JIT_STOP;
    /// An assembly is looked for.
    AssemblyLoadStart(AssemblyLoadStart<'p>) = 290 "AssemblyLoadStart" ASSEMBLY_LOAD_START;
    /// An assembly was looked for.
    AssemblyLoadStop(AssemblyLoadStop<'p>) = 291 "AssemblyLoadStop" ASSEMBLY_LOAD_STOP;
    /// A way to find an assembly was tried.
    ResolutionAttempt(ResolutionAttempt<'p>) = 292 "ResolutionAttempted" RESOLUTION_ATTEMPTED;
    /// A handler of `AssemblyLoadContext.Resolving` was called.
    ContextHandler(ContextHandler<'p>) = 293
        "AssemblyLoadContextResolvingHandlerInvoked" ASSEMBLY_LOAD_CONTEXT_RESOLVING_HANDLER_INVOKED;
    /// A handler of `AppDomain.AssemblyResolve` was called.
    AppDomainHandler(AppDomainHandler<'p>) = 294
        "AppDomainAssemblyResolveHandlerInvoked" APP_DOMAIN_ASSEMBLY_RESOLVE_HANDLER_INVOKED;
    /// The runtime's own handler for assemblies of `Assembly.LoadFrom` was called.
    LoadFromHandler(LoadFromHandler<'p>) = 295
        "AssemblyLoadFromResolveHandlerInvoked" ASSEMBLY_LOAD_FROM_RESOLVE_HANDLER_INVOKED;
    /// A path was tried for an assembly.
    PathProbe(PathProbe<'p>) = 296 "KnownPathProbed" KNOWN_PATH_PROBED;
    /// The profile of a method.
    JitProfile(JitProfile<'p>) = 297 "JitInstrumentationData" JIT_INSTRUMENTATION_DATA;
    /// The profile of a method, with names.
    JitProfileVerbose(VerboseJitProfile<'p>) = 298
        "JitInstrumentationDataVerbose" JIT_INSTRUMENTATION_DATA_VERBOSE;
    /// A thread begins to wait for a wait handle.
    WaitHandleWaitStart(WaitHandleWaitStart) = 301 "WaitHandleWaitStart" WAIT_HANDLE_WAIT_START;
    /// A thread has waited for a wait handle.
    WaitHandleWaitStop(NoFields) = 302 "WaitHandleWaitStop" WAIT_HANDLE_WAIT_STOP;
    /// A randomly sampled allocation.
    AllocationSampled(AllocationSampled<'p>) = 303 "AllocationSampled" ALLOCATION_SAMPLED;
}
