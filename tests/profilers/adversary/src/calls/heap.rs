//! The heap: objects, handles, statics, collections.

use std::ops::ControlFlow;
use std::sync::Arc;

use corprof::{FrozenObject, HandleKind, NoCollection, ObjectId};

use super::Calls;
use crate::at::{At, Done, shown, value};
use crate::own_threads::Watcher;
use crate::place::{Given, Place};

/// Makes a call about the object of the callback, or about a frozen one.
macro_rules! of_object {
    (|$it:ident, $object:ident| $call:expr) => {
        |$it| match $it.given.object {
            Some($object) if $it.is() => $call,
            _ => {
                let $object = $it.drawn($it.shared.known.frozen.pick(&$it.random))?;
                $call
            }
        }
    };
}

/// Why no collection runs: any reason that there is.
fn evidence<'a>(it: &At<'a>) -> Option<NoCollection<'a>> {
    let given = it.given;
    let reasons = [
        given.object.map(NoCollection::from),
        given.suspension.map(NoCollection::from),
        given.enter.map(NoCollection::from),
        given.leave.map(NoCollection::from),
        given.tailcall.map(NoCollection::from),
    ];
    reasons.into_iter().flatten().next()
}

/// What is true of an object of a handle.
fn about(it: &At<'_>, object: ObjectId<'_>) -> Done {
    shown(it.info().class_of_object(object))?;
    shown(it.info().object_size(object))
}

fn frozen(it: &At<'_>, found: corprof::Result<Vec<FrozenObject>>) -> Done {
    for object in found.iter().flatten().take(20) {
        it.keep(&it.shared.known.frozen, *object);
    }
    shown(found)
}

/// The calls of each visit.
fn visited<B>(it: &At<'_>, place: Place, given: Given<'_>, visits: &mut usize, end: B) -> ControlFlow<B> {
    it.shared.attack(place, given);
    *visits += 1;
    if *visits < 200 { ControlFlow::Continue(()) } else { ControlFlow::Break(end) }
}

pub(super) const CALLS: Calls = &[
    ("ProfilerInfo::class_of_object", of_object!(|it, object| shown(it.info().class_of_object(object)))),
    ("ProfilerInfo::object_size", of_object!(|it, object| shown(it.info().object_size(object)))),
    ("ProfilerInfo::object_generation", of_object!(|it, object| shown(it.info().object_generation(object)))),
    ("ProfilerInfo::is_frozen_object", of_object!(|it, object| shown(it.info().is_frozen_object(object)))),
    (
        "ProfilerInfo::array_object_info",
        of_object!(|it, object| shown(it.info().array_object_info(object, it.u32()))),
    ),
    ("ProfilerInfo::string_layout", |it| shown(it.info().string_layout())),
    (
        "ProfilerInfo::create_handle",
        of_object!(|it, object| {
            let kinds = [HandleKind::Weak, HandleKind::Strong, HandleKind::Pinned];
            let handle = it.info().create_handle(object, it.random.one_of(&kinds)?);
            shown(handle.map(|handle| it.keep(&it.shared.known.handles, handle)))
        }),
    ),
    ("ObjectHandle::object", |it| {
        let handle = it.shared.known.handles.take(&it.random)?;
        let done = match handle.object(evidence(it)?) {
            Ok(Some(object)) => about(it, object),
            other => shown(other),
        };
        it.keep(&it.shared.known.handles, handle);
        done
    }),
    ("ObjectHandle::is_alive", |it| {
        let handle = it.shared.known.handles.take(&it.random)?;
        let is_alive = handle.is_alive();
        it.keep(&it.shared.known.handles, handle);
        shown(is_alive)
    }),
    ("ObjectHandle::destroy", |it| shown(it.shared.known.handles.take(&it.random)?.destroy())),
    ("ProfilerInfo::generation_bounds", |it| {
        let bounds = it.info().generation_bounds();
        for range in bounds.iter().flatten() {
            it.keep_address(range.start);
        }
        shown(bounds)
    }),
    ("GenerationRange::contains", |it| {
        let bounds = it.info().generation_bounds().ok()?;
        value(bounds.iter().any(|range| range.contains(it.address())))
    }),
    ("ProfilerInfo::non_gc_heap_bounds", |it| shown(it.info().non_gc_heap_bounds())),
    ("ProfilerInfo::non_gc_objects", |it| frozen(it, it.info().non_gc_objects())),
    ("FrozenObject::as_raw", |it| value(it.shared.known.frozen.pick(&it.random)?.as_raw())),
    ("ProfilerInfo::module_frozen_objects", |it| frozen(it, it.info().module_frozen_objects(it.module()?))),
    ("ProfilerInfo::large_object_threshold", |it| shown(it.info().large_object_threshold())),
    ("OwnThread::force_gc", |it| shown(it.info().own_thread().and_then(|own| own.force_gc()))),
    ("RuntimeSuspension::visit_heap_objects", |it| {
        let mut visits = 0;
        let suspension = it.given.suspension?;
        shown(suspension.visit_heap_objects(|object| {
            let given = Given { object: Some(object), ..Given::default() };
            visited(it, Place::VisitOfHeap, given, &mut visits, "enough")
        }))
    }),
    ("ProfilerInfo::visit_object_references", |it| {
        let mut visits = 0;
        shown(it.info().visit_object_references(it.given.object?, |reference| {
            let given = Given { object: Some(reference.object), ..Given::default() };
            visited(it, Place::VisitOfReferences, given, &mut visits, "enough")
        }))
    }),
    ("ProfilerInfo::watch_collections", |it| {
        let watcher = Arc::new(Watcher { shared: it.shared.me.clone(), ..Watcher::default() });
        let result = it.info().watch_collections(&watcher);
        it.keep(&it.shared.known.watchers, watcher);
        shown(result)
    }),
    ("ProfilerInfo::static_field_kind", |it| {
        shown(it.info().static_field_kind(it.class()?, it.field_def()?))
    }),
    ("ProfilerInfo::rva_static_address", |it| {
        shown(it.info().rva_static_address(it.class()?, it.field_def()?))
    }),
    ("ProfilerInfo::app_domain_static_address", |it| {
        shown(it.info().app_domain_static_address(it.class()?, it.field_def()?, it.app_domain()?))
    }),
    ("ProfilerInfo::thread_static_address", |it| {
        shown(it.info().thread_static_address(it.class()?, it.field_def()?, it.app_domain()?))
    }),
    ("Generations::contains", |it| value(it.given.generations?.contains(it.address()))),
    ("MovedRanges::iter", |it| value(it.given.moved?.iter().collect::<Vec<_>>())),
    ("SurvivingRanges::iter", |it| value(it.given.surviving?.iter().collect::<Vec<_>>())),
    ("GcRoots::iter", |it| value(it.given.roots?.iter().collect::<Vec<_>>())),
];
