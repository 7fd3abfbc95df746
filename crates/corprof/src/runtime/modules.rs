//! Modules and assemblies, and the metadata of modules.
#![forbid(unsafe_code)]

use corprof_sys as sys;
use corprof_types::{AppDomainId, AssemblyId, ModuleId};

use super::LoadedModule;
use crate::error::Result;
use crate::metadata::{Metadata, MetadataDispenser, MetadataEmit};
use crate::raw::info::all_of;
use crate::raw::interface::ImportPtr;
use crate::raw::metadata::{Dispenser, Emit, Import};
use crate::runtime::ProfilerInfo;

bitflags::bitflags! {
    /// The kind of a module (`COR_PRF_MODULE_FLAGS`).
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

/// The path, base address, assembly and kind of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleInfo {
    /// The file, with its path; for a module without a file whatever name it has, often none.
    pub path: String,
    /// The base address of the image; 0 for a module without one.
    pub base_address: usize,
    /// The assembly; `None` before `ModuleAttachedToAssembly`.
    pub assembly: Option<AssemblyId>,
    /// The kind of the module.
    pub flags: ModuleFlags,
}

impl ModuleInfo {
    /// The file's name without its path: `System.Private.CoreLib.dll`.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }
}

/// The name, application domain and manifest module of an assembly.
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
    /// Returns the path, base address, assembly and kind of a module.
    ///
    /// `ICorProfilerInfo3::GetModuleInfo2`. May be called from `ModuleLoadFinished` on.
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE`: the module is still loading. Any other failure of the call.
    #[doc(alias = "GetModuleInfo")]
    #[doc(alias = "GetModuleInfo2")]
    pub fn module_info(&self, module: ModuleId) -> Result<ModuleInfo> {
        let (path, base_address, assembly, flags) = self.reported(|| self.raw().module_info(module))?;
        Ok(ModuleInfo { path, base_address, assembly, flags: ModuleFlags::from_bits_retain(flags) })
    }

    /// Returns the name, application domain and manifest module of an assembly.
    ///
    /// `ICorProfilerInfo::GetAssemblyInfo`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetAssemblyInfo")]
    pub fn assembly_info(&self, assembly: AssemblyId) -> Result<AssemblyInfo> {
        let (name, app_domain, module) = self.reported(|| self.raw().assembly_info(assembly))?;
        Ok(AssemblyInfo { name, app_domain, module })
    }

    /// Notes the modules that had been loaded before the profiler was attached.
    pub(crate) fn note_loaded_modules(&self) {
        if let Err(error) = self.modules() {
            tracing::warn!("the modules that are loaded already are not known: {error}");
        }
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

    /// Returns a module's metadata, for reading. `ICorProfilerInfo::GetModuleMetaData` with `ofRead`.
    ///
    /// May be called from `ModuleLoadFinished` on. The metadata of a module that can be unloaded is copied, so that the
    /// result stays valid after the unload.
    ///
    /// From the first call on, the runtime itself reads the module's metadata in a form that can grow, with a lock at each access. In a
    /// start of a program with many libraries, this takes a quarter more of the runtime's time.
    /// [`metadata_rows`](Self::metadata_rows) does not have this cost.
    ///
    /// # Errors
    /// [`Error::Unloaded`](crate::Error::Unloaded): the module has been unloaded. Any failure of the call, as for a module without metadata.
    #[doc(alias = "GetModuleMetaData")]
    pub fn module_metadata(&self, module: ModuleId) -> Result<Metadata> {
        let _lookup = self.loaded().lookup();
        self.detached(module, self.raw().module_metadata(module, sys::ofRead.0)?)
    }

    /// Returns a module's metadata, for writing. `ICorProfilerInfo::GetModuleMetaData` with `ofRead` and `ofWrite`.
    ///
    /// The runtime keeps the module's metadata in a form that can grow for the rest of its life: it copies the image's
    /// (for the core library, 40 to 50 % more memory have been reported), and every access takes a lock, the runtime's
    /// own included. [`metadata_rows`](Self::metadata_rows) and [`module_metadata`](Self::module_metadata) are for reading.
    ///
    /// May be called from `ModuleLoadFinished` on. The runtime ignores new types, and new members of types that it has
    /// loaded: define those in `ModuleLoadFinished`, and see [`apply_metadata`](Self::apply_metadata). References,
    /// signatures and string literals may be added at any time before the code that uses them is compiled.
    ///
    /// # Errors
    /// [`Error::Unloaded`](crate::Error::Unloaded): the module has been unloaded. Any failure of the call, as for a module without metadata.
    #[doc(alias = "GetModuleMetaData")]
    pub fn module_metadata_emit(&self, module: ModuleId) -> Result<MetadataEmit> {
        let _lookup = self.loaded().lookup();
        self.shared.rows.edited(module);
        let emit = Emit::new(
            self.raw().module_metadata(module, sys::ofRead.0 | sys::ofWrite.0)?,
            self.raw().edits_of(module),
        )?;
        if self.may_be_unloaded(module) {
            emit.import().detach()?;
        }
        Ok(MetadataEmit::new(emit))
    }

    /// Returns a metadata dispenser. `MetaDataGetDispenser`.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound): the runtime's library does not export it. Any failure of the call.
    pub fn metadata_dispenser(&self) -> Result<MetadataDispenser> {
        Ok(MetadataDispenser::new(Dispenser::of_library(self.raw().in_library())?))
    }

    /// The metadata of a module, which is alive; independent of the module's memory if the module can be unloaded.
    pub(super) fn detached(&self, module: ModuleId, import: ImportPtr) -> Result<Metadata> {
        let import = Import::new(import);
        if self.may_be_unloaded(module) {
            import.detach()?;
        }
        Ok(Metadata::new(import))
    }

    /// Returns `false` for a module that is never unloaded.
    pub(super) fn may_be_unloaded(&self, module: ModuleId) -> bool {
        if let Some(seen) = self.loaded().module(module) {
            return seen.is_collectible;
        }
        let info = self.module_info(module);
        info.map_or(true, |info| info.flags.intersects(ModuleFlags::COLLECTIBLE))
    }

    /// Returns the loaded modules.
    ///
    /// `ICorProfilerInfo3::EnumModules`, `ICorProfilerModuleEnum::Next`. Calls `ICorProfilerInfo3::GetModuleInfo2` for
    /// modules whose load was not seen.
    ///
    /// # Errors
    /// [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, in a callback with an object, of a collection
    /// or of a suspension, or on a thread that has suspended the runtime. Any other failure of the call.
    #[doc(alias = "EnumModules")]
    #[doc(alias = "Next")]
    pub fn modules(&self) -> Result<Vec<ModuleId>> {
        // An unload waits until the list is noted.
        let _lookup = self.loaded().lookup();
        let modules = all_of("ICorProfilerInfo3::EnumModules", self.raw().modules()?)?;
        modules.iter().for_each(|module| self.raw().alive().reported((*module).into()));
        for module in modules.iter().filter(|module| self.loaded().module(**module).is_none()) {
            if let Some(assembly) =
                self.raw().module_info(*module).ok().and_then(|(_, _, assembly, _)| assembly)
            {
                self.raw().alive().reported(assembly.into());
                self.seen_module(*module, assembly);
            }
        }
        Ok(modules)
    }
}
