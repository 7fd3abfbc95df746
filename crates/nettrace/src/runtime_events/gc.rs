//! Events of collections.

use crate::runtime_events::layout::{Layout, layout, values};
use crate::runtime_events::payload::{DecodeError, Reader, Utf16, Values};

values! {
    /// Why a collection begins.
    GcReason(u32) {
        /// Allocation of small objects.
        ALLOC_SMALL = 0,
        /// The program has induced it.
        INDUCED = 1,
        /// The system has little memory.
        LOW_MEMORY = 2,
        /// None.
        EMPTY = 3,
        /// Allocation of large objects.
        ALLOC_LARGE = 4,
        /// There is no memory for small objects.
        OUT_OF_SPACE_SMALL = 5,
        /// There is no memory for large objects.
        OUT_OF_SPACE_LARGE = 6,
        /// The program has induced it, if the collector finds it worth while.
        INDUCED_NOT_FORCED = 7,
        /// A test mode of the runtime.
        STRESS = 8,
        /// The system has little memory; the collection blocks.
        LOW_MEMORY_BLOCKING = 9,
        /// The program has induced a compacting one.
        INDUCED_COMPACTING = 10,
        /// The host has little memory.
        LOW_MEMORY_HOST = 11,
        /// A full one in provisional mode.
        PROVISIONAL_FULL = 12,
        /// The host has little memory; the collection blocks.
        LOW_MEMORY_HOST_BLOCKING = 13,
        /// Tuning of background collections, small objects.
        BACKGROUND_TUNING_SMALL = 14,
        /// Tuning of background collections, large objects.
        BACKGROUND_TUNING_LARGE = 15,
        /// Stepping of background collections.
        BACKGROUND_STEPPING = 16,
        /// The program has induced an aggressive one.
        INDUCED_AGGRESSIVE = 17,
    }
}

impl GcReason {
    /// Returns whether the program has induced the collection.
    #[must_use]
    pub fn is_induced(self) -> bool {
        [Self::INDUCED, Self::INDUCED_NOT_FORCED, Self::INDUCED_COMPACTING, Self::INDUCED_AGGRESSIVE]
            .contains(&self)
    }
}

values! {
    /// How a collection runs.
    GcKind(u32) {
        /// The program waits for it.
        BLOCKING = 0,
        /// Beside the program.
        BACKGROUND = 1,
        /// Blocking, while a background one runs.
        FOREGROUND = 2,
    }
}

values! {
    /// Why the runtime suspends the threads.
    SuspendReason(u32) {
        /// Another reason.
        OTHER = 0,
        /// A collection.
        GC = 1,
        /// An application domain ends.
        APP_DOMAIN_SHUTDOWN = 2,
        /// Code is discarded.
        CODE_PITCHING = 3,
        /// The process ends.
        SHUTDOWN = 4,
        /// A debugger.
        DEBUGGER = 5,
        /// A collection is prepared.
        GC_PREP = 6,
        /// A debugger that waits for threads.
        DEBUGGER_SWEEP = 7,
    }
}

layout! {
    /// `GCStart`.
    GcStart {
        /// The number of the collection, from 1.
        number: u32 = u32;
        /// The oldest generation that is collected.
        generation: u32 = u32;
        /// Why.
        reason: GcReason = u32;
        /// How.
        kind: GcKind = u32;
        skip u16;
        /// The number that the client of an ETW session has given. Since version 2.
        client_sequence: u64 = u64 since 2;
    }
}

layout! {
    /// `GCEnd`.
    GcEnd {
        /// The number of the collection, from 1.
        number: u32 = u32;
        /// The oldest generation that was collected.
        generation: u32 = u32;
    }
}

layout! {
    /// The sizes of a generation.
    GenerationStats {
        /// The size after the collection, in bytes.
        size: u64 = u64;
        /// The bytes that were promoted to the next generation, or kept in the last one.
        promoted: u64 = u64;
    }
}

/// `GCHeapStats`: the heap after a collection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GcHeapStats {
    /// The generations 0, 1 and 2 and the large objects.
    pub generations: [GenerationStats; 4],
    /// The bytes that were kept for finalization.
    pub finalization_promoted_size: u64,
    /// The number of objects that were kept for finalization.
    pub finalization_promoted_count: u64,
    /// The number of pinned objects.
    pub pinned_objects: u32,
    /// The number of synchronization blocks.
    pub sync_blocks: u32,
    /// The number of handles.
    pub handles: u32,
    /// The pinned object heap. Since version 2, .NET 5.
    pub pinned_heap: Option<GenerationStats>,
}

