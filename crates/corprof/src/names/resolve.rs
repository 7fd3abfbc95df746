//! References to types of other modules, resolved among what is loaded.
//!
//! `ResolveTypeRef` is not used: it looks among the wrong modules. Instead the reference is followed the way
//! the loader would have: by the name of its assembly to a loaded module, there by its own name, and through
//! forwarders to the module that really defines it. Nothing is loaded, so a type that is not loaded may not be
//! found.
//!
//! Which of several loaded assemblies with the right name is meant, the profiling API does not tell: it knows
//! no load contexts. They are tried in this order:
//!
//! 1. one that the referring module is known to be bound to: a class of it extends a class of that one;
//! 2. the same key token and version; the same key token and a higher version; any other;
//! 3. in the same folder as the referring module; collectible as it is; whose file has been loaded as often
//!    before as the referring module's, as when one context after the other loads the same files; loaded after
//!    it, the sooner the better, since assemblies are loaded when they are first needed; loaded before it, the
//!    later the better.
//!
//! The third step is a guess. It can be wrong where several contexts have loaded the same file and no class of
//! the referring module extends one of that file's. The modules themselves are never mixed up: a type's
//! definition is a module and a token, and a class id belongs to one module.
//!
//! What is found is remembered, and what is not found as well, until another module is loaded.

use core::cmp::Reverse;

use sigparse::{Implementation, ResolutionScope, TypeDef, TypeDefOrRef, TypeRef};
use std::sync::Arc;

use super::Names;
use super::key_token::{KeyToken, key_token};
use crate::info::LoadedModule;
use crate::{Error, ModuleId, Result};

/// How many forwarders and enclosing types are followed before the metadata is taken to be malformed.
const MAX_STEPS: usize = 32;

/// The assembly that everything is forwarded to in the end.
const CORE_LIB: &str = "system.private.corelib";

/// A type's definition and the module that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResolvedType {
    /// The module that defines the type.
    pub module: ModuleId,
    /// The definition.
    pub type_def: TypeDef,
}

/// What is remembered of a reference.
#[derive(Clone, Debug)]
pub(super) struct Resolution {
    /// How many modules had been loaded.
    loads: u64,
    /// What was found, or the message that says what was not.
    found: Result<ResolvedType, Arc<str>>,
    /// Whether a module that is loaded later cannot be the better answer.
    settled: bool,
}

impl Resolution {
    /// Whether a type of this module was found.
    pub(super) fn is_in(&self, module: ModuleId) -> bool {
        self.found.as_ref().is_ok_and(|found| found.module == module)
    }
}

/// What an assembly says of itself, as far as references mention it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    version: [u16; 4],
    key_token: KeyToken,
}

/// The assembly that a reference means.
struct Wanted {
    name: String,
    /// Unknown when only a name was given.
    identity: Option<Identity>,
}

impl Names {
    /// The definition that a module's token refers to, among the modules that are loaded. Never loads
    /// anything.
    ///
    /// # Errors
    /// [`Error::NotFound`] when no loaded module defines the type; what the metadata reports.
    pub fn resolve(&self, module: ModuleId, token: TypeDefOrRef) -> Result<ResolvedType> {
        let _lookup = self.lookup();
        match token {
            TypeDefOrRef::TypeDef(type_def) => Ok(ResolvedType { module, type_def }),
            TypeDefOrRef::TypeRef(type_ref) => self.resolve_ref(module, type_ref, 0),
            TypeDefOrRef::TypeSpec(spec) => {
                Err(Error::NotFound(format!("{spec} is a composed type and has no definition")))
            }
        }
    }

    /// The definition of a type that is not nested, by the simple name of a loaded assembly and its own name
    /// with the namespace; also where that assembly forwards it to. Never loads anything.
    ///
    /// # Errors
    /// [`Error::NotFound`] when no loaded module defines the type; what the metadata reports.
    pub fn find_type(&self, assembly: &str, name: &str) -> Result<ResolvedType> {
        let _lookup = self.lookup();
        let wanted = Wanted { name: assembly.to_owned(), identity: None };
        self.find_in_assembly(None, &wanted, name, 0)?
            .ok_or_else(|| Error::NotFound(format!("no loaded assembly {assembly} defines the type {name}")))
    }

