//! Lookups through the caches.

use core::hash::Hash;
use std::sync::Arc;

use corprof_types::ModuleId;

use super::caches::Caches;
use crate::error::Result;
use crate::metadata::ModuleRows;
use crate::raw::inflight::Asking;
use crate::runtime::{ModuleInfo, ProfilerInfo, UnloadCache};

/// The names of modules, classes and functions, with caches.
///
/// An entry is cached until its module, class or function is unloaded; an id that was seen to be unloaded is refused with
/// [`Error::Unloaded`](crate::Error::Unloaded). Clones are cheap and share the caches. May be used from any thread and in
/// any callback, hooks included.
///
/// Needs no flag of the event mask: this crate itself sees the loads and unloads by which the caches change.
///
/// Names are C#'s: keywords for built-in types, nested types after a dot, generic arguments on the type that declares the
/// parameters (`System.Collections.Generic.Dictionary<string, int>.Enumerator`), `T[]`, `T*`, `int?`, `(int, string)`.
#[derive(Clone)]
pub struct Names {
    inner: Arc<Inner>,
}

struct Inner {
    info: ProfilerInfo,
    caches: Caches,
}

impl Names {
    /// Creates empty caches for the names of a runtime.
    #[must_use]
    pub fn new(info: &ProfilerInfo) -> Self {
        Self { inner: Arc::new(Inner { info: info.clone(), caches: Caches::new(info) }) }
    }

    /// Returns the runtime of these names.
    #[must_use]
    pub fn info(&self) -> &ProfilerInfo {
        &self.inner.info
    }

    /// Returns the number of entries in the shared caches, for measuring profiler overhead.
    #[must_use]
    pub fn cached_entries(&self) -> usize {
        self.caches().len()
    }

    /// Returns a module's file, kind and assembly.
    ///
    /// # Errors
    /// Any error of [`ProfilerInfo::module_info`].
    pub fn module(&self, module: ModuleId) -> Result<Arc<ModuleInfo>> {
        self.cached(&self.caches().modules, module, || self.info().module_info(module).map(Arc::new))
    }

    /// Returns a module's metadata, as [`ProfilerInfo::metadata_rows`] does. Drop it before the module is unloaded.
    ///
    /// # Errors
    /// Any error of that.
    pub fn metadata(&self, module: ModuleId) -> Result<Arc<ModuleRows>> {
        self.info().metadata_rows(module)
    }

    pub(super) fn caches(&self) -> &Caches {
        &self.inner.caches
    }

    /// Returns the cached value of a key, or else what `find` returns.
    pub(super) fn cached<K: Eq + Hash, V: Clone>(
        &self,
        cache: &UnloadCache<K, V>,
        key: K,
        find: impl FnOnce() -> Result<V>,
    ) -> Result<V> {
        cache.get_or_find(key, || {
            let _lookup = self.lookup();
            find()
        })
    }

    /// Begins a lookup: no unload callback returns before it has ended. Every method that reads metadata needs one, so that
    /// metadata of an unloaded module is never read.
    pub(super) fn lookup(&self) -> Asking<'_> {
        self.info().loaded().lookup()
    }
}

impl core::fmt::Debug for Names {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Names")
    }
}
