//! Reading items: sessions, rows, marks.

use std::io::Read;
use std::sync::Arc;

use super::{SessionInfo, Tables, row};
use crate::bytes::{Cursor, Malformed};
use crate::content::{self, Loaded};
use crate::error::ReadError;
use crate::format::{BLOCK_HEADER, FILE_HEADER, block};
use crate::limits::MAX_FIELDS;
use crate::sessions::{StreamInfo, Value};
use crate::step::Ending;

/// Reads the sessions of a recording, row by row. Calls are skipped: [`Reader`](crate::Reader) reads them.
///
/// It has one block and all definitions in memory. The rows of a block come in the order in which they were emitted; the blocks of
/// a session may overlap in time.
pub struct StreamReader<R> {
    input: R,
    /// The offset of the next block.
    offset: u64,
    tables: Tables,
    rows: Rows,
    values: Vec<Value>,
    /// The content of a compressed block, to be used again.
    packed: Vec<u8>,
    ending: Option<Ending>,
}

/// The block of rows that is being read.
#[derive(Default)]
struct Rows {
    content: Vec<u8>,
    at: usize,
    /// The offset of its content in the file, and whether that was compressed.
    offset: u64,
    was_packed: bool,
    is_cut: bool,
    session: u32,
    stream: Option<Arc<StreamInfo>>,
    last: [u64; MAX_FIELDS],
}

/// What a block or a row is.
enum Taken {
    Session(u32, bool),
    Row,
    Mark(Mark),
    /// All of a region but the content, which begins at this place of the block.
    Region(Region<'static>, usize),
    Nothing,
}

/// An item of a recording.
#[derive(Debug)]
#[non_exhaustive]
pub enum Item<'r> {
    /// A session begins.
    Begin(&'r SessionInfo),
    /// A session ends.
    End(&'r SessionInfo),
    /// A row of a stream.
    Row(Row<'r>),
    /// A moment that was marked.
    Mark(Mark),
    /// The content of a region of memory.
    Region(Region<'r>),
}

/// The content of a region of memory at a moment, which a session has [recorded](crate::streams::Session::region).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Region<'r> {
    /// When, in ticks.
    pub ticks: u64,
    /// The number of the session.
    pub session: u32,
    /// Its name.
    pub name: String,
    /// What is in it.
    pub layout: String,
    /// The bytes.
    pub content: &'r [u8],
}

/// A moment that was [marked](crate::Recorder::mark).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mark {
    /// When, in ticks.
    pub ticks: u64,
    /// The number of the session that it is about, if it is about one.
    pub session: Option<u32>,
    /// What it is: `effect`, `snapshot`, `stall`.
    pub name: String,
    /// More about it, for people.
    pub detail: String,
}

impl Mark {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let (ticks, session) = (cursor.u64()?, cursor.small()?);
        let (name, detail) = (cursor.text()?.to_owned(), cursor.text()?.to_owned());
        Ok(Self { ticks, session: Some(session).filter(|session| *session != 0), name, detail })
    }
}

/// A row of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Row<'r> {
    session: u32,
    stream: &'r StreamInfo,
    values: &'r [Value],
    tables: &'r Tables,
}

impl<'r> Row<'r> {
    /// Returns the number of the session.
    #[must_use]
    pub const fn session(&self) -> u32 {
        self.session
    }

    /// Returns the stream, with its columns.
    #[must_use]
    pub const fn stream(&self) -> &'r StreamInfo {
        self.stream
    }

    /// Returns the values, one for each column.
    #[must_use]
    pub const fn values(&self) -> &'r [Value] {
        self.values
    }

    /// Returns the definitions that the values refer to.
    #[must_use]
    pub const fn tables(&self) -> &'r Tables {
        self.tables
    }
}

impl<R: Read> StreamReader<R> {
    /// Reads the beginning of a recording.
    ///
    /// # Errors
    /// When it cannot be read, or is none, or one of another major version.
    pub fn new(mut input: R) -> Result<Self, ReadError> {
        content::header(&mut input)?;
        let mut reader = Self {
            input,
            offset: FILE_HEADER as u64,
            tables: Tables::default(),
            rows: Rows::default(),
            values: Vec::new(),
            packed: Vec::new(),
            ending: None,
        };
        // The process.
        reader.block()?;
        Ok(reader)
    }

