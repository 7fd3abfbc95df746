//! A number of a recording, by name: `pauses.length.p99`.

use core::fmt;
use core::str::FromStr;

use crate::table::Aggregate;

/// A number of a recording: an aggregate of a column of a stream.
///
/// Written `stream.column.aggregate`, or `tool.stream.column.aggregate` where several tools have such a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    pub(crate) tool: Option<String>,
    pub(crate) stream: String,
    pub(crate) column: String,
    pub(crate) aggregate: Aggregate,
}

/// The error of a text that is no metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no metric; one is stream.column.aggregate, such as pauses.length.p99; the aggregates are {}",
    aggregates()
)]
pub struct MetricError {
    text: String,
}

fn aggregates() -> String {
    Aggregate::names().collect::<Vec<_>>().join(", ")
}

impl FromStr for Metric {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Self, MetricError> {
        let words: Vec<&str> = text.split('.').collect();
        let (tool, rest) = match &words[..] {
            [tool, rest @ ..] if rest.len() == 3 => (Some((*tool).to_owned()), rest),
            rest => (None, rest),
        };
        let known = match rest {
            [stream, column, aggregate] if words.iter().all(|word| !word.is_empty()) => {
                Aggregate::of_name(aggregate).map(|aggregate| (stream, column, aggregate))
            }
            _ => None,
        };
        let (stream, column, aggregate) = known.ok_or_else(|| MetricError { text: text.to_owned() })?;
        Ok(Self { tool, stream: (*stream).to_owned(), column: (*column).to_owned(), aggregate })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tool) = &self.tool {
            write!(f, "{tool}.")?;
        }
        write!(f, "{}.{}.{}", self.stream, self.column, self.aggregate.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_has_three_parts_or_four() {
        for text in ["pauses.length.p99", "gc.pauses.length.sum", "collections.rows.count"] {
            assert_eq!(text.parse::<Metric>().unwrap().to_string(), text);
        }
        for text in ["", "pauses", "pauses.length", "pauses.length.p98", "a.b.c.sum.sum", "..sum"] {
            assert!(text.parse::<Metric>().unwrap_err().to_string().contains("p99"), "{text}");
        }
    }
}
