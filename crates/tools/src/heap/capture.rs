//! Copies the heap during an induced collection.

use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use argvalues::Checked;
use corprof::values::{GcReason, GcRootFlags, GcRoots, Generations};
use corprof::{
    AnyId, ClassId, Error, EventMask, Forget, Names, ObjectId, ProfilerInfo, Result, StringLayout, Unload,
};

use super::copied::{Copied, Root, Times};
use super::read_ahead::ReadAhead;
use super::snapshot::HeapSnapshot;
use super::statics::{FieldKind, StaticField, compiled_classes, static_fields};
use super::strings::{self, UNIT};
use crate::contracts::Contracts;

#[derive(Debug, Default)]
enum Phase {
    /// No snapshot is wanted.
    #[default]
    Idle,
    /// The next induced collection of all generations is copied.
    Armed,
    /// It is being copied.
    Copying,
    /// It was copied, and the program is still paused.
    Copied,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    copied: Copied,
    fields: Vec<StaticField>,
    times: Times,
    memory: Option<ReadAhead>,
    contracts: Option<Contracts>,
}

/// The classes that have been loaded, for their static fields.
#[derive(Debug, Default)]
struct Loaded(Mutex<Vec<ClassId>>);

impl Loaded {
    fn lock(&self) -> MutexGuard<'_, Vec<ClassId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Forget for Loaded {
    fn forget(&self, unload: &Unload) {
        self.lock().retain(|class| !unload.takes(AnyId::Class(*class)));
    }
}

/// Takes snapshots of the heap.
///
/// Call its methods in the callbacks with these names. Between two snapshots the runtime makes only the callbacks of
/// [`EVENTS`](Self::EVENTS), and collections cost what they cost without a profiler.
///
/// The walk visits the objects that have survived the collection, each once. Memory while the program is paused: 24 bytes for
/// each object, 8 for each reference, and some 60 for each different string; see [`HeapSnapshot`] for the time after.
#[derive(Debug)]
pub struct HeapCapture {
    names: Names,
    layout: StringLayout,
    loaded: Arc<Loaded>,
    /// Whether the flags of a snapshot were removed after `initialize`.
    is_quiet: AtomicBool,
    state: Mutex<State>,
}

impl HeapCapture {
    /// The flags that the event mask must have between two snapshots.
    pub const EVENTS: EventMask = EventMask::CLASS_LOADS.union(EventMask::MODULE_LOADS);

    /// The flags that it has during a snapshot. An attached profiler may set them too.
    pub const SNAPSHOT: EventMask = Self::EVENTS.union(EventMask::GC).union(EventMask::SUSPENDS);

    /// Creates a capture, and sets the event mask. Must be called in `initialize` or `initialize_for_attach`: later the runtime
    /// refuses walks of the heap if it collects in the background. From this call on it does not, until the profiler is
    /// detached.
    ///
    /// # Errors
    /// `CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE`: a background collection is running while the profiler is attached. The operating system does not let the process read its own memory. Any failure of the query for the layout of
    /// strings.
    pub fn new(names: &Names) -> Result<Self> {
        // When `initialize` returns with this flag, the runtime turns background collections off, and leaves them off.
        names.info().set_event_mask(Self::SNAPSHOT)?;
        let layout = names.info().string_layout()?;
        let memory = Checked::new()
            .map_err(|error| Error::other(format!("this process may not read its own memory: {error}")))?;
        let loaded = Arc::<Loaded>::default();
        names.info().forget_with(&loaded);
        let contracts = Contracts::of_runtime(names.info())?;
        let state = State { memory: Some(ReadAhead::new(memory)), contracts, ..State::default() };
        let is_quiet = AtomicBool::new(false);
        Ok(Self { names: names.clone(), layout, loaded, is_quiet, state: Mutex::new(state) })
    }

