//! Where calls are made from.

use corprof::values::{GcRoots, Generations, MovedRanges, SurvivingRanges};
use corprof::{
    AssemblyReferences, EnterFrame, EventPipeEvent, FrameInfo, FunctionControl, LeaveFrame, ObjectId,
    RuntimeSuspension, TailcallFrame, Unload,
};

macro_rules! places {
    ($($place:ident)*) => {
        /// A callback, a hook, a visitor or a thread of the profiler's own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Place {
            $($place,)*
        }

        impl Place {
            pub(crate) const ALL: &[Self] = &[$(Self::$place,)*];
        }
    };
}

places! {
    Initialize Hooks Shutdown
    AppDomainCreationStarted AppDomainCreationFinished AppDomainShutdownStarted AppDomainShutdownFinished
    AssemblyLoadStarted AssemblyLoadFinished AssemblyUnloadStarted AssemblyUnloadFinished
    ModuleLoadStarted ModuleLoadFinished ModuleUnloadStarted ModuleUnloadFinished ModuleAttachedToAssembly
    ModuleInMemorySymbolsUpdated AssemblyReferences
    ClassLoadStarted ClassLoadFinished ClassUnloadStarted ClassUnloadFinished
    FunctionUnloadStarted DynamicMethodUnloaded
    ComVtableCreated ComVtableDestroyed
    JitCompilationStarted JitCompilationFinished
    DynamicMethodJitCompilationStarted DynamicMethodJitCompilationFinished
    JitCachedFunctionSearchStarted JitCachedFunctionSearchFinished JitFunctionPitched JitInlining
    ReJitCompilationStarted ReJitCompilationFinished ReJitParameters ReJitError
    ThreadCreated ThreadDestroyed ThreadAssignedToOsThread ThreadNameChanged
    UnmanagedToManagedTransition ManagedToUnmanagedTransition
    RuntimeSuspendStarted RuntimeSuspendFinished RuntimeSuspendAborted
    RuntimeResumeStarted RuntimeResumeFinished RuntimeThreadSuspended RuntimeThreadResumed
    GarbageCollectionStarted GarbageCollectionFinished MovedReferences SurvivingReferences
    ObjectAllocated ObjectsAllocatedByClass ObjectReferences RootReferences
    ConditionalWeakTableElementReferences FinalizeableObjectQueued HandleCreated HandleDestroyed
    ExceptionThrown ExceptionSearchFunctionEnter ExceptionSearchFunctionLeave
    ExceptionSearchFilterEnter ExceptionSearchFilterLeave ExceptionSearchCatcherFound
    ExceptionUnwindFunctionEnter ExceptionUnwindFunctionLeave
    ExceptionUnwindFinallyEnter ExceptionUnwindFinallyLeave ExceptionCatcherEnter ExceptionCatcherLeave
    ExceptionOsHandlerEnter ExceptionOsHandlerLeave ExceptionClrCatcherFound ExceptionClrCatcherExecute
    EventPipeEventDelivered EventPipeProviderCreated
    MapFunction MapAgain Enter EnterArguments Leave LeaveValue Tailcall
    ProviderChanged CollectionStarted CollectionFinished Forget
    OwnThread OwnThreadInitialized Suspension
    VisitOfStack VisitOfHeap VisitOfReferences
}

impl Place {
    /// Whether it is one of many visits that a call makes.
    pub(crate) fn is_visit(self) -> bool {
        matches!(self, Self::VisitOfStack | Self::VisitOfHeap | Self::VisitOfReferences)
    }
}

/// The arguments of a callback that are borrowed from it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Given<'a> {
    pub(crate) object: Option<ObjectId<'a>>,
    pub(crate) enter: Option<&'a EnterFrame<'a>>,
    pub(crate) leave: Option<&'a LeaveFrame<'a>>,
    pub(crate) tailcall: Option<&'a TailcallFrame<'a>>,
    pub(crate) frame: Option<FrameInfo<'a>>,
    pub(crate) control: Option<&'a FunctionControl<'a>>,
    pub(crate) references: Option<&'a AssemblyReferences<'a>>,
    pub(crate) event: Option<&'a EventPipeEvent<'a>>,
    pub(crate) suspension: Option<&'a RuntimeSuspension<'a>>,
    pub(crate) generations: Option<Generations<'a>>,
    pub(crate) moved: Option<MovedRanges<'a>>,
    pub(crate) surviving: Option<SurvivingRanges<'a>>,
    pub(crate) roots: Option<GcRoots<'a>>,
    pub(crate) unload: Option<&'a Unload>,
}
