//! A cache whose entries are valid until an unload: the one protocol for facts about ids.
//!
//! An answer may be found while another thread's callback reports an unload. So a lookup reads the number of unloads first, and stores
//! the answer under the cache's lock if the number is still the same: an unload first changes the number, and then needs the lock to
//! evict. No lock is held while the answer is found.
#![forbid(unsafe_code)]

use core::any::Any;
use core::hash::Hash;
use core::sync::atomic::{AtomicU64, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::ProfilerInfo;
use super::unload::{Forget, Unload};
use crate::id_map::IdMap;

/// The number of unloads after the end of the profiler: later ones are not reported to it.
pub(crate) const ENDED: u64 = u64::MAX;

/// A map of facts about modules, classes and functions, which evicts what the runtime unloads.
///
/// May be used on any thread and in any callback. A lookup takes a lock that readers share, for the time of one access to a map; no
/// lock is held while an answer is found, so that finding it may call the runtime. An answer is not stored if anything was unloaded
/// meanwhile. After the profiler's end (a detach) there are no entries: what is unloaded then is not reported.
///
/// ```
/// use std::sync::Arc;
///
/// use corprof::{ClassId, ProfilerInfo, Result, UnloadCache};
///
/// struct Sizes {
///     info: ProfilerInfo,
///     known: UnloadCache<ClassId, u32>,
/// }
///
/// impl Sizes {
///     fn new(info: &ProfilerInfo) -> Self {
///         let known = UnloadCache::new(info, |sizes, unload| sizes.retain(|class, _| !unload.takes(*class)));
///         Self { info: info.clone(), known }
///     }
///
///     fn of(&self, class: ClassId) -> Result<u32> {
///         self.known.get_or_find(class, || Ok(self.info.class_layout(class)?.size))
///     }
/// }
/// ```
pub struct UnloadCache<K, V> {
    shared: Arc<Shared<K, V>>,
}

/// Removes the entries of an unload. The result is dropped without the lock.
type Evict<K, V> = dyn Fn(&mut IdMap<K, V>, &Unload) -> Box<dyn Any> + Send + Sync;

struct Shared<K, V> {
    entries: RwLock<Entries<K, V>>,
    /// The number of unloads of the profiler.
    unloads: Arc<AtomicU64>,
    /// Absent if every unload ends all entries.
    evict: Option<Box<Evict<K, V>>>,
}

struct Entries<K, V> {
    map: IdMap<K, V>,
    /// The number of unloads for which the entries are valid, where every unload ends them.
    unloads: u64,
}

impl<K, V> UnloadCache<K, V> {
    /// Creates an empty cache. At each unload `evict` removes the entries that become stale.
    ///
    /// `evict` runs on the thread of the unload callback, with the conditions of [`Forget::forget`], and may not use the cache. What
    /// it returns is dropped after the cache's lock was released: values whose drop calls the runtime have to be returned. If it panics,
    /// all entries are evicted.
    #[must_use]
    pub fn new<R: 'static>(
        info: &ProfilerInfo,
        evict: impl Fn(&mut IdMap<K, V>, &Unload) -> R + Send + Sync + 'static,
    ) -> Self
    where
        K: Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        let evict =
            move |map: &mut IdMap<K, V>, unload: &Unload| Box::new(evict(map, unload)) as Box<dyn Any>;
        let cache = Self::with(info.loaded().unload_counter(), Some(Box::new(evict)));
        info.forget_with(&cache.shared);
        cache
    }

    /// Creates an empty cache all of whose entries end with any unload, for facts that depend on ids in many ways.
    ///
    /// It is not notified of unloads: any number of such caches costs an unload nothing.
    #[must_use]
    pub fn until_any_unload(info: &ProfilerInfo) -> Self {
        Self::with(info.loaded().unload_counter(), None)
    }

    fn with(unloads: &Arc<AtomicU64>, evict: Option<Box<Evict<K, V>>>) -> Self {
        let entries = RwLock::new(Entries { map: IdMap::default(), unloads: 0 });
        Self { shared: Arc::new(Shared { entries, unloads: Arc::clone(unloads), evict }) }
    }

    /// Returns the number of entries, for measuring profiler overhead.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.read().map.len()
    }

    /// Returns `true` if there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `work` with every entry. `work` may not use the cache.
    pub(crate) fn each(&self, work: impl FnMut((&K, &V))) {
        self.shared.read().map.iter().for_each(work);
    }
}

