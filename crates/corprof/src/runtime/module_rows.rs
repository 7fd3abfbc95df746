//! The metadata of modules as names need it, one for each module.
#![forbid(unsafe_code)]

use std::sync::Arc;

use corprof_types::{FunctionId, ModuleId};
use sigparse::token::MethodDef;

use super::ProfilerInfo;
use crate::error::{Error, Result};
use crate::event_mask::PartId;
use crate::metadata::ModuleRows;

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
        let shared = Arc::downgrade(&self.shared);
        let is_edited = rows.opened().edited.contains(&module);
        let image = if is_edited { None } else { self.raw().image_metadata(module) };
        // The runtime's, of a module that may be unloaded, are opened here, while it is loaded.
        let found = Arc::new(ModuleRows::new(image, move || {
            let shared =
                shared.upgrade().ok_or(Error::Ended { call: "ICorProfilerInfo::GetModuleMetaData" })?;
            ProfilerInfo { shared, part: PartId::CRATE, hosted: None }.module_metadata(module)
        })?);
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
