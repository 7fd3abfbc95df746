//! The metadata of modules that have been opened as names need it, until the modules are unloaded.
#![forbid(unsafe_code)]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use corprof_types::ModuleId;

use super::unload::{Forget, Unload};
use crate::id_map::{IdMap, IdSet};
use crate::metadata::ModuleRows;

/// The opened ones.
#[derive(Default)]
pub(super) struct OpenedRows(Mutex<Opened>);

#[derive(Default)]
pub(super) struct Opened {
    pub(super) modules: IdMap<ModuleId, Arc<ModuleRows>>,
    /// The modules whose metadata have been opened for writing.
    pub(super) edited: IdSet<ModuleId>,
}

impl OpenedRows {
    pub(super) fn opened(&self) -> MutexGuard<'_, Opened> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A module's metadata are about to be opened for writing: what is written is not in its image.
    pub(super) fn edited(&self, module: ModuleId) {
        let mut opened = self.opened();
        let before = opened.edited.insert(module).then(|| opened.modules.remove(&module));
        drop(opened);
        // The runtime may be called to release them.
        drop(before);
    }
}

impl Forget for OpenedRows {
    fn forget(&self, unload: &Unload) {
        let Some(module) = unload.module() else { return };
        let mut opened = self.opened();
        opened.edited.remove(&module);
        let released = opened.modules.remove(&module);
        drop(opened);
        // The runtime is called to release them.
        drop(released);
    }
}
