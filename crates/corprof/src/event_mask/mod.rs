//! The event mask: the callbacks that the runtime makes, and the code that it compiles for the profiler.

mod callbacks;
mod takers;

pub(crate) use callbacks::Callback;
pub(crate) use takers::{PartId, TakerSet, Takers};

bitflags::bitflags! {
    /// The event mask (`COR_PRF_MONITOR` in the low half, `COR_PRF_HIGH_MONITOR` in the high half).
    ///
    /// Set it with [`ProfilerInfo::set_event_mask`](crate::ProfilerInfo::set_event_mask). The flags in
    /// [`EventMask::immutable_on`] can be set during `initialize` only. Flags that this crate does not know are
    /// kept, such as `COR_PRF_HIGH_MONITOR_GC_SKIP_ALLOCATED_BY_CLASS_STATISTIC` of .NET 11, which leaves
    /// `ObjectsAllocatedByClass` out of [`EventMask::GC`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
    pub struct EventMask: u64 {
        /// `FunctionUnloadStarted`.
        const FUNCTION_UNLOADS = 0x1;
        /// `ClassLoad*` and `ClassUnload*`.
        const CLASS_LOADS = 0x2;
        /// `ModuleLoad*`, `ModuleUnload*` and `ModuleAttachedToAssembly`.
        const MODULE_LOADS = 0x4;
        /// `AssemblyLoad*` and `AssemblyUnload*`.
        const ASSEMBLY_LOADS = 0x8;
        /// `AppDomainCreation*` and `AppDomainShutdown*`.
        const APP_DOMAIN_LOADS = 0x10;
        /// `JITCompilation*` and `JITInlining`.
        const JIT_COMPILATION = 0x20;
        /// The `Exception*` callbacks, except those for the runtime's own handlers.
        ///
        /// On .NET 9 to 11 this crate pins each exception until its `catch` block has ended, since the runtime would pass a stale
        /// reference to the block if a collection ran during the callback
        /// ([dotnet/runtime#132462](https://github.com/dotnet/runtime/issues/132462)).
        const EXCEPTIONS = 0x40;
        /// The garbage collection's callbacks. Turns concurrent collection off.
        const GC = 0x80;
        /// `ObjectAllocated`; needs [`EventMask::ENABLE_OBJECT_ALLOCATED`].
        const OBJECT_ALLOCATED = 0x100;
        /// `Thread*`.
        const THREADS = 0x200;
        /// `Remoting*` (.NET Framework only).
        const REMOTING = 0x400;
        /// `UnmanagedToManagedTransition` and `ManagedToUnmanagedTransition`.
        const CODE_TRANSITIONS = 0x800;
        /// The enter, leave and tailcall hooks.
        const ENTER_LEAVE = 0x1000;
        /// `COMClassicVTable*`.
        const CCW = 0x2000;
        /// Cookies of remoting calls, [`EventMask::REMOTING`] included (.NET Framework only).
        const REMOTING_COOKIE = 0x4400;
        /// Asynchronous remoting calls, [`EventMask::REMOTING`] included (.NET Framework only).
        const REMOTING_ASYNC = 0x8400;
        /// `RuntimeSuspend*`, `RuntimeResume*`, `RuntimeThreadSuspended` and `RuntimeThreadResumed`.
        const SUSPENDS = 0x1_0000;
        /// `JITCachedFunctionSearch*`.
        const CACHE_SEARCHES = 0x2_0000;
        /// Allows ReJIT.
        const ENABLE_REJIT = 0x4_0000;
        /// Allowed in-process debugging, which no longer exists.
        const ENABLE_INPROC_DEBUGGING = 0x8_0000;
        /// Keeps maps from IL to native code; they are always kept now.
        const ENABLE_JIT_MAPS = 0x10_0000;
        /// Disables inlining, so that every method has an enter and a leave.
        const DISABLE_INLINING = 0x20_0000;
        /// Disables the JIT's optimisations.
        const DISABLE_OPTIMIZATIONS = 0x40_0000;
        /// Lets [`EventMask::OBJECT_ALLOCATED`] be set.
        const ENABLE_OBJECT_ALLOCATED = 0x80_0000;
        /// `ExceptionCLRCatcher*`.
        const CLR_EXCEPTIONS = 0x100_0000;
        /// Arguments in the enter hook, and exact class ids of generic methods.
        const ENABLE_FUNCTION_ARGS = 0x200_0000;
        /// The return value in the leave hook.
        const ENABLE_FUNCTION_RETVAL = 0x400_0000;
        /// The frame's generic context in the hooks.
        const ENABLE_FRAME_INFO = 0x800_0000;
        /// Allows [`ProfilerInfo::walk_stack`](crate::ProfilerInfo::walk_stack).
        const ENABLE_STACK_SNAPSHOT = 0x1000_0000;
        /// Uses profiler-enhanced precompiled images (.NET Framework only).
        const USE_PROFILE_IMAGES = 0x2000_0000;
        /// Transparency checks under full trust (.NET Framework only).
        const DISABLE_TRANSPARENCY_CHECKS_UNDER_FULL_TRUST = 0x4000_0000;
        /// Ignores every precompiled image, ReadyToRun ones too: all code is compiled by the JIT.
        const DISABLE_ALL_NGEN_IMAGES = 0x8000_0000;

        /// `GetAssemblyReferences`.
        const ADD_ASSEMBLY_REFERENCES = 0x1 << 32;
        /// `ModuleInMemorySymbolsUpdated`.
        const IN_MEMORY_SYMBOLS_UPDATED = 0x2 << 32;
        /// `DynamicMethodUnloaded`.
        const DYNAMIC_FUNCTION_UNLOADS = 0x4 << 32;
        /// Compiles every method once, fully optimised.
        const DISABLE_TIERED_COMPILATION = 0x8 << 32;
        /// `GarbageCollectionStarted` and `…Finished` alone, at little cost.
        const BASIC_GC = 0x10 << 32;
        /// `MovedReferences` and `SurvivingReferences` without the rest of [`EventMask::GC`].
        const GC_MOVED_OBJECTS = 0x20 << 32;
        /// `ObjectAllocated` for objects on the large object heap.
        const LARGE_OBJECT_ALLOCATED = 0x40 << 32;
        /// `EventPipeEventDelivered` and `EventPipeProviderCreated`.
        const EVENT_PIPE = 0x80 << 32;
        /// `ObjectAllocated` for objects on the pinned object heap.
        const PINNED_OBJECT_ALLOCATED = 0x100 << 32;

        // The runtime may know more flags than this crate.
        const _ = !0;
    }
}

