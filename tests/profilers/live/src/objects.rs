//! Objects: static fields, strings, arrays, generations, the whole heap.

use core::ops::ControlFlow;

use corprof::token::FieldDef;
use corprof::{ClassId, Error, GcGeneration, Metadata, ObjectId, ProfilerInfo, Result, StaticKind, ThreadId};

use crate::facts::Facts;
use crate::in_callback::InCallback;
use crate::{State, memory};

/// The object that the reference at this address refers to, while no object moves.
fn object_at<'a>(address: usize, scope: &'a ()) -> Result<ObjectId<'a>> {
    memory::object(memory::reference(address), scope).ok_or_else(|| Error::other("a null reference"))
}

/// The rank of the class, the dimensions and the second element of an array with as many dimensions.
fn array(info: &ProfilerInfo, address: usize, rank: u32) -> Result<String> {
    let object = object_at(address, &())?;
    let class = info.array_class(info.class_of_object(object)?)?;
    let found = info.array_object_info(object, rank)?;
    let dimensions: Vec<String> = found
        .lower()
        .iter()
        .zip(found.dims())
        .map(|(lower_bound, length)| format!("{lower_bound}+{length}"))
        .collect();
    let class_rank = class.map_or(0, |class| class.rank);
    Ok(format!("{class_rank} {} {}", dimensions.join(" "), memory::int(found.data() + 4)))
}

/// The number of its references to objects of this class.
fn references(info: &ProfilerInfo, address: usize, class: ClassId) -> Result<String> {
    let (mut of_class, mut all) = (0, 0);
    info.visit_object_references(object_at(address, &())?, |reference| {
        all += 1;
        of_class += u32::from(info.class_of_object(reference.object).is_ok_and(|its| its == class));
    })?;
    Ok(format!("{of_class} of {all}"))
}

/// A class of the program, if it is loaded, and a field of it.
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

/// The addresses of objects and fields.
pub(crate) fn answer(state: &State, caller: Option<ThreadId>) -> Result<String> {
    let info = &state.info;
    let mut facts = Facts::of("objects");
    let caller = caller.ok_or_else(|| Error::other("the program's thread is not managed"))?;
    let domain = info.thread_app_domain(caller)?;
    let shelf = Shelf::find(state, "Shelf")?;
    let marker = Shelf::find(state, "Marker")?;

    // The program's thread waits for the answer, and no object moves while the runtime is suspended.
    let suspension = info.suspend_runtime()?;
    let address = |name| info.app_domain_static_address(shelf.class, shelf.field(name)?, domain);
    let number = shelf.field("Number")?;
    facts.say("static.kind", info.static_field_kind(shelf.class, number)? == StaticKind::APP_DOMAIN);
    facts.say("static.number", memory::int(address("Number")?));
    let mine = shelf.field("Mine")?;
    facts.say("thread.kind", info.static_field_kind(shelf.class, mine)? == StaticKind::THREAD);
    facts.say(
        "thread.mine",
        memory::int(suspension.thread_static_address(shelf.class, mine, domain, caller)?),
    );

    let object = |name| -> Result<ObjectId<'_>> {
        memory::object(memory::reference(address(name)?), &suspension)
            .ok_or_else(|| Error::other(format!("{name} is null")))
    };
    let text = object("Text")?;
    facts.say("text", memory::string(info, text)?);
    let (numbers, square) = (address("Numbers")?, address("Square")?);
    let (large, first, class) = (address("Large")?, address("First")?, marker.class);
    for name in ["Text", "Large", "Literal"] {
        let object = object(name)?;
        let generation = info.object_generation(object).map(|range| {
            // Addresses inside the range are in that generation.
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
        suspension.visit_heap_objects(|object| {
            markers += u32::from(info.class_of_object(object).is_ok_and(|class| class == marker.class));
        })?;
        facts.say("heap.markers", markers);
        let mut visited = 0;
        let broken = suspension.visit_heap_objects(|_| {
            visited += 1;
            if visited == 3 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
        })?;
        facts.say("heap.broken", format_args!("{visited} {broken:?}"));
        let literals = info.non_gc_heap_bounds()?;
        facts.say("nongc.bounds", !literals.is_empty());
        facts.say("nongc.objects", !info.non_gc_objects()?.is_empty());
    } else {
        let refused = suspension.visit_heap_objects(|_| ());
        facts.say("heap.refused", refused.err().map_or_else(String::new, |error| error.to_string()));
    }
    drop(suspension);

    let late = &state.in_callback;
    late.ask("array", move |info| array(info, numbers, 1));
    late.ask("square", move |info| array(info, square, 2));
    late.ask("size.Large", move |info| Ok(info.object_size(object_at(large, &())?)?.to_string()));
    late.ask("references", move |info| references(info, first, class));
    let forced = InCallback::answers(state, &mut facts)?;
    facts.say("forced", forced);
    Ok(facts.finish())
}
