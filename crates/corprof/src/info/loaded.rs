//! What has been seen to be loaded: the way from tokens to ids that never loads anything.
//!
//! The callbacks fill these maps before the profiler sees the event, and empty them after it has seen the
//! unload. No lock is held while the runtime is called: values are computed first, then stored.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use sigparse::TypeDef;

use super::ClassInfo;
use crate::ids::{AssemblyId, ClassId, ModuleId};

/// A type's definition with its arguments.
type ClassKey = (ModuleId, TypeDef, Box<[ClassId]>);

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
}

#[derive(Default)]
struct Maps {
    modules: HashMap<ModuleId, AssemblyId>,
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

    /// A module has been loaded and belongs to an assembly.
    pub(crate) fn attached(&self, module: ModuleId, assembly: AssemblyId) {
        self.write().modules.insert(module, assembly);
    }

    /// The modules that are loaded, with their assemblies.
    pub(crate) fn modules(&self) -> Vec<(ModuleId, AssemblyId)> {
        self.read().modules.iter().map(|(module, assembly)| (*module, *assembly)).collect()
    }

    /// A module is going away, and with it every class that it defines or that has an argument from it.
    pub(crate) fn unloading(&self, module: ModuleId) {
        self.forget_everywhere();
        let mut maps = self.write();
        maps.modules.remove(&module);
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
