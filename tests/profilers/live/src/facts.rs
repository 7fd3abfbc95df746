//! Facts: lines of `name = value`.

use std::fmt::{Display, Write as _};

/// Collected facts.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    lines: String,
    prefix: String,
}

impl Facts {
    /// Facts whose names begin with `prefix`.
    pub(crate) fn of(prefix: &str) -> Self {
        Self { lines: String::new(), prefix: prefix.to_owned() }
    }

    /// Adds a fact.
    pub(crate) fn say(&mut self, name: impl Display, value: impl Display) {
        let value = value.to_string().replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
        // Writing to a string does not fail.
        let _ = writeln!(self.lines, "{}.{name} = {value}", self.prefix);
    }

    /// The lines.
    pub(crate) fn finish(self) -> String {
        self.lines
    }
}

/// Bytes as text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}
