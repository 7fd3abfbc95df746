//! Loading and unloading of modules and classes.

use corprof::{EventMask, HResult};

use super::{Profilers, Session};
use crate::model::{ClassKind, State, assembly_id, module_id};
use crate::{Class, Module};

const OK: i32 = HResult::S_OK.0;

impl<'r, P: Profilers> Session<'r, P> {
    /// Loads a module and its assembly: `AssemblyLoadStarted`, `ModuleLoadStarted`, `ModuleLoadFinished`,
    /// `ModuleAttachedToAssembly`, `AssemblyLoadFinished`.
    ///
    /// # Panics
    /// If the module is loaded, or was unloaded.
    #[track_caller]
    pub fn load(&self, module: Module<'r>) {
        let state = self.model().modules.get(module.index).map(|module| module.state);
        assert_eq!(state, Some(State::Defined), "{module:?} is loaded once");
        let (id, assembly) = (module_id(module.index), assembly_id(module.index));
        let (modules, assemblies) =
            (self.wants(EventMask::MODULE_LOADS), self.wants(EventMask::ASSEMBLY_LOADS));
        if assemblies {
            self.callback.assembly_load_started(assembly);
        }
        if modules {
            self.callback.module_load_started(id);
        }
        self.change(module, |module| module.state = State::Loaded);
        if modules {
            self.callback.module_load_finished(id, OK);
        }
        self.change(module, |module| module.is_attached = true);
        if modules {
            self.callback.module_attached_to_assembly(id, assembly);
        }
        if assemblies {
            self.callback.assembly_load_finished(assembly, OK);
        }
    }

    /// Makes the load of a module fail with a code.
    ///
    /// # Panics
    /// If the module is loaded, or was unloaded.
    #[track_caller]
    pub fn load_failing(&self, module: Module<'r>, code: HResult) {
        let state = self.model().modules.get(module.index).map(|module| module.state);
        assert_eq!(state, Some(State::Defined), "{module:?} is loaded once");
        if self.wants(EventMask::MODULE_LOADS) {
            self.callback.module_load_started(module_id(module.index));
            self.callback.module_load_finished(module_id(module.index), code.0);
        }
    }

    /// Unloads a module and its assembly, with its classes and functions: `AssemblyUnloadStarted` (not on .NET Core 3.1),
    /// `ModuleUnloadStarted`, `ClassUnloadStarted` and `-Finished`, `ModuleUnloadFinished`, `AssemblyUnloadFinished`. Their
    /// ids are stale from then on.
    ///
    /// # Panics
    /// If it is not loaded or not [collectible](Module::collectible), or a call of its code is running, on any thread: the
    /// runtime keeps what runs, and a hook that it unloaded under its call would read freed memory.
    #[track_caller]
    pub fn unload(&self, module: Module<'r>) {
        let state = self.model().modules.get(module.index).map(|module| (module.state, module.flags));
        let collectible = corprof::ModuleFlags::COLLECTIBLE.bits();
        assert!(
            matches!(state, Some((State::Loaded, flags)) if flags & collectible != 0),
            "{module:?} cannot be unloaded: it has to be loaded, and Module::collectible"
        );
        let running = self.model().running_in(module.index);
        assert!(
            running.is_none(),
            "{module:?} cannot be unloaded while a call of its method {:#010x} is running: end the call first",
            running.unwrap_or_default(),
        );
        let (id, assembly) = (module_id(module.index), assembly_id(module.index));
        let (modules, assemblies) =
            (self.wants(EventMask::MODULE_LOADS), self.wants(EventMask::ASSEMBLY_LOADS));
        if assemblies && self.runtime.version().reports_assembly_unloads() {
            self.callback.assembly_unload_started(assembly);
        }
        if modules {
            self.callback.module_unload_started(id);
        }
        if self.wants(EventMask::CLASS_LOADS) {
            for class in self.classes_of(module) {
                self.callback.class_unload_started(class);
                self.callback.class_unload_finished(class, OK);
            }
        }
        self.change(module, |module| module.state = State::Gone);
        if modules {
            self.callback.module_unload_finished(id, OK);
        }
        if assemblies {
            self.callback.assembly_unload_finished(assembly, OK);
        }
    }

    /// The ids of the loaded classes that are unloaded with a module.
    fn classes_of(&self, module: Module<'r>) -> Vec<usize> {
        let model = self.model();
        let goes = |index: usize| model.modules_of(index).contains(&module.index);
        let loaded =
            model.classes.iter().enumerate().filter(|(index, class)| class.is_loaded && goes(*index));
        loaded.map(|(_, class)| class.id()).collect()
    }

    fn change(&self, module: Module<'r>, change: impl FnOnce(&mut crate::model::Module)) {
        self.model().modules.get_mut(module.index).map(change);
    }

    /// Loads a class once, after its base class, type arguments and the value types of its fields: `ClassLoadStarted`,
    /// `ClassLoadFinished`. Calls and new objects load their classes by themselves.
    ///
    /// # Panics
    /// If the module of the class is not loaded.
    #[track_caller]
    pub fn load_class(&self, class: &Class<'r>) {
        let state = self.model().modules.get(class.row.module).map(|module| module.state);
        assert_eq!(state, Some(State::Loaded), "the module of {class:?} has to be loaded first");
        self.class_loaded(class.index());
    }

    /// Loads a class once.
    pub(super) fn class_loaded(&self, class: usize) {
        let mut model = self.model();
        let Some(known) = model.classes.get_mut(class) else { return };
        if core::mem::replace(&mut known.is_loaded, true) {
            return;
        }
        let (id, kind) = (known.id(), known.kind.clone());
        let before = match kind {
            ClassKind::Array { element, .. } => vec![element],
            ClassKind::Instance { args, .. } => args,
        };
        let parent = model.parent(class);
        let fields = model.values_in(class);
        drop(model);
        before.into_iter().chain(parent).chain(fields).for_each(|class| self.class_loaded(class));
        if self.wants(EventMask::CLASS_LOADS) {
            self.callback.class_load_started(id);
            self.callback.class_load_finished(id, OK);
        }
    }
}