impl<'p> Layout<'p> for GcHeapStats {
    fn read(from: &mut Reader<'p>, version: u32) -> Result<Self, DecodeError> {
        let mut generation = || GenerationStats::read(from, version);
        let generations = [generation()?, generation()?, generation()?, generation()?];
        let mut stats = Self {
            generations,
            finalization_promoted_size: from.u64()?,
            finalization_promoted_count: from.u64()?,
            pinned_objects: from.u32()?,
            sync_blocks: from.u32()?,
            handles: from.u32()?,
            pinned_heap: None,
        };
        if version >= 2 {
            from.u16()?;
            stats.pinned_heap = Some(GenerationStats::read(from, version)?);
        }
        Ok(stats)
    }
}

layout! {
    /// `GCCreateSegment`.
    GcSegment {
        /// The address.
        address: u64 = u64;
        /// The size in bytes.
        size: u64 = u64;
        /// 0 for small objects, 1 for large ones, 2 for frozen ones, 3 for pinned ones.
        kind: u32 = u32;
    }
}

layout! {
    /// `GCFreeSegment`.
    SegmentFreed {
        /// The address.
        address: u64 = u64;
    }
}

layout! {
    /// An event without fields, except the number of the runtime in the process.
    NoFields {}
}

layout! {
    /// `GCSuspendEEBegin`: the runtime begins to suspend the threads.
    GcSuspend {
        /// Why.
        reason: SuspendReason = u32;
        /// The number of the collection.
        number: u32 = u32;
    }
}

layout! {
    /// `GCTriggered`.
    GcTriggered {
        /// Why.
        reason: GcReason = u32;
    }
}

layout! {
    /// `GCFinalizersEnd`.
    Finalizers {
        /// The number of finalizers that were run.
        count: u32 = u32;
    }
}

layout! {
    /// `GCMarkWithType`: what roots of a kind have kept.
    GcMark {
        /// The heap.
        heap: u32 = u32;
        skip u16;
        /// The kind of the roots.
        kind: u32 = u32;
        /// The bytes.
        bytes: u64 = u64;
    }
}

layout! {
    /// `GCGlobalHeapHistory`: the decisions of a collection.
    GcGlobalHistory {
        /// The size that generation 0 may reach next.
        youngest_desired: u64 = u64;
        /// The number of heaps; 0 for a workstation collector.
        heaps: u32 = u32;
        /// The oldest generation that was collected.
        generation: u32 = u32;
        /// The number of times that generation 0 was collected instead of an older one.
        reductions: u32 = u32;
        /// Why.
        reason: GcReason = u32;
        /// Bits: 1 concurrent, 2 compacting, 4 promoting, 8 demoting, 16 all cards.
        mechanisms: u32 = u32;
        skip u16 since 1;
        /// The latency mode. Since version 2.
        pause_mode: u32 = u32 since 2;
        /// The share of memory that is in use, in percent. Since version 2.
        memory_pressure: u32 = u32 since 2;
    }
}

layout! {
    /// `GCGenerationRange`: where a generation lies.
    GenerationRange {
        /// The generation.
        generation: u8 = u8;
        /// The address.
        start: u64 = pointer;
        /// The bytes in use.
        used: u64 = u64;
        /// The reserved bytes.
        reserved: u64 = u64;
    }
}

layout! {
    /// `FinalizeObject`: the finalizer of an object runs.
    FinalizeObject {
        /// The class of the object, an address in the runtime.
        type_id: u64 = pointer;
        /// The address of the object.
        object: u64 = pointer;
    }
}

layout! {
    /// `SetGCHandle`.
    HandleSet {
        /// The handle.
        handle: u64 = pointer;
        /// The address of the object.
        object: u64 = pointer;
        /// The kind of the handle.
        kind: u32 = u32;
        /// The generation of the object.
        generation: u32 = u32;
        /// The application domain.
        app_domain: u64 = u64;
    }
}

layout! {
    /// `DestroyGCHandle`.
    Handle {
        /// The handle.
        handle: u64 = pointer;
    }
}

