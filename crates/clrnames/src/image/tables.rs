//! The ranges of rows, and the values of their columns (ECMA-335 II.24.2.6).

use core::ops::Range;

use sigparse::limits::MAX_RID;
use sigparse::token::{Table, Token};

use super::bytes::{array_at, u16_at, u32_at, u64_at};
use super::image_error::{ImageErrorKind, Result, fail};
use super::schema::{COLUMNS, Column, SCHEMA, TABLES};

/// The longest header of the stream: two flags for each of 64 tables, and their row counts.
pub(super) const MAX_HEADER: usize = 24 + 64 * 4 + 4;

/// The layout of a table's rows.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    /// The offset of the first row in the stream.
    begin: usize,
    /// The length of a row.
    width: usize,
    rows: u32,
    /// The offset of each column, and whether it has four bytes and not two.
    columns: [(u8, bool); COLUMNS],
}

/// The layout of the stream `#~`.
#[derive(Debug)]
pub(super) struct Tables {
    shapes: [Shape; TABLES],
    sorted: u64,
}

impl Tables {
    /// Reads the header of a stream of `size` bytes. The caller gives at least the first [`MAX_HEADER`] of them, or all.
    /// `base` is the offset of the stream in the file. `external` has the row counts of referenced tables in
    /// another file: those of the assembly for a portable PDB.
    pub(super) fn parse(stream: &[u8], size: usize, base: u64, external: &[u32; 64]) -> Result<Self> {
        let header = |at| {
            let short = |kind| fail(base + at as u64, kind);
            u32_at(stream, at).map_or_else(|| short(ImageErrorKind::UnexpectedEnd("the tables' header")), Ok)
        };
        let [.., heaps, _] = header(4)?.to_le_bytes();
        header(20)?;
        let valid = u64_at(stream, 8).unwrap_or(0);
        let sorted = u64_at(stream, 16).unwrap_or(0);
        let (mut rows, mut at) = ([0; 64], 24);
        for (table, rows) in rows.iter_mut().enumerate().filter(|(table, _)| valid >> table & 1 != 0) {
            *rows = header(at)?;
            if *rows > MAX_RID && table < TABLES {
                return fail(base + at as u64, ImageErrorKind::TooManyRows(*rows));
            }
            at += 4;
        }
        // A number of no meaning that old compilers have written.
        if heaps & 0x40 != 0 {
            at += 4;
        }
        let mut referenced = rows;
        for (rows, external) in referenced.iter_mut().zip(external) {
            *rows = (*rows).max(*external);
        }
        let mut shapes = [Shape::default(); TABLES];
        let mut end = at as u64;
        for ((shape, columns), rows_here) in shapes.iter_mut().zip(SCHEMA).zip(rows) {
            // A table that does not fit is found below, before anything is read.
            shape.begin = usize::try_from(end).unwrap_or(usize::MAX);
            shape.rows = rows_here;
            for (place, column) in shape.columns.iter_mut().zip(columns) {
                let is_wide = is_wide(*column, heaps, &referenced);
                *place = (u8::try_from(shape.width).unwrap_or(u8::MAX), is_wide);
                shape.width += if is_wide { 4 } else { 2 };
            }
            end += u64::from(rows_here) * shape.width as u64;
        }
        if end > size as u64 {
            return fail(base, ImageErrorKind::TablesOutside { tables: end, stream: size });
        }
        Ok(Self { shapes, sorted })
    }

    fn shape(&self, table: Table) -> Shape {
        self.shapes.get(usize::from(table.0)).copied().unwrap_or_default()
    }

    /// The number of rows.
    pub(super) fn rows(&self, table: Table) -> u32 {
        self.shape(table).rows
    }

    /// Returns whether the rows are in the order of their key.
    pub(super) fn is_sorted(&self, table: Table) -> bool {
        self.sorted >> (table.0 & 63) & 1 != 0
    }

    /// Returns the range of a row in the stream, if the row exists.
    pub(super) fn row(&self, row: Token) -> Option<Range<usize>> {
        let shape = self.shape(row.table());
        let index = row.rid().checked_sub(1).filter(|index| *index < shape.rows)? as usize;
        let begin = shape.begin + index * shape.width;
        Some(begin..begin + shape.width)
    }

    /// Returns the value of a column from the row's bytes.
    pub(super) fn cell(&self, table: Table, row: &[u8], column: usize) -> Option<u32> {
        let (at, is_wide) = *self.shape(table).columns.get(column)?;
        match is_wide {
            true => array_at(row, at.into()).map(u32::from_le_bytes),
            false => u16_at(row, at.into()).map(u32::from),
        }
    }
}

/// Returns what in the header a reader might take for something else than [`Tables`] does.
pub(super) fn irregular(stream: &[u8]) -> Option<&'static str> {
    let [major, minor, ..] = u32_at(stream, 4)?.to_le_bytes();
    if (major, minor) != (2, 0) {
        return Some("the tables have not the version 2.0");
    }
    let valid = u64_at(stream, 8)?;
    let is_unknown = |table: usize| SCHEMA.get(table).is_none_or(|columns| columns.is_empty());
    (0..64).any(|table| valid >> table & 1 != 0 && is_unknown(table)).then_some("there are unknown tables")
}

/// Returns whether a column has four bytes.
fn is_wide(column: Column, heaps: u8, rows: &[u32; 64]) -> bool {
    let rows_of = |table: Table| rows.get(usize::from(table.0)).copied().unwrap_or(0);
    match column {
        Column::U16 => false,
        Column::U32 => true,
        Column::String => heaps & 1 != 0,
        Column::Guid => heaps & 2 != 0,
        Column::Blob => heaps & 4 != 0,
        Column::Row(table) => rows_of(table) >= 1 << 16,
        Column::Coded(tag, tables) => tables.iter().any(|table| rows_of(*table) >= 1 << (16 - tag)),
    }
}
