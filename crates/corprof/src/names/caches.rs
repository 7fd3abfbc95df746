//! What names have been found, and how they are forgotten.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use clrnames::{Definition, Mvid, TypeText};

use super::by_function::ByFunction;
use super::methods::{Instance, Method};
use super::resolve::{Identity, Resolution};
use crate::info::{Forget, Unload};
use crate::metadata::Metadata;
use crate::{ClassId, FunctionId, ModuleId, ModuleInfo};

/// The classes of a call.
pub(super) type InstanceKey = (Option<ClassId>, Box<[Option<ClassId>]>);

/// Everything that is remembered.
#[derive(Default)]
pub(super) struct Maps {
    pub(super) modules: HashMap<ModuleId, Arc<ModuleInfo>>,
    pub(super) metadata: HashMap<ModuleId, Arc<Metadata>>,
    pub(super) mvids: HashMap<ModuleId, Mvid>,
    pub(super) identities: HashMap<ModuleId, Option<Identity>>,
    pub(super) definitions: HashMap<(ModuleId, u32), Arc<Definition>>,
    pub(super) classes: HashMap<ClassId, TypeText>,
    pub(super) methods: HashMap<FunctionId, Arc<Method>>,
    pub(super) instances: HashMap<FunctionId, HashMap<InstanceKey, Arc<Instance>>>,
    pub(super) resolved: HashMap<(ModuleId, u32), Resolution>,
}

/// The maps, behind a lock that is held for a look or a store only, never while the runtime is called.
#[derive(Default)]
pub(super) struct Caches {
    maps: Mutex<Maps>,
    pub(super) by_function: ByFunction,
}

impl Caches {
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut Maps) -> R) -> R {
        work(&mut self.maps.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.with(|maps| maps.len()) + self.by_function.len()
    }
}

impl Forget for Caches {
    fn forget(&self, unload: &Unload) {
        let forgotten = self.with(|maps| maps.forget(unload));
        for function in unload.functions() {
            self.by_function.remove(function);
        }
        // Metadata is released here, after the lock.
        drop(forgotten);
    }
}

impl Maps {
    fn len(&self) -> usize {
        // Of functions without instances as well, which cost something too.
        let instances = self.instances.values().map(|instances| 1 + instances.len());
        self.modules.len()
            + self.metadata.len()
            + self.identities.len()
            + self.definitions.len()
            + self.classes.len()
            + self.methods.len()
            + instances.sum::<usize>()
            + self.resolved.len()
    }

    /// Takes out what goes away. The metadata among it is given back: releasing it calls the runtime.
    fn forget(&mut self, unload: &Unload) -> Option<Arc<Metadata>> {
        for function in unload.functions() {
            self.methods.remove(&function);
            self.instances.remove(&function);
        }
        for class in unload.classes() {
            self.classes.remove(&class);
        }
        if unload.classes().next().is_some() {
            // Shared code has instances for classes that come and go.
            let is_gone = |class: &Option<ClassId>| class.is_some_and(|class| unload.takes(class));
            for instances in self.instances.values_mut() {
                instances.retain(|(class, args), _| !is_gone(class) && !args.iter().any(is_gone));
            }
        }
        let module = unload.module()?;
        self.modules.remove(&module);
        self.mvids.remove(&module);
        self.identities.remove(&module);
        self.definitions.retain(|(of, _), _| *of != module);
        self.resolved.retain(|(of, _), resolution| *of != module && !resolution.is_in(module));
        // Of a method that is shared by instantiations, one of which was asked for with a function of the module.
        self.methods.retain(|_, method| method.module != module);
        self.metadata.remove(&module)
    }
}
