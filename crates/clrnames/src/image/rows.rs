//! Rows, ranges of rows, and searching in a column that ascends.

use core::ops::Range;
use std::borrow::Cow;

use sigparse::token::{Table, Token};

use super::Image;
use super::image_error::{ImageError, ImageErrorKind, Result, fail};

/// A row of a table.
pub(super) struct Row<'i, D> {
    image: &'i Image<D>,
    token: Token,
    bytes: &'i [u8],
}

impl<'i, D: AsRef<[u8]>> Row<'i, D> {
    /// Returns the value of a column.
    pub(super) fn cell(&self, column: usize) -> Result<u32> {
        let cell = self.image.tables.cell(self.token.table(), self.bytes, column);
        cell.map_or_else(|| Err(self.error(ImageErrorKind::NoRow(self.token))), Ok)
    }

    /// The text that a column refers to.
    pub(super) fn text(&self, column: usize) -> Result<Cow<'i, str>> {
        self.image.text(self.cell(column)?)
    }

    /// The blob that a column refers to.
    pub(super) fn blob(&self, column: usize) -> Result<&'i [u8]> {
        self.image.blob(self.cell(column)?)
    }

    /// Returns the coded index or row of a column; `None` for nil.
    pub(super) fn index<T>(&self, column: usize, of: impl Fn(u32) -> Option<T>) -> Result<Option<T>> {
        let value = self.cell(column)?;
        match of(value) {
            Some(index) => Ok(Some(index)),
            // Nil is row 0 of whatever table: at most the tag's bits.
            None if value < 32 => Ok(None),
            None => Err(self.error(ImageErrorKind::BadIndex(value))),
        }
    }

    /// A name with its namespace in front, unless that is empty.
    pub(super) fn full_name(&self, name: usize, namespace: usize) -> Result<String> {
        let (name, namespace) = (self.text(name)?, self.text(namespace)?);
        Ok(if namespace.is_empty() { name.into_owned() } else { format!("{namespace}.{name}") })
    }

    /// An error at this row.
    pub(super) fn error(&self, kind: ImageErrorKind) -> ImageError {
        ImageError { offset: self.image.offset_of(self.token), kind }
    }
}

impl<D: AsRef<[u8]>> Image<D> {
    /// A row.
    pub(super) fn row(&self, token: Token) -> Result<Row<'_, D>> {
        #[cfg(test)]
        counted::ROWS.with(|rows| rows.set(rows.get() + 1));
        let stream = self.metadata.as_ref().get(self.streams.tables.clone()).unwrap_or_default();
        match self.tables.row(token).and_then(|place| stream.get(place)) {
            Some(bytes) => Ok(Row { image: self, token, bytes }),
            None => fail(self.base + self.streams.tables.start as u64, ImageErrorKind::NoRow(token)),
        }
    }

    fn offset_of(&self, token: Token) -> u64 {
        let row = self.tables.row(token).map_or(0, |place| place.start);
        self.base + (self.streams.tables.start + row) as u64
    }

    /// The number of rows of a table.
    pub(super) fn count(&self, table: Table) -> u32 {
        self.tables.rows(table)
    }

    /// The rows that belong to a row: from the one that its column names up to the one that the next row's
    /// column names.
    pub(super) fn list(&self, owner: Token, column: usize, of: Table) -> Result<Range<u32>> {
        let begin = self.row(owner)?.cell(column)?;
        let last = self.count(of) + 1;
        let next = Token::new(owner.table(), owner.rid() + 1);
        let end = if owner.rid() < self.count(owner.table()) { self.row(next)?.cell(column)? } else { last };
        // A list that is empty may begin anywhere.
        Ok(begin.clamp(1, last)..end.min(last))
    }

    /// The row whose list holds a row: the last one whose column does not name a later one.
    pub(super) fn owner(&self, row: u32, table: Table, column: usize) -> Result<Option<u32>> {
        let after = self.partition(table, column, |begin| begin <= row)?;
        Ok(after.checked_sub(1).filter(|owner| *owner > 0))
    }

    /// The first row whose column `before` does not hold for, in a table that is sorted by it.
    pub(super) fn partition(&self, table: Table, column: usize, before: impl Fn(u32) -> bool) -> Result<u32> {
        let (mut low, mut high) = (1, self.count(table) + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.row(Token::new(table, middle))?.cell(column)?) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

/// The rows that a thread has read, for tests of what a lookup costs.
#[cfg(test)]
pub(super) mod counted {
    use std::cell::Cell;

    thread_local! {
        pub(in super::super) static ROWS: Cell<usize> = const { Cell::new(0) };
    }
}
