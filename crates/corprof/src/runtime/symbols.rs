//! Symbols of modules that are in no file, and metadata that was added to a module.
#![forbid(unsafe_code)]

use corprof_types::ModuleId;

use crate::error::Result;
use crate::runtime::ProfilerInfo;

impl ProfilerInfo {
    /// The symbols (a PDB) that a module without a file brings along
    /// (`ICorProfilerInfo7::GetInMemorySymbolsLength` and `ICorProfilerInfo7::ReadInMemorySymbols`); empty for one
    /// that has none.
    ///
    /// # Errors
    /// `CORPROF_E_MODULE_IS_DYNAMIC` for a module whose symbols are still written.
    #[doc(alias = "GetInMemorySymbolsLength")]
    #[doc(alias = "ReadInMemorySymbols")]
    pub fn in_memory_symbols(&self, module: ModuleId) -> Result<Vec<u8>> {
        match self.raw().in_memory_symbols_length(module)? {
            None | Some(0) => Ok(Vec::new()),
            Some(length) => self.raw().read_in_memory_symbols(module, length),
        }
    }

    /// Makes the runtime see what was added to a module's metadata after it had been loaded
    /// (`ICorProfilerInfo7::ApplyMetaData`): types, methods, references that new IL names.
    ///
    /// # Errors
    /// `CORPROF_E_MODULE_IS_DYNAMIC`; `CORPROF_E_DATAINCOMPLETE` for a module whose loading has not come far enough.
    #[doc(alias = "ApplyMetaData")]
    pub fn apply_metadata(&self, module: ModuleId) -> Result<()> {
        self.raw().apply_metadata(module)
    }
}
