//! Tables of text.

use core::fmt;

use corprof_in_process::printable::Printable;

/// A table whose columns but the last are aligned to the right.
///
/// ```
/// let mut table = corprof_profile::Table::new(["count", "type"]);
/// table.row(["12", "System.FormatException"]);
/// assert_eq!(table.to_string(), "count  type\n   12  System.FormatException\n");
/// ```
#[derive(Clone, Debug)]
pub struct Table<const N: usize> {
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    /// Creates a table with a heading.
    #[must_use]
    pub fn new(heading: [&str; N]) -> Self {
        Self { rows: vec![heading.map(str::to_owned)] }
    }

    /// Adds a row. Unprintable characters are escaped.
    pub fn row<S: AsRef<str>>(&mut self, cells: [S; N]) {
        self.rows.push(cells.map(|cell| Printable(cell.as_ref()).to_string()));
    }

    /// Returns whether there is only the heading.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }
}

impl<const N: usize> fmt::Display for Table<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut widths = [0; N];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in &self.rows {
            for (index, (width, cell)) in widths.iter().zip(row).enumerate() {
                match index + 1 == N {
                    true => writeln!(f, "{cell}")?,
                    false => write!(f, "{cell:>width$}  ")?,
                }
            }
        }
        Ok(())
    }
}
