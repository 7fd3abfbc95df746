//! Cached facts about classes, and their eviction.

use std::sync::Arc;

use corprof::{ClassId, FunctionId, IdMap, ModuleId, ProfilerInfo, Unload, UnloadCache};

use super::shapes::Pending;
use argvalues::{Field, Handle, KnownBase, TypeShape};

/// Shapes by class and names by code, until the class or code is unloaded.
pub(super) struct Cache {
    /// By the header word of the class's objects.
    pub(super) headers: UnloadCache<usize, (ClassId, Arc<TypeShape>)>,
    pub(super) objects: UnloadCache<ClassId, Arc<TypeShape>>,
    /// The objects' shapes that may be others later.
    pub(super) pending: UnloadCache<ClassId, Option<Arc<Pending>>>,
    pub(super) slots: UnloadCache<ClassId, Arc<TypeShape>>,
    /// The fields of base classes whose types are known.
    pub(super) bases: UnloadCache<ClassId, Arc<ClassFields>>,
    /// Whether the objects of a class are boxes.
    pub(super) boxes: UnloadCache<ClassId, bool>,
    /// Value types without type arguments, by a token and its module. Any unload ends all, since the type may be another module's.
    pub(super) definitions: UnloadCache<(ModuleId, u32), Arc<TypeShape>>,
    /// By the address of code or of a stub.
    pub(super) methods: UnloadCache<usize, (FunctionId, Arc<str>)>,
    /// Any unload ends all, since a handle can depend on the unloaded module in many ways.
    pub(super) handles: UnloadCache<Handle, Arc<str>>,
}

/// The fields of a class with those of its base classes, the latter first.
#[derive(Clone, Default)]
pub(super) struct ClassFields {
    pub(super) fields: Vec<Field>,
    /// The nearest class that is known, and how many fields are declared up to it.
    pub(super) base: Option<(Base, usize)>,
}

/// A base class that is known.
#[derive(Clone)]
pub(super) enum Base {
    Known(KnownBase),
    /// One whose objects have a form of their own.
    Class(Arc<TypeShape>),
}

impl Cache {
    pub(super) fn new(info: &ProfilerInfo) -> Self {
        Self {
            headers: UnloadCache::new(info, evict_headers),
            objects: UnloadCache::new(info, evict_classes),
            pending: UnloadCache::new(info, evict_classes),
            slots: UnloadCache::new(info, evict_classes),
            bases: UnloadCache::new(info, evict_classes),
            boxes: UnloadCache::new(info, evict_classes),
            definitions: UnloadCache::until_any_unload(info),
            methods: UnloadCache::new(info, evict_methods),
            handles: UnloadCache::until_any_unload(info),
        }
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.headers.len()
            + self.objects.len()
            + self.pending.len()
            + self.slots.len()
            + self.bases.len()
            + self.boxes.len()
            + self.definitions.len()
            + self.methods.len()
            + self.handles.len()
    }
}

fn evict_headers(headers: &mut IdMap<usize, (ClassId, Arc<TypeShape>)>, unload: &Unload) {
    if unload.classes().next().is_some() {
        headers.retain(|_, (class, _)| !unload.takes(*class));
    }
}

fn evict_classes<V>(classes: &mut IdMap<ClassId, V>, unload: &Unload) {
    for class in unload.classes() {
        classes.remove(&class);
    }
}

fn evict_methods(methods: &mut IdMap<usize, (FunctionId, Arc<str>)>, unload: &Unload) {
    if unload.functions().next().is_some() {
        methods.retain(|_, (function, _)| !unload.takes(*function));
    }
}

#[cfg(test)]
#[allow(unsafe_code, reason = "no runtime sees the ids of these tests")]
mod tests {
    use super::*;

    #[test]
    fn what_is_unloaded_is_evicted_and_nothing_else() {
        // SAFETY: no runtime sees them.
        let [unloaded, loaded] = [8, 16].map(|number| unsafe { ClassId::from_raw(number) }.unwrap());
        // SAFETY: no runtime sees it.
        let function = unsafe { FunctionId::from_raw(32) }.unwrap();
        let unload: Unload = [unloaded.into(), function.into()].into_iter().collect();
        let shape = TypeShape::string();
        let mut headers: IdMap<_, _> =
            [(9, (unloaded, Arc::clone(&shape))), (17, (loaded, shape))].into_iter().collect();
        evict_headers(&mut headers, &unload);
        assert_eq!(headers.into_keys().collect::<Vec<_>>(), [17]);
        let mut classes: IdMap<_, _> = [(unloaded, false), (loaded, true)].into_iter().collect();
        evict_classes(&mut classes, &unload);
        assert_eq!(classes.into_iter().collect::<Vec<_>>(), [(loaded, true)]);
        let mut methods: IdMap<_, _> = [(0x1000, (function, "Shop.Cart.Add".into()))].into_iter().collect();
        evict_methods(&mut methods, &unload);
        assert!(methods.is_empty());
    }
}
