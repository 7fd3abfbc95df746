//! Modules, assemblies and application domains.
#![forbid(unsafe_code)]

use corprof_types::{AppDomainId, AssemblyId, ModuleId};

use super::{Info, name};
use crate::error::Result;
use crate::raw::abi::{BytesAddress, Written as _};
use crate::raw::buffers::fill_wide;

/// A module: its path, base address, assembly and flags.
pub(crate) type ModuleParts = (String, usize, Option<AssemblyId>, u32);
/// An assembly: its name, application domain and module.
pub(crate) type AssemblyParts = (String, Option<AppDomainId>, Option<ModuleId>);

impl Info {
    /// `ICorProfilerInfo3::GetModuleInfo2`.
    pub(crate) fn module_info(&self, module: ModuleId) -> Result<ModuleParts> {
        let (mut base, mut assembly, mut flags) = (BytesAddress::EMPTY, None, 0);
        let path = fill_wide(name!(ICorProfilerInfo3::GetModuleInfo2), |room| {
            let mut needed = 0;
            self.get_module_info(module, &mut base, room, &mut needed, &mut assembly, &mut flags)?;
            Ok(needed)
        })?;
        Ok((path, base.0, assembly, flags))
    }

    /// `ICorProfilerInfo::GetAssemblyInfo`.
    pub(crate) fn assembly_info(&self, assembly: AssemblyId) -> Result<AssemblyParts> {
        let (mut domain, mut module) = (None, None);
        let name = fill_wide(name!(ICorProfilerInfo::GetAssemblyInfo), |room| {
            let mut needed = 0;
            self.get_assembly_info(assembly, room, &mut needed, &mut domain, &mut module)?;
            Ok(needed)
        })?;
        Ok((name, domain, module))
    }

    /// `ICorProfilerInfo::GetAppDomainInfo`: the name and the process.
    pub(crate) fn app_domain_info(&self, domain: AppDomainId) -> Result<(String, usize)> {
        let mut process = 0;
        let name = fill_wide(name!(ICorProfilerInfo::GetAppDomainInfo), |room| {
            let mut needed = 0;
            self.get_app_domain_info(domain, room, &mut needed, &mut process)?;
            Ok(needed)
        })?;
        Ok((name, process))
    }

    /// `ICorProfilerInfo7::ReadInMemorySymbols` from the start, at most `length` bytes.
    pub(crate) fn read_in_memory_symbols(&self, module: ModuleId, length: u32) -> Result<Vec<u8>> {
        let (mut symbols, mut read) = (vec![0; length as usize], 0);
        self.get_in_memory_symbols(module, &mut symbols, &mut read)?;
        symbols.truncate(read as usize);
        Ok(symbols)
    }
}
