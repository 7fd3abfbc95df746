//! The values of a row by the names of its columns.

use recording::streams::{Row, Value};

/// A row whose columns have names. A column that is missing, or of another type, is 0 or empty: a recording of another version, or
/// one that somebody has made up, is still readable.
pub(crate) trait Cells<'r> {
    fn value(&self, name: &str) -> Option<Value>;

    /// A number that is not negative.
    fn number(&self, name: &str) -> u64;

    fn text(&self, name: &str) -> &'r str;

    /// Nanoseconds since the recording began.
    fn time(&self, name: &str) -> u64;
}

impl<'r> Cells<'r> for Row<'r> {
    fn value(&self, name: &str) -> Option<Value> {
        self.values().get(self.stream().column(name)?).copied()
    }

    fn number(&self, name: &str) -> u64 {
        let number = match self.value(name) {
            Some(Value::Thread(id)) => return id,
            value => value.and_then(Value::number),
        };
        number.map_or(0, |number| u64::try_from(number).unwrap_or(0))
    }

    fn text(&self, name: &str) -> &'r str {
        match self.value(name) {
            Some(Value::Text(text)) => self.tables().text(text).unwrap_or_default(),
            _ => "",
        }
    }

    fn time(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(Value::Time(ticks)) => self.tables().timeline().nanoseconds(ticks),
            _ => 0,
        }
    }
}
