//! Garbage collections.

use corprof::EventMask;

use super::{Profilers, Session};
use crate::Object;
use crate::model::function_id;
use crate::site::{self, Site};

/// A garbage collection: its generations, and the fate of objects. See [`Session::collect`].
#[derive(Clone, Debug, Default)]
pub struct Collection {
    generation: u32,
    is_induced: bool,
    moved: Vec<Object>,
    freed: Vec<Object>,
    roots: Vec<Object>,
}

impl Collection {
    /// A collection of this generation, 0 to 2, and the younger ones.
    #[must_use]
    pub fn of(generation: u32) -> Self {
        Self { generation: generation.min(2), ..Self::default() }
    }

    /// Marks the collection as induced by the program.
    #[must_use]
    pub fn induced(self) -> Self {
        Self { is_induced: true, ..self }
    }

    /// Moves an object and updates the references to it.
    #[must_use]
    pub fn moving(mut self, object: Object) -> Self {
        self.moved.push(object);
        self
    }

    /// Frees an object, whether or not anything refers to it. Its memory stays readable.
    #[must_use]
    pub fn freeing(mut self, object: Object) -> Self {
        self.freed.push(object);
        self
    }

    /// Adds a stack root: a reference in the innermost call of this thread.
    #[must_use]
    pub fn with_root(mut self, object: Object) -> Self {
        self.roots.push(object);
        self
    }
}

impl<P: Profilers> Session<'_, P> {
    /// Runs a collection.
    ///
    /// Callbacks: `RuntimeSuspendStarted` and `-Finished`, `GarbageCollectionStarted`, `MovedReferences2`,
    /// `SurvivingReferences2`, `RootReferences2`, `ObjectReferences` for each object, `GarbageCollectionFinished`,
    /// `RuntimeResumeStarted` and `-Finished`, as far as the event mask enables them. Surviving objects become one
    /// generation older.
    pub fn collect(&self, collection: &Collection) {
        let _site = site::enter(Site::Collection);
        let (suspends, all) = (self.wants(EventMask::SUSPENDS), self.wants(EventMask::GC));
        let basic = all || self.wants(EventMask::BASIC_GC);
        let ranges = all || self.wants(EventMask::GC_MOVED_OBJECTS);
        if suspends {
            self.callback.suspend_started();
            self.callback.suspend_finished();
        }
        if basic {
            let generations = [0, 1, 2, 3, 4].map(|generation| generation <= collection.generation);
            self.callback.collection_started(&generations, collection.is_induced);
        }
        let (mut moved, mut stayed) = self.change_heap(collection);
        if ranges && !moved.0.is_empty() {
            self.callback.moved(&mut moved.0, &mut moved.1, &mut moved.2);
        }
        if ranges && !stayed.0.is_empty() {
            self.callback.survived(&mut stayed.0, &mut stayed.1);
        }
        if all {
            self.report_references(collection);
        }
        if basic {
            self.callback.collection_finished();
        }
        if suspends {
            self.callback.resume_started();
            self.callback.resume_finished();
        }
    }

    /// Moves and frees objects; returns the moved ranges (from, to, length) and the surviving ones (start, length).
    fn change_heap(&self, collection: &Collection) -> (Moved, Stayed) {
        let mut model = self.model();
        let (mut moved, mut stayed) = (Moved::default(), Stayed::default());
        for freed in &collection.freed {
            model.heap.objects.get_mut(freed.index).into_iter().for_each(|object| object.is_alive = false);
        }
        for index in 0..model.heap.objects.len() {
            let Some(object) = model.heap.objects.get_mut(index) else { continue };
            if !object.is_alive || object.generation > collection.generation {
                continue;
            }
            object.generation = (object.generation + 1).min(2);
            let (address, size) = (object.address(), object.size);
            if collection.moved.contains(&Object { index }) {
                object.relocate();
                moved.0.push(address);
                moved.1.push(object.address());
                moved.2.push(size);
            } else {
                stayed.0.push(address);
                stayed.1.push(size);
            }
        }
        let map: std::collections::HashMap<usize, usize> =
            moved.0.iter().copied().zip(moved.1.iter().copied()).collect();
        for index in 0..model.heap.objects.len() {
            for (offset, address) in model.references_of(index) {
                if let (Some(new), Some(object)) = (map.get(&address), model.heap.objects.get(index)) {
                    object.memory.write(8 + offset, &new.to_le_bytes());
                }
            }
        }
        (moved, stayed)
    }

    fn report_references(&self, collection: &Collection) {
        let mut model = self.model();
        let innermost = model.current_thread().and_then(|thread| model.stack(thread).next());
        let instance = innermost.and_then(|frame| model.frames.get(frame)).map(|frame| frame.instance);
        let function =
            instance.and_then(|instance| model.instances.get(instance)).map(|it| function_id(it.function));
        let mut objects: Vec<usize> =
            collection.roots.iter().map(|root| model.heap.address(root.index)).collect();
        let mut functions = vec![function.unwrap_or(0); objects.len()];
        let mut references = Vec::new();
        for index in 0..model.heap.objects.len() {
            let targets: Vec<usize> =
                model.references_of(index).into_iter().map(|(_, address)| address).collect();
            let Some(object) = model.heap.objects.get(index).filter(|object| object.is_alive) else {
                continue;
            };
            let class = model.class_id(object.class);
            references.push((object.address(), class, targets));
        }
        drop(model);
        if !objects.is_empty() {
            self.callback.stack_roots(&mut objects, &mut functions);
        }
        for (object, class, mut targets) in references {
            if self.callback.object_references(object, class, &mut targets).is_err() {
                break;
            }
        }
    }
}

type Moved = (Vec<usize>, Vec<usize>, Vec<usize>);
type Stayed = (Vec<usize>, Vec<usize>);
