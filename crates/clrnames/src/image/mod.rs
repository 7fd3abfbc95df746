//! Assembly files: portable executables with metadata (ECMA-335 II.24 and II.25), read without a runtime.
//!
//! | file | subject |
//! |---|---|
//! | `pe` | the headers, and the range of the metadata |
//! | `root` | the streams of the metadata |
//! | `schema` | the columns of each table |
//! | `tables` | the ranges of rows |
//! | `heaps` | texts, blobs, GUIDs |
//! | `guid` | where a GUID lies, and the order of its bytes |
//! | `type_index` | types by name |
//! | `rows` | rows, ranges of rows, and searching in sorted tables |
//! | `metadata` | the rows that names need |
//! | `checked` | whether everything in the metadata refers to what is there |
//! | `lookup` | types by name, assembly identities, forwarders |
//! | `code` | the rows that method bodies need |
//! | `debug_directory` | which PDB belongs to an assembly |
//! | `pdb` | portable PDBs: documents, scopes, state machines |
//! | `sequence_points` | IL offsets and lines |

mod bytes;
mod checked;
mod code;
mod debug_directory;
mod guid;
mod heaps;
mod image_error;
mod keyed;
mod lookup;
mod metadata;
pub mod pdb;
mod pe;
mod root;
mod rows;
mod schema;
mod sequence_points;
mod tables;
mod type_index;

use std::collections::HashMap;
use std::io::{Cursor, Read, Seek};
use std::sync::OnceLock;

pub use checked::checked_metadata;
pub use code::Sections;
pub use image_error::{ImageError, ImageErrorKind};
pub use pe::ImageLayout;

use image_error::Result;
use keyed::Unsorted;
use root::Streams;
use sigparse::token::{Table, Token, TypeDef};
use tables::Tables;
use type_index::TypeIndex;

use crate::identity::Mvid;
use crate::metadata::Accessed;

/// The metadata of an assembly file.
///
/// Owns its bytes, or borrows them: `Image<&[u8]>`. Opening one reads the layout of the tables. Rows are read on demand,
/// without copying the bytes.
///
/// ```no_run
/// use clrnames::{Image, metadata::Metadata};
/// use sigparse::token::MethodDef;
///
/// let image = Image::read(std::fs::File::open("shop.dll")?)?;
/// println!("{}", image.mvid()?);
/// if let Some(first) = MethodDef::from_rid(1) {
///     println!("{}", image.method(first)?.name);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Image<D = Box<[u8]>> {
    metadata: D,
    /// The offset of the metadata in the file.
    base: u64,
    streams: Streams,
    tables: Tables,
    /// The property or event of each accessor; the table is in the order of the properties and events.
    accessors: OnceLock<HashMap<u32, Accessed>>,
    /// Types by enclosing type and name.
    types: OnceLock<TypeIndex<TypeDef>>,
    /// The types with the members of extension blocks, by the row of the enclosing type.
    extension_groups: OnceLock<HashMap<u32, Vec<TypeDef>>>,
    /// The rows of exported types by name.
    exported: OnceLock<TypeIndex<u32>>,
    unsorted: Unsorted,
}

impl Image {
    /// Reads the headers and the metadata of an assembly file.
    ///
    /// # Errors
    /// The file cannot be read, is no assembly, or is malformed.
    pub fn read(mut file: impl Read + Seek) -> core::result::Result<Self, ImageError> {
        let place = pe::locate(&mut file)?;
        let metadata = pe::read(&mut file, place.offset, place.size as usize, "the metadata")?;
        Self::new(metadata.into_boxed_slice(), place.offset)
    }
}

