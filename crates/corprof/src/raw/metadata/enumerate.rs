//! Enumerations: an enumerator of the metadata, read to its end and closed.
//!
//! Contract of the unsafe code here: that of the folder, which `mod.rs` states.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use corprof_sys as sys;

use super::{Com, Import};
use crate::error::Result;
use crate::raw::call::checked;

/// How many tokens are read before anything is allocated.
const PIECE: usize = 32;

/// An interface that opens enumerators.
pub(super) trait Opener {
    /// The manifest's interface, which closes its own enumerators; `None` for the others.
    fn manifest(this: *mut Self) -> Option<*mut sys::IMetaDataAssemblyImport>;
}

impl Opener for sys::IMetaDataImport {
    fn manifest(_: *mut Self) -> Option<*mut sys::IMetaDataAssemblyImport> {
        None
    }
}

impl Opener for sys::IMetaDataImport2 {
    fn manifest(_: *mut Self) -> Option<*mut sys::IMetaDataAssemblyImport> {
        None
    }
}

impl Opener for sys::IMetaDataAssemblyImport {
    fn manifest(this: *mut Self) -> Option<*mut sys::IMetaDataAssemblyImport> {
        Some(this)
    }
}

impl Import {
    /// All tokens of an enumeration that `keep` accepts. `next` gets the enumerator, a buffer, and a place for the
    /// number of tokens that were written.
    pub(super) fn enumerate<T>(
        &self,
        manifest: Option<*mut sys::IMetaDataAssemblyImport>,
        mut next: impl FnMut(*mut sys::HCORENUM, &mut [u32], &mut u32) -> Result<()>,
        keep: impl Fn(u32) -> Option<T>,
    ) -> Result<Vec<T>> {
        let mut open = Enumerator { import: Com::com(self)?, manifest, handle: null_mut() };
        let (mut piece, mut count) = ([0; PIECE], 0);
        next(&raw mut open.handle, &mut piece, &mut count)?;
        let mut tokens: Vec<T> = piece.iter().take(count as usize).filter_map(|token| keep(*token)).collect();
        // A piece that is not full is the last one.
        if (count as usize) < PIECE {
            return Ok(tokens);
        }
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
struct Enumerator {
    import: *mut sys::IMetaDataImport,
    manifest: Option<*mut sys::IMetaDataAssemblyImport>,
    handle: sys::HCORENUM,
}

impl Enumerator {
    /// The number of tokens, those included that were read (`IMetaDataImport::CountEnum`).
    #[doc(alias = "CountEnum")]
    fn count(&self) -> Result<usize> {
        let mut count = 0;
        // SAFETY: a live interface, an enumerator of this metadata that is open or null, a local.
        let code = unsafe { ((*(*self.import).lpVtbl).CountEnum)(self.import, self.handle, &raw mut count) };
        checked("IMetaDataImport::CountEnum", code)?;
        Ok(count as usize)
    }
}

impl Drop for Enumerator {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        // SAFETY: a live interface has opened the enumerator, which is closed once.
        unsafe {
            match self.manifest {
                Some(manifest) => ((*(*manifest).lpVtbl).CloseEnum)(manifest, self.handle),
                None => ((*(*self.import).lpVtbl).CloseEnum)(self.import, self.handle),
            }
        }
    }
}
