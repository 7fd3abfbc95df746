//! Objects: static fields, strings, arrays, generations, the whole heap, handles.

use core::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use corprof::token::FieldDef;
use corprof::{
    ClassId, Error, GcGeneration, HandleKind, Metadata, ObjectId, ProfilerInfo, Result, StaticKind, ThreadId,
};

use crate::facts::Facts;
use crate::{State, locked, memory};

/// Objects that are looked at in a callback, which some calls insist on.
#[derive(Debug, Default)]
pub(crate) struct InCallback {
    /// What the facts are called, where the references to the objects lie, and what is wanted.
    wanted: Mutex<Vec<(&'static str, usize, Wanted)>>,
    found: Mutex<Vec<(&'static str, String)>>,
}

#[derive(Clone, Copy, Debug)]
enum Wanted {
    /// The rank of the class, the dimensions and the second element of an array with as many dimensions.
    Array(u32),
    /// The size in bytes.
    Size,
    /// How many of the objects that it refers to have this class.
    References(ClassId),
}

impl InCallback {
    pub(crate) fn look(&self, info: &ProfilerInfo) {
        for (name, address, wanted) in locked(&self.wanted).drain(..) {
            let found = Self::read(info, address, wanted).unwrap_or_else(|error| error.to_string());
            locked(&self.found).push((name, found));
        }
    }

    fn read(info: &ProfilerInfo, address: usize, wanted: Wanted) -> Result<String> {
        let scope = ();
        let object = ObjectId::from_raw(memory::reference(address), &scope)
            .ok_or_else(|| Error::other("a null reference"))?;
        match wanted {
            Wanted::Size => Ok(info.object_size(object)?.to_string()),
            Wanted::Array(rank) => {
                let class = info.array_class(info.class_of_object(object)?)?;
                let found = info.array_object_info(object, rank)?;
                let dimensions: Vec<String> = found
                    .dimensions()
                    .iter()
                    .map(|dimension| format!("{}+{}", dimension.lower_bound, dimension.length))
                    .collect();
                let class_rank = class.map_or(0, |class| class.rank);
                Ok(format!("{class_rank} {} {}", dimensions.join(" "), memory::int(found.data + 4)))
            }
            Wanted::References(class) => {
                let (mut of_class, mut all) = (0, 0);
                let _ = info.visit_object_references(object, |reference| {
                    all += 1;
                    of_class +=
                        u32::from(info.class_of_object(reference.object).is_ok_and(|its| its == class));
                    ControlFlow::<()>::Continue(())
                })?;
                Ok(format!("{of_class} of {all}"))
            }
        }
    }
}

/// A class of the program, as far as it has been loaded, and a field of it.
struct Shelf {
    class: ClassId,
    metadata: Metadata,
    type_def: corprof::token::TypeDef,
}

impl Shelf {
    fn find(state: &State, name: &str) -> Result<Self> {
        let module = state.module("live.dll")?;
        let metadata = state.info.module_metadata(module)?;
        let type_def =
            metadata.find_type_def(name, None)?.ok_or_else(|| Error::NotFound(format!("no {name}")))?;
        let class = state
            .info
            .known_class(module, type_def, &[])
            .ok_or_else(|| Error::NotFound(format!("{name} is not loaded")))?;
        Ok(Self { class, metadata, type_def })
    }

    fn field(&self, name: &str) -> Result<FieldDef> {
        let fields = self.metadata.fields_named(self.type_def, name)?;
        fields.first().copied().ok_or_else(|| Error::NotFound(format!("no field {name}")))
    }
}

/// What lies where.
pub(crate) fn answer(state: &State, caller: Option<ThreadId>) -> Result<String> {
    let info = &state.info;
    let mut facts = Facts::of("objects");
    let caller = caller.ok_or_else(|| Error::other("the program's thread is not managed"))?;
    let domain = info.thread_app_domain(caller)?;
    let shelf = Shelf::find(state, "Shelf")?;
    let marker = Shelf::find(state, "Marker")?;

    // The program's thread waits for the answer, and nothing moves while the runtime is suspended.
    let suspension = info.suspend_runtime()?;
    let address = |name| info.app_domain_static_address(shelf.class, shelf.field(name)?, domain);
    let number = shelf.field("Number")?;
    facts.say("static.kind", info.static_field_kind(shelf.class, number)? == StaticKind::APP_DOMAIN);
    facts.say("static.number", memory::int(address("Number")?));
    let mine = shelf.field("Mine")?;
    facts.say("thread.kind", info.static_field_kind(shelf.class, mine)? == StaticKind::THREAD);
    facts.say("thread.mine", memory::int(info.thread_static_address(shelf.class, mine, domain, caller)?));

    let object = |name| -> Result<ObjectId<'_>> {
        ObjectId::from_raw(memory::reference(address(name)?), &suspension)
            .ok_or_else(|| Error::other(format!("{name} is null")))
    };
    let text = object("Text")?;
    let layout = info.string_layout()?;
    let at = |offset: u32| text.as_raw() + offset as usize;
    let length = usize::try_from(memory::int(at(layout.length_offset))).unwrap_or_default();
    facts.say("text", memory::text(at(layout.buffer_offset), length));
    let wanted = [
        ("array", address("Numbers")?, Wanted::Array(1)),
        ("square", address("Square")?, Wanted::Array(2)),
        ("size.Large", address("Large")?, Wanted::Size),
        ("references", address("First")?, Wanted::References(marker.class)),
    ];
    for name in ["Text", "Large", "Literal"] {
        let object = object(name)?;
        let generation = info.object_generation(object).map(|range| {
            // What is inside of a range is in that generation.
            assert!(range.contains(object.as_raw()), "{range:?} has no {object:?}");
            match range.generation {
                GcGeneration::LARGE_OBJECT_HEAP => 2,
                GcGeneration(number) => number,
            }
        });
        let frozen = info.version() >= 10 && info.is_frozen_object(object)?;
        facts.say(format_args!("frozen.{name}"), frozen);
        if !frozen {
            facts.say(format_args!("generation.{name}"), generation?);
        }
    }
    let bounds = info.generation_bounds();
    facts.say("bounds", bounds.is_ok_and(|bounds| bounds.iter().any(|range| range.contains(text.as_raw()))));
    facts.say("threshold", info.large_object_threshold()?);

    if info.version() >= 15 {
        let mut markers = 0;
        let _ = info.visit_heap_objects(|object| {
            markers += u32::from(info.class_of_object(object).is_ok_and(|class| class == marker.class));
            ControlFlow::<()>::Continue(())
        })?;
        facts.say("heap.markers", markers);
        let mut visited = 0;
        let broken = info.visit_heap_objects(|_| {
            visited += 1;
            if visited == 3 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
        })?;
        facts.say("heap.broken", format_args!("{visited} {broken:?}"));
        let literals = info.non_gc_heap_bounds()?;
        facts.say("nongc.bounds", !literals.is_empty());
        facts.say("nongc.objects", info.non_gc_objects()?.next().is_some());
    } else {
        let refused = info.visit_heap_objects(|_| ControlFlow::<()>::Continue(()));
        facts.say("heap.refused", refused.err().map_or_else(String::new, |error| error.to_string()));
    }
    drop(suspension);

    // When a collection is over, objects stand still.
    locked(&state.in_callback.wanted).extend(wanted);
    let before = state.induced.load(Ordering::Relaxed);
    info.force_gc()?;
    for (name, value) in locked(&state.in_callback.found).drain(..) {
        facts.say(name, value);
    }
    facts.say("forced", state.induced.load(Ordering::Relaxed) - before);
    Ok(facts.finish())
}

/// Handles, in two steps: `make` with the addresses of two pinned objects, and `look`.
pub(crate) fn handles(state: &State, arguments: &[&str]) -> Result<String> {
    let mut facts = Facts::of("handles");
    match arguments {
        ["make", addresses @ ..] => {
            let kinds = [HandleKind::Weak, HandleKind::Strong];
            for (address, kind) in addresses.iter().zip(kinds) {
                let raw = address.parse().map_err(|_| Error::other(format!("{address} is no address")))?;
                // The program has pinned it for the duration of the question.
                let object = ObjectId::from_raw(raw, state).ok_or_else(|| Error::other("a null object"))?;
                let handle = state.info.create_handle(object, kind)?;
                facts.say(format_args!("made.{kind:?}"), handle.object(state)? == Some(object));
                locked(&state.handles).push(handle);
            }
        }
        _ => {
            let handles = std::mem::take(&mut *locked(&state.handles));
            for (handle, kind) in handles.into_iter().zip([HandleKind::Weak, HandleKind::Strong]) {
                facts.say(format_args!("alive.{kind:?}"), handle.object(state)?.is_some());
                handle.destroy()?;
            }
        }
    }
    Ok(facts.finish())
}
