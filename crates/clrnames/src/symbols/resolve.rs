//! References from one file to another: for the names of an enum's members, and for what a type extends.

use std::sync::Arc;

use sigparse::token::{AssemblyRef, TypeDef, TypeRef};
use sigparse::{ResolutionScope, TypeDefOrRef};

use super::files::AssemblyFile;
use super::{FileModule, Result, Symbolizer};
use crate::Error;
use crate::image::{AssemblyName, Exported};
use crate::metadata::Metadata as _;

/// How many forwarders and enclosing types are followed before the metadata is taken to be malformed.
const MAX_STEPS: usize = 32;

impl Symbolizer {
    /// The definition that a token refers to, in the files that are known.
    pub(super) fn resolve(&self, module: FileModule, token: TypeDefOrRef) -> Result<(FileModule, TypeDef)> {
        let found = match token {
            TypeDefOrRef::TypeDef(type_def) => Some((module, type_def)),
            TypeDefOrRef::TypeRef(type_ref) => self.resolve_ref(module, type_ref, 0)?,
            TypeDefOrRef::TypeSpec(_) => None,
        };
        let not_found = || Error::NotFound(format!("no file defines what {token} refers to")).into();
        found.ok_or_else(not_found)
    }

    fn resolve_ref(
        &self,
        module: FileModule,
        type_ref: TypeRef,
        steps: usize,
    ) -> Result<Option<(FileModule, TypeDef)>> {
        if steps == MAX_STEPS {
            return Ok(None);
        }
        let file = self.module(module);
        let reference = file.type_ref(type_ref)?;
        match reference.scope {
            Some(ResolutionScope::TypeRef(enclosing)) => {
                let Some((outer, type_def)) = self.resolve_ref(module, enclosing, steps + 1)? else {
                    return Ok(None);
                };
                let file = self.module(outer);
                let found = file.image()?.find_type_def(&reference.name, Some(type_def));
                Ok(found.map_err(|error| file.error(error))?.map(|found| (outer, found)))
            }
            Some(ResolutionScope::AssemblyRef(assembly)) => {
                self.find_in_assembly(&file, assembly, &reference.name, steps)
            }
            Some(ResolutionScope::ModuleDef(_)) | None => {
                self.find_in_module(module, &file, &reference.name, steps)
            }
            // Assemblies of several modules were never made for .NET Core.
            Some(ResolutionScope::ModuleRef(_)) => Ok(None),
        }
    }

    /// The definition of a type that is not nested, in an assembly that a file refers to or where that forwards
    /// it to. The nearest file is tried first: of the same folder, of the version that is asked for, of a
    /// higher one.
    fn find_in_assembly(
        &self,
        from: &AssemblyFile,
        assembly: AssemblyRef,
        name: &str,
        steps: usize,
    ) -> Result<Option<(FileModule, TypeDef)>> {
        let wanted = from.image()?.assembly_ref(assembly).map_err(|error| from.error(error))?;
        let mut candidates = self.files().named(&wanted.name);
        candidates
            .sort_by_cached_key(|(_, file)| (file.path.parent() != from.path.parent(), rank(&wanted, file)));
        for (module, file) in candidates {
            // One that cannot be read is not what is looked for.
            if let Ok(Some(found)) = self.find_in_module(module, &file, name, steps) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The definition of a type that is not nested, in a file or where its assembly forwards it to.
    fn find_in_module(
        &self,
        module: FileModule,
        file: &Arc<AssemblyFile>,
        name: &str,
        steps: usize,
    ) -> Result<Option<(FileModule, TypeDef)>> {
        let malformed = |error| file.error(error);
        let image = file.image()?;
        if let Some(type_def) = image.find_type_def(name, None).map_err(malformed)? {
            return Ok(Some((module, type_def)));
        }
        match image.find_exported_type(name).map_err(malformed)? {
            Some(Exported::To(assembly)) if steps < MAX_STEPS => {
                self.find_in_assembly(file, assembly, name, steps + 1)
            }
            _ => Ok(None),
        }
    }
}

/// How well a file fits a reference: 0 exactly, 1 with a higher version, 2 otherwise.
fn rank(wanted: &AssemblyName, file: &AssemblyFile) -> u8 {
    match file.image().ok().and_then(|image| image.assembly().ok().flatten()) {
        Some(has) if !has.name.eq_ignore_ascii_case(&wanted.name) => 3,
        Some(has) if has.version == wanted.version => 0,
        Some(has) if has.version > wanted.version => 1,
        _ => 2,
    }
}
