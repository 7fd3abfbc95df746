//! Allocated objects: the ones that the runtime reports, and their generations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use corprof::{
    ClassId, Error, EventMask, GcGeneration, HResult, Names, Object, ObjectId, ProfilerInfo, Result,
};

use crate::facts::Facts;
use crate::{State, locked, memory};

/// The generation of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    In(GcGeneration),
    /// It is never collected.
    Frozen,
    /// The runtime has returned this code.
    Refused(i32),
}

impl Place {
    fn of(info: &ProfilerInfo, object: impl Object) -> Self {
        match info.object_generation(object) {
            Ok(range) => Self::In(range.generation),
            Err(error) if error.hresult() == HResult::CORPROF_E_NOT_GC_OBJECT => Self::Frozen,
            Err(error) => Self::Refused(error.hresult().0),
        }
    }
}

/// The reports of `ObjectAllocated`.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    counts: Mutex<BTreeMap<(ClassId, Place), u32>>,
    /// The addresses of objects that are never collected, and so do not move.
    frozen: Mutex<BTreeMap<usize, ClassId>>,
}

impl Allocations {
    pub(crate) fn allocated(&self, info: &ProfilerInfo, object: ObjectId<'_>, class: ClassId) {
        let place = Place::of(info, object);
        *locked(&self.counts).entry((class, place)).or_default() += 1;
        if place == Place::Frozen {
            locked(&self.frozen).insert(object.as_raw(), class);
        }
    }
}

/// The event mask for large and pinned allocations, as far as the runtime supports it.
pub(crate) fn mask(info: &ProfilerInfo) -> EventMask {
    let mask = EventMask::ENABLE_OBJECT_ALLOCATED | EventMask::BASIC_GC | EventMask::LARGE_OBJECT_ALLOCATED;
    if info.version() >= 12 { mask | EventMask::PINNED_OBJECT_ALLOCATED } else { mask }
}

/// The numbers of reported large and pinned objects, by class of the program; and whether any others were reported.
pub(crate) fn answer(state: &State) -> Result<String> {
    let mut facts = Facts::of("allocations");
    let names = Names::new(&state.info);
    let mut others = 0;
    let mut of_program: BTreeMap<String, u32> = BTreeMap::new();
    for ((class, place), count) in locked(&state.allocations.counts).clone() {
        if !matches!(place, Place::In(GcGeneration::LARGE_OBJECT_HEAP | GcGeneration::PINNED_OBJECT_HEAP)) {
            others += count;
        } else if &*names.class(class)? == "Brick[]" {
            *of_program.entry(format!("{place:?}")).or_default() += count;
        }
    }
    facts.say("others", others);
    for (place, count) in of_program {
        facts.say(place, count);
    }
    Ok(facts.finish())
}

/// The objects that are never collected: the reported ones, the listed ones, and the string literals among them that
/// begin with `arguments[0]`.
pub(crate) fn frozen(state: &State, arguments: &[&str]) -> Result<String> {
    let &[begin] = arguments else { return Err(Error::other("the begin of the texts is not given")) };
    let info = &state.info;
    let mut facts = Facts::of("frozen");
    let names = Names::new(info);
    let reported = locked(&state.allocations.frozen).clone();
    let (mut listed, mut texts, mut collectable) = (BTreeSet::new(), BTreeSet::new(), 0);
    for object in info.non_gc_objects()? {
        listed.insert(object.as_raw());
        let frozen = Place::of(info, object) == Place::Frozen && info.is_frozen_object(object)?;
        collectable += u32::from(!frozen);
        // The class of an object may be queried on managed threads only; it was reported.
        let class = reported.get(&object.as_raw()).map(|class| names.class(*class)).transpose()?;
        if class.is_some_and(|class| &*class == "string") {
            texts.insert(memory::string(info, object)?);
        }
    }
    facts.say("collectable", collectable);
    facts.say("any", !listed.is_empty());
    for text in texts.iter().filter(|text| text.starts_with(begin)) {
        facts.say("text", text);
    }
    let reported: BTreeSet<usize> = reported.into_keys().collect();
    facts.say("listed.alone", listed.difference(&reported).count());
    facts.say("reported.alone", reported.difference(&listed).count());
    Ok(facts.finish())
}
