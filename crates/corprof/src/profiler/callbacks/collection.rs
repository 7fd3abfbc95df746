//! The garbage collector: collections, allocations, references, roots, handles.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::{CallbackObject, Given, LastError, callbacks, note_and_deliver};
use crate::event_mask::Callback;
use crate::profiler::Profiler;
use crate::runtime::ProfilerInfo;
use crate::values::{FinalizerFlags, GcReason, GcRoots, Generations, MovedRanges, SurvivingRanges};
use corprof_types::HResult;
use corprof_types::{ClassId, GcHandleId, ObjectId};

/// A part that returns `false` gets no more objects of this collection. The enumeration ends when no part is left.
pub(super) fn ObjectReferences(
    object: &CallbackObject,
    of: Option<ObjectId<'_>>,
    class: Option<ClassId>,
    references: &[Option<ObjectId<'_>>],
) -> HResult {
    let callback = Callback::ObjectReferences;
    let Some(parts) = object.parts().filter(|parts| !parts.have_ended()) else { return HResult::S_OK };
    let _kept = LastError::keep();
    let held = super::HeldFunctions::default();
    let Some((of, class)) = of.zip(Given(&parts.info, &held).class(class)) else {
        return super::each(parts, callback, None::<fn(&dyn Profiler)>);
    };
    let mut is_wanted = false;
    let code = parts.each(callback, |part, profiler| {
        if parts.walk.is_ended(part) {
            return;
        }
        if profiler.object_references(of, class, references) {
            is_wanted = true;
        } else {
            parts.walk.end(part);
        }
    });
    if code == HResult::S_OK && !is_wanted { HResult::E_FAIL } else { code }
}

pub(super) fn GarbageCollectionStarted(
    object: &CallbackObject,
    collected: &[sys::BOOL],
    reason: sys::COR_PRF_GC_REASON,
) -> HResult {
    let generations = Generations(collected);
    if let Some(parts) = object.parts() {
        parts.walk.begin();
    }
    let own = |info: &ProfilerInfo| info.collection_started(generations);
    note_and_deliver(object, Callback::GarbageCollectionStarted, own, |_| {
        Some(move |p: &dyn Profiler| p.garbage_collection_started(generations, GcReason(reason.0)))
    })
}

pub(super) fn GarbageCollectionFinished(object: &CallbackObject) -> HResult {
    let own = ProfilerInfo::collection_finished;
    note_and_deliver(object, Callback::GarbageCollectionFinished, own, |_| {
        Some(|p: &dyn Profiler| p.garbage_collection_finished())
    })
}

callbacks! {
    ObjectAllocated(object: Option<ObjectId<'_>>, class: Option<ClassId>)
        => |given| object_allocated(object = object?, class = given.class(class)?);
    FinalizeableObjectQueued(flags: u32, object: Option<ObjectId<'_>>)
        => |_| finalizeable_object_queued(flags = FinalizerFlags::from_bits_retain(flags), object = object?);
    RootReferences2(roots: GcRoots<'_>) => |_| root_references(roots);
    HandleCreated(handle: Option<GcHandleId>, object: Option<ObjectId<'_>>)
        => |_| handle_created(handle = handle?, object);
    HandleDestroyed(handle: Option<GcHandleId>) => |_| handle_destroyed(handle = handle?);
    MovedReferences2(moved: MovedRanges<'_>) => |_| moved_references(moved);
    SurvivingReferences2(surviving: SurvivingRanges<'_>) => |_| surviving_references(surviving);
    ConditionalWeakTableElementReferences(
        keys: &[Option<ObjectId<'_>>], values: &[Option<ObjectId<'_>>], handles: &[Option<GcHandleId>]
    ) => |_| conditional_weak_table_element_references(keys, values, handles);
    ObjectsAllocatedByClass(classes: &[Option<ClassId>], counts: &[u32])
        => |given| objects_allocated_by_class(classes = given.classes(classes), counts);
}
