//! References to types of other modules, resolved among the modules that are loaded.
//!
//! `IMetaDataImport::ResolveTypeRef` is not used: it searches the wrong modules. The reference is followed as the loader
//! follows it ([`clrnames::resolution`]). Nothing is loaded, so a type that is not loaded may not be found.
//!
//! The profiling API reports no load contexts, so that of several loaded assemblies with the right name it does not say
//! which one a reference means. They are tried in this order:
//!
//! 1. one that the referring module is bound to: a class of the one extends a class of the other;
//! 2. the same key token and version; the same key token and a higher version; any other;
//! 3. in the folder of the referring module; equally collectible; with a file that has been loaded as often before as that
//!    of the referring module, as when one context after the other loads the same files; loaded after the referring
//!    module, the sooner the better, since assemblies are loaded when they are first needed; loaded before it, the later
//!    the better.
//!
//! The third step is a guess. It can be wrong where several contexts have loaded the same file and no class of the
//! referring module extends one of that file's. Modules are never mixed up: a definition is a module and a token, and a
//! class id belongs to one module.
//!
//! A result is cached. A definition in a module that the reference is not known to be bound to, and a failure, are valid
//! until another module is loaded.

use core::cmp::Reverse;
use std::sync::Arc;

use clrnames::metadata::{AssemblyName, Manifest as _};
use clrnames::resolution::{self, Resolved};
use corprof_types::ModuleId;
use sigparse::{TypeDef, TypeDefOrRef, TypeRef};

use super::caches::CachedReference;
use super::lookup::Names;
use crate::error::{Error, Result};
use crate::runtime::LoadedModule;

/// The assembly at the end of all forwarders.
const CORE_LIB: &str = "system.private.corelib";

/// A type's definition and its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResolvedType {
    /// The module that defines the type.
    pub module: ModuleId,
    /// The definition.
    pub type_def: TypeDef,
}

impl Names {
    /// Returns the definition that a module's token refers to, among the loaded modules. Nothing is loaded.
    ///
    /// # Errors
    /// [`Error::NotFound`]: no loaded module defines the type, or the token is a `TypeSpec`. Any error of the metadata.
    pub fn resolve(&self, module: ModuleId, token: TypeDefOrRef) -> Result<ResolvedType> {
        let _lookup = self.lookup();
        match resolution::resolve(self, module, token)? {
            Some((module, type_def)) => Ok(ResolvedType { module, type_def }),
            None => {
                let name = self.metadata_name(module, token)?;
                Err(Error::NotFound(format!("no loaded module defines the type {name}")))
            }
        }
    }

    /// Returns the definition of a type that is not nested, by the simple name of a loaded assembly and its metadata name.
    ///
    /// Forwarders of the assembly are followed. Nothing is loaded.
    ///
    /// # Errors
    /// [`Error::NotFound`]: no loaded module defines the type. Any error of the metadata.
    pub fn find_type(&self, assembly: &str, name: &str) -> Result<ResolvedType> {
        let _lookup = self.lookup();
        match resolution::find_type(self, &AssemblyName::simple(assembly), name)? {
            Some((module, type_def)) => Ok(ResolvedType { module, type_def }),
            None => Err(Error::NotFound(format!("no loaded assembly {assembly} defines the type {name}"))),
        }
    }

    /// Returns the cached result of a reference, or else what `resolve` returns.
    pub(super) fn reference(
        &self,
        module: ModuleId,
        type_ref: TypeRef,
        resolve: impl FnOnce() -> Result<Resolved<ModuleId>>,
    ) -> Result<Resolved<ModuleId>> {
        let loads = self.info().loaded().loads();
        let key = (module, type_ref.token());
        if let Some(cached) = self.caches().references.get(&key)
            && (cached.is_final || cached.loads == loads)
        {
            return Ok(cached.found);
        }
        let lookup = self.caches().references.begin(key);
        // An error is not cached: the runtime may succeed later.
        let found = resolve()?;
        let is_final = found.is_some_and(|(found, _)| self.is_final(module, found));
        lookup.store(CachedReference { loads, found, is_final });
        Ok(found)
    }

    /// Returns whether references from one module mean the other, whatever else is loaded.
    fn is_final(&self, from: ModuleId, to: ModuleId) -> bool {
        let loaded = self.info().loaded();
        from == to
            || loaded.is_bound(from, to)
            || loaded.module(to).is_some_and(|module| &*module.assembly_name == CORE_LIB)
    }

    /// Returns the loaded modules that a reference to an assembly may mean, best first.
    pub(super) fn ranked_modules(&self, from: Option<ModuleId>, assembly: &AssemblyName) -> Vec<ModuleId> {
        let loaded = self.info().loaded();
        let mut candidates = loaded.modules_of(&assembly.name.to_ascii_lowercase());
        if candidates.len() > 1 {
            let referrer = from.and_then(|from| loaded.module(from));
            candidates.sort_by_cached_key(|(module, candidate)| {
                let is_bound = from.is_some_and(|from| loaded.is_bound(from, *module));
                let rank = self.assembly_name(*module).map_or(2, |name| assembly.rank(&name));
                (Reverse(is_bound), rank, referrer.as_ref().map(|referrer| nearness(referrer, candidate)))
            });
        }
        candidates.into_iter().map(|(module, _)| module).collect()
    }

    /// Returns the identity of a module's assembly; `None` where the metadata has none.
    fn assembly_name(&self, module: ModuleId) -> Option<Arc<AssemblyName>> {
        let find = || Ok(self.metadata(module)?.assembly_name()?.map(Arc::new));
        self.cached(&self.caches().assemblies, module, find).ok().flatten()
    }
}

/// Returns the distance of a module from one that refers to it; the least is the best guess.
fn nearness(referrer: &LoadedModule, candidate: &LoadedModule) -> (bool, bool, bool, bool, u64) {
    (
        referrer.folder != candidate.folder,
        referrer.is_collectible != candidate.is_collectible,
        referrer.generation != candidate.generation,
        candidate.order < referrer.order,
        candidate.order.abs_diff(referrer.order),
    )
}
