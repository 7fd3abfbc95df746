//! Cached facts about classes, and their eviction.

use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use corprof::{ClassId, Forget, FunctionId, IdMap, ModuleId, Unload};

use argvalues::{Field, Handle, KnownBase, TypeShape};

/// Shapes by class and names by code, until the class or code is unloaded. The locks are held for a lookup or a store
/// only, never while the runtime is called.
#[derive(Default)]
pub(super) struct Cache {
    maps: RwLock<Maps>,
}

#[derive(Default)]
pub(super) struct Maps {
    /// By the header word of the class's objects.
    pub(super) headers: IdMap<usize, (ClassId, Arc<TypeShape>)>,
    pub(super) objects: IdMap<ClassId, Arc<TypeShape>>,
    pub(super) slots: IdMap<ClassId, Arc<TypeShape>>,
    /// The fields of base classes whose types are known.
    pub(super) bases: IdMap<ClassId, Arc<ClassFields>>,
    /// Whether the objects of a class are boxes.
    pub(super) boxes: IdMap<ClassId, bool>,
    /// Value types without type arguments, by a token and its module. All are evicted at any unload, since the type may be another
    /// module's.
    pub(super) definitions: IdMap<(ModuleId, u32), Arc<TypeShape>>,
    /// By the address of code or of a stub.
    pub(super) methods: IdMap<usize, (FunctionId, Arc<str>)>,
    /// All are evicted at any unload, since a handle can depend on the unloaded module in many ways.
    pub(super) handles: IdMap<Handle, Arc<str>>,
}

/// The fields of a class with those of its base classes, the latter first.
#[derive(Clone, Default)]
pub(super) struct ClassFields {
    pub(super) fields: Vec<Field>,
    /// The base class that is known, and how many fields are declared up to it.
    pub(super) base: Option<(KnownBase, usize)>,
}

impl Cache {
    /// Returns a cached value.
    pub(super) fn get<K: Eq + Hash, V: Clone>(
        &self,
        map: impl Fn(&Maps) -> &IdMap<K, V>,
        key: &K,
    ) -> Option<V> {
        let maps = self.maps.read().unwrap_or_else(PoisonError::into_inner);
        map(&maps).get(key).cloned()
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        let maps = self.maps.read().unwrap_or_else(PoisonError::into_inner);
        maps.headers.len()
            + maps.objects.len()
            + maps.slots.len()
            + maps.bases.len()
            + maps.definitions.len()
            + maps.methods.len()
            + maps.handles.len()
    }

    /// Stores a value, unless something has been unloaded since the lookup began. `is_current` is called under the
    /// lock, which an unload takes as well.
    pub(super) fn put<K: Eq + Hash, V>(
        &self,
        map: impl Fn(&mut Maps) -> &mut IdMap<K, V>,
        key: K,
        value: V,
        is_current: impl FnOnce() -> bool,
    ) {
        let mut maps = self.maps.write().unwrap_or_else(PoisonError::into_inner);
        if is_current() {
            map(&mut maps).insert(key, value);
        }
    }
}

impl Forget for Cache {
    fn forget(&self, unload: &Unload) {
        let mut maps = self.maps.write().unwrap_or_else(PoisonError::into_inner);
        maps.handles.clear();
        maps.definitions.clear();
        if unload.classes().next().is_some() {
            maps.headers.retain(|_, (class, _)| !unload.takes(*class));
            for class in unload.classes() {
                maps.objects.remove(&class);
                maps.slots.remove(&class);
                maps.bases.remove(&class);
                maps.boxes.remove(&class);
            }
        }
        if unload.functions().next().is_some() {
            maps.methods.retain(|_, (function, _)| !unload.takes(*function));
        }
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "no runtime sees the ids of these tests")]
mod tests {
    use super::*;

    fn class(number: usize) -> ClassId {
        // SAFETY: no runtime sees it.
        unsafe { ClassId::from_raw(number) }.unwrap()
    }

    #[test]
    fn what_is_unloaded_is_forgotten_and_no_other_class() {
        let (cache, shape) = (Cache::default(), TypeShape::string());
        let [gone, stays] = [8, 16].map(class);
        for class in [gone, stays] {
            let header = class.as_raw() + 1;
            cache.put(|maps| &mut maps.headers, header, (class, Arc::clone(&shape)), || true);
            cache.put(|maps| &mut maps.objects, class, Arc::clone(&shape), || true);
            cache.put(|maps| &mut maps.slots, class, Arc::clone(&shape), || true);
            cache.put(|maps| &mut maps.boxes, class, false, || true);
        }
        // SAFETY: no runtime sees it.
        let function = unsafe { FunctionId::from_raw(32) }.unwrap();
        cache.put(|maps| &mut maps.methods, 0x1000, (function, "Shop.Cart.Add".into()), || true);
        let handle = Handle::Type(stays.as_raw());
        cache.put(|maps| &mut maps.handles, handle, "Shop.Cart".into(), || true);
        cache.forget(&[gone.into(), function.into()].into_iter().collect());
        let is_known = |class: ClassId| {
            [
                cache.get(|maps| &maps.headers, &(class.as_raw() + 1)).is_some(),
                cache.get(|maps| &maps.objects, &class).is_some(),
                cache.get(|maps| &maps.slots, &class).is_some(),
                cache.get(|maps| &maps.boxes, &class).is_some(),
            ]
        };
        assert_eq!((is_known(gone), is_known(stays)), ([false; 4], [true; 4]));
        assert!(cache.get(|maps| &maps.methods, &0x1000).is_none());
        assert!(cache.get(|maps| &maps.handles, &handle).is_none());
    }

    #[test]
    fn what_was_found_before_an_unload_is_not_stored_after_it() {
        let (cache, shape) = (Cache::default(), TypeShape::string());
        let class = class(8);
        cache.put(|maps| &mut maps.slots, class, Arc::clone(&shape), || true);
        cache.put(|maps| &mut maps.objects, class, shape, || false);
        assert!(cache.get(|maps| &maps.objects, &class).is_none());
        assert!(cache.get(|maps| &maps.slots, &class).is_some());
    }
}
