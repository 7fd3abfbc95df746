//! Tables as text, as JSON, and as values with commas between.

use core::fmt::{self, Write as _};

use corprof_in_process::printable::Printable;
use recording::streams;
use serde_json::{Map, Value, json};

use super::{Aggregate, Cell, Group, Summed, Table};

/// The aggregates of a column whose values are added.
const OF_SUM: [Aggregate; 4] =
    [Aggregate::Sum, Aggregate::Most, Aggregate::Quantile(50), Aggregate::Quantile(99)];

/// What a table has of a column.
fn aggregates(column: &Summed) -> &'static [Aggregate] {
    match column.aggregate {
        streams::Aggregate::LAST => &[Aggregate::Last, Aggregate::Most],
        _ => &OF_SUM,
    }
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Bool(bool) => bool.to_string(),
            Self::Text(text) => text.to_string(),
            Self::Stack(names) => names.join(";"),
        }
    }

    /// For people: the innermost frame of a stack and its callers.
    fn short(&self) -> String {
        match self {
            Self::Stack(names) => {
                let mut last: Vec<&str> = names.iter().rev().take(3).map(String::as_str).collect();
                if names.len() > last.len() {
                    last.push("…");
                }
                last.join(" < ")
            }
            other => other.text(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Number(number) => number_of(*number),
            Self::Bool(bool) => Value::Bool(*bool),
            Self::Text(text) => Value::String(text.to_string()),
            Self::Stack(names) => names.iter().map(|name| Value::String(name.clone())).collect(),
        }
    }
}

/// A number that JSON has, or else its digits: of more than 64 bits.
fn number_of(number: i128) -> Value {
    match (u64::try_from(number), i64::try_from(number)) {
        (Ok(number), _) => number.into(),
        (_, Ok(number)) => number.into(),
        _ => Value::String(number.to_string()),
    }
}

/// The value of an aggregate, exact where it is a whole number.
fn whole(aggregate: Aggregate, group: &Group, index: usize) -> Option<i128> {
    let values = group.values.get(index).filter(|values| values.count() > 0)?;
    Some(match aggregate {
        Aggregate::Sum => values.sum(),
        Aggregate::Least => values.least(),
        Aggregate::Most => values.most(),
        Aggregate::Last => values.last(),
        Aggregate::Quantile(percent) => values.quantile(percent.into())?,
        Aggregate::Count | Aggregate::Mean => return None,
    })
}

impl Table {
    /// The columns behind the keys and the number of rows: their indices, names, units, and what they have.
    fn cells(&self) -> impl Iterator<Item = (usize, &Summed, Aggregate)> {
        let columns = self.columns.iter().enumerate();
        columns.flat_map(|(index, column)| {
            aggregates(column).iter().map(move |aggregate| (index, column, *aggregate))
        })
    }

    /// Writes a table for people: the largest `top` groups.
    pub(crate) fn write_text(&self, top: usize, out: &mut String) -> fmt::Result {
        let name = Printable(&self.name);
        write!(out, "\n{name}: {} rows", self.rows)?;
        if self.lost > 0 {
            write!(out, ", {} more are lost", self.lost)?;
        }
        writeln!(out)?;
        if self.rows == 0 {
            return Ok(());
        }
        let unit = |column: &Summed| match column.unit.as_ref() {
            "ns" => " ms".to_owned(),
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let mut heading = vec!["rows".to_owned()];
        heading.extend(
            self.cells().map(|(_, column, aggregate)| {
                format!("{} {}{}", column.name, aggregate.name(), unit(column))
            }),
        );
        let keys: Vec<&str> = self.keys.iter().map(|(_, name)| &**name).collect();
        heading.push(keys.join(", "));
        let mut rows = vec![heading];
        let groups = self.sorted();
        for group in groups.iter().take(top) {
            let mut row = vec![group.rows.to_string()];
            row.extend(self.cells().map(|(index, column, aggregate)| {
                let value = whole(aggregate, group, index);
                #[allow(clippy::cast_precision_loss, reason = "it is rounded to microseconds")]
                value.map_or_else(String::new, |value| match column.unit.as_ref() {
                    "ns" => format!("{:.3}", value as f64 / 1e6),
                    _ => value.to_string(),
                })
            }));
            let keys: Vec<String> = group.keys.iter().map(Cell::short).collect();
            row.push(if group.keys.is_empty() && !self.keys.is_empty() {
                "[other]".to_owned()
            } else {
                keys.join(", ")
            });
            rows.push(row);
        }
        let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len))
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| Printable(cell).to_string().chars().count()).max().unwrap_or(0)
            })
            .collect();
        for row in &rows {
            for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let cell = Printable(cell).to_string();
                match index + 1 == row.len() {
                    true => writeln!(out, "{cell}")?,
                    false => write!(out, "{cell:>width$}  ")?,
                }
            }
        }
        match groups.len().saturating_sub(top) {
            0 => Ok(()),
            more => writeln!(out, "… {more} more"),
        }
    }

    /// Returns the table as JSON: `stream`, `rows`, `lost`, and `groups` with their `keys`, `rows` and `values`.
    pub(crate) fn json(&self) -> Value {
        let groups = self.sorted().into_iter().map(|group| {
            let names = self.keys.iter().map(|(_, name)| name.to_string());
            let keys: Map<String, Value> = names.zip(group.keys.iter().map(Cell::json)).collect();
            let mut values = Map::new();
            for (index, column, aggregate) in self.cells() {
                let of = values.entry(column.name.to_string()).or_insert_with(|| Value::Object(Map::new()));
                if let (Some(of), Some(value)) = (of.as_object_mut(), whole(aggregate, group, index)) {
                    of.insert(aggregate.name().to_owned(), number_of(value));
                }
            }
            json!({ "keys": keys, "rows": group.rows, "values": values })
        });
        let units =
            self.columns.iter().map(|column| (column.name.to_string(), column.unit.to_string().into()));
        let units: Map<String, Value> = units.collect();
        let groups: Vec<Value> = groups.collect();
        json!({ "stream": self.name, "rows": self.rows, "lost": self.lost, "units": units, "groups": groups })
    }

    /// Writes the table as values with commas between (RFC 4180), below a heading.
    pub(crate) fn write_csv(&self, out: &mut String) {
        let mut heading = vec!["stream".to_owned()];
        heading.extend(self.keys.iter().map(|(_, name)| name.to_string()));
        heading.push("rows".to_owned());
        heading.extend(self.cells().map(|(_, column, aggregate)| {
            let unit = if column.unit.is_empty() { String::new() } else { format!(" {}", column.unit) };
            format!("{} {}{unit}", column.name, aggregate.name())
        }));
        line(out, &heading);
        for group in self.sorted() {
            let mut row = vec![self.name.to_string()];
            row.extend(
                (0..self.keys.len()).map(|key| group.keys.get(key).map_or_else(String::new, Cell::text)),
            );
            row.push(group.rows.to_string());
            row.extend(self.cells().map(|(index, _, aggregate)| {
                whole(aggregate, group, index).map_or_else(String::new, |value| value.to_string())
            }));
            line(out, &row);
        }
    }
}

fn line(out: &mut String, cells: &[String]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        if cell.contains(['"', ',', '\n', '\r']) {
            out.push('"');
            out.push_str(&cell.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(cell);
        }
    }
    out.push_str("\r\n");
}
