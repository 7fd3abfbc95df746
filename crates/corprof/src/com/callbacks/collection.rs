//! The garbage collector: collections, allocations, references, roots, handles.
#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::{Given, callbacks, deliver, list, not_surfaced};
use crate::ids::{GcHandleId, ObjectId};
use crate::values::{
    FinalizerFlags, GcReason, GcRootKind, GcRoots, Generations, MovedRanges, SurvivingRanges,
};
use crate::{HResult, Profiler};

pub(in crate::com) unsafe extern "system" fn ObjectReferences<P: Profiler>(
    this: *mut sys::ICorProfilerCallback,
    object: sys::ObjectID,
    class: sys::ClassID,
    count: sys::ULONG,
    references: *mut sys::ObjectID,
) -> sys::HRESULT {
    let mut go_on = true;
    // SAFETY: the runtime lends `count` object ids, which have the layout of `Option<ObjectId>`.
    let references = unsafe { list::<Option<ObjectId<'_>>>(references.cast_const().cast(), count) };
    let tell = |profiler: &P, given: Given<'_>| {
        let object = ObjectId::in_callback(object)?;
        go_on = profiler.object_references(object, given.class(class)?, references);
        Some(())
    };
    // SAFETY: the runtime calls with a live object of ours.
    let code = unsafe { deliver::<P>(this.cast(), "ObjectReferences", tell) };
    if code == HResult::S_OK.0 && !go_on { HResult::E_FAIL.0 } else { code }
}

callbacks! {
    ICorProfilerCallback: ObjectAllocated(object: sys::ObjectID, class: sys::ClassID)
        => |p, given| p.object_allocated(ObjectId::in_callback(object)?, given.class(class)?);
    ICorProfilerCallback: ObjectsAllocatedByClass(count: sys::ULONG, classes: *mut sys::ClassID, counts: *mut sys::ULONG)
        => |p, _| p.objects_allocated_by_class(list(classes.cast_const().cast(), count), list(counts, count));
    ICorProfilerCallback2: GarbageCollectionStarted(count: core::ffi::c_int, collected: *mut sys::BOOL, reason: sys::COR_PRF_GC_REASON)
        => |p, _| p.garbage_collection_started(
            Generations(list(collected, count.max(0).cast_unsigned())),
            GcReason(reason.0),
        );
    ICorProfilerCallback2: GarbageCollectionFinished() => |p, _| p.garbage_collection_finished();
    ICorProfilerCallback2: FinalizeableObjectQueued(flags: sys::DWORD, object: sys::ObjectID)
        => |p, _| p.finalizeable_object_queued(
            FinalizerFlags::from_bits_retain(flags),
            ObjectId::in_callback(object)?,
        );
    ICorProfilerCallback2: RootReferences2(
        count: sys::ULONG, objects: *mut sys::ObjectID, kinds: *mut sys::COR_PRF_GC_ROOT_KIND,
        flags: *mut sys::COR_PRF_GC_ROOT_FLAGS, ids: *mut sys::UINT_PTR
    ) => |p, _| p.root_references(GcRoots {
        objects: list(objects.cast_const().cast(), count),
        kinds: list(kinds.cast_const().cast::<GcRootKind>(), count),
        flags: list(flags.cast_const().cast(), count),
        ids: list(ids, count),
    });
    ICorProfilerCallback2: HandleCreated(handle: sys::GCHandleID, object: sys::ObjectID)
        => |p, _| p.handle_created(GcHandleId::from_raw(handle)?, ObjectId::in_callback(object));
    ICorProfilerCallback2: HandleDestroyed(handle: sys::GCHandleID)
        => |p, _| p.handle_destroyed(GcHandleId::from_raw(handle)?);
    ICorProfilerCallback4: MovedReferences2(
        count: sys::ULONG, old: *mut sys::ObjectID, new: *mut sys::ObjectID, lengths: *mut sys::SIZE_T
    ) => |p, _| p.moved_references(MovedRanges {
        old: list(old, count),
        new: list(new, count),
        length: list(lengths, count),
    });
    ICorProfilerCallback4: SurvivingReferences2(
        count: sys::ULONG, starts: *mut sys::ObjectID, lengths: *mut sys::SIZE_T
    ) => |p, _| p.surviving_references(SurvivingRanges { start: list(starts, count), length: list(lengths, count) });
    ICorProfilerCallback5: ConditionalWeakTableElementReferences(
        count: sys::ULONG, keys: *mut sys::ObjectID, values: *mut sys::ObjectID, handles: *mut sys::GCHandleID
    ) => |p, _| p.conditional_weak_table_element_references(
        list(keys.cast_const().cast(), count),
        list(values.cast_const().cast(), count),
        list(handles.cast_const().cast(), count),
    );
}

not_surfaced! { "Superseded by the second version of itself, which the runtime calls as well.":
    ICorProfilerCallback: MovedReferences(sys::ULONG, *mut sys::ObjectID, *mut sys::ObjectID, *mut sys::ULONG);
    ICorProfilerCallback: RootReferences(sys::ULONG, *mut sys::ObjectID);
    ICorProfilerCallback2: SurvivingReferences(sys::ULONG, *mut sys::ObjectID, *mut sys::ULONG);
}
