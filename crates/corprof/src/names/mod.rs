//! From ids to what C# calls them.
//!
//! The spelling is that of the crate `clrnames`, which has it from what is implemented here.
//!
//! | file | subject |
//! |---|---|
//! | `methods` | functions, and the instantiation of a call |
//! | `classes` | classes, and what names are spelled from |
//! | `identity` | what outlives the process |
//! | `resolve` | references to types of other modules, without loading anything |
//! | `key_token` | public key tokens |
//! | `caches` | what is remembered, and forgotten on unload |
//! | `by_function`, `at_hand` | names for those who ask all the time |

mod at_hand;
mod by_function;
mod caches;
mod classes;
mod identity;
mod key_token;
mod methods;
mod resolve;

use std::sync::Arc;

use caches::Caches;
pub use clrnames::{MethodKind, Parameter, ParameterMode};
pub use methods::{Instance, Method};
pub use resolve::ResolvedType;

use crate::info::Asking;
use crate::metadata::Metadata;
use crate::{ClassId, ModuleId, ModuleInfo, ProfilerInfo, Result};

/// A method with the type arguments of a call, as the source declares it.
pub type Declaration = clrnames::Declaration<ModuleId, ClassId>;

/// The method of the source that a method of the compiler's belongs to.
pub type SourceMethod = clrnames::SourceMethod<ModuleId, ClassId>;

/// What C# calls the things that ids stand for. Remembers what it has found, until it is unloaded; an id that was
/// seen to go is refused with [`Error::Unloaded`](crate::Error::Unloaded).
///
/// Clones are cheap and share what they remember. May be used from any thread and from any callback, hooks
/// included. Needs [`EventMask::MODULE_LOADS`](crate::EventMask::MODULE_LOADS) in the event mask: that is how
/// it learns which modules there are and when to forget them. Methods made at run time come and go one by one;
/// to forget their names takes [`EventMask::DYNAMIC_FUNCTION_UNLOADS`](crate::EventMask::DYNAMIC_FUNCTION_UNLOADS).
///
/// The spelling is C#'s: keywords for built-in types, nested types behind a dot, generic arguments where they
/// belong (`System.Collections.Generic.Dictionary<string, int>.Enumerator`), `T[]`, `T*`, `int?`,
/// `(int, string)`.
#[derive(Clone)]
pub struct Names {
    inner: Arc<Inner>,
}

struct Inner {
    info: ProfilerInfo,
    caches: Arc<Caches>,
}

impl Names {
    /// Names for what this runtime loads.
    #[must_use]
    pub fn new(info: &ProfilerInfo) -> Self {
        let caches = Arc::new(Caches::default());
        info.forget_with(&caches);
        Self { inner: Arc::new(Inner { info: info.clone(), caches }) }
    }

    /// The runtime behind the names.
    #[must_use]
    pub fn info(&self) -> &ProfilerInfo {
        &self.inner.info
    }

    /// How many answers are remembered: for who wants to see what a profiler costs. Grows with what is asked for, and
    /// shrinks with what is unloaded.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.inner.caches.len()
    }

    /// A module's file, kind and assembly.
    ///
    /// # Errors
    /// What the runtime reports.
    pub fn module(&self, module: ModuleId) -> Result<Arc<ModuleInfo>> {
        self.cached(|maps| &mut maps.modules, module, || self.info().module_info(module).map(Arc::new))
    }

    /// A module's metadata. To be dropped before the module is unloaded.
    ///
    /// # Errors
    /// What the runtime reports.
    pub fn metadata(&self, module: ModuleId) -> Result<Arc<Metadata>> {
        self.cached(|maps| &mut maps.metadata, module, || self.info().module_metadata(module).map(Arc::new))
    }

    /// What a map remembers for a key, or else what `find` finds, remembered unless something was unloaded
    /// meanwhile. No lock is held while `find` runs.
    fn cached<K: Eq + core::hash::Hash, V: Clone>(
        &self,
        map: impl Fn(&mut caches::Maps) -> &mut std::collections::HashMap<K, V>,
        key: K,
        find: impl FnOnce() -> Result<V>,
    ) -> Result<V> {
        if let Some(known) = self.inner.caches.with(|maps| map(maps).get(&key).cloned()) {
            return Ok(known);
        }
        let _lookup = self.lookup();
        let before = self.info().loaded().unloads();
        let found = find()?;
        self.inner.caches.with(|maps| {
            // Behind the lock: an unload changes the number first, and then has to come past it.
            if self.info().loaded().unloads() == before {
                map(maps).insert(key, found.clone());
            }
        });
        Ok(found)
    }

    /// A lookup begins: no unload callback returns before it has ended. For every method that looks at metadata, so
    /// that nothing is read of a module that is gone.
    fn lookup(&self) -> Asking<'_> {
        self.info().loaded().lookup()
    }
}

impl core::fmt::Debug for Names {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Names")
    }
}
