//! What a tool could not record, counted by the reason.

use std::sync::atomic::{AtomicU64, Ordering};

use recording::streams::{Field, FieldType, Schema, Value};

use crate::output::Rows;

/// The totals so far, by the reason.
pub(crate) static MISSED: Schema = Schema::new(
    "missed",
    &[Field::key("reason", FieldType::TEXT), Field::last("count", FieldType::COUNT, "")],
);

/// A count of what could not be recorded. The recording gets the total each time that it has doubled, and at the end.
#[derive(Debug)]
pub struct Missed {
    rows: Rows,
    reason: Value,
    total: AtomicU64,
}

impl Missed {
    pub(crate) const fn new(rows: Rows, reason: Value) -> Self {
        Self { rows, reason, total: AtomicU64::new(0) }
    }

    /// Adds a number. Never waits, never allocates.
    pub fn add(&self, more: u64) {
        let before = self.total.fetch_add(more, Ordering::Relaxed);
        if before.leading_zeros() != before.wrapping_add(more).leading_zeros() {
            self.emit();
        }
    }

    /// Records the total, unless it is 0.
    pub(crate) fn emit(&self) {
        let total = self.total.load(Ordering::Relaxed);
        if total > 0 {
            self.rows.emit(&[self.reason, Value::Count(total)]);
        }
    }
}
