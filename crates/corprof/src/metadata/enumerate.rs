//! Lists of tokens: an enumerator of the metadata, read in pieces and closed.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use corprof_sys as sys;

use super::Metadata;
use crate::Result;

/// How many tokens are asked for at once.
const PIECE: usize = 32;

impl Metadata {
    /// All tokens of an enumeration. `next` is handed the enumerator, a buffer and a place for the number of
    /// tokens that it has written; tokens that `keep` refuses are left out.
    pub(super) fn enumerate<T>(
        &self,
        mut next: impl FnMut(*mut sys::HCORENUM, &mut [u32], &mut u32) -> Result<()>,
        keep: impl Fn(u32) -> Option<T>,
    ) -> Result<Vec<T>> {
        let mut open = Enumerator { metadata: self, handle: null_mut() };
        let mut tokens = Vec::new();
        loop {
            let (mut piece, mut count) = ([0; PIECE], 0);
            next(&raw mut open.handle, &mut piece, &mut count)?;
            tokens.extend(piece.iter().take(count as usize).filter_map(|token| keep(*token)));
            // A piece that is not full is the last one.
            if (count as usize) < PIECE {
                return Ok(tokens);
            }
        }
    }
}

/// An enumerator that is closed on drop.
struct Enumerator<'m> {
    metadata: &'m Metadata,
    handle: sys::HCORENUM,
}

impl Drop for Enumerator<'_> {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        let this = self.metadata.import.as_ptr().cast::<sys::IMetaDataImport>();
        // SAFETY: the enumerator was opened by this interface and is closed once.
        unsafe { ((*(*this).lpVtbl).CloseEnum)(this, self.handle) };
    }
}
