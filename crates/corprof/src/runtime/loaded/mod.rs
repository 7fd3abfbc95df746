//! Loaded modules and classes, as the callbacks report them: from tokens to ids without loading anything.
//!
//! The callbacks fill these maps before the profiler sees the event, and remove unloaded ids after it has seen
//! the unload. No lock is held while the runtime is called: values are computed first, then stored.

mod unloading;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use sigparse::TypeDef;

use super::ClassInfo;
use super::unload::{Forget, Unload};
use super::unload_cache::ENDED;
use crate::id_map::{IdMap, IdSet};
use crate::raw::alive::Alive;
use crate::raw::inflight::{Asking, Work};
use corprof_types::{AnyId, AssemblyId, ClassId, ModuleId};

/// A type's definition with its arguments.
type ClassKey = (ModuleId, TypeDef, Box<[ClassId]>);

/// A module that is loaded.
#[derive(Clone, Debug)]
pub(crate) struct LoadedModule {
    pub(crate) assembly: AssemblyId,
    /// The assembly's simple name in small letters.
    pub(crate) assembly_name: Arc<str>,
    /// The file; empty for a module without one.
    pub(crate) path: Arc<str>,
    /// The number of earlier loads of the file.
    pub(crate) generation: u32,
    /// The folder of the file; empty for a module without one.
    pub(crate) folder: Arc<str>,
    /// Whether it can be unloaded.
    pub(crate) is_collectible: bool,
    /// The number of modules that were loaded before.
    pub(crate) order: u64,
}

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct Loaded {
    maps: RwLock<Maps>,
    /// The registered caches of ids.
    forgetful: RwLock<Vec<Weak<dyn Forget>>>,
    alive: Arc<Alive>,
    /// The number of collectible modules: with none of them, nothing has to be known of what
    /// belongs to which.
    collectible: AtomicUsize,
    /// Counts what has been unloaded, so that an answer computed meanwhile is not stored.
    unloads: Arc<AtomicU64>,
    /// Whether the unload of a module has begun.
    has_unloaded: AtomicBool,
    /// Counts the modules that have been loaded, so that what was not found is looked for again.
    loads: AtomicU64,
}

#[derive(Default)]
struct Maps {
    modules: IdMap<ModuleId, LoadedModule>,
    /// The modules by their assembly's simple name, in small letters.
    by_name: HashMap<Arc<str>, Vec<ModuleId>>,
    /// The number of loads of each file.
    generations: HashMap<Arc<str>, u32>,
    /// Pairs of modules: one has a class that extends a class of the other.
    bound: IdSet<(ModuleId, ModuleId)>,
    classes: IdMap<ClassKey, ClassId>,
    /// All classes, those without a definition of their own and shared instantiations among them.
    seen: IdMap<usize, ClassId>,
    /// The ids that are unloaded with each collectible module.
    owned: IdMap<ModuleId, Unload>,
    /// The classes and functions whose owners are in `owned`, or which have none.
    noted: IdSet<AnyId>,
}

impl Loaded {
    /// Nothing is loaded yet.
    pub(crate) fn new(alive: Arc<Alive>) -> Self {
        Self { alive, ..Self::default() }
    }

    /// Returns whether nothing is loaded that can be unloaded, and nothing has been unloaded.
    pub(crate) fn is_everything_permanent(&self) -> bool {
        !self.has_collectible() && self.alive.is_everything_alive()
    }

    fn read(&self) -> RwLockReadGuard<'_, Maps> {
        self.maps.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Maps> {
        self.maps.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a cache of ids.
    pub(crate) fn forget_with(&self, who: Weak<dyn Forget>) {
        let mut all = self.forgetful.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.strong_count() > 0);
        all.push(who);
    }

    /// Returns the number of unloads.
    pub(crate) fn unloads(&self) -> u64 {
        self.unloads.load(Ordering::SeqCst)
    }

    /// The number of unloads, for a cache that compares it.
    pub(crate) fn unload_counter(&self) -> &Arc<AtomicU64> {
        &self.unloads
    }

    /// Returns whether the unload of a module has begun. If not, none begins during a [lookup](Self::lookup) that has begun.
    pub(crate) fn has_unloaded(&self) -> bool {
        self.has_unloaded.load(Ordering::SeqCst)
    }

    /// The profiler ends: caches that compare the number of unloads are empty from now on.
    pub(crate) fn end(&self) {
        self.unloads.store(ENDED, Ordering::SeqCst);
    }

    /// Returns the number of loaded modules.
    pub(crate) fn loads(&self) -> u64 {
        self.loads.load(Ordering::Acquire)
    }

