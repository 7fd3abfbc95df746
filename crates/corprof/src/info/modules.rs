//! What a module and an assembly are, and a module's metadata.
#![allow(unsafe_code)]

use core::ptr::{null, null_mut};

use corprof_sys as sys;

use super::functions::room_of;
use super::{Enumerator, LoadedModule, call, fill_wide};
use crate::com::interface::{self, ImportPtr};
use crate::ids::{AppDomainId, AssemblyId, ModuleId};
use crate::metadata::Metadata;
use crate::{Error, ProfilerInfo, Result};

bitflags::bitflags! {
    /// What kind of module it is (`COR_PRF_MODULE_FLAGS`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct ModuleFlags: u32 {
        /// Loaded from a file.
        const DISK = 0x1;
        /// Precompiled with NGEN (.NET Framework).
        const NGEN = 0x2;
        /// Made at run time, with `System.Reflection.Emit`.
        const DYNAMIC = 0x4;
        /// Can be unloaded.
        const COLLECTIBLE = 0x8;
        /// Has no metadata.
        const RESOURCE = 0x10;
        /// Laid out as in the file, not as an image.
        const FLAT_LAYOUT = 0x20;
        /// Windows Runtime metadata.
        const WINDOWS_RUNTIME = 0x40;
        const _ = !0;
    }
}

/// What a module is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleInfo {
    /// The file, with its path; for a module without a file whatever name it has, often none.
    pub path: String,
    /// Where the image was loaded; 0 for a module without one.
    pub base_address: usize,
    /// The assembly; `None` before `ModuleAttachedToAssembly`.
    pub assembly: Option<AssemblyId>,
    /// What kind of module it is.
    pub flags: ModuleFlags,
}

impl ModuleInfo {
    /// The file's name without its path: `System.Private.CoreLib.dll`.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }
}

/// What an assembly is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyInfo {
    /// The simple name: `System.Private.CoreLib`.
    pub name: String,
    /// The application domain that it is loaded in.
    pub app_domain: Option<AppDomainId>,
    /// The module that holds its manifest.
    pub module: Option<ModuleId>,
}

impl ProfilerInfo {
    /// What a module is (`ICorProfilerInfo3::GetModuleInfo2`). May be called from `ModuleLoadFinished` on.
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE` for a module whose loading has not come far enough.
    #[doc(alias = "GetModuleInfo")]
    #[doc(alias = "GetModuleInfo2")]
    pub fn module_info(&self, module: ModuleId) -> Result<ModuleInfo> {
        let _asking = self.looking_up(module)?;
        let (mut base_address, mut assembly, mut flags) = (null(), 0, 0);
        let path = fill_wide("ICorProfilerInfo3::GetModuleInfo2", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    asked ICorProfilerInfo3::GetModuleInfo2(
                        module.as_raw(),
                        &raw mut base_address,
                        room_of(room),
                        &raw mut needed,
                        room.as_mut_ptr(),
                        &raw mut assembly,
                        &raw mut flags,
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(ModuleInfo {
            path,
            base_address: base_address.addr(),
            assembly: self.given(AssemblyId::from_raw(assembly)),
            flags: ModuleFlags::from_bits_retain(flags),
        })
    }

    /// What an assembly is (`ICorProfilerInfo::GetAssemblyInfo`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetAssemblyInfo")]
    pub fn assembly_info(&self, assembly: AssemblyId) -> Result<AssemblyInfo> {
        let _asking = self.looking_up(assembly)?;
        let (mut app_domain, mut module) = (0, 0);
        let name = fill_wide("ICorProfilerInfo::GetAssemblyInfo", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    asked ICorProfilerInfo::GetAssemblyInfo(
                        assembly.as_raw(),
                        room_of(room),
                        &raw mut needed,
                        room.as_mut_ptr(),
                        &raw mut app_domain,
                        &raw mut module,
                    )
                )
            }?;
            Ok(needed)
        })?;
        let (app_domain, module) =
            (AppDomainId::from_raw(app_domain), self.given(ModuleId::from_raw(module)));
        Ok(AssemblyInfo { name, app_domain, module })
    }

    /// Notes a module that has been loaded.
    pub(crate) fn seen_module(&self, module: ModuleId, assembly: AssemblyId) {
        let name = self.assembly_info(assembly).map(|info| info.name).unwrap_or_default();
        let info = self.module_info(module).ok();
        let folder = info.as_ref().and_then(|info| info.path.rsplit_once(['/', '\\']));
        self.loaded().attached(
            module,
            LoadedModule {
                assembly,
                assembly_name: name.to_ascii_lowercase().into(),
                path: info.as_ref().map_or("", |info| &info.path).into(),
                generation: 0,
                folder: folder.map_or("", |(folder, _)| folder).into(),
                is_collectible: info.is_some_and(|info| info.flags.contains(ModuleFlags::COLLECTIBLE)),
                order: 0,
            },
        );
    }

    /// A module's metadata, for reading (`ICorProfilerInfo::GetModuleMetaData` with `ofRead`).
    ///
    /// # Errors
    /// What the runtime reports; for a module without metadata, that there is none.
    #[doc(alias = "GetModuleMetaData")]
    pub fn module_metadata(&self, module: ModuleId) -> Result<Metadata> {
        const CALL: &str = "ICorProfilerInfo::GetModuleMetaData";
        let _asking = self.looking_up(module)?;
        let mut out = null_mut();
        let iid = sys::IID_IMetaDataImport2;
        // SAFETY: locals.
        unsafe {
            call!(
                self,
                asked ICorProfilerInfo::GetModuleMetaData(
                    module.as_raw(),
                    sys::ofRead.0,
                    &raw const iid,
                    &raw mut out,
                )
            )
        }?;
        // SAFETY: the runtime has given a pointer to the interface that was asked for, with a reference.
        let import = unsafe { interface::from_raw::<ImportPtr>(out.cast()) };
        import.map(Metadata::new).ok_or(Error::Null { call: CALL, what: "metadata" })
    }

    /// The modules that are loaded now (`ICorProfilerInfo3::EnumModules`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EnumModules")]
    pub fn modules(&self) -> Result<Enumerator<ModuleId>> {
        let mut out = null_mut();
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo3::EnumModules(&raw mut out)) }?;
        // SAFETY: the runtime has given the enumerator, with a reference.
        unsafe { Enumerator::<ModuleId>::from_raw("ICorProfilerInfo3::EnumModules", out) }
    }
}
