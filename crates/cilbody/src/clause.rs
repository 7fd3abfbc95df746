//! Exception handling clauses (ECMA-335 II.25.4.5 and II.25.4.6).

use core::iter::FusedIterator;

use sigparse::Token;

use crate::error::{Error, ErrorKind, Location};
use crate::limits;
use crate::reader::Reader;

/// The bits of a section's kind.
pub(crate) const SECTION_EH: u8 = 0x01;
pub(crate) const SECTION_FAT: u8 = 0x40;
pub(crate) const SECTION_MORE: u8 = 0x80;

/// The size of a section's header, in either form.
pub(crate) const SECTION_HEADER: usize = 4;

/// The sizes of a clause.
pub(crate) const SMALL_CLAUSE: usize = 12;
pub(crate) const FAT_CLAUSE: usize = 24;

/// The kinds of a clause.
pub(crate) const CLAUSE_CATCH: u32 = 0;
pub(crate) const CLAUSE_FILTER: u32 = 1;
pub(crate) const CLAUSE_FINALLY: u32 = 2;
pub(crate) const CLAUSE_FAULT: u32 = 4;

/// A range of IL offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The first offset.
    pub start: u32,
    /// The offset after the last one.
    pub end: u32,
}

impl Range {
    /// Returns `true` if the range has this offset in it.
    #[must_use]
    pub const fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Returns `true` if all of the other range lies in this one; true for equal ranges.
    #[must_use]
    pub const fn contains_range(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns `true` if some offset lies in both.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The number of bytes.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Returns `true` if there is no offset in the range.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

/// An exception handling clause: a protected region and its handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clause {
    /// The protected region, `.try`.
    pub protected: Range,
    /// The handler.
    pub handler: Range,
    /// When the handler runs.
    pub kind: ClauseKind,
}

/// When a handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClauseKind {
    /// For exceptions of this type.
    Catch(Token),
    /// If the filter, which begins at this IL offset and ends where the handler begins, returns 1.
    Filter(u32),
    /// Whenever control leaves the protected region.
    Finally,
    /// When an exception leaves the protected region.
    Fault,
}

impl Clause {
    /// The range of the filter.
    #[must_use]
    pub const fn filter(&self) -> Option<Range> {
        match self.kind {
            ClauseKind::Filter(start) => Some(Range { start, end: self.handler.start }),
            _ => None,
        }
    }

    /// The protected region, the handler and the filter.
    pub fn ranges(&self) -> impl Iterator<Item = Range> {
        [Some(self.protected), Some(self.handler), self.filter()].into_iter().flatten()
    }
}

/// A section of exception handling clauses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section<'a> {
    /// The offset of the section in the body.
    pub(crate) offset: usize,
    pub(crate) is_fat: bool,
    pub(crate) is_last: bool,
    pub(crate) clauses: &'a [u8],
}

impl<'a> Section<'a> {
    /// Reads the section at the reader's position, and leaves the reader after it.
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        reader.align4();
        let offset = reader.position();
        let [kind, size @ ..] = reader.array::<4>()?;
        if kind & !(SECTION_FAT | SECTION_MORE) != SECTION_EH {
            return Err(reader.error(offset, ErrorKind::UnknownSection(kind)));
        }
        let is_fat = kind & SECTION_FAT != 0;
        let [low, middle, high] = size;
        let (size, clause) = match is_fat {
            true => (u32::from_le_bytes([low, middle, high, 0]) as usize, FAT_CLAUSE),
            false => (low.into(), SMALL_CLAUSE),
        };
        // Some compilers leave the header out of the size. The CLR divides and so reads both.
        let clauses = reader.take(size / clause * clause)?;
        Ok(Self { offset, is_fat, is_last: kind & SECTION_MORE == 0, clauses })
    }
}

/// The exception handling clauses of a method body, in their order.
#[derive(Clone, Debug)]
pub struct Clauses<'a> {
    /// At the next section; `None` after the last one.
    next_section: Option<Reader<'a>>,
    clauses: &'a [u8],
    is_fat: bool,
    left: usize,
    index: u32,
    code_size: u32,
}

impl<'a> Clauses<'a> {
    pub(crate) const fn new(sections: Option<Reader<'a>>, count: usize, code_size: u32) -> Self {
        Self { next_section: sections, clauses: &[], is_fat: false, left: count, index: 0, code_size }
    }

    fn read(&mut self) -> Result<Clause, Error> {
        let bytes = loop {
            let size = if self.is_fat { FAT_CLAUSE } else { SMALL_CLAUSE };
            if let Some((clause, rest)) = self.clauses.split_at_checked(size) {
                self.clauses = rest;
                break clause;
            }
            // The sections were read to the last one when the body was parsed.
            let Some(reader) = &mut self.next_section else {
                return Err(self.error(ErrorKind::UnexpectedEnd));
            };
            let section = Section::read(reader)?;
            if section.is_last {
                self.next_section = None;
            }
            (self.clauses, self.is_fat) = (section.clauses, section.is_fat);
        };
        let mut reader = Reader::new(bytes, 0, |_| Location::Body(0));
        let (flags, [try_start, try_length, handler_start, handler_length]) = match self.is_fat {
            true => (reader.u32()?, [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?]),
            false => (
                reader.u16()?.into(),
                [reader.u16()?.into(), reader.u8()?.into(), reader.u16()?.into(), reader.u8()?.into()],
            ),
        };
        let last = reader.u32()?;
        let protected = self.range(try_start, try_length)?;
        let handler = self.range(handler_start, handler_length)?;
        let kind = match flags {
            CLAUSE_CATCH => ClauseKind::Catch(Token(last)),
            CLAUSE_FILTER if last < handler.start => ClauseKind::Filter(last),
            CLAUSE_FILTER => return Err(self.error(ErrorKind::FilterRange(last))),
            CLAUSE_FINALLY => ClauseKind::Finally,
            CLAUSE_FAULT => ClauseKind::Fault,
            _ => return Err(self.error(ErrorKind::UnknownClause(flags))),
        };
        Ok(Clause { protected, handler, kind })
    }

    fn range(&self, start: u32, length: u32) -> Result<Range, Error> {
        match start.checked_add(length) {
            Some(end) if length > 0 && end <= self.code_size => Ok(Range { start, end }),
            _ => Err(self.error(ErrorKind::ClauseRange { start, length })),
        }
    }

    #[cold]
    fn error(&self, kind: ErrorKind) -> Error {
        Error { location: Location::Clause(self.index), kind }
    }
}

impl Iterator for Clauses<'_> {
    type Item = Result<Clause, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let clause = self.read();
        self.index += 1;
        if clause.is_err() {
            self.left = 0;
        }
        Some(clause)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left))
    }
}

impl FusedIterator for Clauses<'_> {}

/// The number of clauses in all sections, whether the first section is fat, and the end of the last one.
pub(crate) fn count(mut reader: Reader<'_>) -> Result<(usize, bool, usize), Error> {
    let (mut clauses, mut is_fat) = (0, false);
    for index in 0..limits::MAX_SECTIONS {
        let section = Section::read(&mut reader)?;
        is_fat |= index == 0 && section.is_fat;
        clauses += section.clauses.len() / if section.is_fat { FAT_CLAUSE } else { SMALL_CLAUSE };
        if clauses > limits::MAX_CLAUSES {
            return Err(reader.error(section.offset, ErrorKind::TooManyClauses));
        }
        if section.is_last {
            return Ok((clauses, is_fat, reader.position()));
        }
    }
    Err(reader.error(reader.position(), ErrorKind::TooManySections))
}
