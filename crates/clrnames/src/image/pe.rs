//! The headers of a portable executable, and the range of its metadata (ECMA-335 II.25).
//!
//! Only the headers are read. PE32 and PE32+ differ in the offset of the directories. Images of ReadyToRun are
//! ordinary ones with native code beside the IL; the machine that they are for does not matter here.

use std::io::{ErrorKind, Read, Seek, SeekFrom};

use super::bytes::{u16_at, u32_at};
use super::image_error::{ImageError, ImageErrorKind, Result, fail};

/// The range of the metadata in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) offset: u64,
    pub(super) size: u32,
}

/// The number of the directory that points to the CLI header.
const CLI_HEADER: usize = 14;
/// The number of the debug directory.
const DEBUG: usize = 6;

/// Bytes of a file.
pub(super) fn read(
    file: &mut (impl Read + Seek),
    offset: u64,
    size: usize,
    what: &'static str,
) -> Result<Vec<u8>> {
    let failed = |error: std::io::Error| ImageError { offset, kind: ImageErrorKind::Io(error) };
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    // Not more than the file has, whatever its header declares.
    let mut bytes = Vec::new();
    match file.take(size as u64).read_to_end(&mut bytes) {
        Ok(read) if read == size => Ok(bytes),
        Ok(read) => fail(offset + read as u64, ImageErrorKind::UnexpectedEnd(what)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            fail(offset, ImageErrorKind::UnexpectedEnd(what))
        }
        Err(error) => Err(failed(error)),
    }
}

/// The layout of an assembly in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageLayout {
    /// As in the file.
    File,
    /// Each section at its address.
    Loaded,
}

/// Finds the metadata in a file.
pub(super) fn locate(file: &mut (impl Read + Seek)) -> Result<Location> {
    locate_in(file, ImageLayout::File)
}

/// Finds the metadata in an image.
pub(super) fn locate_in(image: &mut (impl Read + Seek), layout: ImageLayout) -> Result<Location> {
    let headers = Headers::of(image)?;
    let (rva, _) = headers.cli_header()?;
    let cli_at = headers.offset_in(layout, rva, 16)?;
    let cli = read(image, cli_at, 16, "the CLI header")?;
    let (metadata, size) = (u32_at(&cli, 8).unwrap_or(0), u32_at(&cli, 12).unwrap_or(0));
    Ok(Location { offset: headers.offset_in(layout, metadata, size)?, size })
}

fn is_short(error: &ImageError) -> bool {
    matches!(error.kind, ImageErrorKind::UnexpectedEnd(_))
}

/// The optional header and the table of sections.
#[derive(Debug)]
pub(super) struct Headers {
    offset: u64,
    optional: Vec<u8>,
    sections: Vec<u8>,
}

impl Headers {
    /// Finds and reads the headers of a file.
    pub(super) fn of(file: &mut (impl Read + Seek)) -> Result<Self> {
        let dos = read(file, 0, 64, "the DOS header")
            .or_else(|error| if is_short(&error) { fail(0, ImageErrorKind::NotPe) } else { Err(error) })?;
        if !dos.starts_with(b"MZ") {
            return fail(0, ImageErrorKind::NotPe);
        }
        let pe = u64::from(u32_at(&dos, 60).unwrap_or(0));
        // The signature and the COFF header.
        let coff = read(file, pe, 24, "the COFF header")?;
        if !coff.starts_with(b"PE\0\0") {
            return fail(pe, ImageErrorKind::NotPe);
        }
        let sections = usize::from(u16_at(&coff, 6).unwrap_or(0));
        let optional_size = usize::from(u16_at(&coff, 20).unwrap_or(0));
        Self::read(file, pe + 24, optional_size, sections)
    }

    fn read(file: &mut (impl Read + Seek), offset: u64, size: usize, sections: usize) -> Result<Self> {
        Ok(Self {
            offset,
            optional: read(file, offset, size, "the optional header")?,
            sections: read(file, offset + size as u64, sections * 40, "the section table")?,
        })
    }

    /// Address and size of the CLI header.
    fn cli_header(&self) -> Result<(u32, u32)> {
        match self.directory(CLI_HEADER)? {
            Some(found) => Ok(found),
            None => fail(self.offset, ImageErrorKind::NotManaged),
        }
    }

    /// Address and size of the debug directory.
    pub(super) fn debug_directory(&self) -> Option<(u32, u32)> {
        self.directory(DEBUG).ok().flatten()
    }

    /// Address and size of a directory; `None` if there is none.
    fn directory(&self, number: usize) -> Result<Option<(u32, u32)>> {
        let directories = match u16_at(&self.optional, 0) {
            Some(0x10B) => 96,
            Some(0x20B) => 112,
            Some(other) => return fail(self.offset, ImageErrorKind::UnknownPe(other)),
            None => return fail(self.offset, ImageErrorKind::UnexpectedEnd("the optional header")),
        };
        let count = u32_at(&self.optional, directories - 4).unwrap_or(0) as usize;
        let at = directories + number * 8;
        Ok(match (u32_at(&self.optional, at), u32_at(&self.optional, at + 4)) {
            (Some(rva), Some(size)) if count > number && rva != 0 => Some((rva, size)),
            _ => None,
        })
    }

    /// Returns the offset of a relative virtual address in an image. The bytes behind it, so many, are in one section.
    fn offset_in(&self, layout: ImageLayout, rva: u32, size: u32) -> Result<u64> {
        let offset = self.offset_of(rva, size)?;
        Ok(match layout {
            ImageLayout::File => offset,
            ImageLayout::Loaded => rva.into(),
        })
    }

    /// Returns the file offset of a relative virtual address.
    pub(super) fn file_offset(&self, rva: u32) -> Result<u64> {
        self.offset_of(rva, 1)
    }

    /// The same, of bytes that a section holds.
    fn offset_of(&self, rva: u32, length: u32) -> Result<u64> {
        for section in self.sections.chunks_exact(40) {
            let field = |at| u32_at(section, at).unwrap_or(0);
            let (address, size, begin) = (field(12), field(16), field(20));
            // The part of a section that the file does not hold is zero, so no headers are there.
            if let Some(within) = rva.checked_sub(address).filter(|within| *within < size)
                && length <= size - within
            {
                return Ok(u64::from(begin) + u64::from(within));
            }
        }
        fail(self.offset, ImageErrorKind::NotMapped(rva))
    }
}
