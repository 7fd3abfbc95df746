//! The errors of reading assembly files.

use std::io;

use sigparse::Token;

/// An assembly file that cannot be read: the cause and its offset.
#[derive(Debug, thiserror::Error)]
#[error("{kind} (at byte {offset})")]
pub struct ImageError {
    /// The offset in the file; for metadata without a file, in the metadata.
    pub offset: u64,
    /// The cause.
    pub kind: ImageErrorKind,
}

/// The cause of an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageErrorKind {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(io::Error),
    /// The file ends too early.
    #[error("the file ends within {0}")]
    UnexpectedEnd(&'static str),
    /// The file is no portable executable (II.25): neither `MZ` at its begin nor `PE` where that points to.
    #[error("this is not a PE file")]
    NotPe,
    /// The optional header has this magic number, not 0x10B (PE32) or 0x20B (PE32+).
    #[error("the optional header begins with 0x{0:X} instead of 0x10B or 0x20B")]
    UnknownPe(u16),
    /// The file has no CLI header (II.25.3.3): it is native code.
    #[error("there is no CLI header: this is native code, not an assembly")]
    NotManaged,
    /// A relative virtual address lies in no section.
    #[error("the address 0x{0:X} lies in no section")]
    NotMapped(u32),
    /// The metadata does not begin with `BSJB` (II.24.2.1).
    #[error("the metadata begins with 0x{0:X} instead of 0x424A5342")]
    NotMetadata(u32),
    /// A stream of the metadata is missing (II.24.2.2).
    #[error("the metadata has no stream {0}")]
    MissingStream(&'static str),
    /// The tables are uncompressed, as edit-and-continue writes them.
    #[error("the tables are uncompressed (stream #-), which is not supported")]
    Uncompressed,
    /// A stream of the metadata lies outside of it.
    #[error("a stream of {size} bytes at {begin} exceeds the metadata of {all} bytes")]
    StreamOutside {
        /// The offset of the stream.
        begin: u32,
        /// Its length.
        size: u32,
        /// The length of the metadata.
        all: usize,
    },
    /// The headers of the metadata declare something that no compiler writes.
    #[error("the headers of the metadata: {0}")]
    Header(&'static str),
    /// A table has more rows than tokens can number.
    #[error("a table of {0} rows")]
    TooManyRows(u32),
    /// A type that is nested in itself, or in too many others.
    #[error("{0} is nested in itself, or in too many types")]
    NestedTooDeep(Token),
    /// The tables are longer than their stream.
    #[error("tables of {tables} bytes exceed a stream of {stream} bytes")]
    TablesOutside {
        /// The length by the row counts.
        tables: u64,
        /// The length of the stream.
        stream: usize,
    },
    /// A token of a row that is not there.
    #[error("there is no row {0}")]
    NoRow(Token),
    /// A row refers to an offset beyond the end of a heap.
    #[error("offset 0x{0:X} in a heap that is shorter")]
    OutsideHeap(u32),
    /// A name without an end, or an absurd one.
    #[error("a name of more than {0} bytes")]
    TextTooLong(usize),
    /// A row refers to a row of a wrong table.
    #[error("0x{0:X} refers to no row of the right table")]
    BadIndex(u32),
}

/// The result of reading an assembly file.
pub(super) type Result<T> = core::result::Result<T, ImageError>;

/// Makes an error.
#[cold]
pub(super) fn fail<T>(offset: u64, kind: ImageErrorKind) -> Result<T> {
    Err(ImageError { offset, kind })
}
