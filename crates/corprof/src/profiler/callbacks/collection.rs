//! The garbage collector: collections, allocations, references, roots, handles.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::{CallbackObject, callbacks, deliver, note_and_deliver};
use crate::event_mask::EventMask;
use crate::profiler::Profiler;
use crate::raw::collecting::Callback;
use crate::runtime::ProfilerInfo;
use crate::values::{FinalizerFlags, GcReason, GcRoots, Generations, MovedRanges, SurvivingRanges};
use corprof_types::HResult;
use corprof_types::{ClassId, GcHandleId, ObjectId};

pub(super) fn ObjectReferences<P: Profiler>(
    object: &CallbackObject<P>,
    of: Option<ObjectId<'_>>,
    class: Option<ClassId>,
    references: &[Option<ObjectId<'_>>],
) -> HResult {
    let mut is_wanted = true;
    let code =
        deliver(Callback::begin_without_collection(), object, "ObjectReferences", |profiler, given| {
            is_wanted = profiler.object_references(of?, given.class(class)?, references);
            Some(())
        });
    if code == HResult::S_OK && !is_wanted { HResult::E_FAIL } else { code }
}

/// The flags that enable the callbacks about the beginning and the end of a collection.
const COLLECTIONS: EventMask = EventMask::GC.union(EventMask::BASIC_GC);

pub(super) fn GarbageCollectionStarted<P: Profiler>(
    object: &CallbackObject<P>,
    collected: &[sys::BOOL],
    reason: sys::COR_PRF_GC_REASON,
) -> HResult {
    let generations = Generations(collected);
    let own = |info: &ProfilerInfo| info.collection_started(generations);
    note_and_deliver(Callback::begin, object, "GarbageCollectionStarted", own, |profiler, given| {
        given.if_wanted(COLLECTIONS, || {
            profiler.garbage_collection_started(generations, GcReason(reason.0));
        });
        Some(())
    })
}

pub(super) fn GarbageCollectionFinished<P: Profiler>(object: &CallbackObject<P>) -> HResult {
    let own = ProfilerInfo::collection_finished;
    note_and_deliver(Callback::begin, object, "GarbageCollectionFinished", own, |profiler, given| {
        given.if_wanted(COLLECTIONS, || profiler.garbage_collection_finished());
        Some(())
    })
}

callbacks! {
    without_collection;
    ObjectAllocated(object: Option<ObjectId<'_>>, class: Option<ClassId>)
        => |p, given| p.object_allocated(object?, given.class(class)?);
    FinalizeableObjectQueued(flags: u32, object: Option<ObjectId<'_>>)
        => |p, _| p.finalizeable_object_queued(FinalizerFlags::from_bits_retain(flags), object?);
    RootReferences2(roots: GcRoots<'_>) => |p, _| p.root_references(roots);
    HandleCreated(handle: Option<GcHandleId>, object: Option<ObjectId<'_>>)
        => |p, _| p.handle_created(handle?, object);
    MovedReferences2(moved: MovedRanges<'_>) => |p, _| p.moved_references(moved);
    SurvivingReferences2(surviving: SurvivingRanges<'_>) => |p, _| p.surviving_references(surviving);
    ConditionalWeakTableElementReferences(
        keys: &[Option<ObjectId<'_>>], values: &[Option<ObjectId<'_>>], handles: &[Option<GcHandleId>]
    ) => |p, _| p.conditional_weak_table_element_references(keys, values, handles);
}

callbacks! {
    ObjectsAllocatedByClass(classes: &[Option<ClassId>], counts: &[u32])
        => |p, _| p.objects_allocated_by_class(classes, counts);
    HandleDestroyed(handle: Option<GcHandleId>) => |p, _| p.handle_destroyed(handle?);
}
