//! The names and keywords of the provider.

/// The name of the provider.
pub const PROVIDER: &str = "Microsoft-Windows-DotNETRuntime";

/// The name of the provider of rundown events, which describe what is loaded when a session ends.
pub const RUNDOWN_PROVIDER: &str = "Microsoft-Windows-DotNETRuntimeRundown";

/// Groups of events.
pub mod keywords {
    /// Collections and allocation ticks.
    pub const GC: u64 = 0x1;
    /// Handles of objects.
    pub const GC_HANDLE: u64 = 0x2;
    /// Assemblies that are looked for.
    pub const ASSEMBLY_LOADER: u64 = 0x4;
    /// Modules, assemblies, application domains.
    pub const LOADER: u64 = 0x8;
    /// Methods that are compiled.
    pub const JIT: u64 = 0x10;
    /// Methods of precompiled code.
    pub const NGEN: u64 = 0x20;
    /// Inlining and tail calls, at the level [`VERBOSE`](crate::runtime_events::levels::VERBOSE).
    pub const JIT_TRACING: u64 = 0x1000;
    /// Marshalling stubs.
    pub const INTEROP: u64 = 0x2000;
    /// Contention of locks.
    pub const CONTENTION: u64 = 0x4000;
    /// Exceptions.
    pub const EXCEPTION: u64 = 0x8000;
    /// Threads and the thread pool.
    pub const THREADING: u64 = 0x1_0000;
    /// The mapping of code to IL.
    pub const JITTED_METHOD_IL_TO_NATIVE_MAP: u64 = 0x2_0000;
    /// Types of heap dumps.
    pub const TYPE: u64 = 0x8_0000;
    /// The objects of the heap, in each full collection.
    pub const GC_HEAP_DUMP: u64 = 0x10_0000;
    /// Objects that are allocated, up to a hundred samples a second and type. For sessions from the program's start.
    pub const GC_SAMPLED_OBJECT_ALLOCATION_HIGH: u64 = 0x20_0000;
    /// What collections keep and move.
    pub const GC_HEAP_SURVIVAL_AND_MOVEMENT: u64 = 0x40_0000;
    /// Induces a full collection when the session begins.
    pub const GC_HEAP_COLLECT: u64 = 0x80_0000;
    /// The names of the types of a heap dump.
    pub const GC_HEAP_AND_TYPE_NAMES: u64 = 0x100_0000;
    /// Objects that are allocated, up to five samples a second and type. For sessions from the program's start.
    pub const GC_SAMPLED_OBJECT_ALLOCATION_LOW: u64 = 0x200_0000;
    /// Stacks in ETW sessions. EventPipe does not need it.
    pub const STACK: u64 = 0x4000_0000;
    /// Work of the thread pool.
    pub const THREAD_TRANSFER: u64 = 0x8000_0000;
    /// Tiered compilation.
    pub const COMPILATION: u64 = 0x10_0000_0000;
    /// Entry points of precompiled code.
    pub const COMPILATION_DIAGNOSTIC: u64 = 0x20_0000_0000;
    /// Type arguments of methods.
    pub const METHOD_DIAGNOSTIC: u64 = 0x40_0000_0000;
    /// Types that are loaded.
    pub const TYPE_DIAGNOSTIC: u64 = 0x80_0000_0000;
    /// Profiles that code compiled with counters has gathered.
    pub const JIT_INSTRUMENTATION_DATA: u64 = 0x100_0000_0000;
    /// Measurements of the processor's pause instruction.
    pub const YIELD_PROCESSOR_NORMALIZED: u64 = 0x200_0000_0000;
    /// Waits for wait handles, since .NET 9.
    pub const WAIT_HANDLE: u64 = 0x400_0000_0000;
    /// Randomly sampled allocations, since .NET 10.
    pub const ALLOCATION_SAMPLING: u64 = 0x800_0000_0000;
}

/// The level of an event.
pub mod levels {
    /// For most events.
    pub const INFORMATIONAL: u32 = 4;
    /// For the frequent ones, such as allocation ticks.
    pub const VERBOSE: u32 = 5;
}
