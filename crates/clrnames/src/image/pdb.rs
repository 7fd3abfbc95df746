//! Portable PDB: where the code of an assembly comes from.
//!
//! The format is specified beside the runtime (`docs/specs/PortablePdb-Metadata.md` in dotnet/runtime). A PDB is metadata with
//! tables of its own, which refer to the methods of the assembly by their rows.

use std::fs::File;
use std::path::Path;

use sigparse::Reader;
use sigparse::token::{MethodDef, StandAloneSig, Token};

use super::Image;
use super::bytes::{array_at, u32_at};
pub use super::debug_directory::DebugDirectory;
use super::image_error::{ImageError, ImageErrorKind, Result, fail};
use super::schema::{
    CUSTOM_DEBUG_INFORMATION, DOCUMENT, HAS_CUSTOM_DEBUG_INFORMATION_TABLES, LOCAL_CONSTANT, LOCAL_SCOPE,
    LOCAL_VARIABLE, METHOD_DEBUG_INFORMATION, STATE_MACHINE_METHOD,
};
pub use super::sequence_points::{Lines, SequencePoint, SequencePoints};
use crate::limits::MAX_TEXT;

/// The kind of a method's async stepping information, 54FD2AC5-E925-401A-9C2A-F94F171072F8.
const ASYNC_STEPPING: [u8; 16] =
    [0xC5, 0x2A, 0xFD, 0x54, 0x25, 0xE9, 0x1A, 0x40, 0x9C, 0x2A, 0xF9, 0x4F, 0x17, 0x10, 0x72, 0xF8];

/// A portable PDB.
///
/// ```no_run
/// use clrnames::pdb::Pdb;
/// use sigparse::token::MethodDef;
///
/// let pdb = Pdb::parse(std::fs::read("shop.pdb")?)?;
/// let method = MethodDef::from_rid(1).unwrap();
/// for point in pdb.sequence_points(method)? {
///     let point = point?;
///     if let Some(lines) = point.lines {
///         println!("IL_{:04X}: {}:{}", point.offset, pdb.document(point.document)?.name, lines.start_line);
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pdb<D = Box<[u8]>>(Image<D>);

/// The row of a source file in a PDB, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub u32);

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Document<'p> {
    /// The path, as the compiler was given it.
    pub name: String,
    /// The GUID of the hash algorithm, as it is stored; zero for no hash.
    pub hash_algorithm: [u8; 16],
    /// The hash of the file.
    pub hash: &'p [u8],
    /// The GUID of the language, as it is stored.
    pub language: [u8; 16],
}

/// A range of code in which local variables and constants have names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalScope<'p> {
    /// The first IL offset.
    pub start: u32,
    /// The number of bytes.
    pub length: u32,
    /// The variables.
    pub variables: Vec<LocalVariable>,
    /// The constants.
    pub constants: Vec<LocalConstant<'p>>,
}

/// A named local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalVariable {
    /// The number in the local variable signature.
    pub index: u16,
    /// The name.
    pub name: String,
    /// Whether debuggers hide the variable.
    pub is_hidden: bool,
}

/// A named constant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalConstant<'p> {
    /// The name.
    pub name: String,
    /// The type and the value.
    pub signature: &'p [u8],
}

/// The offsets at which the `MoveNext` method of an async method suspends and resumes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsyncStepping {
    /// The IL offset of the handler that the compiler put around the body, in methods that return nothing.
    pub catch_handler: Option<u32>,
    /// The awaits, in the order of their code.
    pub steps: Vec<AsyncStep>,
}

/// One await.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsyncStep {
    /// The IL offset where the method suspends.
    pub yield_offset: u32,
    /// The IL offset where it resumes.
    pub resume_offset: u32,
    /// The method that it resumes in: a `MoveNext`.
    pub resume_method: Option<MethodDef>,
}

impl<D: AsRef<[u8]>> Pdb<D> {
    /// Opens a PDB from its bytes.
    ///
    /// # Errors
    /// The file is malformed, or is no PDB: the stream `#Pdb` is missing.
    pub fn parse(bytes: D) -> core::result::Result<Self, ImageError> {
        let image = Image::of_metadata(bytes)?;
        match image.streams.pdb.is_empty() {
            true => fail(0, ImageErrorKind::MissingStream("#Pdb")),
            false => Ok(Self(image)),
        }
    }

    /// The id that the debug directory of the assembly names: a GUID and a time stamp.
    ///
    /// # Errors
    /// The stream is shorter.
    pub fn id(&self) -> Result<[u8; 20]> {
        let stream = self.0.metadata.as_ref().get(self.0.streams.pdb.clone()).unwrap_or_default();
        array_at(stream, 0).map_or_else(|| fail(0, ImageErrorKind::UnexpectedEnd("the #Pdb stream")), Ok)
    }

