//! Metadata for the formatter: the traits of `clrnames`, over `IMetaDataImport`.

use clrnames::metadata as rows;
use clrnames::metadata::{AssemblyName, Exported, Manifest, key_token};
use sigparse::Implementation;
use sigparse::token::{AssemblyRef, ModuleRef, TypeDef};

use crate::error::{Error, Result};
use crate::metadata::Metadata;

/// Forwards each method to the inherent one of the same name.
macro_rules! forward {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $ty),*) -> Result<$out> {
            Metadata::$name(self, $($arg),*)
        })*
    };
}

impl rows::Metadata for Metadata {
    type Error = Error;

    clrnames::__metadata_methods!(forward);
}

impl Manifest for Metadata {
    fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>> {
        Metadata::find_type_def(self, name, enclosing)
    }

    fn find_exported_type(&self, name: &str) -> Result<Option<Exported>> {
        let Some(exported) = Metadata::find_exported_type(self, name, None)? else { return Ok(None) };
        Ok(Some(match self.exported_type(exported)?.implementation {
            Some(Implementation::AssemblyRef(target)) => Exported::Forwarded(target),
            Some(Implementation::FileRef(file)) => Exported::File(self.file(file)?),
            _ => Exported::Nested,
        }))
    }

    fn assembly_name(&self) -> Result<Option<AssemblyName>> {
        Ok(self.assembly()?.map(|assembly| AssemblyName {
            key_token: key_token(assembly.public_key),
            name: assembly.name,
            version: assembly.version,
        }))
    }

    fn referenced_assembly(&self, token: AssemblyRef) -> Result<AssemblyName> {
        let assembly = self.assembly_ref(token)?;
        let key_token = key_token(assembly.public_key_or_token);
        Ok(AssemblyName { name: assembly.name, version: assembly.version, key_token })
    }

    fn referenced_module(&self, token: ModuleRef) -> Result<String> {
        self.module_ref(token)
    }
}