impl<K: Eq + Hash, V> UnloadCache<K, V> {
    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<V>
    where
        V: Clone,
    {
        self.get_with(key, V::clone)
    }

    /// Returns what `work` makes of the value of a key. `work` may not use the cache.
    pub fn get_with<R>(&self, key: &K, work: impl FnOnce(&V) -> R) -> Option<R> {
        let entries = self.shared.read();
        let unloads = self.shared.unloads();
        let is_valid = unloads != ENDED && (self.shared.evict.is_some() || entries.unloads == unloads);
        if is_valid { entries.map.get(key).map(work) } else { None }
    }

    /// Returns the value of a key, or else what `find` returns, which is stored then.
    ///
    /// Threads that look up a key at the same time get the value that was stored first.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn get_or_find<E>(&self, key: K, find: impl FnOnce() -> Result<V, E>) -> Result<V, E>
    where
        V: Clone,
    {
        if let Some(known) = self.get(&key) {
            return Ok(known);
        }
        let lookup = self.begin(key);
        let found = find()?;
        let stored = lookup.change(|slot| slot.get_or_insert_with(|| found.clone()).clone());
        Ok(stored.unwrap_or(found))
    }

    /// Begins a lookup whose answer may be stored at its end. Must be called before the runtime is queried.
    #[must_use]
    pub fn begin(&self, key: K) -> UnloadLookup<'_, K, V> {
        UnloadLookup { cache: &self.shared, key, unloads: self.shared.unloads() }
    }
}

/// A lookup of an [`UnloadCache`] that has begun.
pub struct UnloadLookup<'c, K, V> {
    cache: &'c Shared<K, V>,
    key: K,
    unloads: u64,
}

impl<K: Eq + Hash, V> UnloadLookup<'_, K, V> {
    /// Stores the answer in the place of an earlier one, unless anything was unloaded since the lookup began. Returns whether it is
    /// stored.
    pub fn store(self, value: V) -> bool {
        // What was there is dropped after the lock was released.
        self.change(|slot| slot.replace(value)).is_some()
    }

    /// Changes the value of the key, an empty one if there is none, unless anything was unloaded since the lookup began. Returns whether
    /// it was changed. `change` may not use the cache.
    pub fn update(self, change: impl FnOnce(&mut V)) -> bool
    where
        V: Default,
    {
        self.change(|slot| change(slot.get_or_insert_with(V::default))).is_some()
    }

    /// Changes the slot of the key. Returns `None` if the answer is not valid any more.
    fn change<R>(self, change: impl FnOnce(&mut Option<V>) -> R) -> Option<R> {
        let Self { cache, key, unloads } = self;
        // Values may have drops of their own, which may use the cache: they run when the lock has been released.
        let mut outdated = IdMap::default();
        let mut entries = cache.write();
        // Under the lock: an unload first changes the number and then needs the lock to evict.
        if unloads == ENDED || cache.unloads() != unloads {
            return None;
        }
        if cache.evict.is_none() && entries.unloads != unloads {
            core::mem::swap(&mut outdated, &mut entries.map);
            entries.unloads = unloads;
        }
        let mut slot = entries.map.remove(&key);
        let result = change(&mut slot);
        if let Some(value) = slot {
            entries.map.insert(key, value);
        }
        drop(entries);
        drop(outdated);
        Some(result)
    }
}

impl<K, V> Shared<K, V> {
    fn unloads(&self) -> u64 {
        self.unloads.load(Ordering::SeqCst)
    }

