//! Sequence points: IL offsets with their lines (portable PDB, "Sequence Points Blob").

use sigparse::Reader;
use sigparse::token::StandAloneSig;

use super::image_error::{ImageError, ImageErrorKind, Result};
use super::pdb::DocumentId;

/// An IL offset with the source that the code from there on was compiled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SequencePoint {
    /// The IL offset.
    pub offset: u32,
    /// The source file.
    pub document: DocumentId,
    /// The range in the source file; `None` for code that debuggers do not show.
    pub lines: Option<Lines>,
}

/// A range in a source file. Lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    /// The line of the first character.
    pub start_line: u32,
    /// The column of the first character.
    pub start_column: u32,
    /// The line of the last character.
    pub end_line: u32,
    /// The column after the last character.
    pub end_column: u32,
}

/// The sequence points of a method. Stops after an error.
#[derive(Clone, Debug)]
pub struct SequencePoints<'p> {
    reader: Reader<'p>,
    document: DocumentId,
    local_signature: Option<StandAloneSig>,
    offset: Option<u32>,
    /// Line and column of the last point that was not hidden.
    last: Option<(u32, u32)>,
    base: u64,
}

impl<'p> SequencePoints<'p> {
    /// Reads the head of the blob. Without a document, the head names the first one.
    pub(super) fn new(blob: &'p [u8], document: Option<DocumentId>, base: u64) -> Result<Self> {
        let mut points = Self {
            reader: Reader::new(blob),
            document: document.unwrap_or(DocumentId(0)),
            local_signature: None,
            offset: None,
            last: None,
            base,
        };
        if !blob.is_empty() {
            points.local_signature = StandAloneSig::from_rid(points.unsigned()?);
            if document.is_none() {
                points.document = DocumentId(points.unsigned()?);
            }
        }
        Ok(points)
    }

    /// The local variable signature that belongs to the scopes of the method.
    #[must_use]
    pub const fn local_signature(&self) -> Option<StandAloneSig> {
        self.local_signature
    }

    #[cold]
    fn malformed(&self) -> ImageError {
        ImageError { offset: self.base, kind: ImageErrorKind::UnexpectedEnd("sequence points") }
    }

    fn unsigned(&mut self) -> Result<u32> {
        self.reader.read_compressed_u32().map_err(|_| self.malformed())
    }

    /// A number that is stored as its difference to another one.
    fn difference(&mut self, from: u32) -> Result<u32> {
        let difference = self.reader.read_compressed_i32().map_err(|_| self.malformed())?;
        from.checked_add_signed(difference).ok_or_else(|| self.malformed())
    }

    fn read(&mut self) -> Result<SequencePoint> {
        let offset = match self.offset {
            None => self.unsigned()?,
            Some(last) => {
                let mut difference = self.unsigned()?;
                // A difference of 0 announces another document.
                while difference == 0 {
                    self.document = DocumentId(self.unsigned()?);
                    difference = self.unsigned()?;
                }
                last.checked_add(difference).ok_or_else(|| self.malformed())?
            }
        };
        self.offset = Some(offset);
        let lines = self.unsigned()?;
        let columns = match lines {
            0 => self.unsigned()?.cast_signed(),
            _ => self.reader.read_compressed_i32().map_err(|_| self.malformed())?,
        };
        if (lines, columns) == (0, 0) {
            return Ok(SequencePoint { offset, document: self.document, lines: None });
        }
        let (start_line, start_column) = match self.last {
            None => (self.unsigned()?, self.unsigned()?),
            Some((line, column)) => (self.difference(line)?, self.difference(column)?),
        };
        self.last = Some((start_line, start_column));
        let end_line = start_line.checked_add(lines).ok_or_else(|| self.malformed())?;
        let end_column = start_column.checked_add_signed(columns).ok_or_else(|| self.malformed())?;
        let lines = Lines { start_line, start_column, end_line, end_column };
        Ok(SequencePoint { offset, document: self.document, lines: Some(lines) })
    }
}

impl Iterator for SequencePoints<'_> {
    type Item = Result<SequencePoint>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.rest().is_empty() {
            return None;
        }
        let point = self.read();
        if point.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(point)
    }
}
