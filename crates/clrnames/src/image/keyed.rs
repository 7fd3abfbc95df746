//! The rows of tables that are searched by a key: those that belong to a row of another table (ECMA-335 II.22).

use std::collections::HashMap;
use std::sync::OnceLock;

use sigparse::token::{Table, Token};

use super::Image;
use super::image_error::Result;

/// The rows of tables that are not in the order of their key, by the key: a table is read once, whatever is looked up.
///
/// Compilers sort these tables. Metadata that says that they are not would make each lookup as long as the table.
#[derive(Default)]
pub(super) struct Unsorted(OnceLock<Box<[OnceLock<Rows>; TABLES]>>);

/// Row numbers in their order, by key.
type Rows = HashMap<u32, Vec<u32>>;

/// The number of tables that metadata may have.
const TABLES: usize = 64;

impl<D: AsRef<[u8]>> Image<D> {
    /// The rows of a table whose column holds a key. Each table has one such column.
    pub(super) fn keyed(&self, table: Table, column: usize, key: u32) -> Result<Vec<u32>> {
        if let Some(rows) = self.unsorted(table, column)? {
            return Ok(rows.get(&key).cloned().unwrap_or_default());
        }
        let begin = self.partition(table, column, |cell| cell < key)?;
        let mut rows = Vec::new();
        for rid in begin..=self.count(table) {
            if self.row(Token::new(table, rid))?.cell(column)? != key {
                break;
            }
            rows.push(rid);
        }
        Ok(rows)
    }

    /// The first row of a table whose column holds a key, without reading the others.
    pub(super) fn first_keyed(&self, table: Table, column: usize, key: u32) -> Result<Option<u32>> {
        if let Some(rows) = self.unsorted(table, column)? {
            return Ok(rows.get(&key).and_then(|rows| rows.first()).copied());
        }
        let rid = self.partition(table, column, |cell| cell < key)?;
        if rid > self.count(table) {
            return Ok(None);
        }
        let found = self.row(Token::new(table, rid))?.cell(column)?;
        Ok((found == key).then_some(rid))
    }

    /// The rows by key, of a table that is not in the order of its key.
    fn unsorted(&self, table: Table, column: usize) -> Result<Option<&Rows>> {
        if self.tables.is_sorted(table) {
            return Ok(None);
        }
        let tables = self.unsorted.0.get_or_init(|| Box::new([const { OnceLock::new() }; TABLES]));
        let Some(rows) = tables.get(usize::from(table.0)) else { return Ok(None) };
        if let Some(rows) = rows.get() {
            return Ok(Some(rows));
        }
        let mut read = Rows::new();
        for rid in 1..=self.count(table) {
            read.entry(self.row(Token::new(table, rid))?.cell(column)?).or_default().push(rid);
        }
        Ok(Some(rows.get_or_init(|| read)))
    }
}