    /// The source files.
    pub fn documents(&self) -> impl ExactSizeIterator<Item = DocumentId> + use<D> {
        (0..self.0.count(DOCUMENT)).map(|row| DocumentId(row + 1))
    }

    /// A source file.
    ///
    /// # Errors
    /// There is no such row, or it is malformed.
    pub fn document(&self, id: DocumentId) -> Result<Document<'_>> {
        let row = self.0.row(Token::new(DOCUMENT, id.0))?;
        let guid = |column| match row.cell(column)? {
            0 => Ok([0; 16]),
            index => self.0.guid_bytes(index),
        };
        Ok(Document {
            name: self.document_name(row.blob(0)?)?,
            hash_algorithm: guid(1)?,
            hash: row.blob(2)?,
            language: guid(3)?,
        })
    }

    /// Joins the parts of a document's name: a separator, then offsets of the parts in the blob heap.
    fn document_name(&self, blob: &[u8]) -> Result<String> {
        let malformed = || fail(self.0.base, ImageErrorKind::UnexpectedEnd("the name of a document"));
        let Some((separator, parts)) = blob.split_first() else { return malformed() };
        let separator = (*separator != 0).then_some(char::from(*separator));
        let mut reader = Reader::new(parts);
        let (mut name, mut is_first) = (String::new(), true);
        while !reader.rest().is_empty() {
            let Ok(offset) = reader.read_compressed_u32() else { return malformed() };
            if !is_first {
                name.extend(separator);
            }
            is_first = false;
            name.push_str(&String::from_utf8_lossy(self.0.blob(offset)?));
            if name.len() > MAX_TEXT {
                return fail(self.0.base, ImageErrorKind::TextTooLong(MAX_TEXT));
            }
        }
        Ok(name)
    }

    /// The sequence points of a method, in the order of their offsets. None for a method without source.
    ///
    /// # Errors
    /// There is no such method, or its blob is malformed.
    pub fn sequence_points(&self, method: MethodDef) -> Result<SequencePoints<'_>> {
        let row = self.0.row(Token::new(METHOD_DEBUG_INFORMATION, method.rid()))?;
        let document = row.cell(0)?;
        SequencePoints::new(row.blob(1)?, (document != 0).then_some(DocumentId(document)), self.0.base)
    }

    /// Returns the sequence point of an IL offset of a method: the last one at or before it.
    ///
    /// # Errors
    /// As for [`sequence_points`](Self::sequence_points), and if a sequence point is malformed.
    pub fn sequence_point_at(&self, method: MethodDef, offset: u32) -> Result<Option<SequencePoint>> {
        let mut last = None;
        for point in self.sequence_points(method)? {
            let point = point?;
            if point.offset > offset {
                break;
            }
            last = Some(point);
        }
        Ok(last)
    }

    /// Returns the sequence points of a method that cover a line of a source file.
    ///
    /// # Errors
    /// As for [`sequence_points`](Self::sequence_points), and if a sequence point is malformed.
    pub fn sequence_points_on(
        &self,
        method: MethodDef,
        document: DocumentId,
        line: u32,
    ) -> Result<Vec<SequencePoint>> {
        let mut found = Vec::new();
        for point in self.sequence_points(method)? {
            let point = point?;
            let covers = point.lines.is_some_and(|it| it.start_line <= line && line <= it.end_line);
            if point.document == document && covers {
                found.push(point);
            }
        }
        Ok(found)
    }

    /// Returns the local variable signature that the compiler has written for a method's scopes.
    ///
    /// # Errors
    /// As for [`sequence_points`](Self::sequence_points).
    pub fn local_signature(&self, method: MethodDef) -> Result<Option<StandAloneSig>> {
        Ok(self.sequence_points(method)?.local_signature())
    }

    /// The scopes of a method, outer ones before those that are nested in them.
    ///
    /// # Errors
    /// The rows are malformed.
    pub fn local_scopes(&self, method: MethodDef) -> Result<Vec<LocalScope<'_>>> {
        let mut scopes = Vec::new();
        for rid in self.0.keyed(LOCAL_SCOPE, 0, method.rid())? {
            let token = Token::new(LOCAL_SCOPE, rid);
            let row = self.0.row(token)?;
            let mut scope = LocalScope {
                start: row.cell(4)?,
                length: row.cell(5)?,
                variables: Vec::new(),
                constants: Vec::new(),
            };
            for rid in self.0.list(token, 2, LOCAL_VARIABLE)? {
                let row = self.0.row(Token::new(LOCAL_VARIABLE, rid))?;
                scope.variables.push(LocalVariable {
                    index: u16::try_from(row.cell(1)?).unwrap_or(u16::MAX),
                    name: row.text(2)?.into_owned(),
                    is_hidden: row.cell(0)? & 1 != 0,
                });
            }
            for rid in self.0.list(token, 3, LOCAL_CONSTANT)? {
                let row = self.0.row(Token::new(LOCAL_CONSTANT, rid))?;
                scope
                    .constants
                    .push(LocalConstant { name: row.text(0)?.into_owned(), signature: row.blob(1)? });
            }
            scopes.push(scope);
        }
        Ok(scopes)
    }

    /// The method in the source that the compiler made a `MoveNext` method of: async, or an iterator.
    ///
    /// # Errors
    /// The rows are malformed.
    pub fn kickoff_method(&self, move_next: MethodDef) -> Result<Option<MethodDef>> {
        match self.0.first_keyed(STATE_MACHINE_METHOD, 0, move_next.rid())? {
            Some(rid) => self.0.row(Token::new(STATE_MACHINE_METHOD, rid))?.index(1, MethodDef::from_rid),
            None => Ok(None),
        }
    }

    /// Returns the offsets at which a `MoveNext` method suspends and resumes; `None` if it is not of an async method.
    ///
    /// # Errors
    /// The rows or the blob are malformed.
    pub fn async_stepping(&self, move_next: MethodDef) -> Result<Option<AsyncStepping>> {
        let all = self.custom_debug_information(move_next.into())?;
        let Some((_, blob)) = all.into_iter().find(|(kind, _)| *kind == ASYNC_STEPPING) else {
            return Ok(None);
        };
        let malformed = || fail(self.0.base, ImageErrorKind::UnexpectedEnd("async stepping information"));
        let Some(handler) = u32_at(blob, 0) else { return malformed() };
        let mut reader = Reader::new(blob.get(4..).unwrap_or_default());
        let mut steps = Vec::new();
        while !reader.rest().is_empty() {
            let (Ok(yields), Ok(resumes), Ok(method)) =
                (reader.read_array(), reader.read_array(), reader.read_compressed_u32())
            else {
                return malformed();
            };
            steps.push(AsyncStep {
                yield_offset: u32::from_le_bytes(yields),
                resume_offset: u32::from_le_bytes(resumes),
                resume_method: MethodDef::from_rid(method),
            });
        }
        Ok(Some(AsyncStepping { catch_handler: handler.checked_sub(1), steps }))
    }

    /// Returns the custom debug information of a row: the stored GUID of each kind, with its blob.
    ///
    /// # Errors
    /// The rows are malformed.
    pub fn custom_debug_information(&self, of: Token) -> Result<Vec<([u8; 16], &[u8])>> {
        let Some(tag) = HAS_CUSTOM_DEBUG_INFORMATION_TABLES.iter().position(|table| *table == of.table())
        else {
            return Ok(Vec::new());
        };
        let key = of.rid() << 5 | u32::try_from(tag).unwrap_or(0);
        let mut found = Vec::new();
        for rid in self.0.keyed(CUSTOM_DEBUG_INFORMATION, 0, key)? {
            let row = self.0.row(Token::new(CUSTOM_DEBUG_INFORMATION, rid))?;
            found.push((self.0.guid_bytes(row.cell(1)?)?, row.blob(2)?));
        }
        Ok(found)
    }

    /// Returns the number of methods in the PDB.
    #[must_use]
    pub fn method_count(&self) -> u32 {
        self.0.count(METHOD_DEBUG_INFORMATION)
    }
}

