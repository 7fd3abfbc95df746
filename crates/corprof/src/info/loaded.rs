//! What has been seen to be loaded: the way from tokens to ids that never loads anything.
//!
//! The callbacks fill these maps before the profiler sees the event, and empty them after it has seen the
//! unload. No lock is held while the runtime is called: values are computed first, then stored.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use sigparse::TypeDef;

use super::ClassInfo;
use crate::ids::{AssemblyId, ClassId, ModuleId};

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
    /// How often the file had been loaded before.
    pub(crate) generation: u32,
    /// The folder of the file; empty for a module without one.
    pub(crate) folder: Arc<str>,
    /// Whether it can be unloaded.
    pub(crate) is_collectible: bool,
    /// How many modules had been loaded before.
    pub(crate) order: u64,
}

/// Something that remembers ids and forgets them when something is unloaded.
pub(crate) trait Forget: Send + Sync {
    /// Forgets, on the thread of the unload callback.
    fn forget(&self);
}

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct Loaded {
    maps: RwLock<Maps>,
    /// Who else remembers ids.
    forgetful: RwLock<Vec<Weak<dyn Forget>>>,
    /// Counts what has been unloaded, so that an answer computed meanwhile is not stored.
    unloads: AtomicU64,
    /// Counts the modules that have been loaded, so that what was not found is looked for again.
    loads: AtomicU64,
}

#[derive(Default)]
struct Maps {
    modules: HashMap<ModuleId, LoadedModule>,
    /// The modules by their assembly's simple name, in small letters.
    by_name: HashMap<Arc<str>, Vec<ModuleId>>,
    /// How often each file has been loaded.
    generations: HashMap<Arc<str>, u32>,
    /// Modules of which one has a class that extends a class of the other.
    bound: HashSet<(ModuleId, ModuleId)>,
    classes: HashMap<ClassKey, ClassId>,
    /// All classes, those without a definition of their own and shared instantiations among them.
    seen: HashSet<ClassId>,
}

