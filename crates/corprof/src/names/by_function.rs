//! The names of functions, for those who ask for them all the time.
//!
//! Each thread has a place, and each place a map of its own, with texts of its own: threads in different places write
//! to no memory in common, not even to count references. There are more places than processors; threads that share
//! one are slower and nothing else.
//!
//! In front of its place each thread has what it has asked for before [at hand](super::at_hand).

use core::hash::{BuildHasherDefault, Hasher};
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::at_hand;
use crate::FunctionId;
use crate::info::place_of_thread;

/// How many maps there are.
const PLACES: usize = 64;

/// Names by function, for threads in one place, on cache lines of their own.
#[derive(Default)]
#[repr(align(128))]
struct Place(RwLock<HashMap<FunctionId, Arc<str>, BuildIdHasher>>);

/// Names by function, a map for each place. The locks are held for a look or a store only.
pub(super) struct ByFunction {
    places: Box<[Place]>,
    /// Which one of all that there have been this is.
    set: u64,
    /// How often a name was taken out; increased when it is in no place any more.
    removals: AtomicU64,
}

impl Default for ByFunction {
    fn default() -> Self {
        static SETS: AtomicU64 = AtomicU64::new(0);
        Self {
            places: (0..PLACES).map(|_| Place::default()).collect(),
            set: SETS.fetch_add(1, Ordering::Relaxed),
            removals: AtomicU64::new(0),
        }
    }
}

impl ByFunction {
    /// The name, if the running thread has it at hand, or it is in the thread's place. Does not allocate if the thread
    /// has asked before and no name was removed since.
    #[inline]
    pub(super) fn get(&self, function: FunctionId) -> Option<Arc<str>> {
        // Before the place is looked at: what is found there after a removal has been counted was not removed by it.
        let removals = self.removals.load(Ordering::SeqCst);
        at_hand::get(self.set, removals, function).or_else(|| self.fetch(function, removals))
    }

    #[cold]
    fn fetch(&self, function: FunctionId, removals: u64) -> Option<Arc<str>> {
        let place = self.places.get(place_of_thread(PLACES))?;
        let name = place.0.read().unwrap_or_else(PoisonError::into_inner).get(&function).cloned()?;
        at_hand::put(self.set, removals, function, &name);
        Some(name)
    }

    /// Puts the name in the running thread's place, as a text of its own, and at hand, if `is_wanted` still says so.
    pub(super) fn insert(&self, function: FunctionId, name: &str, is_wanted: impl FnOnce() -> bool) {
        let Some(place) = self.places.get(place_of_thread(PLACES)) else { return };
        let text = Arc::from(name);
        let removals = self.removals.load(Ordering::SeqCst);
        {
            let mut names = place.0.write().unwrap_or_else(PoisonError::into_inner);
            if !is_wanted() {
                return;
            }
            names.insert(function, Arc::clone(&text));
        }
        at_hand::put(self.set, removals, function, &text);
    }

    /// How many names there are, each as often as there are places that have it.
    pub(super) fn len(&self) -> usize {
        let len = |place: &Place| place.0.read().unwrap_or_else(PoisonError::into_inner).len();
        self.places.iter().map(len).sum()
    }

    /// Takes the name out of every place. When this returns no thread has it at hand.
    pub(super) fn remove(&self, function: FunctionId) {
        let mut was_there = false;
        for place in &self.places {
            // Most functions are asked for by few threads: looking first spares them from waiting.
            if place.0.read().unwrap_or_else(PoisonError::into_inner).contains_key(&function) {
                place.0.write().unwrap_or_else(PoisonError::into_inner).remove(&function);
                was_there = true;
            }
        }
        if was_there {
            self.removals.fetch_add(1, Ordering::SeqCst);
        }
    }
}

pub(super) type BuildIdHasher = BuildHasherDefault<IdHasher>;

/// Spreads ids, which are addresses: their low bits are alike, and so are their high bits.
#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        // A multiplication with an odd constant whose bits look random carries every bit of the id to the top; the
        // map takes some bits from there and some from below.
        let product = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ (product >> 32);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(raw: usize) -> FunctionId {
        FunctionId::from_raw(raw).unwrap()
    }

    #[test]
    fn a_name_is_known_in_its_place_until_it_is_removed() {
        let names = ByFunction::default();
        names.insert(function(8), "Shop.Cart.Add", || true);
        names.insert(function(16), "Shop.Cart.Gone", || false);
        assert_eq!(names.get(function(8)).as_deref(), Some("Shop.Cart.Add"));
        assert_eq!(names.get(function(16)), None);
        std::thread::scope(|scope| {
            // Other threads have other places, and texts of their own.
            scope.spawn(|| {
                assert_eq!(names.get(function(8)), None);
                names.insert(function(8), "Shop.Cart.Add", || true);
                names.remove(function(8));
                assert_eq!(names.get(function(8)), None);
            });
        });
        assert_eq!(names.get(function(8)), None);
    }

    #[test]
    fn what_another_thread_removes_is_not_at_hand_any_more() {
        let names = ByFunction::default();
        let others = ByFunction::default();
        for names in [&names, &others] {
            names.insert(function(8), "Shop.Cart.Add", || true);
            assert_eq!(names.get(function(8)).as_deref(), Some("Shop.Cart.Add"));
        }
        std::thread::scope(|scope| {
            scope.spawn(|| names.remove(function(8)));
        });
        assert_eq!(names.get(function(8)), None);
        assert_eq!(others.get(function(8)).as_deref(), Some("Shop.Cart.Add"));
        // A number that is used again.
        names.insert(function(8), "Shop.Wish.Add", || true);
        assert_eq!(names.get(function(8)).as_deref(), Some("Shop.Wish.Add"));
    }

    #[test]
    fn ids_are_spread() {
        let hash = |raw: u64| {
            let mut hasher = IdHasher::default();
            hasher.write_u64(raw);
            hasher.finish()
        };
        // Neighbours in memory, as the methods of a type are, differ in the bits that a map looks at.
        let hashes: Vec<u64> = (0..1024).map(|index| hash(0x7F12_3456_7000 + index * 8)).collect();
        for bits in [|hash: &u64| hash & 0x3FF, |hash: &u64| hash >> 57] {
            let mut found: Vec<u64> = hashes.iter().map(bits).collect();
            found.sort_unstable();
            found.dedup();
            assert!(found.len() > 100, "{}", found.len());
        }
    }
}
