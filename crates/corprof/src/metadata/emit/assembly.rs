//! Manifests: the assembly, what it refers to, exports and contains.
#![allow(unsafe_code)]

use corprof_sys as sys;
use sigparse::Implementation;
use sigparse::token::{AssemblyDef, AssemblyRef, ExportedType, FileRef, ManifestResource, TypeDef};
use widestring::U16CString;

use super::{MetadataEmit, blob, wide};
use crate::control::assembly_metadata;
use crate::{Error, Result};

/// What identifies an assembly.
#[derive(Clone, Copy, Debug)]
pub struct AssemblyIdentity<'a> {
    /// The simple name: `System.Runtime`.
    pub name: &'a str,
    /// Major, minor, build and revision.
    pub version: [u16; 4],
    /// `de-DE`; empty for the neutral one.
    pub culture: &'a str,
    /// The public key of an assembly; of a reference its token, or the whole key with the flag `afPublicKey`. Empty
    /// without strong name.
    pub public_key_or_token: &'a [u8],
    /// `CorAssemblyFlags` (ECMA-335 II.23.1.2).
    pub flags: u32,
}

/// Where an exported type is.
#[derive(Clone, Copy, Debug)]
pub struct ExportedTypeTarget {
    /// Another assembly for a forwarded type, a file of this one, or the type that it is nested in.
    pub implementation: Implementation,
    /// A hint at the definition's token in a file of this assembly.
    pub type_def: Option<TypeDef>,
    /// `CorTypeAttr`: its visibility; 0x200000 for a forwarded one.
    pub attributes: u32,
}

/// Where a resource is.
#[derive(Clone, Copy, Debug)]
pub struct ResourcePlace {
    /// Another file or assembly; `None` for this file.
    pub implementation: Option<Implementation>,
    /// Where it begins in this file, from where its resources begin.
    pub offset: u32,
    /// Whether other assemblies may read it.
    pub is_public: bool,
}

impl ResourcePlace {
    fn flags(self) -> u32 {
        if self.is_public { sys::mrPublic.0 } else { sys::mrPrivate.0 }
    }
}

/// An identity as the metadata takes it. The structure borrows from the texts.
struct Identity {
    name: U16CString,
    culture: U16CString,
    version: [u16; 4],
}

impl Identity {
    fn of(identity: &AssemblyIdentity<'_>) -> Result<Self> {
        let (name, culture) = (wide(identity.name)?, wide(identity.culture)?);
        Ok(Self { name, culture, version: identity.version })
    }

    /// The structure, which the metadata only reads.
    fn structure(&self) -> sys::ASSEMBLYMETADATA {
        assembly_metadata(self.version, &self.culture)
    }
}

/// Calls a method of `IMetaDataAssemblyEmit`; see `emit!`.
macro_rules! manifest {
    ($emit:expr, $method:ident($($arg:expr),* $(,)?)) => {{
        let this = $emit.assembly_emit()?.as_ptr();
        let code = ((*(*this).lpVtbl).$method)(this, $($arg),*);
        $crate::info::checked(concat!("IMetaDataAssemblyEmit::", stringify!($method)), code)
    }};
}

/// Calls a method that gives a token in its last argument; see `define!`.
macro_rules! define_manifest {
    ($emit:expr, $method:ident($($arg:expr),* $(,)?) -> $token:ident) => {{
        let mut token = 0;
        manifest!($emit, $method($($arg,)* &raw mut token))?;
        $token::from_token(token).ok_or(Error::Null {
            call: concat!("IMetaDataAssemblyEmit::", stringify!($method)),
            what: "token",
        })
    }};
}

impl MetadataEmit {
    /// Defines the assembly of metadata that has none (`IMetaDataAssemblyEmit::DefineAssembly`). `hash_algorithm` is
    /// an `ALG_ID` (ECMA-335 II.23.1.1), 0x8004 for SHA-1.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineAssembly")]
    pub fn define_assembly(
        &self,
        identity: &AssemblyIdentity<'_>,
        hash_algorithm: u32,
    ) -> Result<AssemblyDef> {
        let own = Identity::of(identity)?;
        let structure = own.structure();
        let (key, length) = blob("IMetaDataAssemblyEmit::DefineAssembly", identity.public_key_or_token)?;
        // SAFETY: a blob with its length, texts with a terminating zero, a structure that points to them.
        unsafe {
            define_manifest!(
                self,
                DefineAssembly(
                    key.cast(),
                    length,
                    hash_algorithm,
                    own.name.as_ptr(),
                    &raw const structure,
                    identity.flags,
                ) -> AssemblyDef
            )
        }
    }

    /// Changes what the assembly says of itself (`IMetaDataAssemblyEmit::SetAssemblyProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetAssemblyProps")]
    pub fn set_assembly(
        &self,
        assembly: AssemblyDef,
        identity: &AssemblyIdentity<'_>,
        hash_algorithm: u32,
    ) -> Result<()> {
        let own = Identity::of(identity)?;
        let structure = own.structure();
        let (key, length) = blob("IMetaDataAssemblyEmit::SetAssemblyProps", identity.public_key_or_token)?;
        // SAFETY: a blob with its length, texts with a terminating zero, a structure that points to them.
        unsafe {
            manifest!(
                self,
                SetAssemblyProps(
                    assembly.token(),
                    key.cast(),
                    length,
                    hash_algorithm,
                    own.name.as_ptr(),
                    &raw const structure,
                    identity.flags,
                )
            )
        }
        .map(drop)
    }

