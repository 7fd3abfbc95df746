//! The root of the metadata: which streams there are (ECMA-335 II.24.2).

use core::ops::Range;

use super::bytes::{array_at, u16_at, u32_at};
use super::image_error::{ImageErrorKind, Result, fail};

/// The signature of metadata: `BSJB`.
const SIGNATURE: u32 = 0x424A_5342;

/// The number of bytes that contain the metadata root of every compiler: the version is a short text, and there are
/// five streams.
pub(super) const USUAL_SIZE: usize = 512;

/// The ranges of the streams in the metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Streams {
    pub(super) tables: Range<usize>,
    /// Empty where a module has none.
    pub(super) strings: Range<usize>,
    pub(super) blobs: Range<usize>,
    pub(super) guids: Range<usize>,
    pub(super) user_strings: Range<usize>,
    /// Only portable PDBs have it.
    pub(super) pdb: Range<usize>,
    /// Where the header of the tables is, if they are uncompressed.
    uncompressed: Option<usize>,
}

impl Streams {
    /// The same as [`parse`](Self::parse), of metadata whose tables are compressed.
    pub(super) fn compressed(root: &[u8], size: usize, base: u64) -> Result<Self> {
        let streams = Self::parse(root, size, base)?;
        match streams.uncompressed {
            Some(at) => fail(base + at as u64, ImageErrorKind::Uncompressed),
            None => Ok(streams),
        }
    }

    /// Reads the root of metadata of `size` bytes; the caller gives the first ones. `base` is its offset in the file.
    pub(super) fn parse(root: &[u8], size: usize, base: u64) -> Result<Self> {
        const WHAT: ImageErrorKind = ImageErrorKind::UnexpectedEnd("the metadata root");
        let word = |at| u32_at(root, at).map_or_else(|| fail(base + at as u64, WHAT), Ok);
        match word(0)? {
            SIGNATURE => {}
            other => return fail(base, ImageErrorKind::NotMetadata(other)),
        }
        // The length of the version is rounded up already.
        let version = usize::try_from(word(12)?).unwrap_or(usize::MAX);
        let mut at = version.saturating_add(16);
        let Some(count) = u16_at(root, at.saturating_add(2)) else { return fail(base + 12, WHAT) };
        at += 4;
        let mut streams = Self {
            tables: 0..0,
            strings: 0..0,
            blobs: 0..0,
            guids: 0..0,
            user_strings: 0..0,
            pdb: 0..0,
            uncompressed: None,
        };
        let mut has_tables = false;
        for _ in 0..count {
            let (begin, length) = (word(at)?, word(at + 4)?);
            let name = root.get(at + 8..).unwrap_or_default();
            let Some(end) = name.iter().take(32).position(|byte| *byte == 0) else {
                return fail(base + at as u64 + 8, WHAT);
            };
            let place = begin as usize..(begin as usize).saturating_add(length as usize);
            if place.end > size {
                let kind = ImageErrorKind::StreamOutside { begin, size: length, all: size };
                return fail(base + at as u64, kind);
            }
            match name.get(..end) {
                Some(b"#~") => (streams.tables, has_tables) = (place, true),
                Some(b"#-") => {
                    (streams.tables, has_tables) = (place, true);
                    streams.uncompressed = Some(at);
                }
                Some(b"#Strings") => streams.strings = place,
                Some(b"#Blob") => streams.blobs = place,
                Some(b"#GUID") => streams.guids = place,
                Some(b"#Pdb") => streams.pdb = place,
                Some(b"#US") => streams.user_strings = place,
                _ => {}
            }
            at += 8 + (end + 1).next_multiple_of(4);
        }
        match has_tables {
            true => Ok(streams),
            false => fail(base, ImageErrorKind::MissingStream("#~")),
        }
    }
}

/// Returns what in the root a reader might take for something else than [`Streams`] does: lengths that are not checked there,
/// streams that have no known meaning, and streams that occur twice.
pub(super) fn irregular(root: &[u8]) -> Option<&'static str> {
    let version = u32_at(root, 12)? as usize;
    let text = root.get(16..16_usize.checked_add(version)?)?;
    if !version.is_multiple_of(4) || !text.contains(&0) {
        return Some("the version is no text");
    }
    let mut at = 16 + version;
    // Flags: one stands for more data before the streams.
    if u16_at(root, at)? != 0 {
        return Some("it has flags");
    }
    let count = u16_at(root, at + 2)?;
    at += 4;
    let mut seen = Vec::new();
    for _ in 0..count {
        let name = root.get(at + 8..)?;
        let name = name.get(..name.iter().position(|byte| *byte == 0)?)?;
        let is_known = matches!(name, b"#~" | b"#-" | b"#Strings" | b"#US" | b"#GUID" | b"#Blob" | b"#Pdb");
        // There is one stream of tables, whatever their form.
        let name = if name == b"#-" { b"#~" } else { name };
        if !is_known || seen.contains(&name) {
            return Some(if is_known { "a stream occurs twice" } else { "a stream has an unknown name" });
        }
        seen.push(name);
        at += 8 + (if name == b"#~" { 2 } else { name.len() } + 1).next_multiple_of(4);
    }
    None
}

/// Reads the row counts of the assembly's tables from the `#Pdb` stream: columns that refer to them have their size.
pub(super) fn external_rows(stream: &[u8]) -> [u32; 64] {
    let mut rows = [0; 64];
    let referenced = array_at(stream, 24).map_or(0, u64::from_le_bytes);
    let present = rows.iter_mut().enumerate().filter(|(table, _)| referenced >> table & 1 != 0);
    for (index, (_, rows)) in present.enumerate() {
        *rows = u32_at(stream, 32 + 4 * index).unwrap_or(0);
    }
    rows
}
