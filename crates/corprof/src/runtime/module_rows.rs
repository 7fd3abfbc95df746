//! The metadata of modules as names need it, one for each module.
#![forbid(unsafe_code)]

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use corprof_types::{FunctionId, ModuleId};
use sigparse::token::MethodDef;

use super::{Forget, ProfilerInfo, Shared, Unload};
use crate::error::{Error, Result};
use crate::metadata::ModuleRows;

/// Those that are opened, until they are unloaded.
#[derive(Default)]
pub(super) struct OpenedRows(Mutex<Opened>);

#[derive(Default)]
struct Opened {
    modules: HashMap<ModuleId, Arc<ModuleRows>>,
    /// The modules whose metadata have been opened for writing.
    edited: HashSet<ModuleId>,
}

impl OpenedRows {
    fn opened(&self) -> MutexGuard<'_, Opened> {
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

/// A [`ProfilerInfo`] that does not keep the runtime's data.
pub(crate) struct WeakInfo(Weak<Shared>);

impl WeakInfo {
    /// # Errors
    /// [`Error::Ended`]: the profiler is gone.
    pub(crate) fn upgrade(&self) -> Result<ProfilerInfo> {
        self.0
            .upgrade()
            .map(|shared| ProfilerInfo { shared })
            .ok_or(Error::Ended { call: "ICorProfilerInfo::GetModuleMetaData" })
    }
}

impl ProfilerInfo {
    /// Returns the part of a module's metadata that names and values need, from the module's image where that can be.
    ///
    /// May be called from `ModuleLoadFinished` on. Cached until the module is unloaded. Costs no call of the runtime for a module that has an
    /// image and is never unloaded; [`module_metadata`](Self::module_metadata) makes the runtime's own accesses to the module's metadata
    /// slower for the rest of its life.
    ///
    /// # Errors
    /// Those of [`module_metadata`](Self::module_metadata), for a module without such an image.
    pub fn metadata_rows(&self, module: ModuleId) -> Result<Arc<ModuleRows>> {
        let rows = &self.shared.rows;
        if let Some(known) = rows.opened().modules.get(&module) {
            return Ok(Arc::clone(known));
        }
        let _lookup = self.loaded().lookup();
        let before = self.loaded().unloads();
        let info = WeakInfo(Arc::downgrade(&self.shared));
        let is_edited = rows.opened().edited.contains(&module);
        let image = if is_edited { None } else { self.raw().image_metadata(module) };
        let found = Arc::new(match image {
            Some(image) => ModuleRows::of_image(image, module, info),
            None => ModuleRows::of_runtime(self.module_metadata(module)?, module, info),
        });
        let mut opened = rows.opened();
        // Under the lock: an unload first changes the number and then needs the lock to evict.
        let is_valid = self.loaded().unloads() == before && (is_edited || !opened.edited.contains(&module));
        if is_valid {
            opened.modules.insert(module, Arc::clone(&found));
        }
        Ok(found)
    }

    /// The metadata of a function's module, and the function's token.
    ///
    /// # Errors
    /// Those of [`metadata_rows`](Self::metadata_rows), and for a dynamic method, which has no token.
    pub(crate) fn function_rows(&self, function: FunctionId) -> Result<(Arc<ModuleRows>, MethodDef)> {
        const CALL: &str = "ICorProfilerInfo::GetFunctionInfo";
        let _lookup = self.loaded().lookup();
        let info = self.function_info(function)?;
        let token = info.token.ok_or(Error::Null { call: CALL, what: "token" })?;
        Ok((self.metadata_rows(info.module)?, token))
    }
}
