//! The debug directory of an assembly file: which PDB belongs to it, and where that is.

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use super::bytes::{array_at, u32_at};
use super::image_error::{ImageError, ImageErrorKind, Result, fail};
use super::pe;
use crate::limits::{MAX_DEBUG_ENTRIES, MAX_EMBEDDED_PDB, MAX_TEXT};

// Types of entries (PE format, and `docs/specs/PE-COFF.md` in dotnet/runtime).
const CODE_VIEW: u32 = 2;
const EMBEDDED_PORTABLE_PDB: u32 = 17;

/// The size of an entry.
const ENTRY: usize = 28;

/// The PDB of an assembly file, by its debug directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DebugDirectory {
    /// The path that the compiler wrote the PDB to.
    pub path: Option<String>,
    /// The id of the PDB, which [`Pdb::id`](super::pdb::Pdb::id) has too.
    pub id: Option<[u8; 20]>,
    /// The embedded PDB: compressed, with its header.
    embedded: Option<Vec<u8>>,
}

impl DebugDirectory {
    /// Reads the debug directory of an assembly file.
    ///
    /// # Errors
    /// The file cannot be read, is no PE file, or its debug directory is malformed.
    pub fn read(mut file: impl Read + Seek) -> core::result::Result<Self, ImageError> {
        let headers = pe::Headers::of(&mut file)?;
        let mut directory = Self::default();
        let Some((rva, size)) = headers.debug_directory() else { return Ok(directory) };
        let entries = (size as usize / ENTRY).min(MAX_DEBUG_ENTRIES);
        let entries = pe::read(&mut file, headers.file_offset(rva)?, entries * ENTRY, "the debug directory")?;
        for entry in entries.chunks_exact(ENTRY) {
            let field = |at| u32_at(entry, at).unwrap_or(0);
            let (stamp, size, offset) = (field(4), field(16) as usize, u64::from(field(24)));
            match field(12) {
                CODE_VIEW => {
                    let data = pe::read(&mut file, offset, size.min(MAX_TEXT), "the CodeView entry")?;
                    let Some(guid) = array_at::<16>(&data, 4).filter(|_| data.starts_with(b"RSDS")) else {
                        return fail(offset, ImageErrorKind::UnexpectedEnd("the CodeView entry"));
                    };
                    let mut id = [0; 20];
                    id[..16].copy_from_slice(&guid);
                    id[16..].copy_from_slice(&stamp.to_le_bytes());
                    let path = data.get(24..).unwrap_or_default().split(|byte| *byte == 0).next();
                    directory.path = path.map(|path| String::from_utf8_lossy(path).into_owned());
                    directory.id = Some(id);
                }
                EMBEDDED_PORTABLE_PDB => {
                    directory.embedded = Some(pe::read(&mut file, offset, size, "the embedded PDB")?);
                }
                _ => {}
            }
        }
        Ok(directory)
    }

    /// Returns the bytes of the embedded PDB, decompressed.
    ///
    /// Without the feature `embedded-pdb`, embedded PDBs are not read.
    ///
    /// # Errors
    /// It is malformed or too large.
    pub fn embedded(&self) -> core::result::Result<Option<Vec<u8>>, ImageError> {
        self.embedded.as_deref().and_then(decompressed).transpose()
    }

    /// The places of the PDB file: beside the assembly, and where the compiler wrote it.
    pub fn candidates(&self, assembly: &Path) -> impl Iterator<Item = PathBuf> + use<> {
        let name = self.path.as_deref().and_then(|path| path.rsplit(['/', '\\']).next());
        let beside = name.map(|name| assembly.with_file_name(name));
        [beside, Some(assembly.with_extension("pdb")), self.path.as_deref().map(PathBuf::from)]
            .into_iter()
            .flatten()
    }
}

/// Decompresses an embedded PDB: `MPDB`, the size, and a deflate stream.
#[cfg(feature = "embedded-pdb")]
fn decompressed(data: &[u8]) -> Option<Result<Vec<u8>>> {
    let malformed = || fail(0, ImageErrorKind::UnexpectedEnd("the embedded PDB"));
    let Some(size) = u32_at(data, 4).filter(|size| data.starts_with(b"MPDB") && *size <= MAX_EMBEDDED_PDB)
    else {
        return Some(malformed());
    };
    let mut bytes = Vec::new();
    let stream = flate2::read::DeflateDecoder::new(data.get(8..).unwrap_or_default());
    let read = stream.take(u64::from(size)).read_to_end(&mut bytes);
    match read {
        Ok(read) if read == size as usize => Some(Ok(bytes)),
        _ => Some(malformed()),
    }
}

#[cfg(not(feature = "embedded-pdb"))]
fn decompressed(_: &[u8]) -> Option<Result<Vec<u8>>> {
    let _ = MAX_EMBEDDED_PDB;
    None
}

#[cfg(all(test, feature = "embedded-pdb"))]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn packed(data: &[u8], size: u32) -> std::io::Result<Vec<u8>> {
        let mut bytes = b"MPDB".to_vec();
        bytes.extend(size.to_le_bytes());
        let mut encoder = flate2::write::DeflateEncoder::new(bytes, flate2::Compression::default());
        encoder.write_all(data)?;
        encoder.finish()
    }

    #[test]
    fn embedded_pdbs_are_decompressed_to_the_size_that_they_name() {
        let data: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let size = u32::try_from(data.len()).unwrap();
        let directory = |embedded| DebugDirectory { embedded: Some(embedded), ..DebugDirectory::default() };
        assert_eq!(directory(packed(&data, size).unwrap()).embedded().unwrap().unwrap(), data);
        assert!(directory(packed(&data, size + 1).unwrap()).embedded().is_err());
        assert!(directory(packed(&data, u32::MAX).unwrap()).embedded().is_err());
        assert!(directory(b"MPD".to_vec()).embedded().is_err());
        assert_eq!(DebugDirectory::default().embedded().unwrap(), None);
    }

    #[test]
    fn pdbs_are_looked_for_beside_the_assembly_first() {
        let directory =
            DebugDirectory { path: Some("/src/obj/a.pdb".to_owned()), ..DebugDirectory::default() };
        let places: Vec<PathBuf> = directory.candidates(Path::new("/app/b.dll")).collect();
        assert_eq!(places, ["/app/a.pdb", "/app/b.pdb", "/src/obj/a.pdb"].map(PathBuf::from));
    }
}
