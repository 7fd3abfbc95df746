//! Lists of tokens: an enumerator of the metadata, read and closed.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use corprof_sys as sys;

use super::{Metadata, import};
use crate::Result;
use crate::com::interface::AssemblyImportPtr;

/// How many tokens are asked for before anything is allocated.
const PIECE: usize = 32;

/// All tokens of an enumeration that takes the enumerator's handle, what is asked for, a buffer with its length, and
/// a place for the number of tokens: those that `keep` makes something of.
macro_rules! all {
    ($metadata:ident, $interface:ident::$method:ident($($arg:expr),*), $keep:expr) => {
        $metadata.enumerate(
            |handle, room, count| {
                // SAFETY: the enumerator's handle, tokens and texts with a terminating zero, a buffer with its length.
                unsafe {
                    $crate::metadata::import!(
                        $metadata,
                        $interface::$method(handle, $($arg,)* room.as_mut_ptr(), $crate::info::room_of(room), count)
                    )
                }
                .map(drop)
            },
            $keep,
        )
    };
}
pub(super) use all;

impl Metadata {
    /// All tokens of an enumeration. `next` is handed the enumerator, a buffer and a place for the number of
    /// tokens that it has written; tokens that `keep` refuses are left out.
    pub(super) fn enumerate<T>(
        &self,
        next: impl FnMut(*mut sys::HCORENUM, &mut [u32], &mut u32) -> Result<()>,
        keep: impl Fn(u32) -> Option<T>,
    ) -> Result<Vec<T>> {
        self.read(Enumerator { metadata: self, manifest: None, handle: null_mut() }, next, keep)
    }

    /// The same for an enumeration of the manifest, which closes its own.
    pub(super) fn enumerate_manifest<T>(
        &self,
        manifest: &AssemblyImportPtr,
        next: impl FnMut(*mut sys::HCORENUM, &mut [u32], &mut u32) -> Result<()>,
        keep: impl Fn(u32) -> Option<T>,
    ) -> Result<Vec<T>> {
        self.read(Enumerator { metadata: self, manifest: Some(manifest), handle: null_mut() }, next, keep)
    }

    fn read<T>(
        &self,
        mut open: Enumerator<'_>,
        mut next: impl FnMut(*mut sys::HCORENUM, &mut [u32], &mut u32) -> Result<()>,
        keep: impl Fn(u32) -> Option<T>,
    ) -> Result<Vec<T>> {
        let (mut piece, mut count) = ([0; PIECE], 0);
        next(&raw mut open.handle, &mut piece, &mut count)?;
        let mut tokens: Vec<T> = piece.iter().take(count as usize).filter_map(|token| keep(*token)).collect();
        // A piece that is not full is the last one.
        if (count as usize) < PIECE {
            return Ok(tokens);
        }
        // There are more: as many as the enumerator says, at once, and whatever it has not said.
        let mut rest = vec![0; open.count()?.saturating_sub(PIECE).max(PIECE)];
        tokens.reserve(rest.len());
        loop {
            count = 0;
            next(&raw mut open.handle, &mut rest, &mut count)?;
            tokens.extend(rest.iter().take(count as usize).filter_map(|token| keep(*token)));
            if (count as usize) < rest.len() {
                return Ok(tokens);
            }
        }
    }
}

/// An enumerator, closed on drop by the interface that has opened it (`IMetaDataImport::CloseEnum`,
/// `IMetaDataAssemblyImport::CloseEnum`).
#[doc(alias = "CloseEnum")]
struct Enumerator<'m> {
    metadata: &'m Metadata,
    manifest: Option<&'m AssemblyImportPtr>,
    handle: sys::HCORENUM,
}

impl Enumerator<'_> {
    /// How many tokens there are, those that have been read included (`IMetaDataImport::CountEnum`).
    #[doc(alias = "CountEnum")]
    fn count(&self) -> Result<usize> {
        let mut count = 0;
        // SAFETY: an enumerator of this metadata that is open, or none; a local.
        unsafe { import!(self.metadata, IMetaDataImport::CountEnum(self.handle, &raw mut count)) }?;
        Ok(count as usize)
    }
}

impl Drop for Enumerator<'_> {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        // SAFETY: the enumerator was opened by this interface and is closed once.
        unsafe {
            match self.manifest {
                Some(manifest) => {
                    let this = manifest.as_ptr();
                    ((*(*this).lpVtbl).CloseEnum)(this, self.handle);
                }
                None => {
                    let this = self.metadata.import.as_ptr().cast::<sys::IMetaDataImport>();
                    ((*(*this).lpVtbl).CloseEnum)(this, self.handle);
                }
            }
        }
    }
}
