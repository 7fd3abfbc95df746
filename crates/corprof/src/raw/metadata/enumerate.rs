//! Enumerations: an enumerator of the metadata, read to its end.
#![forbid(unsafe_code)]

use corprof_sys as sys;

use super::Import;
use super::table::Enumerator;
use crate::error::Result;

/// How many tokens are read before anything is allocated.
const PIECE: usize = 32;

/// An interface that opens enumerators.
pub(super) trait Opener {
    /// Whether it is the manifest's interface, which closes its own enumerators.
    const IS_OF_MANIFEST: bool;
}

impl Opener for sys::IMetaDataImport {
    const IS_OF_MANIFEST: bool = false;
}

impl Opener for sys::IMetaDataImport2 {
    const IS_OF_MANIFEST: bool = false;
}

impl Opener for sys::IMetaDataAssemblyImport {
    const IS_OF_MANIFEST: bool = true;
}

impl Import {
    /// Returns all tokens of an enumeration that `keep` accepts. `next` gets the enumerator, a buffer, and a reference to
    /// the number of tokens that were written.
    pub(super) fn enumerate<T>(
        &self,
        is_of_manifest: bool,
        mut next: impl FnMut(*mut sys::HCORENUM, &mut [u32], &mut u32) -> Result<()>,
        keep: impl Fn(u32) -> Option<T>,
    ) -> Result<Vec<T>> {
        let mut open = Enumerator::new(self, is_of_manifest);
        let (mut piece, mut count) = ([0; PIECE], 0);
        next(open.handle(), &mut piece, &mut count)?;
        let mut tokens: Vec<T> = piece.iter().take(count as usize).filter_map(|token| keep(*token)).collect();
        // A piece that is not full is the last one.
        if (count as usize) < PIECE {
            return Ok(tokens);
        }
        let mut rest = vec![0; open.count()?.saturating_sub(PIECE).max(PIECE)];
        tokens.reserve(rest.len());
        loop {
            count = 0;
            next(open.handle(), &mut rest, &mut count)?;
            tokens.extend(rest.iter().take(count as usize).filter_map(|token| keep(*token)));
            if (count as usize) < rest.len() {
                return Ok(tokens);
            }
        }
    }
}