layout! {
    /// `PinObjectAtGCTime`.
    PinnedObject<'p> {
        /// The handle.
        handle: u64 = pointer;
        /// The address of the object.
        object: u64 = pointer;
        /// The size of the object.
        size: u64 = u64;
        /// The name of the class.
        type_name: Utf16<'p> = text;
    }
}

layout! {
    /// `GCDynamicEvent`: an event that only the collector knows.
    DynamicEvent<'p> {
        /// The name.
        name: Utf16<'p> = text;
        /// The fields.
        data: &'p [u8] = bytes;
    }
}

layout! {
    /// `IncreaseMemoryPressure` or `DecreaseMemoryPressure`: the program states that it has allocated or freed native memory.
    MemoryPressure {
        /// The bytes.
        bytes: u64 = u64;
    }
}

layout! {
    /// `GCJoin`: a thread of a server collector waits for the others, or continues.
    GcJoin {
        /// The heap.
        heap: u32 = u32;
        /// 0 when the wait begins, 1 when it ends.
        time: u32 = u32;
        /// Bits of the runtime: which thread continues first.
        kind: u32 = u32;
        skip u16;
        /// The step of the collection.
        step: u32 = u32;
    }
}

layout! {
    /// What a collection has done with a generation of a heap.
    GenerationHistory {
        /// The size before the collection, in bytes.
        size_before: u64 = pointer;
        /// The bytes in the free list before.
        free_list_before: u64 = pointer;
        /// The bytes of other free objects before.
        free_objects_before: u64 = pointer;
        /// The size after the collection.
        size_after: u64 = pointer;
        /// The bytes in the free list after.
        free_list_after: u64 = pointer;
        /// The bytes of other free objects after.
        free_objects_after: u64 = pointer;
        /// The bytes that the collection has put into the generation.
        entered: u64 = pointer;
        /// The bytes of pinned objects that were kept.
        pinned_survived: u64 = pointer;
        /// The bytes of other objects that were kept.
        other_survived: u64 = pointer;
        /// The bytes that may be allocated until the next collection.
        new_allocation: u64 = pointer;
    }
}

/// `GCPerHeapHistory`: what a collection has done with a heap. Since version 3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GcHeapHistory<'p> {
    /// The bytes that were promoted into the free list.
    pub free_list_allocated: u64,
    /// The bytes of the free list that were too small.
    pub free_list_rejected: u64,
    /// The bytes that were promoted to the end of segments.
    pub end_of_segment_allocated: u64,
    /// The bytes that were promoted within collected generations.
    pub condemned_allocated: u64,
    /// The bytes before pinned objects that were promoted into.
    pub pinned_allocated: u64,
    /// The bytes of pinned objects that were promoted.
    pub pinned_allocated_advance: u64,
    /// The use of the free list, in percent.
    pub free_list_efficiency: u32,
    /// Bits of the collector: why the generations were chosen.
    pub condemn_reasons: [u32; 2],
    /// Bits of the collector: why it compacted.
    pub compact_mechanisms: u32,
    /// Bits of the collector: why the heap grew.
    pub expand_mechanisms: u32,
    /// The number of the heap.
    pub heap: u32,
    /// The bytes that are committed beyond generation 0.
    pub extra_commit: u64,
    /// The generations 0, 1 and 2, the large objects, and since .NET 5 the pinned object heap.
    pub generations: Values<'p, GenerationHistory>,
}

impl<'p> Layout<'p> for GcHeapHistory<'p> {
    fn read(from: &mut Reader<'p>, _: u32) -> Result<Self, DecodeError> {
        from.u16()?;
        Ok(Self {
            free_list_allocated: from.pointer()?,
            free_list_rejected: from.pointer()?,
            end_of_segment_allocated: from.pointer()?,
            condemned_allocated: from.pointer()?,
            pinned_allocated: from.pointer()?,
            pinned_allocated_advance: from.pointer()?,
            free_list_efficiency: from.u32()?,
            condemn_reasons: [from.u32()?, from.u32()?],
            compact_mechanisms: from.u32()?,
            expand_mechanisms: from.u32()?,
            heap: from.u32()?,
            extra_commit: from.pointer()?,
            generations: {
                let count = from.u32()?;
                let size = 10 * from.pointer_size();
                from.sized(count, size)?
            },
        })
    }
}
