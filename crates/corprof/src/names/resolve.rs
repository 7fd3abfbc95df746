//! References to types of other modules, resolved among what is loaded.
//!
//! `ResolveTypeRef` is not used: it looks among the wrong modules. Instead the reference is followed the way
//! the loader would have: by the name of its assembly to a loaded module, there by its own name, and through
//! forwarders to the module that really defines it. Nothing is loaded, so a type that is not loaded may not be
//! found.

use std::sync::Arc;

use sigparse::{Implementation, ResolutionScope, TypeDef, TypeDefOrRef, TypeRef};

use super::Names;
use crate::{AssemblyId, Error, ModuleId, Result};

/// How many forwarders and enclosing types are followed before the metadata is taken to be malformed.
const MAX_STEPS: usize = 32;

/// A type's definition and the module that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResolvedType {
    /// The module that defines the type.
    pub module: ModuleId,
    /// The definition.
    pub type_def: TypeDef,
}

impl Names {
    /// The definition that a module's token refers to, among the modules that are loaded. Never loads
    /// anything.
    ///
    /// # Errors
    /// [`Error::NotFound`] when no loaded module defines the type; what the metadata reports.
    pub fn resolve(&self, module: ModuleId, token: TypeDefOrRef) -> Result<ResolvedType> {
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
        self.find_in_assembly(assembly, name, 0)?
            .ok_or_else(|| Error::NotFound(format!("no loaded assembly {assembly} defines the type {name}")))
    }

    fn resolve_ref(&self, module: ModuleId, type_ref: TypeRef, steps: usize) -> Result<ResolvedType> {
        self.cached(
            |maps| &mut maps.resolved,
            (module, type_ref.token()),
            || self.find_ref(module, type_ref, steps),
        )
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
                let assembly = metadata.assembly_ref(assembly)?.name;
                self.find_in_assembly(&assembly, &reference.name, steps)?.ok_or_else(not_found)
            }
            Some(ResolutionScope::ModuleDef(_)) | None => {
                let type_def = metadata.find_type_def(&reference.name, None)?.ok_or_else(not_found)?;
                Ok(ResolvedType { module, type_def })
            }
            // Assemblies of several modules exist on the .NET Framework only.
            Some(_) => Err(not_found()),
        }
    }

    /// The definition of a type that is not nested, in a loaded assembly with this simple name or where that
    /// assembly forwards it to.
    fn find_in_assembly(&self, assembly: &str, name: &str, steps: usize) -> Result<Option<ResolvedType>> {
        for (module, id) in self.info().loaded().modules() {
            if !self.assembly_name(id)?.eq_ignore_ascii_case(assembly) {
                continue;
            }
            // A module without metadata, or on its way out, is not what is looked for.
            let Ok(metadata) = self.metadata(module) else { continue };
            if let Some(type_def) = metadata.find_type_def(name, None)? {
                return Ok(Some(ResolvedType { module, type_def }));
            }
            let Some(exported) = metadata.find_exported_type(name, None)? else { continue };
            if let Some(Implementation::AssemblyRef(target)) =
                metadata.exported_type(exported)?.implementation
                && steps < MAX_STEPS
            {
                let target = metadata.assembly_ref(target)?.name;
                if let Some(found) = self.find_in_assembly(&target, name, steps + 1)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// An assembly's simple name.
    fn assembly_name(&self, assembly: AssemblyId) -> Result<Arc<str>> {
        self.cached(
            |maps| &mut maps.assemblies,
            assembly,
            || self.info().assembly_info(assembly).map(|info| info.name.into()),
        )
    }
}