    fn read(&self) -> RwLockReadGuard<'_, Entries<K, V>> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries<K, V>> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Send + Sync, V: Send + Sync> Forget for Shared<K, V> {
    fn forget(&self, unload: &Unload) {
        let Some(evict) = &self.evict else { return };
        let mut entries = self.write();
        let evicted = catch_unwind(AssertUnwindSafe(|| evict(&mut entries.map, unload)));
        // What it has not evicted may be stale.
        let all = if evicted.is_err() { core::mem::take(&mut entries.map) } else { IdMap::default() };
        drop(entries);
        drop(all);
        match evicted {
            Ok(dropped_unlocked) => drop(dropped_unlocked),
            Err(panic) => resume_unwind(panic),
        }
    }
}

impl<K, V> Clone for UnloadCache<K, V> {
    /// Returns the same cache.
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<K, V> core::fmt::Debug for UnloadCache<K, V> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("UnloadCache").field("entries", &self.len()).finish_non_exhaustive()
    }
}

impl<K, V> core::fmt::Debug for UnloadLookup<'_, K, V> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("UnloadLookup")
    }
}

#[cfg(test)]
mod tests {
    use corprof_types::FunctionId;

    use super::*;
    use crate::test_ids::function;

    /// A cache of functions, and what an unload does to it.
    fn cache(evicts: bool) -> (UnloadCache<FunctionId, u32>, impl Fn(&[FunctionId])) {
        let unloads = Arc::<AtomicU64>::default();
        let evict = |map: &mut IdMap<FunctionId, u32>, unload: &Unload| {
            for function in unload.functions() {
                map.remove(&function);
            }
            Box::new(()) as Box<dyn Any>
        };
        let cache = UnloadCache::with(&unloads, evicts.then(|| Box::new(evict) as Box<Evict<_, _>>));
        let shared = Arc::clone(&cache.shared);
        let unload = move |functions: &[FunctionId]| {
            unloads.fetch_add(1, Ordering::SeqCst);
            shared.forget(&functions.iter().map(|function| (*function).into()).collect());
        };
        (cache, unload)
    }

    fn found(cache: &UnloadCache<FunctionId, u32>, key: FunctionId, value: u32) -> u32 {
        cache.get_or_find::<()>(key, || Ok(value)).unwrap()
    }

    #[test]
    fn an_unload_evicts_its_own_and_is_looked_up_again() {
        let (cache, unload) = cache(true);
        assert_eq!((found(&cache, function(8), 1), found(&cache, function(16), 2)), (1, 2));
        unload(&[function(8)]);
        assert_eq!((cache.get(&function(8)), cache.get(&function(16))), (None, Some(2)));
        assert_eq!((found(&cache, function(8), 3), found(&cache, function(16), 4)), (3, 2));
    }

    #[test]
    fn any_unload_ends_all_entries_where_nothing_evicts() {
        let (cache, unload) = cache(false);
        assert_eq!(found(&cache, function(8), 1), 1);
        unload(&[function(16)]);
        assert_eq!(cache.get(&function(8)), None);
        assert_eq!(found(&cache, function(16), 2), 2);
        // The first entry of the new count has dropped the old ones.
        assert_eq!(cache.len(), 1);
    }

    #[test]
    fn what_is_found_while_something_is_unloaded_is_not_stored() {
        for evicts in [true, false] {
            let (cache, unload) = cache(evicts);
            let answer = cache.get_or_find::<()>(function(8), || {
                unload(&[function(16)]);
                Ok(1)
            });
            assert_eq!((answer, cache.get(&function(8))), (Ok(1), None), "{evicts}");
            let lookup = cache.begin(function(8));
            unload(&[function(8)]);
            assert!(!lookup.store(2) && cache.is_empty(), "{evicts}");
        }
    }

    #[test]
    fn the_first_of_two_answers_is_everybodys() {
        let (cache, _) = cache(true);
        let answer = cache.get_or_find::<()>(function(8), || Ok(found(&cache, function(8), 1) + 1));
        assert_eq!((answer, cache.get(&function(8))), (Ok(1), Some(1)));
        // A lookup that is begun by hand replaces it, or changes it.
        assert!(cache.begin(function(8)).store(5));
        assert!(cache.begin(function(8)).update(|value| *value += 1));
        assert_eq!(cache.get_with(&function(8), |value| value * 2), Some(12));
        assert_eq!(cache.get_or_find(function(16), || Err("no answer")), Err("no answer"));
    }