impl EventMask {
    /// The flags that can be set during `initialize` only (`COR_PRF_MONITOR_IMMUTABLE` and its high twin), before .NET 10.
    ///
    /// [`immutable_on`](Self::immutable_on) has it for each runtime.
    pub const IMMUTABLE: Self = Self::from_bits_retain(0xEEF8_CC00 | (0x8 << 32));
    /// The flags that an attached profiler can set (`COR_PRF_ALLOWABLE_AFTER_ATTACH` and its high twin), before .NET 10.
    ///
    /// [`allowable_after_attach_on`](Self::allowable_after_attach_on) has it for each runtime.
    pub const ALLOWABLE_AFTER_ATTACH: Self = Self::from_bits_retain(0x1005_02FE | (0xF6 << 32));
    /// The flags that on .NET 10 and newer can be changed at any time, and set by an attached profiler.
    const CHANGEABLE_SINCE_10: Self = Self::DISABLE_INLINING.union(Self::DISABLE_OPTIMIZATIONS);
    /// The flags that a notification-only profiler can set (`COR_PRF_ALLOWABLE_NOTIFICATION_PROFILER` and its high
    /// twin).
    pub const ALLOWABLE_NOTIFICATION_PROFILER: Self = Self::from_bits_retain(0xB1E3_2B7F | (0xFE << 32));
    /// The flags for a call tracer that sees every method with its arguments and return value.
    pub const CALLS_WITH_VALUES: Self = Self::ENTER_LEAVE
        .union(Self::ENABLE_FUNCTION_ARGS)
        .union(Self::ENABLE_FUNCTION_RETVAL)
        .union(Self::ENABLE_FRAME_INFO)
        .union(Self::DISABLE_INLINING);

    /// Returns the flags that can be set during `initialize` only, on a runtime with this major version.
    ///
    /// Since .NET 10 [`DISABLE_INLINING`](Self::DISABLE_INLINING) and
    /// [`DISABLE_OPTIMIZATIONS`](Self::DISABLE_OPTIMIZATIONS) may be set and cleared at any time. Code that is compiled
    /// while they are set is compiled so; other code stays as it is. .NET Core 3.1 reports version 4.
    #[must_use]
    pub const fn immutable_on(major: u16) -> Self {
        if major < 10 { Self::IMMUTABLE } else { Self::IMMUTABLE.difference(Self::CHANGEABLE_SINCE_10) }
    }