    fn resolve_ref(&self, module: ModuleId, type_ref: TypeRef, steps: usize) -> Result<ResolvedType> {
        let (loads, unloads) = (self.info().loaded().loads(), self.info().loaded().unloads());
        let key = (module, type_ref.token());
        let known = self.inner.caches.with(|maps| maps.resolved.get(&key).cloned());
        if let Some(known) = known
            && (known.settled || known.loads == loads)
        {
            return known.found.map_err(|message| Error::NotFound(message.to_string()));
        }
        let found = match self.find_ref(module, type_ref, steps) {
            Ok(found) => Ok(found),
            Err(Error::NotFound(message)) => Err(message.into()),
            // What the runtime has refused now it may answer later.
            Err(error) => return Err(error),
        };
        let settled = found.as_ref().is_ok_and(|found| self.is_settled(module, found.module));
        let resolution = Resolution { loads, found: found.clone(), settled };
        self.inner.caches.with(|maps| {
            if self.info().loaded().unloads() == unloads {
                maps.resolved.insert(key, resolution);
            }
        });
        found.map_err(|message| Error::NotFound(message.to_string()))
    }

    /// Whether a reference between two modules stays what it is, whatever else is loaded.
    fn is_settled(&self, from: ModuleId, to: ModuleId) -> bool {
        let loaded = self.info().loaded();
        from == to
            || loaded.is_bound(from, to)
            || loaded.module(to).is_some_and(|module| &*module.assembly_name == CORE_LIB)
    }

    fn find_ref(&self, module: ModuleId, type_ref: TypeRef, steps: usize) -> Result<ResolvedType> {
        let metadata = self.metadata(module)?;
        let reference = metadata.type_ref(type_ref)?;
        let not_found = || Error::NotFound(format!("no loaded module defines the type {}", reference.name));
        if steps == MAX_STEPS {
            return Err(not_found());
        }
        match reference.scope {
            Some(ResolutionScope::TypeRef(enclosing)) => {
                let outer = self.resolve_ref(module, enclosing, steps + 1)?;
                let found =
                    self.metadata(outer.module)?.find_type_def(&reference.name, Some(outer.type_def))?;
                let type_def = found.ok_or_else(not_found)?;
                Ok(ResolvedType { module: outer.module, type_def })
            }
            Some(ResolutionScope::AssemblyRef(assembly)) => {
                let wanted = self.wanted(module, assembly)?;
                self.find_in_assembly(Some(module), &wanted, &reference.name, steps)?.ok_or_else(not_found)
            }
            Some(ResolutionScope::ModuleDef(_)) => {
                let type_def = metadata.find_type_def(&reference.name, None)?.ok_or_else(not_found)?;
                Ok(ResolvedType { module, type_def })
            }
            Some(ResolutionScope::ModuleRef(other)) => {
                let file = metadata.module_ref(other)?;
                self.find_in_file(module, &file, &reference.name)?.ok_or_else(not_found)
            }
            // Without a scope the assembly exports it, or the module itself has it.
            None => self.find_in_module(module, &reference.name, steps)?.ok_or_else(not_found),
        }
    }

    /// The assembly that a module refers to.
    fn wanted(&self, module: ModuleId, assembly: sigparse::token::AssemblyRef) -> Result<Wanted> {
        let metadata = self.metadata(module)?;
        let props = metadata.assembly_ref(assembly)?;
        let identity = Identity { version: props.version, key_token: key_token(props.public_key_or_token) };
        Ok(Wanted { name: props.name, identity: Some(identity) })
    }