impl From<DocumentId> for Token {
    /// The token of the row, as custom debug information refers to it.
    fn from(id: DocumentId) -> Self {
        Self::new(DOCUMENT, id.0)
    }
}

impl Pdb {
    /// Finds the PDB of an assembly file: the embedded one, or a file with the id that the assembly names.
    ///
    /// # Errors
    /// The assembly or its embedded PDB is malformed.
    pub fn of_assembly(assembly: &Path) -> core::result::Result<Option<Self>, ImageError> {
        let failed = |error| ImageError { offset: 0, kind: ImageErrorKind::Io(error) };
        let directory = DebugDirectory::read(File::open(assembly).map_err(failed)?)?;
        if let Some(embedded) = directory.embedded()? {
            return Self::parse(embedded.into_boxed_slice()).map(Some);
        }
        for candidate in directory.candidates(assembly) {
            // Another build's PDB has other lines.
            // The assembly has the path: a device or a FIFO may have no end.
            if candidate.is_file()
                && let Ok(bytes) = std::fs::read(candidate)
                && let Ok(pdb) = Self::parse(bytes.into_boxed_slice())
                && directory.id.is_none_or(|id| pdb.id().is_ok_and(|own| own == id))
            {
                return Ok(Some(pdb));
            }
        }
        Ok(None)
    }
}
