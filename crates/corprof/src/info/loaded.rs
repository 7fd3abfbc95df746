//! What has been seen to be loaded: the way from tokens to ids that never loads anything.
//!
//! The callbacks fill these maps before the profiler sees the event, and take out what goes away after it has seen
//! the unload. No lock is held while the runtime is called: values are computed first, then stored.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::Duration;

use sigparse::TypeDef;

use super::ClassInfo;
use super::inflight::{Asking, InFlight, Work};
use super::unload::{Forget, Gone, Unload};
use crate::ids::{AnyId, AssemblyId, ClassId, ModuleId};
use crate::{Error, Result, report};

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

/// How long an unload waits for lookups that other threads have begun. They take microseconds, and nothing that
/// they wait for waits for an unload; if it happens nevertheless, the program goes on, and a message says so.
const PATIENCE: Duration = Duration::from_secs(10);

/// The same on a thread that keeps the garbage collector waiting meanwhile.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct Loaded {
    maps: RwLock<Maps>,
    /// Who else remembers ids.
    forgetful: RwLock<Vec<Weak<dyn Forget>>>,
    in_flight: InFlight,
    gone: Gone,
    /// How many modules there are that can be unloaded: with none of them, nothing has to be known of what
    /// belongs to which.
    collectible: AtomicUsize,
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
    /// What goes away with each module that can be unloaded.
    belongings: HashMap<ModuleId, Unload>,
}

impl Loaded {
    fn read(&self) -> RwLockReadGuard<'_, Maps> {
        self.maps.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Maps> {
        self.maps.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on `who` is told what goes away.
    pub(crate) fn forget_with(&self, who: Weak<dyn Forget>) {
        let mut all = self.forgetful.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.strong_count() > 0);
        all.push(who);
    }

    /// How often something has been unloaded.
    pub(crate) fn unloads(&self) -> u64 {
        self.unloads.load(Ordering::SeqCst)
    }

    /// How many modules have been loaded.
    pub(crate) fn loads(&self) -> u64 {
        self.loads.load(Ordering::Acquire)
    }

