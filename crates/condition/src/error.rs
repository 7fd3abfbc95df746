//! What is wrong with a condition, and where.

use core::fmt;

/// A condition that cannot be parsed.
///
/// It is displayed with the condition and a mark below the column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    text: String,
    column: usize,
    what: String,
}

impl Error {
    pub(crate) fn new(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let column = text.get(..offset).unwrap_or(text).chars().count();
        Self { text: text.to_owned(), column, what: what.into() }
    }

    /// The column, from 0, in characters.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// What is wrong, without the condition.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A line break or tab in it would move the mark.
        let text: String = self.text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
        write!(f, "{}\n  {text}\n  {:column$}^", self.what, "", column = self.column)
    }
}
