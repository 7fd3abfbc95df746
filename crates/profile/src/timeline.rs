//! Timelines: events with their times.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::time::Duration;

use corprof_in_process::printable::Printable;
use serde_json::{Map, Value, json};

/// An event of a [`Timeline`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The row that it is in: events of a row are nested or apart.
    pub row: Cow<'static, str>,
    /// The name.
    pub name: String,
    /// When it began.
    pub begin: Duration,
    /// How long it took.
    pub length: Duration,
    /// Its properties.
    pub properties: Vec<(&'static str, String)>,
}

/// Events with their times, written as Chrome's trace events. The oldest are dropped beyond a limit.
#[derive(Clone, Debug)]
pub struct Timeline {
    program: String,
    limit: usize,
    spans: VecDeque<Span>,
    dropped: u64,
}

impl Timeline {
    /// Creates an empty timeline that keeps at most `limit` events.
    #[must_use]
    pub fn new(program: &str, limit: usize) -> Self {
        Self { program: Printable(program).to_string(), limit, spans: VecDeque::new(), dropped: 0 }
    }

    /// Adds an event.
    pub fn add(&mut self, span: Span) {
        self.spans.push_back(span);
        if self.spans.len() > self.limit {
            self.spans.pop_front();
            self.dropped += 1;
        }
    }

    /// Returns the number of events that were dropped.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the kept events in the order in which they were added.
    pub fn spans(&self) -> impl ExactSizeIterator<Item = &Span> {
        self.spans.iter()
    }

    /// Writes the kept events as Chrome's trace events, for <https://ui.perfetto.dev>.
    ///
    /// # Errors
    /// Any error of `out`.
    pub fn write_chrome(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut rows: Vec<&str> = Vec::new();
        let mut row_of: HashMap<&str, usize> = HashMap::new();
        let process = json!({ "ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": { "name": self.program } });
        write!(out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[{process}")?;
        for span in &self.spans {
            let row = *row_of.entry(&span.row).or_insert_with(|| {
                rows.push(&span.row);
                rows.len() - 1
            });
            let text = |text: &str| Value::String(Printable(text).to_string());
            let properties: Map<String, Value> =
                span.properties.iter().map(|(name, value)| ((*name).to_owned(), text(value))).collect();
            let event = json!({
                "ph": "X", "name": text(&span.name), "pid": 1, "tid": row + 1,
                "ts": microseconds(span.begin), "dur": microseconds(span.length), "args": properties,
            });
            write!(out, ",\n{event}")?;
        }
        for (index, row) in rows.iter().enumerate() {
            let name = Printable(row).to_string();
            let thread = json!({ "ph": "M", "name": "thread_name", "pid": 1, "tid": index + 1, "args": { "name": name } });
            write!(out, ",\n{thread}")?;
        }
        out.write_all(b"]}\n")?;
        out.flush()
    }
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_events_are_kept_with_their_times() {
        let mut timeline = Timeline::new("sh\nop", 2);
        for number in 1..=3 {
            timeline.add(Span {
                row: if number == 3 { "collections" } else { "pauses" }.into(),
                name: format!("\u{1b}{number}"),
                begin: Duration::from_millis(number),
                length: Duration::from_nanos(1_500),
                properties: vec![("reason", "a\tb".to_owned())],
            });
        }
        assert_eq!((timeline.dropped(), timeline.spans().len()), (1, 2));
        let mut out = Vec::new();
        timeline.write_chrome(&mut out).unwrap();
        let file: Value = serde_json::from_slice(&out).unwrap();
        let events = file["traceEvents"].as_array().unwrap();
        assert_eq!(events[0]["args"]["name"], "sh\\nop");
        assert_eq!(
            events[1],
            json!({
                "ph": "X", "name": "\\u001b2", "pid": 1, "tid": 1, "ts": 2000.0, "dur": 1.5,
                "args": { "reason": "a\\tb" },
            })
        );
        assert_eq!((&events[2]["tid"], &events[3]["args"]["name"]), (&json!(2), &json!("pauses")));
    }
}
