//! Rows of a block are read.

use crate::bytes::{Cursor, Malformed};
use crate::limits::MAX_FIELDS;
use crate::rows::{Form, unzigzag};
use crate::sessions::{StreamInfo, Value};

/// Reads a row. `last` has the words of the row before, or zeros.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    stream: &StreamInfo,
    last: &mut [u64; MAX_FIELDS],
    row: &mut Vec<Value>,
) -> Result<(), Malformed> {
    row.clear();
    for (column, last) in stream.columns.iter().zip(last) {
        let count = cursor.count()?;
        let word = match column.form {
            Some(Form::Signed) => unzigzag(count),
            Some(Form::Delta) => last.wrapping_add(unzigzag(count)),
            Some(Form::Count) | None => count,
        };
        *last = word;
        let Some(value) = Value::of(column.field_type, word) else {
            return cursor.error("a value is not of the type of its column");
        };
        row.push(value);
    }
    Ok(())
}
