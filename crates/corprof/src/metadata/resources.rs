//! The rest of a manifest: its references, files, exported types and resources.
#![allow(unsafe_code)]

use sigparse::Implementation;
use sigparse::token::{AssemblyRef, ExportedType, FileRef, ManifestResource};
use widestring::U16CString;

use super::Metadata;
use super::assemblies::manifest;
use crate::info::{fill_wide, room_of};
use crate::{Error, HResult, Result};

/// A resource of an assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestResourceProps {
    /// Its name: `Shop.Texts.resources`.
    pub name: String,
    /// Where it is: another file, another assembly, or `None` for this file.
    pub implementation: Option<Implementation>,
    /// Where it begins: in this file, from where its resources begin; otherwise of no meaning.
    pub offset: u32,
    /// Whether other assemblies may read it.
    pub is_public: bool,
}

/// All tokens of an enumeration of the manifest.
macro_rules! all {
    ($metadata:ident, $method:ident, $token:ident) => {{
        let import = $metadata.assembly_import()?;
        $metadata.enumerate_manifest(
            import,
            |handle, room, count| {
                // SAFETY: the enumerator's handle, a buffer with its length, a local.
                unsafe { manifest!(import, $method(handle, room.as_mut_ptr(), room_of(room), count)) }
                    .map(drop)
            },
            $token::from_token,
        )
    }};
}

impl Metadata {
    /// The assemblies that this one refers to (`IMetaDataAssemblyImport::EnumAssemblyRefs`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumAssemblyRefs")]
    pub fn assembly_refs(&self) -> Result<Vec<AssemblyRef>> {
        all!(self, EnumAssemblyRefs, AssemblyRef)
    }

    /// The other files of the assembly (`IMetaDataAssemblyImport::EnumFiles`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumFiles")]
    pub fn files(&self) -> Result<Vec<FileRef>> {
        all!(self, EnumFiles, FileRef)
    }

    /// The types that the assembly exports without defining them in this module, forwarded ones above all
    /// (`IMetaDataAssemblyImport::EnumExportedTypes`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumExportedTypes")]
    pub fn exported_types(&self) -> Result<Vec<ExportedType>> {
        all!(self, EnumExportedTypes, ExportedType)
    }

    /// The resources of the assembly (`IMetaDataAssemblyImport::EnumManifestResources`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumManifestResources")]
    pub fn manifest_resources(&self) -> Result<Vec<ManifestResource>> {
        all!(self, EnumManifestResources, ManifestResource)
    }

    /// A resource of the assembly (`IMetaDataAssemblyImport::GetManifestResourceProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetManifestResourceProps")]
    pub fn manifest_resource(&self, token: ManifestResource) -> Result<ManifestResourceProps> {
        let import = self.assembly_import()?;
        let (mut implementation, mut offset, mut flags) = (0, 0, 0);
        let name = fill_wide("IMetaDataAssemblyImport::GetManifestResourceProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                manifest!(
                    import,
                    GetManifestResourceProps(
                        token.token(),
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut implementation,
                        &raw mut offset,
                        &raw mut flags,
                    )
                )
            }?;
            Ok(needed)
        })?;
        let is_public = flags & corprof_sys::mrVisibilityMask.0 == corprof_sys::mrPublic.0;
        Ok(ManifestResourceProps {
            name,
            implementation: Implementation::from_token(implementation),
            offset,
            is_public,
        })
    }

    /// The resource with this name (`IMetaDataAssemblyImport::FindManifestResourceByName`).
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "FindManifestResourceByName")]
    pub fn find_manifest_resource(&self, name: &str) -> Result<Option<ManifestResource>> {
        let Ok(wide) = U16CString::from_str(name) else { return Ok(None) };
        let import = self.assembly_import()?;
        let mut token = 0;
        // SAFETY: a text with a terminating zero, a local.
        let answer = unsafe { manifest!(import, FindManifestResourceByName(wide.as_ptr(), &raw mut token)) };
        match answer {
            Ok(_) => Ok(ManifestResource::from_token(token)),
            Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
