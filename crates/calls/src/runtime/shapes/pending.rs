//! Shapes with a type that is not known yet, and when they are made again.
//!
//! The runtime can have objects of a class before it has reported that the value types of its fields are loaded. A shape that was made
//! then is kept apart, and made again when one of the types that were missing has been loaded.

use std::cell::RefCell;
use std::sync::Arc;

use argvalues::TypeShape;
use corprof::{ClassId, ResolvedType, Result};

use crate::runtime::ClrRuntime;

/// How often a shape is made again at most: for the types that it misses, and for the failures whose type is not known.
const MOST_TRIES: u8 = 64;

/// A shape that may be another one later.
pub(in crate::runtime) struct Pending {
    shape: Arc<TypeShape>,
    missing: Box<[Missing]>,
    /// How often it has been made.
    tries: u8,
    /// The number of facts about loaded classes at that time.
    known: usize,
}

/// An instance of a value type that has not been seen to be loaded.
#[derive(Clone)]
pub(super) struct Missing {
    pub(super) definition: ResolvedType,
    pub(super) args: Box<[Arc<TypeShape>]>,
}

thread_local! {
    /// The types that were missing for the shape that is being made on this thread; absent if none is.
    static MISSING: RefCell<Option<Vec<Missing>>> = const { RefCell::new(None) };
}

/// Notes types that are missing for the shape that is being made, if one is.
pub(super) fn note(missing: impl IntoIterator<Item = Missing>) {
    // A thread that ends does not find out later.
    let _ = MISSING.try_with(|all| all.borrow_mut().as_mut().map(|all| all.extend(missing)));
}

/// Returns the types that were missing for what `make` makes. They are missing for what contains it, too.
fn collect<T>(make: impl FnOnce() -> T) -> (T, Box<[Missing]>) {
    let outer = MISSING.try_with(|all| all.replace(Some(Vec::new()))).unwrap_or_default();
    let made = make();
    let found = MISSING.try_with(|all| all.replace(outer)).unwrap_or_default().unwrap_or_default();
    note(found.iter().cloned());
    (made, found.into())
}

impl ClrRuntime {
    /// The shape of a class's objects; of the value inside for a box.
    pub(in crate::runtime) fn object_shape(&self, class: ClassId) -> Result<Arc<TypeShape>> {
        if let Some(known) = self.cache.objects.get(&class) {
            return Ok(known);
        }
        let before = self.cache.pending.get(&class).flatten();
        if let Some(pending) = &before
            && !self.is_due(pending)
        {
            note(pending.missing.iter().cloned());
            return Ok(Arc::clone(&pending.shape));
        }
        let lookup = self.cache.objects.begin(class);
        let later = self.cache.pending.begin(class);
        let known = self.info().cached_count();
        let (made, missing) = collect(|| self.make_object_shape(class));
        let shape = made?;
        if shape.is_provisional() {
            let tries = before.map_or(0, |before| before.tries).saturating_add(1);
            later.store(Some(Arc::new(Pending { shape: Arc::clone(&shape), missing, tries, known })));
        } else {
            if before.is_some() {
                later.store(None);
            }
            lookup.store(Arc::clone(&shape));
        }
        Ok(shape)
    }

    /// Returns whether a shape is to be made again.
    fn is_due(&self, pending: &Pending) -> bool {
        let is_loaded = |missing: &Missing| self.loaded_instance(missing.definition, &missing.args).is_some();
        pending.tries < MOST_TRIES
            && match &*pending.missing {
                [] => self.info().cached_count() != pending.known,
                missing => missing.iter().any(is_loaded),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corprof::ModuleId;

    #[test]
    #[allow(unsafe_code, reason = "no runtime sees the id of this test")]
    fn what_is_missing_for_a_part_is_missing_for_the_whole() {
        // SAFETY: no runtime sees it.
        let module = unsafe { ModuleId::from_raw(8) }.unwrap();
        let missing = |number| Missing {
            definition: ResolvedType { module, type_def: sigparse::TypeDef::from_rid(number).unwrap() },
            args: Box::default(),
        };
        let numbers = |all: &[Missing]| -> Vec<u32> {
            all.iter().map(|missing| missing.definition.type_def.rid()).collect()
        };
        let ((inner, own), outer) = collect(|| {
            note([missing(1)]);
            let (inner, own) = collect(|| {
                note([missing(2)]);
                note([missing(3)]);
                5
            });
            (inner, numbers(&own))
        });
        assert_eq!((inner, own), (5, vec![2, 3]));
        assert_eq!(numbers(&outer), [1, 2, 3]);
        // What is missed outside of a shape is for nobody.
        note([missing(4)]);
        assert!(collect(|| ()).1.is_empty());
    }
}
