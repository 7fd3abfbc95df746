//! Type references between modules, resolved to definitions.
//!
//! A reference is followed as the loader follows it: by the identity of its assembly to a module, there by the type's
//! name, and through forwarders to the module that defines the type. Which modules there are, and which of several
//! assemblies with the right name is the best, is up to a [`ModuleSet`].

use core::fmt::Debug;
use core::hash::Hash;
use std::collections::HashSet;
use std::sync::Arc;

use sigparse::token::{TypeDef, TypeRef};
use sigparse::{ResolutionScope, TypeDefOrRef};

use crate::error::Error;
use crate::limits::MAX_STEPS;
use crate::metadata::{AssemblyName, Exported, Manifest, Metadata};

/// A module and a definition in it; `None` if no module defines the type.
pub type Resolved<M> = Option<(M, TypeDef)>;

/// The modules among which references are resolved.
///
/// The crate `corprof` implements it for the modules that a process has loaded, and `Symbolizer` for assembly files.
#[allow(clippy::missing_errors_doc, reason = "any error of the metadata, for all of them")]
pub trait ModuleSet: Sized {
    /// A module.
    type Module: Copy + Debug + Eq + Hash;
    /// A module's metadata.
    type Metadata: Manifest;
    /// Any failure.
    type Error: From<Error> + From<<Self::Metadata as Metadata>::Error>;

    /// Returns a module's metadata.
    fn metadata(&self, module: Self::Module) -> Result<Arc<Self::Metadata>, Self::Error>;

    /// Returns the modules that a reference to an assembly may mean, best first. `from` is the module with the reference.
    fn candidates(
        &self,
        from: Option<Self::Module>,
        assembly: &AssemblyName,
    ) -> Result<Vec<Self::Module>, Self::Error>;

    /// Returns the module with a file name in the assembly of another module.
    ///
    /// Returns `None` by default: the assemblies of .NET Core have one module.
    fn module_of_assembly(&self, of: Self::Module, file: &str) -> Result<Option<Self::Module>, Self::Error> {
        let _ = (of, file);
        Ok(None)
    }

    /// Resolves a reference by `resolve`. Override this to cache the result.
    fn cached_reference(
        &self,
        module: Self::Module,
        type_ref: TypeRef,
        resolve: impl FnOnce() -> Result<Resolved<Self::Module>, Self::Error>,
    ) -> Result<Resolved<Self::Module>, Self::Error> {
        let _ = (module, type_ref);
        resolve()
    }
}

/// The result of a resolution in a set.
type Found<S> = Result<Resolved<<S as ModuleSet>::Module>, <S as ModuleSet>::Error>;

/// Returns the definition that a module's token refers to. A `TypeSpec` has none.
///
/// # Errors
/// Any error of the set and its metadata.
pub fn resolve<S: ModuleSet>(modules: &S, module: S::Module, token: TypeDefOrRef) -> Found<S> {
    match token {
        TypeDefOrRef::TypeDef(type_def) => Ok(Some((module, type_def))),
        TypeDefOrRef::TypeRef(type_ref) => resolve_ref(modules, module, type_ref, 0),
        TypeDefOrRef::TypeSpec(_) => Ok(None),
    }
}

/// Returns the definition of a type that is not nested, by its assembly and its metadata name.
///
/// # Errors
/// Any error of the set and its metadata.
pub fn find_type<S: ModuleSet>(modules: &S, assembly: &AssemblyName, name: &str) -> Found<S> {
    find_in_assembly(modules, None, assembly, name, &mut Searched::default())
}

fn resolve_ref<S: ModuleSet>(modules: &S, module: S::Module, type_ref: TypeRef, steps: usize) -> Found<S> {
    if steps == MAX_STEPS {
        return Ok(None);
    }
    modules.cached_reference(module, type_ref, || {
        let metadata = modules.metadata(module)?;
        let reference = metadata.type_ref(type_ref)?;
        match reference.scope {
            Some(ResolutionScope::TypeRef(enclosing)) => {
                let Some((outer, type_def)) = resolve_ref(modules, module, enclosing, steps + 1)? else {
                    return Ok(None);
                };
                let nested = modules.metadata(outer)?.find_type_def(&reference.name, Some(type_def))?;
                Ok(nested.map(|nested| (outer, nested)))
            }
            Some(ResolutionScope::AssemblyRef(assembly)) => {
                let assembly = metadata.referenced_assembly(assembly)?;
                find_in_assembly(modules, Some(module), &assembly, &reference.name, &mut Searched::default())
            }
            Some(ResolutionScope::ModuleRef(other)) => {
                let file = metadata.referenced_module(other)?;
                find_in_file(modules, module, &file, &reference.name)
            }
            // Without a scope the assembly exports the type.
            Some(ResolutionScope::ModuleDef(_)) | None => {
                find_in_module(modules, module, &metadata, &reference.name, &mut Searched::default())
            }
        }
    })
}

/// The modules in which one name is looked for: each once, and by so many forwarders at most.
///
/// An assembly may have several candidates, and each of them may forward the type to an assembly with several ones: without
/// the list, the ways through them are as many as the candidates to the power of the forwarders.
struct Searched<M> {
    modules: HashSet<M>,
    forwarders: usize,
}

impl<M> Default for Searched<M> {
    fn default() -> Self {
        Self { modules: HashSet::new(), forwarders: 0 }
    }
}

fn find_in_assembly<S: ModuleSet>(
    modules: &S,
    from: Option<S::Module>,
    assembly: &AssemblyName,
    name: &str,
    searched: &mut Searched<S::Module>,
) -> Found<S> {
    let mut failed = None;
    for candidate in modules.candidates(from, assembly)? {
        if searched.modules.contains(&candidate) {
            continue;
        }
        // A module without metadata, or one that is being unloaded, defines nothing.
        let Ok(metadata) = modules.metadata(candidate) else { continue };
        match find_in_module(modules, candidate, &metadata, name, searched) {
            Ok(None) => {}
            Ok(found) => return Ok(found),
            // A malformed candidate does not hide a good one.
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(None), Err)
}

/// Finds a type that is not nested in a module, or where its assembly forwards it to.
fn find_in_module<S: ModuleSet>(
    modules: &S,
    module: S::Module,
    metadata: &S::Metadata,
    name: &str,
    searched: &mut Searched<S::Module>,
) -> Found<S> {
    searched.modules.insert(module);
    if let Some(type_def) = metadata.find_type_def(name, None)? {
        return Ok(Some((module, type_def)));
    }
    match metadata.find_exported_type(name)? {
        Some(Exported::Forwarded(target)) if searched.forwarders < MAX_STEPS => {
            let target = metadata.referenced_assembly(target)?;
            searched.forwarders += 1;
            let found = find_in_assembly(modules, Some(module), &target, name, searched);
            searched.forwarders -= 1;
            found
        }
        Some(Exported::File(file)) => find_in_file(modules, module, &file, name),
        _ => Ok(None),
    }
}

/// Finds a type that is not nested in another module of the same assembly.
fn find_in_file<S: ModuleSet>(modules: &S, module: S::Module, file: &str, name: &str) -> Found<S> {
    let Some(other) = modules.module_of_assembly(module, file)? else { return Ok(None) };
    let type_def = modules.metadata(other)?.find_type_def(name, None)?;
    Ok(type_def.map(|type_def| (other, type_def)))
}