    /// Returns the flags that an attached profiler can set, on a runtime with this major version.
    #[must_use]
    pub const fn allowable_after_attach_on(major: u16) -> Self {
        if major < 10 {
            Self::ALLOWABLE_AFTER_ATTACH
        } else {
            Self::ALLOWABLE_AFTER_ATTACH.union(Self::CHANGEABLE_SINCE_10)
        }
    }

    /// Returns the low half, for `SetEventMask`.
    #[must_use]
    pub const fn low(self) -> u32 {
        let bytes = self.bits().to_le_bytes();
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Returns the high half, for `SetEventMask2`.
    #[must_use]
    pub const fn high(self) -> u32 {
        let bytes = self.bits().to_le_bytes();
        u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]])
    }

    /// Returns the mask of two halves.
    #[must_use]
    pub const fn from_halves(low: u32, high: u32) -> Self {
        Self::from_bits_retain((low as u64) | ((high as u64) << 32))
    }
}

#[cfg(test)]
mod tests {
    use super::EventMask;
    use corprof_sys as sys;

    /// The flags are written out above for the reader; this holds them against the ABI.
    #[test]
    fn flags_are_those_of_the_abi() {
        let low = [
            (EventMask::FUNCTION_UNLOADS, sys::COR_PRF_MONITOR_FUNCTION_UNLOADS),
            (EventMask::CLASS_LOADS, sys::COR_PRF_MONITOR_CLASS_LOADS),
            (EventMask::MODULE_LOADS, sys::COR_PRF_MONITOR_MODULE_LOADS),
            (EventMask::ASSEMBLY_LOADS, sys::COR_PRF_MONITOR_ASSEMBLY_LOADS),
            (EventMask::APP_DOMAIN_LOADS, sys::COR_PRF_MONITOR_APPDOMAIN_LOADS),
            (EventMask::JIT_COMPILATION, sys::COR_PRF_MONITOR_JIT_COMPILATION),
            (EventMask::EXCEPTIONS, sys::COR_PRF_MONITOR_EXCEPTIONS),
            (EventMask::GC, sys::COR_PRF_MONITOR_GC),
            (EventMask::OBJECT_ALLOCATED, sys::COR_PRF_MONITOR_OBJECT_ALLOCATED),
            (EventMask::THREADS, sys::COR_PRF_MONITOR_THREADS),
            (EventMask::REMOTING, sys::COR_PRF_MONITOR_REMOTING),
            (EventMask::CODE_TRANSITIONS, sys::COR_PRF_MONITOR_CODE_TRANSITIONS),
            (EventMask::ENTER_LEAVE, sys::COR_PRF_MONITOR_ENTERLEAVE),
            (EventMask::CCW, sys::COR_PRF_MONITOR_CCW),
            (EventMask::REMOTING_COOKIE, sys::COR_PRF_MONITOR_REMOTING_COOKIE),
            (EventMask::REMOTING_ASYNC, sys::COR_PRF_MONITOR_REMOTING_ASYNC),
            (EventMask::SUSPENDS, sys::COR_PRF_MONITOR_SUSPENDS),
            (EventMask::CACHE_SEARCHES, sys::COR_PRF_MONITOR_CACHE_SEARCHES),
            (EventMask::ENABLE_REJIT, sys::COR_PRF_ENABLE_REJIT),
            (EventMask::ENABLE_INPROC_DEBUGGING, sys::COR_PRF_ENABLE_INPROC_DEBUGGING),
            (EventMask::ENABLE_JIT_MAPS, sys::COR_PRF_ENABLE_JIT_MAPS),
            (EventMask::DISABLE_INLINING, sys::COR_PRF_DISABLE_INLINING),
            (EventMask::DISABLE_OPTIMIZATIONS, sys::COR_PRF_DISABLE_OPTIMIZATIONS),
            (EventMask::ENABLE_OBJECT_ALLOCATED, sys::COR_PRF_ENABLE_OBJECT_ALLOCATED),
            (EventMask::CLR_EXCEPTIONS, sys::COR_PRF_MONITOR_CLR_EXCEPTIONS),
            (EventMask::ENABLE_FUNCTION_ARGS, sys::COR_PRF_ENABLE_FUNCTION_ARGS),
            (EventMask::ENABLE_FUNCTION_RETVAL, sys::COR_PRF_ENABLE_FUNCTION_RETVAL),
            (EventMask::ENABLE_FRAME_INFO, sys::COR_PRF_ENABLE_FRAME_INFO),
            (EventMask::ENABLE_STACK_SNAPSHOT, sys::COR_PRF_ENABLE_STACK_SNAPSHOT),
            (EventMask::USE_PROFILE_IMAGES, sys::COR_PRF_USE_PROFILE_IMAGES),
            (
                EventMask::DISABLE_TRANSPARENCY_CHECKS_UNDER_FULL_TRUST,
                sys::COR_PRF_DISABLE_TRANSPARENCY_CHECKS_UNDER_FULL_TRUST,
            ),
            (EventMask::DISABLE_ALL_NGEN_IMAGES, sys::COR_PRF_DISABLE_ALL_NGEN_IMAGES),
        ];
        let high = [
            (EventMask::ADD_ASSEMBLY_REFERENCES, sys::COR_PRF_HIGH_ADD_ASSEMBLY_REFERENCES),
            (EventMask::IN_MEMORY_SYMBOLS_UPDATED, sys::COR_PRF_HIGH_IN_MEMORY_SYMBOLS_UPDATED),
            (EventMask::DYNAMIC_FUNCTION_UNLOADS, sys::COR_PRF_HIGH_MONITOR_DYNAMIC_FUNCTION_UNLOADS),
            (EventMask::DISABLE_TIERED_COMPILATION, sys::COR_PRF_HIGH_DISABLE_TIERED_COMPILATION),
            (EventMask::BASIC_GC, sys::COR_PRF_HIGH_BASIC_GC),
            (EventMask::GC_MOVED_OBJECTS, sys::COR_PRF_HIGH_MONITOR_GC_MOVED_OBJECTS),
            (EventMask::LARGE_OBJECT_ALLOCATED, sys::COR_PRF_HIGH_MONITOR_LARGEOBJECT_ALLOCATED),
            (EventMask::EVENT_PIPE, sys::COR_PRF_HIGH_MONITOR_EVENT_PIPE),
            (EventMask::PINNED_OBJECT_ALLOCATED, sys::COR_PRF_HIGH_MONITOR_PINNEDOBJECT_ALLOCATED),
        ];
        for (ours, theirs) in low {
            assert_eq!((ours.low(), ours.high()), (theirs.0, 0), "{ours:?}");
        }
        for (ours, theirs) in high {
            assert_eq!((ours.low(), ours.high()), (0, theirs.0), "{ours:?}");
        }
        let known: EventMask =
            low.iter().map(|(flag, _)| *flag).chain(high.iter().map(|(flag, _)| *flag)).collect();
        assert_eq!(known, EventMask::all().intersection(known));
        assert_eq!(EventMask::all().iter_names().count(), low.len() + high.len());
    }

