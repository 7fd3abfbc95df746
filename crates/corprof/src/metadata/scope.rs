//! Metadata that is in no module: what a dispenser has made or opened for writing can be saved.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ops::Deref;
use std::path::Path;

use corprof_sys as sys;
use sigparse::Token;

use super::MetadataEmit;
use super::emit::emit;
use super::token_map::TokenMap;
use crate::info::length_of;
use crate::{Error, Result};

/// Metadata for writing that is in no module, from [`MetadataDispenser`](crate::MetadataDispenser). It can be saved;
/// a module's own cannot, as saving sorts its tables, and the runtime keeps tokens of them.
#[derive(Debug)]
pub struct MetadataScope {
    emit: MetadataEmit,
}

/// Saved metadata. The tokens that have changed are what `IMapToken::Map` was called for.
#[doc(alias = "Map")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedMetadata {
    /// Its bytes, from the signature `BSJB` on (ECMA-335 II.24.2.1).
    pub bytes: Vec<u8>,
    /// The rows that have other tokens in the saved metadata, with these.
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

    /// How many bytes the metadata will have at most when it is saved (`IMetaDataEmit::GetSaveSize`). Asking is the
    /// first step of saving: rows get their final order.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetSaveSize")]
    pub fn save_size(&mut self) -> Result<u32> {
        let mut size = 0;
        // SAFETY: a local.
        unsafe { emit!(self, IMetaDataEmit::GetSaveSize(sys::cssAccurate, &raw mut size)) }?;
        Ok(size)
    }

    /// The metadata as it would lie in an image, and which tokens have changed on the way
    /// (`IMetaDataEmit::SaveToMemory`; `IMetaDataEmit::SetHandler` with an `IMapToken` collects the tokens).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SaveToMemory")]
    #[doc(alias = "SetHandler")]
    pub fn save(&mut self) -> Result<SavedMetadata> {
        const CALL: &str = "IMetaDataEmit::SaveToMemory";
        let map = TokenMap::new();
        // SAFETY: a live COM object; the metadata takes a reference of its own, and lets go of it below.
        unsafe { emit!(self, IMetaDataEmit::SetHandler(map.as_unknown())) }?;
        let bytes = self.save_size().and_then(|size| {
            let mut bytes = vec![0u8; size as usize];
            let length = length_of(CALL, &bytes)?;
            let room: *mut c_void = bytes.as_mut_ptr().cast();
            // SAFETY: a buffer with its length.
            unsafe { emit!(self, IMetaDataEmit::SaveToMemory(room, length)) }?;
            Ok(bytes)
        });
        // SAFETY: no handler.
        unsafe { emit!(self, IMetaDataEmit::SetHandler(core::ptr::null_mut())) }?;
        Ok(SavedMetadata { bytes: bytes?, moved: map.moved() })
    }

    /// Saves the metadata to a file, nothing around it (`IMetaDataEmit::Save`).
    ///
    /// # Errors
    /// [`Error::Other`] for a path that is not Unicode; what the metadata reports.
    #[doc(alias = "Save")]
    pub fn save_to_file(&mut self, path: &Path) -> Result<()> {
        let path = wide_path(path)?;
        // SAFETY: a text with a terminating zero.
        unsafe { emit!(self, IMetaDataEmit::Save(path.as_ptr(), 0)) }.map(drop)
    }
}

/// A path as the metadata takes it.
pub(super) fn wide_path(path: &Path) -> Result<widestring::U16CString> {
    let text = path.to_str().ok_or_else(|| Error::other(format!("{} is not Unicode", path.display())))?;
    widestring::U16CString::from_str(text)
        .map_err(|_| Error::other(format!("the path {text:?} contains a zero")))
}
