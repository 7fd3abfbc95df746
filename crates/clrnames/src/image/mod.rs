//! Assembly files: portable executables with metadata (ECMA-335 II.24 and II.25), read without a runtime.
//!
//! | file | subject |
//! |---|---|
//! | `pe` | from a file to the place of its metadata |
//! | `root` | the streams of the metadata |
//! | `schema` | what the rows of each table are made of |
//! | `tables` | where the rows lie |
//! | `heaps` | texts, blobs, GUIDs |
//! | `rows` | rows, ranges of rows, and searching in sorted tables |
//! | `names` | what names need of them |
//! | `lookup` | types and methods by name |

mod bytes;
mod error;
mod heaps;
mod lookup;
mod names;
mod pe;
mod root;
mod rows;
mod schema;
mod tables;

use std::collections::HashMap;
use std::io::{Cursor, Read, Seek};
use std::sync::OnceLock;

pub use error::{ImageError, ImageErrorKind};
pub use lookup::{AssemblyName, Exported};

use error::Result;
use root::Streams;
use sigparse::token::{Table, Token};
use tables::Tables;

use crate::Mvid;
use crate::metadata::Accessed;

/// The metadata of an assembly file.
///
/// Holds its bytes, or borrows them: `Image<&[u8]>`. Nothing is copied out of them and nothing is read before it is asked
/// for, but the layout of the tables.
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
    /// Where the metadata lies in the file.
    base: u64,
    streams: Streams,
    tables: Tables,
    /// What each accessor is an accessor of; the table is in the order of the properties and events.
    accessors: OnceLock<HashMap<u32, Accessed>>,
    /// Types by enclosing type and name.
    types: OnceLock<lookup::Types>,
}

impl Image {
    /// Reads the metadata of an assembly file, and of the rest only the headers.
    ///
    /// # Errors
    /// That the file cannot be read, is no assembly, or is malformed.
    pub fn read(mut file: impl Read + Seek) -> core::result::Result<Self, ImageError> {
        let place = pe::locate(&mut file)?;
        let metadata = pe::read(&mut file, place.offset, place.size as usize, "the metadata")?;
        Self::new(metadata.into_boxed_slice(), place.offset)
    }
}

impl<'d> Image<&'d [u8]> {
    /// The metadata of an assembly file whose bytes are given: read, or mapped.
    ///
    /// # Errors
    /// That it is no assembly, or is malformed.
    pub fn parse(file: &'d [u8]) -> core::result::Result<Self, ImageError> {
        let place = pe::locate(&mut Cursor::new(file))?;
        let metadata = usize::try_from(place.offset).ok().and_then(|begin| {
            let end = begin.checked_add(place.size as usize)?;
            file.get(begin..end)
        });
        match metadata {
            Some(metadata) => Self::new(metadata, place.offset),
            None => error::fail(place.offset, ImageErrorKind::UnexpectedEnd("the metadata")),
        }
    }
}

impl<D: AsRef<[u8]>> Image<D> {
    /// Metadata without a file around it: it begins with `BSJB`.
    ///
    /// # Errors
    /// That it is malformed.
    pub fn of_metadata(metadata: D) -> core::result::Result<Self, ImageError> {
        Self::new(metadata, 0)
    }

    fn new(metadata: D, base: u64) -> Result<Self> {
        let bytes = metadata.as_ref();
        let streams = Streams::parse(bytes, bytes.len(), base)?;
        let stream = bytes.get(streams.tables.clone()).unwrap_or_default();
        let tables = Tables::parse(stream, stream.len(), base + streams.tables.start as u64)?;
        Ok(Self { metadata, base, streams, tables, accessors: OnceLock::new(), types: OnceLock::new() })
    }

    /// The module's version id, new for each build of it.
    ///
    /// # Errors
    /// That the module has none.
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

/// The version id of a file's module. Reads a few hundred bytes, whatever the size of the file.
pub(crate) fn mvid_of(mut file: impl Read + Seek) -> core::result::Result<Mvid, ImageError> {
    let place = pe::locate(&mut file)?;
    let size = place.size as usize;
    let root = pe::read(&mut file, place.offset, size.min(root::USUAL_SIZE), "the metadata")?;
    let streams = Streams::parse(&root, size, place.offset)?;
    let at = place.offset + streams.tables.start as u64;
    let header = pe::read(&mut file, at, streams.tables.len().min(tables::MAX_HEADER), "the tables")?;
    let tables = Tables::parse(&header, streams.tables.len(), at)?;
    let token = Token::new(Table::MODULE, 1);
    let Some(row) = tables.row(token) else { return error::fail(at, ImageErrorKind::NoRow(token)) };
    let module = pe::read(&mut file, at + row.start as u64, row.len(), "the tables")?;
    let index = tables.cell(Table::MODULE, &module, 2).unwrap_or(0);
    let Some(begin) = heaps::guid_place(index, streams.guids.len()) else {
        return error::fail(at + row.start as u64, ImageErrorKind::OutsideHeap(index));
    };
    let guid_at = place.offset + (streams.guids.start + begin) as u64;
    let guid = pe::read(&mut file, guid_at, 16, "the GUIDs")?;
    heaps::mvid(&guid).map_or_else(|| error::fail(guid_at, ImageErrorKind::OutsideHeap(index)), Ok)
}