    /// The definition of a type that is not nested, in a loaded assembly or where that assembly forwards it to.
    fn find_in_assembly(
        &self,
        from: Option<ModuleId>,
        wanted: &Wanted,
        name: &str,
        steps: usize,
    ) -> Result<Option<ResolvedType>> {
        for candidate in self.candidates(from, wanted) {
            if let Some(found) = self.find_in_module(candidate, name, steps)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The loaded modules that a reference to an assembly may mean, the best one first.
    fn candidates(&self, from: Option<ModuleId>, wanted: &Wanted) -> Vec<ModuleId> {
        let loaded = self.info().loaded();
        let mut candidates = loaded.modules_of(&wanted.name.to_ascii_lowercase());
        if candidates.len() > 1 {
            let referrer = from.and_then(|from| loaded.module(from));
            candidates.sort_by_cached_key(|(module, candidate)| {
                let is_bound = from.is_some_and(|from| loaded.is_bound(from, *module));
                let rank = wanted.identity.map_or(0, |wanted| self.rank(wanted, *module));
                (Reverse(is_bound), rank, referrer.as_ref().map(|referrer| nearness(referrer, candidate)))
            });
        }
        candidates.into_iter().map(|(module, _)| module).collect()
    }

    /// How well an assembly fits a reference: 0 exactly, 1 with a higher version, 2 otherwise.
    fn rank(&self, wanted: Identity, module: ModuleId) -> u8 {
        let identity = self.cached(
            |maps| &mut maps.identities,
            module,
            || {
                let metadata = self.metadata(module)?;
                Ok(metadata
                    .assembly()?
                    .map(|props| Identity { version: props.version, key_token: key_token(props.public_key) }))
            },
        );
        // A reference without key token does not ask for one.
        match identity {
            Ok(Some(has)) if wanted.key_token.is_some() && has.key_token != wanted.key_token => 2,
            Ok(Some(has)) if has.version == wanted.version => 0,
            Ok(Some(has)) if has.version > wanted.version => 1,
            _ => 2,
        }
    }

    /// The definition of a type that is not nested, in a module or where its assembly forwards it to.
    fn find_in_module(&self, module: ModuleId, name: &str, steps: usize) -> Result<Option<ResolvedType>> {
        // A module without metadata, or on its way out, is not what is looked for.
        let Ok(metadata) = self.metadata(module) else { return Ok(None) };
        if let Some(type_def) = metadata.find_type_def(name, None)? {
            return Ok(Some(ResolvedType { module, type_def }));
        }
        let Some(exported) = metadata.find_exported_type(name, None)? else { return Ok(None) };
        match metadata.exported_type(exported)?.implementation {
            Some(Implementation::AssemblyRef(target)) if steps < MAX_STEPS => {
                let wanted = self.wanted(module, target)?;
                self.find_in_assembly(Some(module), &wanted, name, steps + 1)
            }
            Some(Implementation::FileRef(file)) => {
                let file = metadata.file(file)?;
                self.find_in_file(module, &file, name)
            }
            _ => Ok(None),
        }
    }

    /// The definition of a type that is not nested, in another module of the same assembly.
    fn find_in_file(&self, module: ModuleId, file: &str, name: &str) -> Result<Option<ResolvedType>> {
        let loaded = self.info().loaded();
        let Some(assembly) = loaded.module(module).map(|module| module.assembly) else { return Ok(None) };
        for other in loaded.modules_in(assembly) {
            if self.module(other)?.file_name().eq_ignore_ascii_case(file)
                && let Some(type_def) = self.metadata(other)?.find_type_def(name, None)?
            {
                return Ok(Some(ResolvedType { module: other, type_def }));
            }
        }
        Ok(None)
    }
}

/// How far a module is from the one that refers to it: the least is the best guess.
fn nearness(referrer: &LoadedModule, candidate: &LoadedModule) -> (bool, bool, bool, bool, u64) {
    (
        referrer.folder != candidate.folder,
        referrer.is_collectible != candidate.is_collectible,
        referrer.generation != candidate.generation,
        candidate.order < referrer.order,
        candidate.order.abs_diff(referrer.order),
    )
}
