//! The garbage collector: collections, allocations, references, roots, handles.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::{CallbackObject, callbacks, deliver};
use crate::profiler::Profiler;
use crate::raw::collecting::Callback;
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
    GarbageCollectionStarted(collected: &[sys::BOOL], reason: sys::COR_PRF_GC_REASON)
        => |p, _| p.garbage_collection_started(Generations(collected), GcReason(reason.0));
    GarbageCollectionFinished() => |p, _| p.garbage_collection_finished();
    HandleDestroyed(handle: Option<GcHandleId>) => |p, _| p.handle_destroyed(handle?);
}