    /// A reference to another assembly (`IMetaDataAssemblyEmit::DefineAssemblyRef`). One that is there already is not
    /// looked for: [`Metadata::assembly_refs`](crate::Metadata::assembly_refs) has them.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineAssemblyRef")]
    pub fn define_assembly_ref(&self, identity: &AssemblyIdentity<'_>) -> Result<AssemblyRef> {
        let own = Identity::of(identity)?;
        let structure = own.structure();
        let (key, length) = blob("IMetaDataAssemblyEmit::DefineAssemblyRef", identity.public_key_or_token)?;
        // SAFETY: a blob with its length, texts with a terminating zero, a structure that points to them; no hash.
        unsafe {
            define_manifest!(
                self,
                DefineAssemblyRef(
                    key.cast(),
                    length,
                    own.name.as_ptr(),
                    &raw const structure,
                    core::ptr::null(),
                    0,
                    identity.flags,
                ) -> AssemblyRef
            )
        }
    }

    /// Changes a reference to another assembly (`IMetaDataAssemblyEmit::SetAssemblyRefProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetAssemblyRefProps")]
    pub fn set_assembly_ref(&self, assembly: AssemblyRef, identity: &AssemblyIdentity<'_>) -> Result<()> {
        let own = Identity::of(identity)?;
        let structure = own.structure();
        let (key, length) = blob("IMetaDataAssemblyEmit::SetAssemblyRefProps", identity.public_key_or_token)?;
        // SAFETY: a blob with its length, texts with a terminating zero, a structure that points to them; no hash.
        unsafe {
            manifest!(
                self,
                SetAssemblyRefProps(
                    assembly.token(),
                    key.cast(),
                    length,
                    own.name.as_ptr(),
                    &raw const structure,
                    core::ptr::null(),
                    0,
                    identity.flags,
                )
            )
        }
        .map(drop)
    }

    /// Another file of the assembly, with the hash of its contents (`IMetaDataAssemblyEmit::DefineFile`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineFile")]
    pub fn define_file(&self, name: &str, hash: &[u8], contains_metadata: bool) -> Result<FileRef> {
        let name = wide(name)?;
        let (hash, length) = blob("IMetaDataAssemblyEmit::DefineFile", hash)?;
        let flags = file_flags(contains_metadata);
        // SAFETY: a text with a terminating zero, a blob with its length.
        unsafe { define_manifest!(self, DefineFile(name.as_ptr(), hash.cast(), length, flags) -> FileRef) }
    }

    /// Changes another file of the assembly (`IMetaDataAssemblyEmit::SetFileProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetFileProps")]
    pub fn set_file(&self, file: FileRef, hash: &[u8], contains_metadata: bool) -> Result<()> {
        let (hash, length) = blob("IMetaDataAssemblyEmit::SetFileProps", hash)?;
        let flags = file_flags(contains_metadata);
        // SAFETY: a blob with its length.
        unsafe { manifest!(self, SetFileProps(file.token(), hash.cast(), length, flags)) }.map(drop)
    }

    /// A type that the assembly exports without defining it in this module
    /// (`IMetaDataAssemblyEmit::DefineExportedType`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineExportedType")]
    pub fn define_exported_type(&self, name: &str, target: &ExportedTypeTarget) -> Result<ExportedType> {
        let name = wide(name)?;
        // SAFETY: a text with a terminating zero.
        unsafe {
            define_manifest!(
                self,
                DefineExportedType(
                    name.as_ptr(),
                    target.implementation.token(),
                    target.type_def.map_or(0, TypeDef::token),
                    target.attributes,
                ) -> ExportedType
            )
        }
    }

    /// Changes where an exported type is (`IMetaDataAssemblyEmit::SetExportedTypeProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetExportedTypeProps")]
    pub fn set_exported_type(&self, exported: ExportedType, target: &ExportedTypeTarget) -> Result<()> {
        // SAFETY: tokens.
        unsafe {
            manifest!(
                self,
                SetExportedTypeProps(
                    exported.token(),
                    target.implementation.token(),
                    target.type_def.map_or(0, TypeDef::token),
                    target.attributes,
                )
            )
        }
        .map(drop)
    }

    /// A resource of the assembly (`IMetaDataAssemblyEmit::DefineManifestResource`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineManifestResource")]
    pub fn define_manifest_resource(&self, name: &str, place: ResourcePlace) -> Result<ManifestResource> {
        let name = wide(name)?;
        let implementation = place.implementation.map_or(0, Implementation::token);
        // SAFETY: a text with a terminating zero.
        unsafe {
            define_manifest!(
                self,
                DefineManifestResource(name.as_ptr(), implementation, place.offset, place.flags())
                    -> ManifestResource
            )
        }
    }

    /// Changes where a resource is (`IMetaDataAssemblyEmit::SetManifestResourceProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetManifestResourceProps")]
    pub fn set_manifest_resource(&self, resource: ManifestResource, place: ResourcePlace) -> Result<()> {
        let implementation = place.implementation.map_or(0, Implementation::token);
        // SAFETY: tokens.
        unsafe {
            manifest!(
                self,
                SetManifestResourceProps(resource.token(), implementation, place.offset, place.flags())
            )
        }
        .map(drop)
    }
}

/// `CorFileFlags`.
fn file_flags(contains_metadata: bool) -> u32 {
    if contains_metadata { sys::ffContainsMetaData.0 } else { sys::ffContainsNoMetaData.0 }
}
