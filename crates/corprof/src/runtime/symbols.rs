//! Symbols of in-memory modules, and metadata that was added to a module.
#![forbid(unsafe_code)]

use corprof_types::ModuleId;

use crate::error::Result;
use crate::runtime::ProfilerInfo;

impl ProfilerInfo {
    /// Returns the symbols (PDB) of an in-memory module; empty if it has none.
    ///
    /// `ICorProfilerInfo7::GetInMemorySymbolsLength`, `ICorProfilerInfo7::ReadInMemorySymbols`.
    ///
    /// # Errors
    /// `CORPROF_E_MODULE_IS_DYNAMIC`: the symbols of the module are still being written. Any other failure of the call.
    #[doc(alias = "GetInMemorySymbolsLength")]
    #[doc(alias = "ReadInMemorySymbols")]
    pub fn in_memory_symbols(&self, module: ModuleId) -> Result<Vec<u8>> {
        match self.raw().in_memory_symbols_length(module)? {
            None | Some(0) => Ok(Vec::new()),
            Some(length) => self.raw().read_in_memory_symbols(module, length),
        }
    }

    /// Makes the runtime load metadata that was added to a loaded module.
    ///
    /// `ICorProfilerInfo7::ApplyMetaData`. Types, methods and references that new IL names become visible.
    /// It waits for calls of other threads that edit the metadata, and refuses those that begin meanwhile.
    ///
    /// # Errors
    /// `CORPROF_E_MODULE_IS_DYNAMIC`: the module is dynamic. `CORPROF_E_DATAINCOMPLETE`: it is still loading.
    /// [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, in a callback with an object, of a collection
    /// or of a suspension, on a thread that has suspended the runtime, or while another thread applies the metadata. Any other
    /// failure of the call.
    #[doc(alias = "ApplyMetaData")]
    pub fn apply_metadata(&self, module: ModuleId) -> Result<()> {
        let edits = self.raw().edits_of(module);
        let _applying = edits.apply("ICorProfilerInfo7::ApplyMetaData")?;
        self.raw().apply_metadata(module)
    }
}
