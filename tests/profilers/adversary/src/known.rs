//! What the profiler has got from callbacks and calls. Nothing is removed when it is unloaded, so ids become stale.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use corprof::{
    AppDomainId, AssemblyId, ClassId, EventPipeEventId, EventPipeProviderId, EventPipeSession, FrozenObject,
    FunctionId, FunctionInstance, Instance, Metadata, MetadataScope, Method, ModuleId, ModuleRows,
    NativeCodeStart, ObjectHandle, OpenedMetadata, ReJitId, SavedMetadata, ThreadId,
};

use crate::own_threads::Watcher;
use crate::random::Random;

/// Some values of a kind: the first ones and later ones, at random. The lock is held while values are copied only.
pub(crate) struct Pool<T> {
    values: Mutex<Vec<T>>,
    capacity: usize,
}

impl<T> Pool<T> {
    const fn new(capacity: usize) -> Self {
        Self { values: Mutex::new(Vec::new()), capacity }
    }

    fn values(&self) -> MutexGuard<'_, Vec<T>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a value, and returns the one whose place it takes; that is dropped outside of the lock.
    pub(crate) fn put(&self, value: T, random: &Random) -> Option<T> {
        let mut values = self.values();
        if values.len() < self.capacity {
            values.push(value);
            return None;
        }
        let place = random.below(values.len());
        values.get_mut(place).map(|old| core::mem::replace(old, value))
    }

    /// Takes a value out.
    pub(crate) fn take(&self, random: &Random) -> Option<T> {
        let mut values = self.values();
        let place = random.below(values.len());
        (place < values.len()).then(|| values.swap_remove(place))
    }
}

impl<T: Clone> Pool<T> {
    /// One of the values.
    pub(crate) fn pick(&self, random: &Random) -> Option<T> {
        let values = self.values();
        values.get(random.below(values.len())).cloned()
    }
}

/// The values of each kind.
pub(crate) struct Known {
    pub(crate) app_domains: Pool<AppDomainId>,
    pub(crate) assemblies: Pool<AssemblyId>,
    pub(crate) modules: Pool<ModuleId>,
    pub(crate) classes: Pool<ClassId>,
    pub(crate) functions: Pool<FunctionId>,
    pub(crate) threads: Pool<ThreadId>,
    pub(crate) rejits: Pool<ReJitId>,
    pub(crate) providers: Pool<EventPipeProviderId>,
    pub(crate) events: Pool<EventPipeEventId>,
    pub(crate) frozen: Pool<FrozenObject>,
    /// Of code, images, statics and objects, some of which have been freed.
    pub(crate) addresses: Pool<usize>,
    pub(crate) code_starts: Pool<NativeCodeStart>,
    /// The addresses of images.
    pub(crate) images: Pool<usize>,
    pub(crate) handles: Pool<ObjectHandle>,
    pub(crate) sessions: Pool<EventPipeSession>,
    pub(crate) metadata: Pool<Arc<Metadata>>,
    pub(crate) rows: Pool<Arc<ModuleRows>>,
    pub(crate) methods: Pool<Arc<Method>>,
    pub(crate) instances: Pool<Arc<Instance>>,
    pub(crate) function_instances: Pool<FunctionInstance>,
    pub(crate) opened: Pool<Arc<OpenedMetadata>>,
    pub(crate) scopes: Pool<MetadataScope>,
    pub(crate) saved: Pool<Arc<SavedMetadata>>,
    pub(crate) watchers: Pool<Arc<Watcher>>,
}

impl Known {
    pub(crate) const fn new() -> Self {
        Self {
            app_domains: Pool::new(16),
            assemblies: Pool::new(64),
            modules: Pool::new(64),
            classes: Pool::new(512),
            functions: Pool::new(512),
            threads: Pool::new(64),
            rejits: Pool::new(64),
            providers: Pool::new(64),
            events: Pool::new(64),
            frozen: Pool::new(64),
            addresses: Pool::new(512),
            code_starts: Pool::new(256),
            images: Pool::new(16),
            handles: Pool::new(64),
            sessions: Pool::new(4),
            metadata: Pool::new(32),
            rows: Pool::new(32),
            methods: Pool::new(128),
            instances: Pool::new(128),
            function_instances: Pool::new(128),
            opened: Pool::new(8),
            scopes: Pool::new(6),
            saved: Pool::new(4),
            watchers: Pool::new(8),
        }
    }
}
