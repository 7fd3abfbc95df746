//! Metadata that is in no module of the process: opened from files and memory, or made.
#![forbid(unsafe_code)]

use core::ops::Deref;
use std::path::Path;

use corprof_sys as sys;
use widestring::U16CString;

use super::{Metadata, MetadataEmit, MetadataScope};
use crate::error::{Error, Result};
use crate::raw::metadata::Dispenser;

/// Opens metadata of files and memory, and makes new metadata: `IMetaDataDispenserEx`.
///
/// Returned by [`ProfilerInfo::metadata_dispenser`](crate::ProfilerInfo::metadata_dispenser). What it opens is independent of the program's modules. Each call of
/// it takes a lock of the metadata.
pub struct MetadataDispenser {
    raw: Dispenser,
}

/// Metadata that a [`MetadataDispenser`] has opened for reading: a copy that nobody else has.
///
/// Unlike a module's, it gives access to its [tables](Self::tables) and bytes.
#[derive(Debug)]
pub struct OpenedMetadata {
    pub(super) metadata: Metadata,
}

impl Deref for OpenedMetadata {
    type Target = Metadata;

    fn deref(&self) -> &Metadata {
        &self.metadata
    }
}

/// An option of a dispenser, for what it opens and makes afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataOption(&'static sys::GUID);

impl MetadataOption {
    /// The tables in which a row is looked up before it is added (`MetaDataCheckDuplicatesFor`).
    ///
    /// The value is `CorCheckDuplicatesFor`. The default is type references, member references, signatures, type
    /// specifications and method specifications.
    pub const CHECK_DUPLICATES_FOR: Self = Self(&sys::MetaDataCheckDuplicatesFor);
    /// The references to own rows that saving turns into definitions (`MetaDataRefToDefCheck`).
    ///
    /// The value is `CorRefToDefCheck`.
    pub const REF_TO_DEF_CHECK: Self = Self(&sys::MetaDataRefToDefCheck);
    /// The rows that must be defined in order (`MetaDataErrorIfEmitOutOfOrder`).
    ///
    /// The value is `CorErrorIfEmitOutOfOrder`.
    pub const ERROR_IF_EMIT_OUT_OF_ORDER: Self = Self(&sys::MetaDataErrorIfEmitOutOfOrder);
    /// The references to own rows that are preserved (`MetaDataPreserveLocalRefs`).
    ///
    /// The value is `CorLocalRefPreservation`. It can be set and not be read.
    pub const PRESERVE_LOCAL_REFS: Self = Self(&sys::MetaDataPreserveLocalRefs);
}

impl MetadataDispenser {
    pub(crate) fn new(raw: Dispenser) -> Self {
        Self { raw }
    }

    /// Opens a file for reading: an assembly, or bare metadata.
    ///
    /// The file is read, and opened as [`open_memory`](Self::open_memory) opens bytes.
    ///
    /// # Errors
    /// [`Error::Other`]: the file cannot be read, or its metadata are malformed. Any failure of `OpenScopeOnMemory`.
    pub fn open(&self, path: &Path) -> Result<OpenedMetadata> {
        self.open_memory(&read(path)?)
    }

    /// Opens the bytes of an assembly or of bare metadata. `IMetaDataDispenser::OpenScopeOnMemory`.
    ///
    /// The metadata is copied (`ofCopyMemory`). Before, it is checked whole, in time proportional to its size, because the
    /// runtime trusts it: everything in it has to refer to rows, texts and blobs that are there. What some obfuscators
    /// write is refused. The runtime gets the metadata without the file around it, so that
    /// [`pe_kind`](Metadata::pe_kind) has no answer.
    ///
    /// # Errors
    /// [`Error::Other`]: the metadata is malformed. Any failure of the call.
    #[doc(alias = "OpenScopeOnMemory")]
    pub fn open_memory(&self, bytes: &[u8]) -> Result<OpenedMetadata> {
        Ok(OpenedMetadata { metadata: Metadata::new(self.raw.open_memory(bytes)?) })
    }

    /// Opens a file for writing. `IMetaDataDispenser::OpenScopeOnMemory` with `ofWrite`.
    ///
    /// The file is read, and checked as by [`open_memory`](Self::open_memory). It is not changed.
    ///
    /// # Errors
    /// [`Error::Other`]: the file cannot be read, or its metadata is malformed. Any failure of the call.
    pub fn open_for_writing(&self, path: &Path) -> Result<MetadataScope> {
        Ok(MetadataScope::new(MetadataEmit::new(self.raw.open_for_writing(&read(path)?)?)))
    }

    /// Makes new metadata with a module and `<Module>`. `IMetaDataDispenser::DefineScope`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "DefineScope")]
    pub fn define(&self) -> Result<MetadataScope> {
        Ok(MetadataScope::new(MetadataEmit::new(self.raw.define()?)))
    }

    /// Sets an option. `IMetaDataDispenserEx::SetOption`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: the runtime does not have the option.
    #[doc(alias = "SetOption")]
    pub fn set_option(&mut self, option: MetadataOption, value: u32) -> Result<()> {
        self.raw.set_option(option.0, value)
    }

    /// Returns an option. `IMetaDataDispenserEx::GetOption`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: the option cannot be read.
    #[doc(alias = "GetOption")]
    pub fn option(&self, option: MetadataOption) -> Result<u32> {
        self.raw.option(option.0)
    }
}

impl core::fmt::Debug for MetadataDispenser {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("MetadataDispenser")
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::other(format!("cannot read {}: {error}", path.display())))
}

/// A path as the metadata takes it.
pub(super) fn wide_path(path: &Path) -> Result<U16CString> {
    let text = path.to_str().ok_or_else(|| Error::other(format!("{} is not Unicode", path.display())))?;
    U16CString::from_str(text).map_err(|_| Error::other(format!("the path {text:?} contains a zero")))
}
