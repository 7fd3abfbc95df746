//! The manifest: the assembly, its references, files, exported types and resources.
#![forbid(unsafe_code)]

use sigparse::Implementation;
use sigparse::token::{AssemblyRef, ExportedType, FileRef, ManifestResource, TypeDef};

use super::Metadata;
use crate::error::Result;
use crate::raw::metadata::Absent;

/// The assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyProps<'m> {
    /// The simple name: `System.Runtime`.
    pub name: String,
    /// Major, minor, build and revision.
    pub version: [u16; 4],
    /// The whole public key; empty without strong name.
    pub public_key: &'m [u8],
}

/// A reference to another assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyRefProps<'m> {
    /// The simple name: `System.Runtime`.
    pub name: String,
    /// Major, minor, build and revision.
    pub version: [u16; 4],
    /// The public key token, or the whole key; empty without strong name.
    pub public_key_or_token: &'m [u8],
}

/// An exported type that this module does not define: usually a forwarded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedTypeProps {
    /// Namespace and name; of a nested type the name alone.
    pub name: String,
    /// The defining assembly or file, or the enclosing type.
    pub implementation: Option<Implementation>,
    /// A hint at the definition's token in a file of this assembly.
    pub type_def: Option<TypeDef>,
}

/// A resource of the assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestResourceProps {
    /// The name: `Shop.Texts.resources`.
    pub name: String,
    /// The file or assembly with the resource; `None` for this file.
    pub implementation: Option<Implementation>,
    /// The offset in the resources of this file; meaningless for others.
    pub offset: u32,
    /// `true` if other assemblies may read it.
    pub is_public: bool,
}

impl Metadata {
    /// Returns the assembly. `IMetaDataAssemblyImport::GetAssemblyFromScope`, `IMetaDataAssemblyImport::GetAssemblyProps`.
    ///
    /// `None` for a module without a manifest.
    ///
    /// # Errors
    /// Any failure of the calls except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "GetAssemblyFromScope")]
    #[doc(alias = "GetAssemblyProps")]
    pub fn assembly(&self) -> Result<Option<AssemblyProps<'_>>> {
        let Some(token) = self.raw.assembly_token().or_absent()? else { return Ok(None) };
        let (public_key, name, version) = self.raw.assembly(token)?;
        Ok(Some(AssemblyProps { name, version, public_key }))
    }

    /// Returns the references to other assemblies. `IMetaDataAssemblyImport::EnumAssemblyRefs`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumAssemblyRefs")]
    pub fn assembly_refs(&self) -> Result<Vec<AssemblyRef>> {
        self.raw.assembly_refs()
    }

    /// Returns a reference to another assembly. `IMetaDataAssemblyImport::GetAssemblyRefProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetAssemblyRefProps")]
    pub fn assembly_ref(&self, token: AssemblyRef) -> Result<AssemblyRefProps<'_>> {
        let (public_key_or_token, name, version) = self.raw.assembly_ref(token)?;
        Ok(AssemblyRefProps { name, version, public_key_or_token })
    }

    /// Returns the other files of the assembly. `IMetaDataAssemblyImport::EnumFiles`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumFiles")]
    pub fn files(&self) -> Result<Vec<FileRef>> {
        self.raw.files()
    }

    /// Returns the name of another file of the assembly. `IMetaDataAssemblyImport::GetFileProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetFileProps")]
    pub fn file(&self, token: FileRef) -> Result<String> {
        self.raw.file(token)
    }

    /// Returns the exported types of other modules. `IMetaDataAssemblyImport::EnumExportedTypes`.
    ///
    /// Most of them are forwarded.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumExportedTypes")]
    pub fn exported_types(&self) -> Result<Vec<ExportedType>> {
        self.raw.exported_types()
    }

    /// Returns an exported type. `IMetaDataAssemblyImport::GetExportedTypeProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetExportedTypeProps")]
    pub fn exported_type(&self, token: ExportedType) -> Result<ExportedTypeProps> {
        let (name, implementation, type_def) = self.raw.exported_type(token)?;
        Ok(ExportedTypeProps { name, implementation, type_def })
    }

    /// Finds an exported type by its name. `IMetaDataAssemblyImport::FindExportedTypeByName`.
    ///
    /// `enclosing` is the enclosing type of a nested type.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "FindExportedTypeByName")]
    pub fn find_exported_type(
        &self,
        name: &str,
        enclosing: Option<ExportedType>,
    ) -> Result<Option<ExportedType>> {
        self.raw.find_exported_type(name, enclosing).or_absent().map(Option::flatten)
    }

    /// Returns the resources of the assembly. `IMetaDataAssemblyImport::EnumManifestResources`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumManifestResources")]
    pub fn manifest_resources(&self) -> Result<Vec<ManifestResource>> {
        self.raw.manifest_resources()
    }

    /// Returns a resource of the assembly. `IMetaDataAssemblyImport::GetManifestResourceProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetManifestResourceProps")]
    pub fn manifest_resource(&self, token: ManifestResource) -> Result<ManifestResourceProps> {
        let (name, implementation, offset, flags) = self.raw.manifest_resource(token)?;
        let is_public = flags & corprof_sys::mrVisibilityMask.0 == corprof_sys::mrPublic.0;
        Ok(ManifestResourceProps { name, implementation, offset, is_public })
    }

    /// Finds a resource by its name. `IMetaDataAssemblyImport::FindManifestResourceByName`.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "FindManifestResourceByName")]
    pub fn find_manifest_resource(&self, name: &str) -> Result<Option<ManifestResource>> {
        self.raw.find_manifest_resource(name).or_absent().map(Option::flatten)
    }
}
