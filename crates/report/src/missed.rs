//! What a tool or its recording had no room for.

use core::fmt::{self, Write as _};
use std::collections::BTreeMap;

use corprof_in_process::printable::Printable;
use recording::streams::Row;

use crate::cells::Cells as _;
use crate::limits::REASONS;

/// The stream that every tool has for this.
const STREAM: &str = "missed";

/// What was not recorded of a session.
#[derive(Debug, Default)]
pub(crate) struct Missed {
    /// The totals by their reasons.
    reasons: BTreeMap<String, u64>,
    /// The rows that are missing of each stream.
    lost: BTreeMap<u32, u64>,
}

impl Missed {
    /// Takes a row, if it is one of this stream.
    pub(crate) fn row(&mut self, row: &Row<'_>) {
        if &*row.stream().name != STREAM {
            return;
        }
        let (reason, count) = (row.text("reason"), row.number("count"));
        if let Some(known) = self.reasons.get_mut(reason) {
            *known = count;
        } else if self.reasons.len() < REASONS {
            self.reasons.insert(reason.to_owned(), count);
        }
    }

    /// Takes the number of rows of a stream that are missing.
    pub(crate) fn lost(&mut self, stream: u32, count: u64) {
        if count > 0 {
            self.lost.insert(stream, count);
        }
    }

    /// Writes a line for each reason.
    pub(crate) fn write(&self, out: &mut String) -> fmt::Result {
        for (reason, count) in &self.reasons {
            writeln!(out, "{count} {}", Printable(reason))?;
        }
        match self.lost.values().fold(0, |sum: u64, lost| sum.saturating_add(*lost)) {
            0 => Ok(()),
            lost => writeln!(out, "{lost} rows are missing, because they came faster than they were written"),
        }
    }
}