impl<'d> Image<&'d [u8]> {
    /// Opens the metadata of an assembly file from its bytes, read or mapped.
    ///
    /// # Errors
    /// The file is no assembly, or is malformed.
    pub fn parse(file: &'d [u8]) -> core::result::Result<Self, ImageError> {
        let place = pe::locate(&mut Cursor::new(file))?;
        let metadata = usize::try_from(place.offset).ok().and_then(|begin| {
            let end = begin.checked_add(place.size as usize)?;
            file.get(begin..end)
        });
        match metadata {
            Some(metadata) => Self::new(metadata, place.offset),
            None => image_error::fail(place.offset, ImageErrorKind::UnexpectedEnd("the metadata")),
        }
    }
}

/// Returns the offset and the size of an image's metadata. Reads the headers, and nothing else.
///
/// For an image in memory; the result is within a section that has these bytes.
///
/// # Errors
/// The image cannot be read, is no assembly, or is malformed.
pub fn metadata_range(
    image: &mut (impl Read + Seek),
    layout: ImageLayout,
) -> core::result::Result<(u64, u32), ImageError> {
    let place = pe::locate_in(image, layout)?;
    Ok((place.offset, place.size))
}

impl<D: AsRef<[u8]>> Image<D> {
    /// Opens metadata without a file around it: its first bytes are `BSJB`.
    ///
    /// # Errors
    /// The metadata is malformed.
    pub fn of_metadata(metadata: D) -> core::result::Result<Self, ImageError> {
        Self::new(metadata, 0)
    }

    fn new(metadata: D, base: u64) -> Result<Self> {
        let bytes = metadata.as_ref();
        let streams = Streams::compressed(bytes, bytes.len(), base)?;
        let stream = bytes.get(streams.tables.clone()).unwrap_or_default();
        let external = root::external_rows(bytes.get(streams.pdb.clone()).unwrap_or_default());
        let tables = Tables::parse(stream, stream.len(), base + streams.tables.start as u64, &external)?;
        Ok(Self {
            metadata,
            base,
            streams,
            tables,
            accessors: OnceLock::new(),
            types: OnceLock::new(),
            extension_groups: OnceLock::new(),
            exported: OnceLock::new(),
            unsorted: Unsorted::default(),
        })
    }

    /// Returns the module's version id, new for each build (II.22.30).
    ///
    /// # Errors
    /// The metadata has no module row, or it is malformed.
    pub fn mvid(&self) -> core::result::Result<Mvid, ImageError> {
        let module = self.row(Token::new(Table::MODULE, 1))?;
        self.guid(module.cell(2)?)
    }
}

impl<D> core::fmt::Debug for Image<D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Image").field("streams", &self.streams).finish_non_exhaustive()
    }
}

/// Reads the version id of a file's module. Reads a few hundred bytes, whatever the size of the file.
pub(crate) fn mvid_of(mut file: impl Read + Seek) -> core::result::Result<Mvid, ImageError> {
    let place = pe::locate(&mut file)?;
    let size = place.size as usize;
    let root = pe::read(&mut file, place.offset, size.min(root::USUAL_SIZE), "the metadata")?;
    let streams = Streams::compressed(&root, size, place.offset)?;
    let at = place.offset + streams.tables.start as u64;
    let header = pe::read(&mut file, at, streams.tables.len().min(tables::MAX_HEADER), "the tables")?;
    let tables = Tables::parse(&header, streams.tables.len(), at, &[0; 64])?;
    let token = Token::new(Table::MODULE, 1);
    let Some(row) = tables.row(token) else { return image_error::fail(at, ImageErrorKind::NoRow(token)) };
    let module = pe::read(&mut file, at + row.start as u64, row.len(), "the tables")?;
    let index = tables.cell(Table::MODULE, &module, 2).unwrap_or(0);
    let Some(begin) = guid::offset(index, streams.guids.len()) else {
        return image_error::fail(at + row.start as u64, ImageErrorKind::OutsideHeap(index));
    };
    let guid_at = place.offset + (streams.guids.start + begin) as u64;
    let guid = pe::read(&mut file, guid_at, 16, "the GUIDs")?;
    guid::mvid(&guid).map_or_else(|| image_error::fail(guid_at, ImageErrorKind::OutsideHeap(index)), Ok)
}