    fn info(&self) -> &ProfilerInfo {
        self.names.info()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a snapshot: collects all generations, and copies the heap before the program continues.
    ///
    /// Must be called on a thread of the profiler's own.
    ///
    /// # Errors
    /// The runtime has made another collection instead. Any failure to set the event mask or to induce the collection.
    pub fn take(&self) -> Result<HeapSnapshot> {
        let own = self.info().own_thread()?;
        let (mut classes, unlisted) = match compiled_classes(&self.names) {
            Ok(classes) => (classes, None),
            Err(error) => (HashSet::new(), Some(error.to_string())),
        };
        classes.extend(self.loaded.lock().iter().copied());
        let fields = static_fields(&self.names, &classes);
        {
            let mut state = self.state();
            state.phase = Phase::Armed;
            state.copied = Copied::default();
            state.fields = fields;
            state.times = Times::default();
        }
        self.is_quiet.store(true, Ordering::Relaxed);
        let collected = self.info().set_event_mask(Self::SNAPSHOT).and_then(|()| own.force_gc());
        let reset = self.info().set_event_mask(Self::EVENTS);
        let (copied, times) = {
            let mut state = self.state();
            let state = &mut *state;
            let phase = core::mem::take(&mut state.phase);
            state.memory.iter_mut().for_each(ReadAhead::clear);
            let copied = core::mem::take(&mut state.copied);
            collected?;
            if !matches!(phase, Phase::Idle | Phase::Copied) || state.times.end.is_none() {
                return Err(Error::other("the induced collection was not reported"));
            }
            (copied, state.times)
        };
        reset?;
        Ok(HeapSnapshot { unlisted, ..HeapSnapshot::new(&self.names, copied, times) })
    }

    /// Removes the flags of a snapshot after `initialize`.
    fn quiet(&self) {
        if !self.is_quiet.swap(true, Ordering::Relaxed) && self.info().set_event_mask(Self::EVENTS).is_err() {
            self.is_quiet.store(false, Ordering::Relaxed);
        }
    }

    /// A class was loaded.
    pub fn class_load_finished(&self, class: ClassId) {
        self.quiet();
        self.loaded.lock().push(class);
    }

    /// The runtime begins to suspend threads.
    pub fn runtime_suspend_started(&self) {
        let mut state = self.state();
        if matches!(state.phase, Phase::Armed) {
            state.times.begin = Some(Instant::now());
        }
    }

    /// All threads are suspended.
    pub fn runtime_suspend_finished(&self) {
        let mut state = self.state();
        if let (Phase::Armed, Some(begin)) = (&state.phase, state.times.begin) {
            state.times.suspending = begin.elapsed();
        }
    }

    /// All threads continue.
    pub fn runtime_resume_finished(&self) {
        self.quiet();
        let mut state = self.state();
        if let (Phase::Copied, Some(begin)) = (&state.phase, state.times.begin) {
            state.times.paused = begin.elapsed();
            state.phase = Phase::Idle;
        }
    }

    /// A collection begins.
    pub fn garbage_collection_started(&self, generations: Generations<'_>, reason: GcReason) {
        let mut state = self.state();
        if matches!(state.phase, Phase::Armed) && generations.contains(2) && reason == GcReason::INDUCED {
            state.phase = Phase::Copying;
        }
    }

    /// The roots.
    pub fn root_references(&self, roots: GcRoots<'_>) {
        let mut state = self.state();
        if !matches!(state.phase, Phase::Copying) {
            return;
        }
        state.times.walk.get_or_insert_with(Instant::now);
        for root in roots.iter() {
            let Some(object) = root.object else { continue };
            if root.flags.contains(GcRootFlags::WEAK_REF) {
                state.copied.weak_roots += 1;
            } else {
                let (object, kind, function) = (object.as_raw(), root.kind, root.function);
                state.copied.roots.push(Root { object, kind, function });
            }
        }
    }

    /// The elements of weak tables.
    pub fn conditional_weak_table_element_references(
        &self,
        keys: &[Option<ObjectId<'_>>],
        values: &[Option<ObjectId<'_>>],
    ) {
        let mut state = self.state();
        if matches!(state.phase, Phase::Copying) {
            let pairs = keys.iter().zip(values).filter_map(|(key, value)| Some(((*key)?, (*value)?)));
            state.copied.dependents.extend(pairs.map(|(key, value)| (key.as_raw(), value.as_raw())));
        }
    }

    /// An object with its references. Returns whether the next one is wanted.
    pub fn object_references(
        &self,
        object: ObjectId<'_>,
        class: ClassId,
        references: &[Option<ObjectId<'_>>],
    ) -> bool {
        let mut state = self.state();
        let State { phase: Phase::Copying, copied, memory: Some(memory), times, contracts, .. } = &mut *state
        else {
            return false;
        };
        times.walk.get_or_insert_with(Instant::now);
        let size = self.info().object_size(object);
        copied.unsized_objects += u64::from(size.is_err());
        let size = size.unwrap_or(0);
        let address = object.as_raw();
        let mut index = copied.class_index(class, |class| {
            contracts.as_ref().is_some_and(|contracts| contracts.is_continuation(class.as_raw()))
        });
        if copied.are_continuations(index)
            && let Some(code) = contracts.as_ref().and_then(|contracts| contracts.resumed_code(address))
        {
            index = copied.continuation_index(class, code);
        }
        if let Some(of_class) = copied.strings.get_mut(index as usize)
            && let Some(strings) = of_class
        {
            let is_string =
                references.is_empty() && strings::add(strings, memory, self.layout, address, size).is_some();
            if !is_string {
                *of_class = None;
            }
        }
        copied.addresses.push(address);
        copied.sizes.push(u32::try_from(size.div_ceil(UNIT)).unwrap_or(u32::MAX));
        copied.class_of.push(index);
        copied.references.extend(references.iter().flatten().map(|reference| reference.as_raw()));
        copied.ends.push(copied.references.len());
        true
    }

    /// Ends the snapshot in progress: it is an error.
    pub fn give_up(&self) {
        self.state().phase = Phase::Armed;
    }

    /// A collection has finished, and the program is still paused.
    pub fn garbage_collection_finished(&self) {
        let mut state = self.state();
        let State { phase: phase @ Phase::Copying, copied, memory: Some(memory), times, fields, .. } =
            &mut *state
        else {
            return;
        };
        memory.clear();
        for StaticField { name, address, kind } in fields.drain(..) {
            let object = match kind {
                FieldKind::Reference => memory.word(address).filter(|object| *object != 0),
                // A value lies behind the header of its box.
                FieldKind::Boxed => address.checked_sub(size_of::<usize>()),
            };
            copied.statics.extend(object.map(|object| (name, kind, object)));
            copied.slots.push(address);
        }
        copied.slots.sort_unstable();
        copied.generations = self.info().generation_bounds().unwrap_or_default();
        let now = Instant::now();
        times.walked = times.walk.map(|walk| now - walk).unwrap_or_default();
        times.end = Some(now);
        *phase = Phase::Copied;
    }
}
