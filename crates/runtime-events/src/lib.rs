#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod allocation;
mod bulk;
mod contention;
mod event;
mod exception;
mod gc;
mod layout;
mod loader;
mod method;
mod payload;
mod provider;
mod rundown;
mod threads;
mod tiering;

pub use allocation::{AllocationKind, AllocationSampled, AllocationTick};
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
    DynamicEvent, FinalizeObject, Finalizers, GcEnd, GcGlobalHistory, GcHeapStats, GcKind, GcMark, GcReason,
    GcSegment, GcStart, GcSuspend, GcTriggered, GenerationRange, GenerationStats, Handle, HandleSet,
    NoFields, PinnedObject, SegmentFreed, SuspendReason,
};
pub use loader::{
    AppDomain, Assembly, AssemblyLoadStart, AssemblyLoadStop, DomainModule, Module, TypeLoadStart,
    TypeLoadStop,
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
    ThreadStart, ThreadTerminated, Work, WorkerThreads, WorkingThreads,
};
pub use tiering::{BackgroundJitStart, BackgroundJitStop, TieringResume, TieringSettings};