    /// A lookup begins, of more than one call: unloads wait for its end.
    pub(crate) fn lookup(&self) -> Asking<'_> {
        self.alive.begin(Work::Lookup)
    }

    /// Returns the number of modules and classes known to be loaded, and of ids known to be unloaded with a module.
    pub(crate) fn len(&self) -> usize {
        let maps = self.read();
        let owned = maps.owned.values().map(|unload| unload.ids.len() + unload.deferred.len());
        maps.modules.len()
            + maps.by_name.len()
            + maps.generations.len()
            + maps.bound.len()
            + maps.classes.len()
            + maps.seen.len()
            + maps.noted.len()
            + owned.sum::<usize>()
    }

    /// Returns whether the owners of an id are known, or need not be.
    pub(crate) fn is_noted(&self, id: AnyId) -> bool {
        !self.has_collectible() || self.read().noted.contains(&id)
    }

    /// Returns whether there are modules that can be unloaded.
    pub(crate) fn has_collectible(&self) -> bool {
        self.collectible.load(Ordering::Acquire) > 0
    }

    /// A module has been loaded and belongs to an assembly.
    pub(crate) fn attached(&self, module: ModuleId, mut loaded: LoadedModule) {
        let mut maps = self.write();
        loaded.order = self.loads.fetch_add(1, Ordering::AcqRel);
        let generation = maps.generations.entry(Arc::clone(&loaded.path)).or_default();
        loaded.generation = *generation;
        *generation += 1;
        let same_name = maps.by_name.entry(Arc::clone(&loaded.assembly_name)).or_default();
        if !same_name.contains(&module) {
            same_name.push(module);
        }
        let is_collectible = loaded.is_collectible;
        let before = maps.modules.insert(module, loaded);
        match (before.is_some_and(|before| before.is_collectible), is_collectible) {
            (false, true) => self.collectible.fetch_add(1, Ordering::AcqRel),
            (true, false) => self.collectible.fetch_sub(1, Ordering::AcqRel),
            _ => 0,
        };
    }

    /// Returns the facts about a loaded module.
    pub(crate) fn module(&self, module: ModuleId) -> Option<LoadedModule> {
        self.read().modules.get(&module).cloned()
    }

    /// Returns whether a module can be unloaded.
    pub(crate) fn is_collectible(&self, module: ModuleId) -> bool {
        self.read().modules.get(&module).is_some_and(|loaded| loaded.is_collectible)
    }

    /// The modules whose assembly has this simple name, in small letters; the one that was loaded first is the
    /// first one.
    pub(crate) fn modules_of(&self, assembly_name: &str) -> Vec<(ModuleId, LoadedModule)> {
        let maps = self.read();
        let named = maps.by_name.get(assembly_name).map(Vec::as_slice).unwrap_or_default();
        named.iter().filter_map(|module| Some((*module, maps.modules.get(module)?.clone()))).collect()
    }

    /// The modules of an assembly.
    pub(crate) fn modules_in(&self, assembly: AssemblyId) -> Vec<ModuleId> {
        let maps = self.read();
        maps.modules
            .iter()
            .filter(|(_, loaded)| loaded.assembly == assembly)
            .map(|(module, _)| *module)
            .collect()
    }

    /// A class of a module extends a class of another one: its references to that assembly mean that one.
    pub(crate) fn bind(&self, from: ModuleId, to: ModuleId) {
        if from == to || self.is_bound(from, to) {
            return;
        }
        let mut maps = self.write();
        // Neither may have been unloaded meanwhile.
        if maps.modules.contains_key(&from) && maps.modules.contains_key(&to) {
            maps.bound.insert((from, to));
        }
    }

    /// Returns whether a module is known to mean another one by its references.
    pub(crate) fn is_bound(&self, from: ModuleId, to: ModuleId) -> bool {
        self.read().bound.contains(&(from, to))
    }

    /// A class has been loaded, whatever it is.
    pub(crate) fn class_seen(&self, class: ClassId) {
        self.write().seen.insert(class.as_raw(), class);
    }

    /// The class with this number, if it has been seen to be loaded and is not unloaded.
    pub(crate) fn class_by_number(&self, number: usize) -> Option<ClassId> {
        self.read().seen.get(&number).copied()
    }

    /// A class has been loaded.
    pub(crate) fn class_loaded(&self, class: ClassId, info: &ClassInfo) {
        let Some(args) = info.type_args.iter().copied().collect::<Option<Box<[ClassId]>>>() else { return };
        self.write().classes.insert((info.module, info.type_def, args), class);
    }

    /// The class of a definition with these arguments, if it has been seen.
    pub(crate) fn class(&self, module: ModuleId, type_def: TypeDef, args: &[ClassId]) -> Option<ClassId> {
        self.read().classes.get(&(module, type_def, args.into())).copied()
    }
}

#[cfg(test)]
mod tests;
