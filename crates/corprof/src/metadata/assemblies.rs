//! Assemblies: what a module's manifest says of itself and of others.
#![allow(unsafe_code)]

use core::ptr::{null, null_mut};

use corprof_sys as sys;
use sigparse::Implementation;
use sigparse::token::{AssemblyRef, ExportedType, FileRef, ModuleRef, TypeDef};
use widestring::U16CString;

use super::{Metadata, import};
use crate::info::{fill_wide, lent, room_of};
use crate::{Error, HResult, Result};

/// What an assembly says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyProps<'m> {
    /// The simple name: `System.Runtime`.
    pub name: String,
    /// Major, minor, build and revision.
    pub version: [u16; 4],
    /// The whole public key; empty for an assembly without strong name.
    pub public_key: &'m [u8],
}

/// A reference to another assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyRefProps<'m> {
    /// The simple name: `System.Runtime`.
    pub name: String,
    /// Major, minor, build and revision.
    pub version: [u16; 4],
    /// The public key token, or the whole key; empty for an assembly without strong name.
    pub public_key_or_token: &'m [u8],
}

/// A type that an assembly exports without defining it in this module: usually forwarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedTypeProps {
    /// Namespace and name; of a nested type the name alone.
    pub name: String,
    /// Where it is: another assembly for a forwarded type.
    pub implementation: Option<Implementation>,
    /// A hint at the definition's token in a file of this assembly.
    pub type_def: Option<TypeDef>,
}

/// Calls a method of `IMetaDataAssemblyImport`; see `import!`.
macro_rules! manifest {
    ($import:expr, $method:ident($($arg:expr),* $(,)?)) => {{
        let this = $import.as_ptr();
        let code = ((*(*this).lpVtbl).$method)(this, $($arg),*);
        $crate::info::checked(concat!("IMetaDataAssemblyImport::", stringify!($method)), code)
    }};
}
pub(super) use manifest;

impl Metadata {
    /// What the assembly says of itself whose manifest is in this module; `None` for a module without a
    /// manifest (`IMetaDataAssemblyImport::GetAssemblyFromScope` and `GetAssemblyProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetAssemblyFromScope")]
    #[doc(alias = "GetAssemblyProps")]
    pub fn assembly(&self) -> Result<Option<AssemblyProps<'_>>> {
        let import = self.assembly_import()?;
        let mut token = 0;
        // SAFETY: a local.
        match unsafe { manifest!(import, GetAssemblyFromScope(&raw mut token)) } {
            Ok(_) => {}
            Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let (mut key, mut key_length) = (null(), 0);
        // SAFETY: a C structure of numbers and pointers, for which zeros are valid: no room for what is not
        // wanted.
        let mut metadata: sys::ASSEMBLYMETADATA = unsafe { core::mem::zeroed() };
        let name = fill_wide("IMetaDataAssemblyImport::GetAssemblyProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length; what is not wanted is null.
            unsafe {
                manifest!(
                    import,
                    GetAssemblyProps(
                        token,
                        &raw mut key,
                        &raw mut key_length,
                        null_mut(),
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut metadata,
                        null_mut(),
                    )
                )
            }?;
            Ok(needed)
        })?;
        // SAFETY: the metadata has lent a key of that length.
        let public_key = unsafe { lent(key.cast(), key_length) };
        Ok(Some(AssemblyProps { name, version: version(&metadata), public_key }))
    }

    /// The name of another module of the same assembly (`IMetaDataImport::GetModuleRefProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetModuleRefProps")]
    pub fn module_ref(&self, token: ModuleRef) -> Result<String> {
        fill_wide("IMetaDataImport::GetModuleRefProps", |room| {
            let mut needed = 0;
            // SAFETY: a local, and a buffer with its length.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetModuleRefProps(
                        token.token(),
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                    )
                )
            }?;
            Ok(needed)
        })
    }

    /// The name of another file of the same assembly (`IMetaDataAssemblyImport::GetFileProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetFileProps")]
    pub fn file(&self, token: FileRef) -> Result<String> {
        let import = self.assembly_import()?;
        fill_wide("IMetaDataAssemblyImport::GetFileProps", |room| {
            let mut needed = 0;
            // SAFETY: a local, and a buffer with its length; what is not wanted is null.
            unsafe {
                manifest!(
                    import,
                    GetFileProps(
                        token.token(),
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        null_mut(),
                        null_mut(),
                        null_mut(),
                    )
                )
            }?;
            Ok(needed)
        })
    }

    /// A reference to another assembly (`IMetaDataAssemblyImport::GetAssemblyRefProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetAssemblyRefProps")]
    pub fn assembly_ref(&self, token: AssemblyRef) -> Result<AssemblyRefProps<'_>> {
        let import = self.assembly_import()?;
        let (mut key, mut key_length) = (null(), 0);
        // SAFETY: a C structure of numbers and pointers, for which zeros are valid: no room for what is not
        // wanted.
        let mut metadata: sys::ASSEMBLYMETADATA = unsafe { core::mem::zeroed() };
        let name = fill_wide("IMetaDataAssemblyImport::GetAssemblyRefProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length; what is not wanted is null.
            unsafe {
                manifest!(
                    import,
                    GetAssemblyRefProps(
                        token.token(),
                        &raw mut key,
                        &raw mut key_length,
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut metadata,
                        null_mut(),
                        null_mut(),
                        null_mut(),
                    )
                )
            }?;
            Ok(needed)
        })?;
        let version = version(&metadata);
        // SAFETY: the metadata has lent a key of that length.
        Ok(AssemblyRefProps { name, version, public_key_or_token: unsafe { lent(key.cast(), key_length) } })
    }

    /// The exported type with this name, in `enclosing` for a nested one
    /// (`IMetaDataAssemblyImport::FindExportedTypeByName`).
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "FindExportedTypeByName")]
    pub fn find_exported_type(
        &self,
        name: &str,
        enclosing: Option<ExportedType>,
    ) -> Result<Option<ExportedType>> {
        let Ok(wide) = U16CString::from_str(name) else { return Ok(None) };
        let import = self.assembly_import()?;
        let mut token = 0;
        // SAFETY: a text with a terminating zero, a local.
        let answer = unsafe {
            manifest!(
                import,
                FindExportedTypeByName(
                    wide.as_ptr(),
                    enclosing.map_or(0, ExportedType::token),
                    &raw mut token,
                )
            )
        };
        match answer {
            Ok(_) => Ok(ExportedType::from_token(token)),
            Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// An exported type (`IMetaDataAssemblyImport::GetExportedTypeProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetExportedTypeProps")]
    pub fn exported_type(&self, token: ExportedType) -> Result<ExportedTypeProps> {
        let import = self.assembly_import()?;
        let (mut implementation, mut type_def) = (0, 0);
        let name = fill_wide("IMetaDataAssemblyImport::GetExportedTypeProps", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length; what is not wanted is null.
            unsafe {
                manifest!(
                    import,
                    GetExportedTypeProps(
                        token.token(),
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut implementation,
                        &raw mut type_def,
                        null_mut(),
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(ExportedTypeProps {
            name,
            implementation: Implementation::from_token(implementation),
            type_def: TypeDef::from_token(type_def),
        })
    }
}

/// The version that the metadata has written.
fn version(metadata: &sys::ASSEMBLYMETADATA) -> [u16; 4] {
    [metadata.usMajorVersion, metadata.usMinorVersion, metadata.usBuildNumber, metadata.usRevisionNumber]
}
