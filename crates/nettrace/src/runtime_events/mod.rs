//! Events of `Microsoft-Windows-DotNETRuntime`, the runtime's own provider, as types. The runtime ships no descriptions of the
//! fields of these events: their layouts are in its manifest only.
//!
//! ```rust
//! use nettrace::runtime_events::{AllocationTick, RuntimeEvent};
//!
//! let mut payload = Vec::new();
//! payload.extend(100_000_u32.to_le_bytes());
//! payload.extend(0_u32.to_le_bytes());
//! payload.extend(9_u16.to_le_bytes());
//! payload.extend(100_000_u64.to_le_bytes());
//! payload.extend(0x7f00_u64.to_le_bytes());
//! payload.extend("A".encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
//! payload.extend(0_u32.to_le_bytes());
//! payload.extend(0x1000_u64.to_le_bytes());
//! payload.extend(24_u64.to_le_bytes());
//! let event = RuntimeEvent::decode(10, 4, &payload, 8)?;
//! let Some(RuntimeEvent::AllocationTick(tick)) = event else { panic!("{event:?}") };
//! assert_eq!((tick.type_name(), tick.object_size), ("A".to_owned(), Some(24)));
//! # Ok::<(), nettrace::runtime_events::DecodeError>(())
//! ```
//!
//! - A newer version of an event keeps the fields that are known; the fields after them are ignored. An older version has
//!   `None` for the fields that it lacks.
//! - Nothing is allocated: texts and arrays are borrowed from the payload. Every length is checked. A payload that is too short is
//!   an error with its offset.
//! - Addresses are numbers, whatever the size of the process. What a field refers to may have been moved or unloaded since.
//!
//! | keyword | decoded events |
//! |---|---|
//! | `GC` | collections, suspensions, heap statistics, segments, `GCAllocationTick`, finalizers, marked bytes, generations, histories, memory pressure |
//! | `GC_SAMPLED_OBJECT_ALLOCATION_HIGH`, `…_LOW` | allocated objects, sampled by type |
//! | `ALLOCATION_SAMPLING` | `AllocationSampled` |
//! | `GC_HEAP_DUMP`, `TYPE`, `GC_HEAP_SURVIVAL_AND_MOVEMENT` | types, objects, references, roots, static variables, moved ranges |
//! | `GC_HANDLE` | handles |
//! | `EXCEPTION` | throws, handlers, filters |
//! | `CONTENTION`, `WAIT_HANDLE` | waits for locks, with lock and owner since .NET 8; waits for wait handles |
//! | `LOADER`, `ASSEMBLY_LOADER`, `TYPE_DIAGNOSTIC` | modules, assemblies, how they are found, application domains, types |
//! | `JIT`, `NGEN`, `JITTED_METHOD_IL_TO_NATIVE_MAP`, `METHOD_DIAGNOSTIC` | methods, their code, IL offsets, type arguments |
//! | `JIT_TRACING`, `JIT_INSTRUMENTATION_DATA` | inlined calls and tail calls, those that are not and why; profiles of methods |
//! | `INTEROP` | marshalling stubs |
//! | `COMPILATION`, `COMPILATION_DIAGNOSTIC` | tiered compilation, entry points of precompiled code |
//! | `THREADING`, `THREAD_TRANSFER` | threads, the thread pool and its work, the pause instruction |
//!
//! [`RundownEvent`] decodes the events of `Microsoft-Windows-DotNETRuntimeRundown`. Layouts of .NET Framework that .NET does not
//! have are not decoded.

mod allocation;
mod bulk;
mod contention;
mod event;
mod exception;
mod gc;
mod jit;
mod layout;
mod loader;
mod method;
mod payload;
mod provider;
mod rundown;
mod threads;
mod tiering;

pub use allocation::{AllocationKind, AllocationSampled, AllocationTick, SampledAllocation};
pub use bulk::{
    BulkConditionalWeakTableEdges, BulkEdges, BulkNodes, BulkRootEdges, BulkStaticRoots, BulkTypes,
    ConditionalWeakTableEdge, Edge, MovedRange, MovedRanges, Node, Root, RootFlags, RootKind, StaticRoot,
    SurvivingRange, SurvivingRanges, Type, TypeFlags,
};
pub use contention::{
    ContentionFlags, ContentionStart, ContentionStop, LockCreated, WaitHandleWaitStart, WaitSource,
};
pub use event::{RuntimeEvent, ids};
pub use exception::{ExceptionFlags, ExceptionHandling, ExceptionThrown};
pub use gc::{
    DynamicEvent, FinalizeObject, Finalizers, GcEnd, GcGlobalHistory, GcHeapHistory, GcHeapStats, GcJoin,
    GcKind, GcMark, GcReason, GcSegment, GcStart, GcSuspend, GcTriggered, GenerationHistory, GenerationRange,
    GenerationStats, Handle, HandleSet, MemoryPressure, NoFields, PinnedObject, SegmentFreed, SuspendReason,
};
pub use jit::{
    IlStub, IlStubReuse, Inlining, InliningFailure, JitProfile, MethodName, StubFlags, TailCall,
    TailCallFailure, TailCallKind, VerboseJitProfile,
};
pub use loader::{
    AppDomain, AppDomainHandler, Assembly, AssemblyLoadStart, AssemblyLoadStop, ContextHandler, DomainModule,
    LoadFromHandler, Module, PathProbe, PathSource, ResolutionAttempt, ResolutionResult, ResolutionStage,
    TypeLoadStart, TypeLoadStop,
};
pub use method::{
    IlToNativeMap, JitMemory, JitTier, JittingStarted, Method, MethodDetails, MethodFlags, R2rEntryPoint,
    R2rLookup, VerboseMethod,
};
pub use payload::{DecodeError, Utf16, Values};
pub use provider::{PROVIDER, RUNDOWN_PROVIDER, keywords, levels};
pub use rundown::{RundownEvent, RuntimeInformation};
pub use threads::{
    Adjustment, AdjustmentReason, AdjustmentSample, AdjustmentStats, IoWork, MinMaxThreads, ThreadCreated,
    ThreadStart, ThreadTerminated, Work, WorkerThreads, WorkingThreads, YieldMeasurement,
};
pub use tiering::{BackgroundJitStart, BackgroundJitStop, TieringResume, TieringSettings};
