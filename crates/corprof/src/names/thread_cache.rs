//! The names of functions that a thread has looked up: a cache without locks and without memory that threads share.
//!
//! It stands in front of the [shared maps](super::caches) because a profiler may look up a name in every call on every
//! thread. A lock around one map, and even the reference count of one text, makes a lookup many times slower as soon as
//! several processors write to it (docs/performance.md has the figures). So each thread has a text of its own for each
//! name.
//!
//! An unload does not reach into other threads. It increments a generation, and a thread's names are valid for one.

use core::cell::RefCell;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use corprof_in_process::PerThread;
use corprof_types::FunctionId;

use crate::id_map::IdMap;
use crate::limits::MAX_SETS;

/// A generation of a set's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Generation(u64);

/// One set of names, cached by any number of threads.
pub(super) struct ThreadCaches {
    /// The number of the set, different from that of every other set.
    set: u64,
    generation: AtomicU64,
}

/// A thread's names of one set.
struct Cached {
    set: u64,
    generation: Generation,
    names: IdMap<FunctionId, Arc<str>>,
}

static CACHED: PerThread<RefCell<Vec<Cached>>> = PerThread::new(RefCell::default);

impl Default for ThreadCaches {
    fn default() -> Self {
        static SETS: AtomicU64 = AtomicU64::new(0);
        Self { set: SETS.fetch_add(1, Ordering::Relaxed), generation: AtomicU64::new(0) }
    }
}

impl ThreadCaches {
    /// Returns the current generation. To be read before the shared map: a name from there is valid for it, since the
    /// generation is incremented after a name is evicted.
    #[inline]
    pub(super) fn generation(&self) -> Generation {
        Generation(self.generation.load(Ordering::SeqCst))
    }

    /// Invalidates the cached names of all threads.
    pub(super) fn invalidate(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the name if the running thread has cached it in this generation. Does not allocate.
    #[inline]
    pub(super) fn get(&self, generation: Generation, function: FunctionId) -> Option<Arc<str>> {
        let get = |all: &RefCell<Vec<Cached>>| {
            let all = all.try_borrow().ok()?;
            let cached = all.iter().find(|cached| cached.set == self.set)?;
            (cached.generation == generation).then(|| cached.names.get(&function).cloned()).flatten()
        };
        // A thread that is ending has no cache.
        CACHED.with(get).flatten()
    }

    /// Caches a name for the running thread and returns the thread's own text.
    #[cold]
    pub(super) fn insert(&self, generation: Generation, function: FunctionId, name: &str) -> Arc<str> {
        let text: Arc<str> = Arc::from(name);
        let insert = |all: &RefCell<Vec<Cached>>| {
            let Ok(mut all) = all.try_borrow_mut() else { return };
            let at = all.iter().position(|cached| cached.set == self.set).unwrap_or_else(|| {
                if all.len() == MAX_SETS {
                    all.remove(0);
                }
                all.push(Cached { set: self.set, generation, names: IdMap::default() });
                all.len() - 1
            });
            let Some(cached) = all.get_mut(at) else { return };
            if cached.generation != generation {
                cached.names.clear();
                cached.generation = generation;
            }
            cached.names.insert(function, Arc::clone(&text));
        };
        let _ = CACHED.with(insert);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_ids::function;

    #[test]
    fn names_are_cached_by_set_and_generation() {
        let (names, others) = (ThreadCaches::default(), ThreadCaches::default());
        let first = names.generation();
        let text = names.insert(first, function(8), "Shop.Cart.Add");
        assert_eq!(names.get(first, function(8)).as_deref(), Some("Shop.Cart.Add"));
        assert_eq!(names.get(first, function(16)), None);
        assert_eq!(others.get(others.generation(), function(8)), None);
        names.invalidate();
        assert_eq!(names.get(names.generation(), function(8)), None);
        // The first insertion of a generation drops the texts of the last one.
        names.insert(names.generation(), function(16), "Shop.Cart.Remove");
        assert_eq!(Arc::strong_count(&text), 1);
        assert_eq!(names.get(first, function(8)), None);
    }

    #[test]
    fn threads_share_no_text_and_see_each_others_invalidation() {
        let names = ThreadCaches::default();
        let text = names.insert(names.generation(), function(8), "Shop.Cart.Add");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let generation = names.generation();
                assert_eq!(names.get(generation, function(8)), None);
                let other = names.insert(generation, function(8), "Shop.Cart.Add");
                assert!(!Arc::ptr_eq(&other, &text));
                names.invalidate();
            });
        });
        assert_eq!(names.get(names.generation(), function(8)), None);
    }

    #[test]
    fn a_name_of_an_older_generation_is_never_returned() {
        let names = ThreadCaches::default();
        let before = names.generation();
        names.invalidate();
        // As if the unload had come between the lookup and the insertion.
        names.insert(before, function(8), "Shop.Cart.Add");
        assert_eq!(names.get(names.generation(), function(8)), None);
    }

    #[test]
    fn the_oldest_set_is_dropped_for_a_new_one() {
        let sets: Vec<ThreadCaches> = (0..=MAX_SETS).map(|_| ThreadCaches::default()).collect();
        for set in &sets {
            set.insert(set.generation(), function(8), "Shop.Cart.Add");
        }
        assert_eq!(sets[0].get(sets[0].generation(), function(8)), None);
        assert_eq!(sets[1].get(sets[1].generation(), function(8)).as_deref(), Some("Shop.Cart.Add"));
    }
}
