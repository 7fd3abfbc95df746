//! The caches that all threads share, and their eviction on unload.

use core::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use clrnames::csharp::TypeDefinition;
use clrnames::metadata::AssemblyName;
use clrnames::resolution::Resolved;
use clrnames::{Mvid, TypeName};
use corprof_types::{ClassId, FunctionId, ModuleId};

use super::method::{Instance, Method};
use super::thread_cache::ThreadCaches;
use crate::error::Result;
use crate::id_map::IdMap;
use crate::runtime::{Forget, Loaded, ModuleInfo, Unload};

/// The classes of a call.
pub(super) type InstanceKey = (Option<ClassId>, Box<[Option<ClassId>]>);

/// The cached result of a reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedReference {
    /// The number of modules that had been loaded.
    pub(super) loads: u64,
    pub(super) found: Resolved<ModuleId>,
    /// Whether no module that is loaded later can be the better result.
    pub(super) is_final: bool,
}

impl CachedReference {
    /// Returns whether the type was found in this module.
    fn is_in(&self, module: ModuleId) -> bool {
        self.found.is_some_and(|(found, _)| found == module)
    }
}

/// The shared maps.
///
/// A map stands for each query of the runtime or the metadata that names repeat: without it, the name of a function costs
/// microseconds each time (`cargo xtask bench names`: first time).
#[derive(Default)]
pub(super) struct Maps {
    pub(super) modules: IdMap<ModuleId, Arc<ModuleInfo>>,
    pub(super) mvids: IdMap<ModuleId, Mvid>,
    pub(super) assemblies: IdMap<ModuleId, Option<Arc<AssemblyName>>>,
    pub(super) definitions: IdMap<(ModuleId, u32), Arc<TypeDefinition>>,
    pub(super) classes: IdMap<ClassId, TypeName>,
    pub(super) methods: IdMap<FunctionId, Arc<Method>>,
    pub(super) functions: IdMap<FunctionId, Arc<str>>,
    pub(super) instances: IdMap<FunctionId, IdMap<InstanceKey, Arc<Instance>>>,
    pub(super) references: IdMap<(ModuleId, u32), CachedReference>,
}

/// The shared maps, and the eviction of the threads' caches in front of them.
#[derive(Default)]
pub(super) struct Caches {
    /// The lock is held to look up or store one entry, never while the runtime is called.
    maps: Mutex<Maps>,
    pub(super) threads: ThreadCaches,
}

impl Caches {
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut Maps) -> R) -> R {
        work(&mut self.maps.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the value of a key in a map, or else what `find` returns, and whether the map has it now.
    ///
    /// A value is not stored if anything was unloaded while `find` ran. No lock is held while it runs.
    pub(super) fn get_or_find<K: Eq + Hash, V: Clone>(
        &self,
        loaded: &Loaded,
        map: impl Fn(&mut Maps) -> &mut IdMap<K, V>,
        key: K,
        find: impl FnOnce() -> Result<V>,
    ) -> Result<(V, bool)> {
        if let Some(cached) = self.with(|maps| map(maps).get(&key).cloned()) {
            return Ok((cached, true));
        }
        let _lookup = loaded.lookup();
        let before = loaded.unloads();
        let found = find()?;
        let is_stored = self.with(|maps| {
            // Under the lock: an unload first changes the number and then needs the lock to evict.
            let is_valid = loaded.unloads() == before;
            if is_valid {
                map(maps).insert(key, found.clone());
            }
            is_valid
        });
        Ok((found, is_stored))
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.with(|maps| maps.len())
    }
}

impl Forget for Caches {
    fn forget(&self, unload: &Unload) {
        if self.with(|maps| maps.evict(unload)) {
            // After the shared map: a thread that looks up a name from now on does not find an evicted one there.
            self.threads.invalidate();
        }
    }
}

impl Maps {
    fn len(&self) -> usize {
        // Functions without instances have an entry too.
        let instances = self.instances.values().map(|instances| 1 + instances.len());
        self.modules.len()
            + self.mvids.len()
            + self.assemblies.len()
            + self.definitions.len()
            + self.classes.len()
            + self.methods.len()
            + self.functions.len()
            + instances.sum::<usize>()
            + self.references.len()
    }

    /// Evicts what is unloaded. Returns whether the name of a function was evicted.
    fn evict(&mut self, unload: &Unload) -> bool {
        let mut named = false;
        for function in unload.functions() {
            self.methods.remove(&function);
            named |= self.functions.remove(&function).is_some();
            self.instances.remove(&function);
        }
        for class in unload.classes() {
            self.classes.remove(&class);
        }
        if unload.classes().next().is_some() {
            // Shared code has instances for classes of other modules.
            let is_unloaded = |class: &Option<ClassId>| class.is_some_and(|class| unload.takes(class));
            for instances in self.instances.values_mut() {
                instances.retain(|(class, args), _| !is_unloaded(class) && !args.iter().any(is_unloaded));
            }
        }
        let Some(module) = unload.module() else { return named };
        self.modules.remove(&module);
        self.mvids.remove(&module);
        self.assemblies.remove(&module);
        self.definitions.retain(|(of, _), _| *of != module);
        self.references.retain(|(of, _), reference| *of != module && !reference.is_in(module));
        // Of a shared method, which was looked up with a function of the module.
        self.methods.retain(|_, method| method.module != module);
        named
    }
}
