//! The manifest: the assembly, its references, files, exported types and resources.
#![forbid(unsafe_code)]

use corprof_sys as sys;
use sigparse::Implementation;
use sigparse::token::{AssemblyDef, AssemblyRef, ExportedType, FileRef, ManifestResource, TypeDef};

use super::MetadataEmit;
use crate::error::Result;

/// The identity of an assembly.
#[derive(Clone, Copy, Debug)]
pub struct AssemblyIdentity<'a> {
    /// The simple name: `System.Runtime`.
    pub name: &'a str,
    /// Major, minor, build and revision.
    pub version: [u16; 4],
    /// `de-DE`; empty for the neutral one.
    pub culture: &'a str,
    /// The public key, or for a reference without the flag `afPublicKey` its token. Empty without strong name.
    pub public_key_or_token: &'a [u8],
    /// `CorAssemblyFlags` (ECMA-335 II.23.1.2).
    pub flags: u32,
}

/// The target of an exported type.
#[derive(Clone, Copy, Debug)]
pub struct ExportedTypeTarget {
    /// Another assembly for a forwarded type, a file of this one, or the enclosing type.
    pub implementation: Implementation,
    /// A hint at the definition's token in a file of this assembly.
    pub type_def: Option<TypeDef>,
    /// The visibility (`CorTypeAttr`); 0x200000 for a forwarded one.
    pub attributes: u32,
}

/// The location of a resource.
#[derive(Clone, Copy, Debug)]
pub struct ResourcePlace {
    /// Another file or assembly; `None` for this file.
    pub implementation: Option<Implementation>,
    /// The offset in the resources of this file.
    pub offset: u32,
    /// `true` if other assemblies may read it.
    pub is_public: bool,
}

impl ResourcePlace {
    fn flags(self) -> u32 {
        if self.is_public { sys::mrPublic.0 } else { sys::mrPrivate.0 }
    }
}

impl MetadataEmit {
    /// Defines the assembly. `IMetaDataAssemblyEmit::DefineAssembly`.
    ///
    /// `hash_algorithm` is an `ALG_ID` (ECMA-335 II.23.1.1), 0x8004 for SHA-1.
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other): the name or culture contains a zero. Any failure of the call.
    #[doc(alias = "DefineAssembly")]
    pub fn define_assembly(
        &self,
        identity: &AssemblyIdentity<'_>,
        hash_algorithm: u32,
    ) -> Result<AssemblyDef> {
        let AssemblyIdentity { name, version, culture, public_key_or_token, flags } = *identity;
        self.raw.define_assembly(public_key_or_token, hash_algorithm, name, version, culture, flags)
    }

    /// Changes the assembly. `IMetaDataAssemblyEmit::SetAssemblyProps`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: there is no such row. As for [`define_assembly`](Self::define_assembly).
    #[doc(alias = "SetAssemblyProps")]
    pub fn set_assembly(
        &self,
        assembly: AssemblyDef,
        identity: &AssemblyIdentity<'_>,
        hash_algorithm: u32,
    ) -> Result<()> {
        let AssemblyIdentity { name, version, culture, public_key_or_token, flags } = *identity;
        self.raw.set_assembly(assembly, public_key_or_token, hash_algorithm, name, version, culture, flags)
    }

    /// Adds a reference to another assembly. `IMetaDataAssemblyEmit::DefineAssemblyRef`.
    ///
    /// A present one is not looked up: [`Metadata::assembly_refs`](crate::Metadata::assembly_refs) returns them.
    ///
    /// # Errors
    /// As for [`define_assembly`](Self::define_assembly).
    #[doc(alias = "DefineAssemblyRef")]
    pub fn define_assembly_ref(&self, identity: &AssemblyIdentity<'_>) -> Result<AssemblyRef> {
        let AssemblyIdentity { name, version, culture, public_key_or_token, flags } = *identity;
        self.raw.define_assembly_ref(public_key_or_token, name, version, culture, flags)
    }

    /// Changes a reference to another assembly. `IMetaDataAssemblyEmit::SetAssemblyRefProps`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: there is no such row. As for [`define_assembly`](Self::define_assembly).
    #[doc(alias = "SetAssemblyRefProps")]
    pub fn set_assembly_ref(&self, assembly: AssemblyRef, identity: &AssemblyIdentity<'_>) -> Result<()> {
        let AssemblyIdentity { name, version, culture, public_key_or_token, flags } = *identity;
        self.raw.set_assembly_ref(assembly, public_key_or_token, name, version, culture, flags)
    }

    /// Adds another file of the assembly. `IMetaDataAssemblyEmit::DefineFile`.
    ///
    /// `hash` is the hash of its contents.
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other): the name contains a zero. Any failure of the call.
    #[doc(alias = "DefineFile")]
    pub fn define_file(&self, name: &str, hash: &[u8], contains_metadata: bool) -> Result<FileRef> {
        self.raw.define_file(name, hash, file_flags(contains_metadata))
    }

    /// Changes another file of the assembly. `IMetaDataAssemblyEmit::SetFileProps`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: there is no such row. Any other failure of the call.
    #[doc(alias = "SetFileProps")]
    pub fn set_file(&self, file: FileRef, hash: &[u8], contains_metadata: bool) -> Result<()> {
        self.raw.set_file(file, hash, file_flags(contains_metadata))
    }

    /// Adds an exported type of another module. `IMetaDataAssemblyEmit::DefineExportedType`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the implementation does not exist. [`Error::Other`](crate::Error::Other): the name
    /// contains a zero. Any other failure of the call.
    #[doc(alias = "DefineExportedType")]
    pub fn define_exported_type(&self, name: &str, target: &ExportedTypeTarget) -> Result<ExportedType> {
        let ExportedTypeTarget { implementation, type_def, attributes } = *target;
        self.raw.define_exported_type(name, implementation, type_def, attributes)
    }

    /// Changes an exported type. `IMetaDataAssemblyEmit::SetExportedTypeProps`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. Any other failure of the call.
    #[doc(alias = "SetExportedTypeProps")]
    pub fn set_exported_type(&self, exported: ExportedType, target: &ExportedTypeTarget) -> Result<()> {
        let ExportedTypeTarget { implementation, type_def, attributes } = *target;
        self.raw.set_exported_type(exported, implementation, type_def, attributes)
    }

    /// Adds a resource. `IMetaDataAssemblyEmit::DefineManifestResource`.
    ///
    /// # Errors
    /// As for [`define_exported_type`](Self::define_exported_type).
    #[doc(alias = "DefineManifestResource")]
    pub fn define_manifest_resource(&self, name: &str, place: ResourcePlace) -> Result<ManifestResource> {
        self.raw.define_manifest_resource(name, place.implementation, place.offset, place.flags())
    }

    /// Changes a resource. `IMetaDataAssemblyEmit::SetManifestResourceProps`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. Any other failure of the call.
    #[doc(alias = "SetManifestResourceProps")]
    pub fn set_manifest_resource(&self, resource: ManifestResource, place: ResourcePlace) -> Result<()> {
        self.raw.set_manifest_resource(resource, place.implementation, place.offset, place.flags())
    }
}

/// `CorFileFlags`.
fn file_flags(contains_metadata: bool) -> u32 {
    if contains_metadata { sys::ffContainsMetaData.0 } else { sys::ffContainsNoMetaData.0 }
}
