//! What is remembered of classes, and how it is forgotten.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use ::corprof::ClassId;

use crate::TypeShape;

/// Shapes by class, as of a number of unloads: when something has been unloaded since, all are forgotten. The
/// locks are held for a look or a store only, never while the runtime is called.
#[derive(Default)]
pub(super) struct Cache {
    maps: RwLock<Maps>,
}

#[derive(Default)]
struct Maps {
    epoch: u64,
    headers: HashMap<usize, Arc<TypeShape>>,
    objects: HashMap<ClassId, Arc<TypeShape>>,
    slots: HashMap<ClassId, Arc<TypeShape>>,
    methods: HashMap<usize, Arc<str>>,
}

impl Cache {
    /// The shape of the objects with this header word.
    pub(super) fn by_header(&self, epoch: u64, header: usize) -> Option<Arc<TypeShape>> {
        self.get(epoch, |maps| &maps.headers, &header)
    }

    /// The shape of a class's objects.
    pub(super) fn object(&self, epoch: u64, class: ClassId) -> Option<Arc<TypeShape>> {
        self.get(epoch, |maps| &maps.objects, &class)
    }

    /// The shape of a slot that holds values of a class.
    pub(super) fn slot(&self, epoch: u64, class: ClassId) -> Option<Arc<TypeShape>> {
        self.get(epoch, |maps| &maps.slots, &class)
    }

    /// The name of the method whose code or stub is at an address.
    pub(super) fn method(&self, epoch: u64, code: usize) -> Option<Arc<str>> {
        self.get(epoch, |maps| &maps.methods, &code)
    }

    pub(super) fn remember_method(&self, epoch: u64, code: usize, name: &Arc<str>) {
        self.put(epoch, |maps| &mut maps.methods, code, name);
    }

    pub(super) fn remember_header(&self, epoch: u64, header: usize, shape: &Arc<TypeShape>) {
        self.put(epoch, |maps| &mut maps.headers, header, shape);
    }

    pub(super) fn remember_object(&self, epoch: u64, class: ClassId, shape: &Arc<TypeShape>) {
        self.put(epoch, |maps| &mut maps.objects, class, shape);
    }

    pub(super) fn remember_slot(&self, epoch: u64, class: ClassId, shape: &Arc<TypeShape>) {
        self.put(epoch, |maps| &mut maps.slots, class, shape);
    }

    fn get<K: Eq + Hash, V: ?Sized>(
        &self,
        epoch: u64,
        map: impl Fn(&Maps) -> &HashMap<K, Arc<V>>,
        key: &K,
    ) -> Option<Arc<V>> {
        let maps = self.maps.read().unwrap_or_else(PoisonError::into_inner);
        if maps.epoch != epoch {
            return None;
        }
        map(&maps).get(key).cloned()
    }

    /// Stores what was found as of `epoch`. What was stored as of an earlier one is forgotten; what is itself
    /// of an earlier one is not stored.
    fn put<K: Eq + Hash, V: ?Sized>(
        &self,
        epoch: u64,
        map: impl Fn(&mut Maps) -> &mut HashMap<K, Arc<V>>,
        key: K,
        value: &Arc<V>,
    ) {
        let mut maps = self.maps.write().unwrap_or_else(PoisonError::into_inner);
        if maps.epoch < epoch {
            *maps = Maps { epoch, ..Maps::default() };
        }
        if maps.epoch == epoch {
            map(&mut maps).insert(key, Arc::clone(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unload_forgets_everything() {
        let (cache, shape) = (Cache::default(), TypeShape::string());
        cache.remember_header(0, 8, &shape);
        assert!(cache.by_header(0, 8).is_some());
        assert!(cache.by_header(1, 8).is_none());
        cache.remember_header(1, 16, &shape);
        assert!(cache.by_header(1, 8).is_none());
        assert!(cache.by_header(1, 16).is_some());
    }

    #[test]
    fn what_was_found_before_an_unload_is_not_stored_after_it() {
        let (cache, shape) = (Cache::default(), TypeShape::string());
        let class = ClassId::from_raw(8).unwrap();
        cache.remember_slot(1, class, &shape);
        cache.remember_object(0, class, &shape);
        assert!(cache.object(1, class).is_none());
        assert!(cache.slot(1, class).is_some());
    }
}
