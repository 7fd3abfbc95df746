//! Symbols of modules that are in no file, and metadata that was added to a module.
#![allow(unsafe_code)]

use super::call;
use crate::ids::ModuleId;
use crate::{HResult, ProfilerInfo, Result};

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
        let mut length = 0;
        // SAFETY: a local.
        let code = unsafe {
            call!(self, ICorProfilerInfo7::GetInMemorySymbolsLength(module.as_raw(), &raw mut length))
        }?;
        if code == HResult::S_FALSE || length == 0 {
            return Ok(Vec::new());
        }
        let mut symbols = vec![0; length as usize];
        let mut read = 0;
        // SAFETY: a buffer with its length, a local.
        unsafe {
            call!(
                self,
                ICorProfilerInfo7::ReadInMemorySymbols(
                    module.as_raw(),
                    0,
                    symbols.as_mut_ptr(),
                    length,
                    &raw mut read,
                )
            )
        }?;
        symbols.truncate(read as usize);
        Ok(symbols)
    }

    /// Makes the runtime see what was added to a module's metadata after it had been loaded
    /// (`ICorProfilerInfo7::ApplyMetaData`): types, methods, references that new IL names.
    ///
    /// # Errors
    /// `CORPROF_E_MODULE_IS_DYNAMIC`; `CORPROF_E_DATAINCOMPLETE` for a module whose loading has not come far enough.
    #[doc(alias = "ApplyMetaData")]
    pub fn apply_metadata(&self, module: ModuleId) -> Result<()> {
        // SAFETY: no pointers are passed.
        unsafe { call!(self, ICorProfilerInfo7::ApplyMetaData(module.as_raw())) }.map(drop)
    }
}
