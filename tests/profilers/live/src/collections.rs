//! Collections: their number and generations, and the reported references and roots of objects that the program watches.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use corprof::values::{GcReason, GcRootKind, GcRoots, Generations};
use corprof::{ClassId, Error, GcGeneration, Names, ObjectId, ProfilerInfo, Result};

use crate::facts::Facts;
use crate::{State, locked};

/// The reports of the collector's callbacks.
#[derive(Debug, Default)]
pub(crate) struct Collections {
    started: AtomicU32,
    finished: AtomicU32,
    induced: AtomicU32,
    /// The number of `ObjectsAllocatedByClass` callbacks.
    by_class: AtomicU32,
    /// The maximum number of collections in progress at a time.
    most: AtomicU32,
    /// The oldest generation of each collection.
    oldest: Mutex<Vec<usize>>,
    /// The generations of the heap's ranges, at every start and end.
    generations: Mutex<BTreeSet<GcGeneration>>,
    wrong: Mutex<Vec<String>>,
    watched: OnceLock<Vec<Watched>>,
}

/// An object that does not move, and the last collection's report about it.
#[derive(Debug)]
struct Watched {
    name: String,
    address: usize,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    /// Handles that are roots: their flags and addresses.
    handles: Vec<String>,
    /// The classes of the objects that refer to it.
    referrers: Vec<ClassId>,
}

impl Collections {
    /// The number of induced collections.
    pub(crate) fn induced(&self) -> u32 {
        self.induced.load(Ordering::Relaxed)
    }

    /// Whether a collection is in progress.
    pub(crate) fn is_going_on(&self) -> bool {
        self.started.load(Ordering::SeqCst) != self.finished.load(Ordering::SeqCst)
    }

    pub(crate) fn started(&self, info: &ProfilerInfo, generations: Generations<'_>, reason: GcReason) {
        let started = self.started.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(started - self.finished.load(Ordering::SeqCst), Ordering::Relaxed);
        self.induced.fetch_add(u32::from(reason == GcReason::INDUCED), Ordering::Relaxed);
        let oldest = (0..=2).rev().find(|generation| generations.contains(*generation));
        locked(&self.oldest).extend(oldest);
        self.look_at_ranges(info);
        for watched in self.watched.get().into_iter().flatten() {
            *locked(&watched.found) = Found::default();
        }
    }

    pub(crate) fn finished(&self, info: &ProfilerInfo) {
        self.look_at_ranges(info);
        self.finished.fetch_add(1, Ordering::SeqCst);
    }

    fn look_at_ranges(&self, info: &ProfilerInfo) {
        match info.generation_bounds() {
            Ok(ranges) => {
                if let Some(range) = ranges.iter().find(|range| range.length > range.reserved) {
                    locked(&self.wrong).push(format!("{range:?}"));
                }
                locked(&self.generations).extend(ranges.iter().map(|range| range.generation));
            }
            Err(error) => locked(&self.wrong).push(error.to_string()),
        }
    }

    pub(crate) fn allocated_by_class(&self) {
        self.by_class.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn references(&self, class: ClassId, references: &[Option<ObjectId<'_>>]) {
        for object in references.iter().flatten() {
            if let Some(watched) = self.watched(*object) {
                locked(&watched.found).referrers.push(class);
            }
        }
    }

    pub(crate) fn roots(&self, roots: GcRoots<'_>) {
        for root in roots.iter().filter(|root| root.kind == GcRootKind::HANDLE) {
            if let Some(watched) = root.object.and_then(|object| self.watched(object)) {
                let handle = format!("{} {}", root.flags.bits(), root.id);
                locked(&watched.found).handles.push(handle);
            }
        }
    }

    fn watched(&self, object: ObjectId<'_>) -> Option<&Watched> {
        self.watched.get()?.iter().find(|watched| watched.address == object.as_raw())
    }

    /// Starts watching and counting.
    fn begin(&self, objects: &[&str]) -> Result<()> {
        let watched = objects.iter().map(|object| {
            let (name, address) = object.split_once(' ')?;
            Some(Watched { name: name.to_owned(), address: address.parse().ok()?, found: Mutex::default() })
        });
        let watched: Option<Vec<Watched>> = watched.collect();
        drop(self.watched.set(watched.ok_or_else(|| Error::other(format!("no objects: {objects:?}")))?));
        for count in [&self.started, &self.finished, &self.induced, &self.by_class, &self.most] {
            count.store(0, Ordering::SeqCst);
        }
        locked(&self.oldest).clear();
        locked(&self.generations).clear();
        Ok(())
    }
}

/// In two steps: `begin` with the names and addresses of objects to watch, and `end`.
pub(crate) fn answer(state: &State, subject: &str, arguments: &[&str]) -> Result<String> {
    let collections = &state.collections;
    let mut facts = Facts::of(subject);
    if let ["begin", objects @ ..] = arguments {
        collections.begin(objects)?;
        return Ok(facts.finish());
    }
    facts.say("started", collections.started.load(Ordering::SeqCst));
    facts.say("finished", collections.finished.load(Ordering::SeqCst));
    facts.say("induced", collections.induced());
    facts.say("most", collections.most.load(Ordering::Relaxed));
    facts.say("oldest", format_args!("{:?}", locked(&collections.oldest)));
    facts.say("by_class", collections.by_class.load(Ordering::Relaxed) > 0);
    let generations: Vec<u32> = locked(&collections.generations).iter().map(|range| range.0).collect();
    facts.say("generations", format_args!("{generations:?}"));
    facts.say("wrong", format_args!("{:?}", locked(&collections.wrong)));
    let names = Names::new(&state.info);
    for watched in collections.watched.get().into_iter().flatten() {
        let Watched { name, address, found } = watched;
        let found = locked(found);
        facts.say(format_args!("{name}.handles"), found.handles.join(", "));
        let referrers: Result<Vec<_>> = found.referrers.iter().map(|class| names.class(*class)).collect();
        facts.say(format_args!("{name}.referrers"), referrers?.join(", "));
        // The program keeps it in place.
        let object =
            crate::memory::object(*address, &watched).ok_or_else(|| Error::other("a null object"))?;
        let generation = state.info.object_generation(object)?.generation;
        facts.say(format_args!("{name}.generation"), format_args!("{generation:?}"));
    }
    Ok(facts.finish())
}