impl Loaded {
    fn read(&self) -> RwLockReadGuard<'_, Maps> {
        self.maps.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Maps> {
        self.maps.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on `who` is told when something is unloaded.
    pub(crate) fn forget_with<F: Forget + 'static>(&self, who: Weak<F>) {
        let mut all = self.forgetful.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.strong_count() > 0);
        all.push(who);
    }

    /// Something is unloaded: everybody forgets.
    fn forget_everywhere(&self) {
        self.unloads.fetch_add(1, Ordering::AcqRel);
        let all: Vec<_> = self.forgetful.read().unwrap_or_else(PoisonError::into_inner).clone();
        for who in all.iter().filter_map(Weak::upgrade) {
            who.forget();
        }
    }

    /// How often something has been unloaded.
    pub(crate) fn unloads(&self) -> u64 {
        self.unloads.load(Ordering::Acquire)
    }

    /// How many modules have been loaded.
    pub(crate) fn loads(&self) -> u64 {
        self.loads.load(Ordering::Acquire)
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
        maps.modules.insert(module, loaded);
    }

    /// What is known of a module that is loaded.
    pub(crate) fn module(&self, module: ModuleId) -> Option<LoadedModule> {
        self.read().modules.get(&module).cloned()
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
        if from != to && !self.is_bound(from, to) {
            self.write().bound.insert((from, to));
        }
    }

    /// Whether a module is known to mean another one by its references.
    pub(crate) fn is_bound(&self, from: ModuleId, to: ModuleId) -> bool {
        self.read().bound.contains(&(from, to))
    }

    /// A module is going away, and with it every class that it defines or that has an argument from it.
    pub(crate) fn unloading(&self, module: ModuleId) {
        self.forget_everywhere();
        let mut maps = self.write();
        maps.bound.retain(|(from, to)| *from != module && *to != module);
        if let Some(gone) = maps.modules.remove(&module)
            && let Some(same_name) = maps.by_name.get_mut(&gone.assembly_name)
        {
            same_name.retain(|other| *other != module);
            if same_name.is_empty() {
                maps.by_name.remove(&gone.assembly_name);
            }
        }
        // Which of them were the module's is not known of all: those that are left are seen again or not missed.
        maps.seen.clear();
        let gone: Vec<ClassId> =
            maps.classes.iter().filter(|((of, ..), _)| *of == module).map(|(_, class)| *class).collect();
        maps.classes.retain(|(of, _, args), class| {
            *of != module && !gone.contains(class) && !args.iter().any(|arg| gone.contains(arg))
        });
    }

    /// A class has been loaded, whatever it is.
    pub(crate) fn class_seen(&self, class: ClassId) {
        self.write().seen.insert(class);
    }

    /// Whether a class has been seen to be loaded, and nothing since that may have taken it away.
    pub(crate) fn has_class(&self, class: ClassId) -> bool {
        self.read().seen.contains(&class)
    }

    /// A class has been loaded.
    pub(crate) fn class_loaded(&self, class: ClassId, info: &ClassInfo) {
        let Some(args) = info.type_args.iter().copied().collect::<Option<Box<[ClassId]>>>() else { return };
        self.write().classes.insert((info.module, info.type_def, args), class);
    }

    /// A class is going away.
    pub(crate) fn class_unloading(&self, class: ClassId) {
        self.forget_everywhere();
        let mut maps = self.write();
        maps.seen.remove(&class);
        maps.classes.retain(|(_, _, args), known| *known != class && !args.contains(&class));
    }

    /// The class of a definition with these arguments, if it has been seen.
    pub(crate) fn class(&self, module: ModuleId, type_def: TypeDef, args: &[ClassId]) -> Option<ClassId> {
        self.read().classes.get(&(module, type_def, args.into())).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(raw: usize) -> ModuleId {
        ModuleId::from_raw(raw).unwrap()
    }

    fn class(raw: usize) -> ClassId {
        ClassId::from_raw(raw).unwrap()
    }

    fn info(of: usize, rid: u32, args: &[usize]) -> ClassInfo {
        ClassInfo {
            module: module(of),
            type_def: TypeDef::from_rid(rid).unwrap(),
            parent: None,
            type_args: args.iter().map(|arg| ClassId::from_raw(*arg)).collect(),
        }
    }

    fn loaded_module(name: &str) -> LoadedModule {
        LoadedModule {
            assembly: AssemblyId::from_raw(8).unwrap(),
            assembly_name: name.into(),
            path: name.into(),
            generation: 0,
            folder: "".into(),
            is_collectible: false,
            order: 0,
        }
    }

    #[test]
    fn modules_are_found_by_the_name_of_their_assembly() {
        let loaded = Loaded::default();
        for raw in [1, 2] {
            loaded.attached(module(raw), loaded_module("shop"));
        }
        loaded.attached(module(3), loaded_module("tools"));
        loaded.bind(module(3), module(1));
        let shops = loaded.modules_of("shop");
        let orders: Vec<_> = shops.iter().map(|(_, loaded)| (loaded.order, loaded.generation)).collect();
        assert_eq!((orders, loaded.loads()), (vec![(0, 0), (1, 1)], 3));
        assert!(loaded.is_bound(module(3), module(1)));
        loaded.unloading(module(1));
        assert_eq!(loaded.modules_of("shop").len(), 1);
        assert!(!loaded.is_bound(module(3), module(1)));
        assert_eq!(loaded.modules_in(AssemblyId::from_raw(8).unwrap()).len(), 2);
    }

    #[test]
    fn a_class_is_found_by_its_definition_and_arguments() {
        let loaded = Loaded::default();
        loaded.class_loaded(class(100), &info(1, 7, &[50]));
        let type_def = TypeDef::from_rid(7).unwrap();
        assert_eq!(loaded.class(module(1), type_def, &[class(50)]), Some(class(100)));
        assert_eq!(loaded.class(module(1), type_def, &[]), None);
    }

    #[test]
    fn a_class_is_seen_until_it_may_be_gone() {
        let loaded = Loaded::default();
        loaded.class_seen(class(100));
        loaded.class_seen(class(101));
        loaded.class_unloading(class(100));
        assert!(!loaded.has_class(class(100)));
        assert!(loaded.has_class(class(101)));
        loaded.unloading(module(1));
        assert!(!loaded.has_class(class(101)));
    }

    #[test]
    fn an_unloaded_module_takes_its_classes_and_their_instantiations() {
        let loaded = Loaded::default();
        loaded.class_loaded(class(50), &info(2, 1, &[]));
        loaded.class_loaded(class(100), &info(1, 7, &[50]));
        loaded.class_loaded(class(101), &info(1, 7, &[60]));
        loaded.unloading(module(2));
        let type_def = TypeDef::from_rid(7).unwrap();
        assert_eq!(loaded.class(module(1), type_def, &[class(50)]), None);
        assert_eq!(loaded.class(module(1), type_def, &[class(60)]), Some(class(101)));
        assert_eq!(loaded.unloads(), 1);
    }
}
