//! The metadata in the image of a module that is never unloaded, read where it is.
//!
//! Contract of the unsafe code here: the base address and the layout of an image are what `GetModuleInfo2` returns for a module that
//! has one and is not collectible. The runtime unmaps such an image at no time, and changes nothing in its headers and
//! its metadata: it edits a copy. What the headers declare lies in the image, since the runtime has loaded it by them.
#![allow(unsafe_code)]

use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};

use clrnames::{Image, ImageLayout, metadata_range};
use corprof_sys as sys;
use corprof_types::ModuleId;

use super::info::Info;

/// The layout of an image, by the flags of its module. `None` if it may be unloaded, or has no image of its own.
fn layout(flags: u32) -> Option<ImageLayout> {
    let has = |flag: sys::COR_PRF_MODULE_FLAGS| flags & flag.0 != 0;
    let without =
        [sys::COR_PRF_MODULE_COLLECTIBLE, sys::COR_PRF_MODULE_DYNAMIC, sys::COR_PRF_MODULE_RESOURCE];
    if without.into_iter().any(has) {
        return None;
    }
    Some(if has(sys::COR_PRF_MODULE_FLAT_LAYOUT) { ImageLayout::File } else { ImageLayout::Loaded })
}

impl Info {
    /// Opens the metadata in a module's image. `None` if it has none that stays, or none that can be read.
    pub(crate) fn image_metadata(&self, module: ModuleId) -> Option<Image<&'static [u8]>> {
        let (_, base, _, flags) = self.module_info(module).ok()?;
        let layout = layout(flags).filter(|_| base != 0)?;
        let (offset, size) = metadata_range(&mut Memory { base, at: 0 }, layout).ok()?;
        let at = base.checked_add(usize::try_from(offset).ok()?)?;
        let metadata = core::ptr::with_exposed_provenance::<u8>(at);
        // SAFETY: the range lies in a section of the image, which stays as it is until the process ends.
        let metadata = unsafe { core::slice::from_raw_parts(metadata, size as usize) };
        Image::of_metadata(metadata).ok()
    }
}

/// The headers of an image, in memory.
struct Memory {
    base: usize,
    at: usize,
}

impl Read for Memory {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let at = self.base.checked_add(self.at).ok_or(ErrorKind::UnexpectedEof)?;
        let from = core::ptr::with_exposed_provenance::<u8>(at);
        // SAFETY: `metadata_range` reads the headers, as long as they declare themselves to be, and the image has them.
        unsafe { core::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) };
        self.at = self.at.saturating_add(bytes.len());
        Ok(bytes.len())
    }
}

impl Seek for Memory {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let SeekFrom::Start(to) = to else { return Err(Error::from(ErrorKind::Unsupported)) };
        self.at = usize::try_from(to).map_err(|_| ErrorKind::UnexpectedEof)?;
        Ok(to)
    }
}
