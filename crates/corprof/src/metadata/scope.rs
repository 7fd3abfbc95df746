//! Metadata in no module that can be edited and saved.
#![forbid(unsafe_code)]

use core::ops::Deref;
use std::path::Path;

use sigparse::Token;
use sigparse::token::GenericParam;

use super::dispenser::wide_path;
use super::{GenericParamChange, MetadataEmit};
use crate::error::Result;

/// Metadata for writing that is in no module, from a [`MetadataDispenser`](crate::MetadataDispenser).
///
/// It can be saved. A module's metadata cannot: saving sorts the tables, and the runtime has cached the module's tokens.
#[derive(Debug)]
pub struct MetadataScope {
    emit: MetadataEmit,
}

/// Saved metadata, with the tokens that saving has changed (`IMapToken::Map`).
#[doc(alias = "Map")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedMetadata {
    /// The bytes, from the signature `BSJB` on (ECMA-335 II.24.2.1).
    pub bytes: Vec<u8>,
    /// The old and new tokens of the rows that have moved.
    pub moved: Vec<(Token, Token)>,
}

impl Deref for MetadataScope {
    type Target = MetadataEmit;

    fn deref(&self) -> &MetadataEmit {
        &self.emit
    }
}

impl MetadataScope {
    pub(super) fn new(emit: MetadataEmit) -> Self {
        Self { emit }
    }

    /// Changes a generic parameter. `IMetaDataEmit2::SetGenericParamProps`.
    ///
    /// Only here, and not on the metadata of a module: the metadata takes no lock for this call.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. [`Error::Other`](crate::Error::Other): the name contains a zero.
    /// Any other failure of the call.
    #[doc(alias = "SetGenericParamProps")]
    pub fn set_generic_param(&mut self, param: GenericParam, change: &GenericParamChange<'_>) -> Result<()> {
        let attributes = change.attributes.map(|attributes| attributes.bits());
        self.emit.raw.set_generic_param(param, attributes, change.name, change.constraints)
    }

    /// Returns the largest size of the saved metadata in bytes. `IMetaDataEmit::GetSaveSize`.
    ///
    /// This is the first step of saving: rows get their final order.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetSaveSize")]
    pub fn save_size(&mut self) -> Result<u32> {
        self.emit.raw.save_size()
    }

    /// Returns the metadata as an image contains it. `IMetaDataEmit::SaveToMemory`.
    ///
    /// A handler (`IMetaDataEmit::SetHandler`, `IMapToken`) collects the tokens that change.
    ///
    /// # Errors
    /// Any failure of the calls.
    #[doc(alias = "SaveToMemory")]
    #[doc(alias = "SetHandler")]
    pub fn save(&mut self) -> Result<SavedMetadata> {
        let (bytes, moved) = self.emit.raw.save()?;
        Ok(SavedMetadata { bytes, moved })
    }

    /// Saves the bare metadata to a file. `IMetaDataEmit::Save`.
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other): the path is not Unicode. Any failure of the call.
    #[doc(alias = "Save")]
    pub fn save_to_file(&mut self, path: &Path) -> Result<()> {
        self.emit.raw.save_to_file(&wide_path(path)?)
    }
}