    #[test]
    fn masks_are_those_of_the_abi() {
        let masks = [
            (EventMask::IMMUTABLE, sys::COR_PRF_MONITOR_IMMUTABLE, sys::COR_PRF_HIGH_MONITOR_IMMUTABLE),
            (
                EventMask::ALLOWABLE_AFTER_ATTACH,
                sys::COR_PRF_ALLOWABLE_AFTER_ATTACH,
                sys::COR_PRF_HIGH_ALLOWABLE_AFTER_ATTACH,
            ),
            (
                EventMask::ALLOWABLE_NOTIFICATION_PROFILER,
                sys::COR_PRF_ALLOWABLE_NOTIFICATION_PROFILER,
                sys::COR_PRF_HIGH_ALLOWABLE_NOTIFICATION_PROFILER,
            ),
        ];
        for (ours, low, high) in masks {
            assert_eq!((ours.low(), ours.high()), (low.0, high.0));
        }
    }

    /// The values of corprof.idl since .NET 10.
    #[test]
    fn since_10_inlining_and_optimisations_are_changed_at_any_time() {
        for major in [4, 8, 9] {
            assert_eq!(EventMask::immutable_on(major), EventMask::IMMUTABLE);
            assert_eq!(EventMask::allowable_after_attach_on(major), EventMask::ALLOWABLE_AFTER_ATTACH);
        }
        for major in [10, 11] {
            assert_eq!(EventMask::immutable_on(major), EventMask::from_halves(0xEE98_CC00, 0x8));
            assert_eq!(
                EventMask::allowable_after_attach_on(major),
                EventMask::from_halves(0x1065_02FE, 0xF6)
            );
        }
    }

    #[test]
    fn halves_come_back() {
        let mask = EventMask::GC | EventMask::BASIC_GC;
        assert_eq!(EventMask::from_halves(mask.low(), mask.high()), mask);
        assert_eq!((mask.low(), mask.high()), (0x80, 0x10));
    }
}