    /// A lookup begins, of more than one call: unloads wait for its end.
    pub(crate) fn lookup(&self) -> Asking<'_> {
        self.in_flight.begin(Work::Lookup)
    }

    /// Work about an id begins: unloads wait for its end. Fails if the id has gone.
    pub(crate) fn asking(&self, work: Work, id: AnyId) -> Result<Asking<'_>> {
        let asking = self.in_flight.begin(work);
        // After it has been counted: see `inflight`.
        if self.gone.contains(id) { Err(Error::Unloaded { id }) } else { Ok(asking) }
    }

    /// The runtime has given out this id: what it names is there, or is still being asked for while it goes away.
    pub(crate) fn alive(&self, id: AnyId) {
        self.gone.remove(id);
    }

    /// How many modules and classes are known to be loaded, and how many ids to go away with a module.
    pub(crate) fn len(&self) -> usize {
        let maps = self.read();
        let belongings = maps.belongings.values().map(|unload| unload.ids.len() + unload.doubtful.len());
        maps.modules.len()
            + maps.by_name.len()
            + maps.generations.len()
            + maps.bound.len()
            + maps.classes.len()
            + maps.seen.len()
            + belongings.sum::<usize>()
    }

    /// Whether there are modules that can be unloaded.
    pub(crate) fn has_collectible(&self) -> bool {
        self.collectible.load(Ordering::Acquire) > 0
    }

    /// Notes what goes away with some modules; not with those that have gone meanwhile. `doubtful` goes away with
    /// any of them, or not.
    pub(crate) fn belongs(&self, id: AnyId, modules: &[ModuleId], doubtful: bool) {
        let mut maps = self.write();
        for module in modules {
            if maps.modules.contains_key(module) {
                maps.belongings.entry(*module).or_default().ids.insert(id);
            }
        }
        if let (AnyId::Function(function), true) = (id, doubtful) {
            let Maps { modules, belongings, .. } = &mut *maps;
            for (module, _) in modules.iter().filter(|(_, loaded)| loaded.is_collectible) {
                belongings.entry(*module).or_default().doubtful.insert(function);
            }
        }
    }

    /// Something goes away: from now on its ids are refused, everybody has forgotten it, and nobody else is asking
    /// for it.
    ///
    /// Ids are refused first. Whoever is let through was counted before, and is waited for at the end; what it
    /// would still remember it does not, since the count of unloads has changed. That follows the maps, not the
    /// other way round: a lookup that begins after it stores what it finds, and what it notes of its ids must stay.
    fn take_away(&self, unload: &Unload, work: &[(Work, Duration)]) {
        let news = self.gone.add(unload.ids.iter().copied());
        if news || !unload.doubtful.is_empty() {
            self.forget_and_wait(unload, work);
        }
        self.gone.settled(unload.ids.iter().copied());
    }

    fn forget_and_wait(&self, unload: &Unload, work: &[(Work, Duration)]) {
        self.forget(unload);
        self.unloads.fetch_add(1, Ordering::SeqCst);
        let all: Vec<_> = self.forgetful.read().unwrap_or_else(PoisonError::into_inner).clone();
        for who in all.iter().filter_map(Weak::upgrade) {
            who.forget(unload);
        }
        for (work, limit) in work {
            if !self.in_flight.wait(*work, *limit) {
                report::failure(&format!(
                    "a thread has been asking the runtime for {limit:?} while something is unloaded; it is not \
                     waited for any longer, and may now use ids that are stale"
                ));
            }
        }
    }

    /// Takes out what is known of something that goes away.
    fn forget(&self, unload: &Unload) {
        let mut maps = self.write();
        let Maps { modules, by_name, bound, classes, seen, belongings, .. } = &mut *maps;
        for class in unload.classes() {
            seen.remove(&class);
        }
        if unload.classes().next().is_some() || unload.module().is_some() {
            classes.retain(|(of, _, args), class| {
                !unload.takes(*of) && !unload.takes(*class) && !args.iter().any(|arg| unload.takes(*arg))
            });
        }
        for others in belongings.values_mut() {
            for id in &unload.ids {
                others.ids.remove(id);
            }
            // Everybody forgets these; who asks for one again notes it again.
            for function in &unload.doubtful {
                others.doubtful.remove(function);
            }
        }
        let Some(module) = unload.module() else { return };
        bound.retain(|(from, to)| *from != module && *to != module);
        let Some(gone) = modules.remove(&module) else { return };
        if gone.is_collectible {
            self.collectible.fetch_sub(1, Ordering::AcqRel);
        }
        if let Some(same_name) = by_name.get_mut(&gone.assembly_name) {
            same_name.retain(|other| *other != module);
            if same_name.is_empty() {
                by_name.remove(&gone.assembly_name);
            }
        }
    }

    /// A module is going away, and with it what belongs to it. The thread does not keep the garbage collector
    /// waiting and holds no lock of the runtime's.
    pub(crate) fn module_unloading(&self, module: ModuleId) {
        let mut unload = self.write().belongings.remove(&module).unwrap_or_default();
        unload.ids.insert(module.into());
        self.take_away(&unload, &[(Work::Lookup, PATIENCE), (Work::Call, PATIENCE)]);
    }

    /// An assembly or application domain is going away, under the same conditions.
    pub(crate) fn unloading(&self, id: AnyId) {
        let unload = [id].into_iter().collect();
        self.take_away(&unload, &[(Work::Lookup, PATIENCE), (Work::Call, PATIENCE)]);
    }

    /// A class or dynamic method is going away, on a thread that may keep the garbage collector waiting, or hold a
    /// lock of the runtime's.
    pub(crate) fn unloading_briefly(&self, id: AnyId) {
        let unload = [id].into_iter().collect();
        self.take_away(&unload, &[(Work::Call, SHORT_PATIENCE)]);
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

    /// What is known of a module that is loaded.
    pub(crate) fn module(&self, module: ModuleId) -> Option<LoadedModule> {
        self.read().modules.get(&module).cloned()
    }

    /// Whether a module can be unloaded.
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
        // Neither may have gone meanwhile.
        if maps.modules.contains_key(&from) && maps.modules.contains_key(&to) {
            maps.bound.insert((from, to));
        }
    }

    /// Whether a module is known to mean another one by its references.
    pub(crate) fn is_bound(&self, from: ModuleId, to: ModuleId) -> bool {
        self.read().bound.contains(&(from, to))
    }

    /// A class has been loaded, whatever it is.
    pub(crate) fn class_seen(&self, class: ClassId) {
        self.write().seen.insert(class);
    }

    /// Whether a class has been seen to be loaded, and not to go away.
    pub(crate) fn has_class(&self, class: ClassId) -> bool {
        self.read().seen.contains(&class)
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
mod tests {
    use super::*;
    use crate::ids::FunctionId;
    use std::sync::Mutex;

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
        loaded.module_unloading(module(1));
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
    fn a_class_is_seen_until_it_is_gone() {
        let loaded = Loaded::default();
        loaded.class_seen(class(100));
        loaded.class_seen(class(101));
        loaded.unloading_briefly(class(100).into());
        assert!(!loaded.has_class(class(100)));
        assert!(loaded.has_class(class(101)));
        // The end of a module is not the end of what does not belong to it.
        loaded.module_unloading(module(1));
        assert!(loaded.has_class(class(101)));
    }

    #[test]
    fn an_unloaded_module_takes_its_classes_and_their_instantiations() {
        let loaded = Loaded::default();
        loaded.attached(module(2), LoadedModule { is_collectible: true, ..loaded_module("plugin") });
        loaded.class_loaded(class(50), &info(2, 1, &[]));
        for class in [class(50), class(100)] {
            loaded.belongs(class.into(), &[module(2)], false);
        }
        loaded.class_loaded(class(100), &info(1, 7, &[50]));
        loaded.class_loaded(class(101), &info(1, 7, &[60]));
        loaded.module_unloading(module(2));
        let type_def = TypeDef::from_rid(7).unwrap();
        assert_eq!(loaded.class(module(1), type_def, &[class(50)]), None);
        assert_eq!(loaded.class(module(1), type_def, &[class(60)]), Some(class(101)));
        assert_eq!(loaded.unloads(), 1);
    }

    struct Seen(Mutex<Vec<Unload>>);

    impl Forget for Seen {
        fn forget(&self, unload: &Unload) {
            let (ids, doubtful) = (unload.ids.clone(), unload.doubtful.clone());
            self.0.lock().unwrap().push(Unload { ids, doubtful });
        }
    }

    #[test]
    fn what_belongs_to_a_module_is_refused_and_forgotten_with_it() {
        let (loaded, seen) = (Loaded::default(), Arc::new(Seen(Mutex::default())));
        let weak: Weak<Seen> = Arc::downgrade(&seen);
        loaded.forget_with(weak);
        let function = |raw| FunctionId::from_raw(raw).unwrap();
        loaded.attached(module(1), loaded_module("program"));
        loaded.attached(module(2), LoadedModule { is_collectible: true, ..loaded_module("plugin") });
        assert!(loaded.has_collectible());
        loaded.belongs(function(70).into(), &[module(2)], false);
        loaded.belongs(function(80).into(), &[], true);
        // Of a module that is not there.
        loaded.belongs(function(90).into(), &[module(9)], false);
        loaded.module_unloading(module(2));
        assert!(!loaded.has_collectible());
        let refused = |raw| loaded.asking(Work::Call, function(raw).into()).is_err();
        assert!(refused(70) && !refused(80) && !refused(90));
        assert!(matches!(
            loaded.asking(Work::Lookup, module(2).into()),
            Err(Error::Unloaded { id: AnyId::Module(id) }) if id == module(2)
        ));
        let forgotten = seen.0.lock().unwrap();
        assert_eq!(forgotten.len(), 1);
        assert!(forgotten[0].takes(function(70)) && forgotten[0].takes(function(80)));
        assert!(!forgotten[0].takes(function(90)));
        // The number names something else now.
        loaded.alive(function(70).into());
        assert!(!refused(70));
    }

    #[test]
    fn the_end_of_a_class_after_that_of_its_module_is_nothing_new() {
        let loaded = Loaded::default();
        loaded.attached(module(2), LoadedModule { is_collectible: true, ..loaded_module("plugin") });
        loaded.belongs(class(50).into(), &[module(2)], false);
        loaded.module_unloading(module(2));
        loaded.unloading_briefly(class(50).into());
        assert_eq!(loaded.unloads(), 1);
    }
}
