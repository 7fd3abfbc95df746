//! A row as JSON.

use core::fmt::Write as _;

use argvalues::json::write_str;

use super::Row;
use crate::sessions::Value;

/// The longest text of a stack's names, in bytes. A stack may be as deep as there are definitions, which a row refers to with a number.
const MAX_STACK: usize = 64 << 10;

impl Row<'_> {
    /// Appends the row as a JSON object: `session`, `tool`, `stream`, and `values` with the columns by name. A time is in nanoseconds
    /// since the recording began. A stack is an array of names, the outermost frame first; beyond 64 KiB of names the outermost ones are
    /// `…`. What is not defined is `null`.
    pub fn write_json(&self, out: &mut String) {
        let tables = self.tables();
        // Writing to a string does not fail.
        let text = |out: &mut String, text: Option<&str>| match text {
            Some(text) => drop(write_str(out, text)),
            None => out.push_str("null"),
        };
        let _ = write!(out, "{{\"session\":{},\"tool\":", self.session());
        text(out, tables.session_info(self.session()).map(|session| session.tool.as_str()));
        out.push_str(",\"stream\":");
        text(out, Some(&self.stream().name));
        out.push_str(",\"values\":{");
        for (index, (column, value)) in self.stream().columns.iter().zip(self.values()).enumerate() {
            if index > 0 {
                out.push(',');
            }
            text(out, Some(&column.name));
            out.push(':');
            let _ = match *value {
                Value::Count(number)
                | Value::Thread(number)
                | Value::Bytes(number)
                | Value::Nanoseconds(number)
                | Value::Unknown(number) => write!(out, "{number}"),
                Value::Time(ticks) => write!(out, "{}", tables.timeline().nanoseconds(ticks)),
                Value::Signed(number) => write!(out, "{number}"),
                Value::Bool(bool) => write!(out, "{bool}"),
                Value::Text(number) => {
                    text(out, tables.text(number));
                    Ok(())
                }
                Value::Class(frame) => {
                    let name = tables.frame(frame).map(|_| tables.frame_name(frame));
                    text(out, name.as_deref());
                    Ok(())
                }
                Value::Node(node) => {
                    let (mut names, mut length) = (Vec::new(), 0);
                    for frame in tables.stack(node) {
                        if length > MAX_STACK {
                            names.push("…".into());
                            break;
                        }
                        let name = tables.frame_name(frame);
                        length += name.len() + 1;
                        names.push(name);
                    }
                    out.push('[');
                    for (index, name) in names.iter().rev().enumerate() {
                        if index > 0 {
                            out.push(',');
                        }
                        text(out, Some(name));
                    }
                    out.push(']');
                    Ok(())
                }
            };
        }
        out.push_str("}}");
    }
}