    /// Returns what has been defined as far as the recording has been read.
    pub const fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Returns how the recording ends, once all of it has been read.
    pub const fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Returns the next item; `None` at the end, whose kind is [`ending`](Self::ending).
    ///
    /// # Errors
    /// If the file cannot be read or is damaged. Nothing can be read after that.
    #[allow(clippy::should_implement_trait, reason = "what it gives borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<Item<'_>>, ReadError> {
        let taken = loop {
            let taken = if self.rows.at < self.rows.content.len() {
                self.row()?
            } else if self.ending.is_some() {
                return Ok(None);
            } else {
                self.block()?
            };
            if !matches!(taken, Taken::Nothing) {
                break taken;
            }
        };
        let tables = &self.tables;
        Ok(match taken {
            Taken::Session(number, begins) => {
                tables.session_info(number).map(if begins { Item::Begin } else { Item::End })
            }
            Taken::Row => self.rows.stream.as_deref().map(|stream| {
                Item::Row(Row { session: self.rows.session, stream, values: &self.values, tables })
            }),
            Taken::Mark(mark) => Some(Item::Mark(mark)),
            Taken::Region(region, at) => {
                // The block has no rows.
                let content = self.rows.content.get(at..).unwrap_or_default();
                Some(Item::Region(Region { content, ..region }))
            }
            Taken::Nothing => None,
        })
    }

    fn row(&mut self) -> Result<Taken, ReadError> {
        let rows = &mut self.rows;
        let mut cursor = Cursor { bytes: &rows.content, at: rows.at };
        let Some(stream) = &rows.stream else {
            // Its rows are in a form of a newer version.
            rows.at = rows.content.len();
            return Ok(Taken::Nothing);
        };
        match row::read(&mut cursor, stream, &mut rows.last, &mut self.values) {
            Ok(()) => {
                rows.at = cursor.at;
                Ok(Taken::Row)
            }
            Err(error) if error.is_cut && rows.is_cut => {
                rows.at = rows.content.len();
                Ok(Taken::Nothing)
            }
            Err(error) => {
                // Nothing after this is to be trusted.
                rows.at = rows.content.len();
                let offset = rows.offset + if rows.was_packed { 0 } else { error.at as u64 };
                self.ending = Some(Ending::Cut { offset });
                Err(ReadError::Damaged { offset, what: error.what })
            }
        }
    }

    /// Reads the next block.
    fn block(&mut self) -> Result<Taken, ReadError> {
        let begin = self.offset;
        let memory = core::mem::take(&mut self.rows.content);
        self.rows = Rows::default();
        let loaded = match content::load(&mut self.input, begin, memory, &mut self.packed) {
            Ok(Some(loaded)) => loaded,
            Ok(None) => {
                self.ending = Some(Ending::Cut { offset: begin });
                return Ok(Taken::Nothing);
            }
            Err(error) => {
                if let ReadError::Damaged { .. } = error {
                    self.ending = Some(Ending::Cut { offset: begin });
                }
                return Err(error);
            }
        };
        let Loaded { kind, content, length, is_cut, was_packed } = loaded;
        self.offset = begin + length;
        if is_cut {
            self.ending = Some(Ending::Cut { offset: begin });
        }
        // Within a compressed block there are no offsets of the file.
        let offset = if was_packed { begin } else { begin + BLOCK_HEADER as u64 };
        let taken = self.take(kind, &content);
        self.rows.content = content;
        match taken {
            Ok(Taken::Row) => {
                (self.rows.offset, self.rows.was_packed, self.rows.is_cut) = (offset, was_packed, is_cut);
                Ok(Taken::Nothing)
            }
            Ok(Taken::Region(region, at)) => {
                self.rows.at = self.rows.content.len();
                Ok(Taken::Region(region, at))
            }
            Ok(taken) => {
                self.rows.content.clear();
                Ok(taken)
            }
            Err(error) => {
                self.rows.content.clear();
                if error.is_cut && is_cut {
                    return Ok(Taken::Nothing);
                }
                self.ending = Some(Ending::Cut { offset: begin });
                let at = if was_packed { 0 } else { error.at as u64 };
                Err(ReadError::Damaged { offset: offset + at, what: error.what })
            }
        }
    }

    /// Takes a block. [`Taken::Row`] stands for its rows.
    fn take(&mut self, kind: u32, content: &[u8]) -> Result<Taken, Malformed> {
        let mut cursor = Cursor::new(content);
        match kind {
            block::EVENTS => {
                let (session, number) = (cursor.small()?, cursor.small()?);
                let Some(stream) = self.tables.stream(number) else {
                    return cursor.error("a stream has rows that is not declared");
                };
                if self.tables.session_info(session).is_none() {
                    return cursor.error("a session has rows that has not begun");
                }
                let is_readable = stream.columns.iter().all(|column| column.form.is_some());
                self.rows.stream = is_readable.then(|| Arc::clone(stream));
                (self.rows.session, self.rows.at) = (session, cursor.at);
                return Ok(Taken::Row);
            }
            block::REGION => {
                let (session, ticks) = (cursor.small()?, cursor.u64()?);
                let (name, layout) = (cursor.text()?.to_owned(), cursor.text()?.to_owned());
                let region = Region { ticks, session, name, layout, content: &[] };
                return Ok(Taken::Region(region, cursor.at));
            }
            block::MARK => return Mark::read(&mut cursor).map(Taken::Mark),
            block::END => self.ending = Some(Ending::Finished { lost: cursor.count()? }),
            _ => {
                if let Some((number, begins)) = self.tables.take(kind, content)? {
                    return Ok(Taken::Session(number, begins));
                }
            }
        }
        Ok(Taken::Nothing)
    }
}

impl<R> core::fmt::Debug for StreamReader<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("StreamReader")
            .field("process", &self.tables.process)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}
