//! Assembly files as the source of a formatter, and references between them.

use std::sync::{Arc, PoisonError};

use sigparse::TypeDefOrRef;

use super::files::{AssemblyFile, FileModule};
use super::symbol_error::{Result, SymbolError};
use super::symbolizer::{Symbolizer, arguments};
use crate::csharp::TypeDefinition;
use crate::format::Formatter;
use crate::identity::TypeIdentity;
use crate::metadata::{AssemblyName, Manifest as _, Metadata as _};
use crate::resolution::ModuleSet;
use crate::source::{ClassKind, Source};

impl ModuleSet for Symbolizer {
    type Module = FileModule;
    type Metadata = AssemblyFile;
    type Error = SymbolError;

    fn metadata(&self, module: FileModule) -> Result<Arc<AssemblyFile>> {
        Ok(self.files().get(module))
    }

    /// Returns the files with the name of an assembly: those in the folder of the referring file first, then by version.
    fn candidates(&self, from: Option<FileModule>, assembly: &AssemblyName) -> Result<Vec<FileModule>> {
        let from = from.map(|from| self.files().get(from));
        let folder = from.as_ref().and_then(|from| from.path().parent());
        let mut candidates = self.files().named(&assembly.name);
        candidates.sort_by_cached_key(|(_, file)| {
            let name = file.assembly_name().ok().flatten();
            (file.path().parent() != folder, name.map_or(2, |name| assembly.rank(&name)))
        });
        Ok(candidates.into_iter().map(|(module, _)| module).collect())
    }
}

impl Source for Symbolizer {
    type Class = TypeIdentity;

    fn class_kind(&self, class: &TypeIdentity) -> Result<ClassKind<FileModule, TypeIdentity>> {
        Ok(match class {
            TypeIdentity::Defined { module, type_def, args } => {
                let (module, _) = self.files().module(*module)?;
                ClassKind::Defined { module, type_def: *type_def, args: arguments(args, 0) }
            }
            TypeIdentity::Array { element, rank } => {
                ClassKind::Array { element: (**element).clone(), rank: *rank }
            }
            TypeIdentity::Pointer(target) => ClassKind::Pointer((**target).clone()),
            TypeIdentity::Element(element) => ClassKind::Element(*element),
            TypeIdentity::Unknown => ClassKind::Unknown,
        })
    }

    fn is_value_type(&self, class: &TypeIdentity) -> Result<bool> {
        let TypeIdentity::Defined { module, type_def, .. } = class else { return Ok(false) };
        let (module, file) = self.files().module(*module)?;
        let Some(base) = file.type_def(*type_def)?.extends else { return Ok(false) };
        if matches!(base, TypeDefOrRef::TypeSpec(_)) {
            return Ok(false);
        }
        Ok(match &*Formatter::new(self).metadata_name(module, base)? {
            "System.Enum" => true,
            // The base of all enums is itself a class.
            "System.ValueType" => file.type_def(*type_def)?.name != "System.Enum",
            _ => false,
        })
    }

    fn cached_definition(
        &self,
        module: FileModule,
        token: TypeDefOrRef,
        read: impl FnOnce() -> Result<TypeDefinition>,
    ) -> Result<Arc<TypeDefinition>> {
        let definitions = || self.definitions.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (module, token.token());
        if let Some(cached) = definitions().get(&key) {
            return Ok(Arc::clone(cached));
        }
        let definition = Arc::new(read()?);
        definitions().insert(key, Arc::clone(&definition));
        Ok(definition)
    }
}
