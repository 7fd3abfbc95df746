//! What names have been found, and how they are forgotten.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::methods::{Instance, Method};
use super::resolve::{Identity, Resolution};
use super::text::TypeText;
use super::types::Definition;
use crate::info::Forget;
use crate::metadata::Metadata;
use crate::{ClassId, FunctionId, ModuleId, ModuleInfo};

/// A function with the classes of a call.
pub(super) type InstanceKey = (FunctionId, Option<ClassId>, Box<[Option<ClassId>]>);

/// Everything that is remembered.
#[derive(Default)]
pub(super) struct Maps {
    pub(super) modules: HashMap<ModuleId, Arc<ModuleInfo>>,
    pub(super) metadata: HashMap<ModuleId, Arc<Metadata>>,
    pub(super) identities: HashMap<ModuleId, Option<Identity>>,
    pub(super) definitions: HashMap<(ModuleId, u32), Arc<Definition>>,
    pub(super) classes: HashMap<ClassId, TypeText>,
    pub(super) methods: HashMap<FunctionId, Arc<Method>>,
    pub(super) instances: HashMap<InstanceKey, Arc<Instance>>,
    pub(super) resolved: HashMap<(ModuleId, u32), Resolution>,
}

/// The maps, behind a lock that is held for a look or a store only, never while the runtime is called.
#[derive(Default)]
pub(super) struct Caches {
    maps: Mutex<Maps>,
}

impl Caches {
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut Maps) -> R) -> R {
        work(&mut self.maps.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Forget for Caches {
    /// Forgets everything: unloading is rare, and what is still there is found again.
    fn forget(&self) {
        let forgotten = self.with(core::mem::take);
        // Metadata is released here, after the lock.
        drop(forgotten);
    }
}