    #[test]
    fn what_is_evicted_is_dropped_without_the_lock() {
        /// Whether the cache could be locked when this was dropped.
        struct Drops(std::sync::Weak<Shared<FunctionId, Drops>>, Arc<AtomicU64>);
        impl Drop for Drops {
            fn drop(&mut self) {
                let is_unlocked = self.0.upgrade().is_some_and(|cache| cache.entries.try_write().is_ok());
                self.1.fetch_add(is_unlocked.into(), Ordering::SeqCst);
            }
        }
        let unlocked = Arc::<AtomicU64>::default();
        let evict =
            |map: &mut IdMap<FunctionId, Drops>, _: &Unload| Box::new(core::mem::take(map)) as Box<dyn Any>;
        let cache = UnloadCache::with(&Arc::default(), Some(Box::new(evict) as Box<Evict<_, _>>));
        cache.begin(function(8)).store(Drops(Arc::downgrade(&cache.shared), Arc::clone(&unlocked)));
        cache.shared.forget(&Unload::default());
        assert_eq!((cache.len(), unlocked.load(Ordering::SeqCst)), (0, 1));
    }

    #[test]
    fn replaced_and_outdated_values_are_dropped_without_the_lock() {
        /// Whether the cache could be locked when this was dropped.
        struct Drops(std::sync::Weak<Shared<FunctionId, Drops>>, Arc<AtomicU64>);
        impl Drop for Drops {
            fn drop(&mut self) {
                let is_unlocked = self.0.upgrade().is_some_and(|cache| cache.entries.try_write().is_ok());
                self.1.fetch_add(is_unlocked.into(), Ordering::SeqCst);
            }
        }
        let (unloads, unlocked) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
        let cache = UnloadCache::with(&unloads, None);
        let value = || Drops(Arc::downgrade(&cache.shared), Arc::clone(&unlocked));
        assert!(cache.begin(function(8)).store(value()) && cache.begin(function(8)).store(value()));
        assert_eq!(unlocked.load(Ordering::SeqCst), 1);
        unloads.fetch_add(1, Ordering::SeqCst);
        assert!(cache.begin(function(16)).store(value()));
        assert_eq!((cache.len(), unlocked.load(Ordering::SeqCst)), (1, 2));
    }

    #[test]
    fn a_cache_whose_eviction_panics_is_empty() {
        let unloads = Arc::<AtomicU64>::default();
        let evict = |_: &mut IdMap<FunctionId, u32>, _: &Unload| -> Box<dyn Any> { panic!("in an eviction") };
        let cache = UnloadCache::with(&unloads, Some(Box::new(evict) as Box<Evict<_, _>>));
        assert_eq!(found(&cache, function(8), 1), 1);
        let forget = || cache.shared.forget(&[function(8).into()].into_iter().collect());
        assert!(catch_unwind(AssertUnwindSafe(forget)).is_err() && cache.is_empty());
        // It can be used again.
        assert_eq!(found(&cache, function(8), 2), 2);
    }

    #[test]
    fn after_the_end_of_the_profiler_there_are_no_entries() {
        for evicts in [true, false] {
            let unloads = Arc::<AtomicU64>::default();
            let evict = |_: &mut IdMap<FunctionId, u32>, _: &Unload| Box::new(()) as Box<dyn Any>;
            let cache = UnloadCache::with(&unloads, evicts.then(|| Box::new(evict) as Box<Evict<_, _>>));
            assert_eq!(found(&cache, function(8), 1), 1);
            unloads.store(ENDED, Ordering::SeqCst);
            assert_eq!((cache.get(&function(8)), found(&cache, function(16), 2)), (None, 2), "{evicts}");
            assert!(!cache.begin(function(16)).store(2) && cache.get(&function(16)).is_none(), "{evicts}");
        }
    }
}
