//! The values of a trace that could not be read, with the reasons.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::record::{Event, Record};

/// A reason for which a value of a correct trace may be unreadable.
#[derive(Clone, Copy, Debug)]
pub struct Explained {
    /// A part of the error's text.
    pub says: &'static str,
    /// The cause.
    pub because: &'static str,
    /// The limit of records with such a value, per thousand.
    pub per_mille: u64,
}

/// Every accepted reason. Each has been investigated; any other error is a defect of the tracer.
pub const EXPLAINED: &[Explained] = &[
    Explained {
        says: "cannot be read: not mapped",
        because: "pointers to memory that is not there, such as those to nothing that go with a length of 0; references \
                  that refer to nothing, such as `MemoryMarshal.GetNonNullPinnableReference` makes for an empty span; \
                  and what lies in a struct on the stack before its constructor has run",
        per_mille: 10,
    },
    Explained {
        says: "what it points to is no object of a class that was seen before",
        because: "references behind a pointer or in a variable in the heap, which the runtime does not guarantee, before \
                  anything has been written there; or to an array, if none of its type was seen before: the runtime \
                  does not tell when array types are loaded",
        per_mille: 1,
    },
    Explained {
        says: "may have been moved by a garbage collection during the call",
        because: "`ref` and `out` parameters that refer into the heap, when the call ends after a collection whose \
                  moves the runtime does not tell",
        per_mille: 20,
    },
];

/// The errors of a trace, by reason.
#[derive(Debug, Default)]
pub struct Errors {
    records: u64,
    explained: BTreeMap<&'static str, u64>,
    /// Errors without a reason: how often, and the first record.
    unexplained: BTreeMap<String, (u64, String)>,
}

impl Errors {
    /// Checks the next line of the trace.
    ///
    /// # Errors
    ///
    /// When it is not a record.
    pub fn feed_line(&mut self, line: &str) -> Result<()> {
        self.records += 1;
        // Quotes within a string are escaped, so that no text of the program matches this.
        if !line.contains(r#"{"error":""#) {
            return Ok(());
        }
        for error in errors(&Record::parse(line)?) {
            match EXPLAINED.iter().find(|explained| error.contains(explained.says)) {
                Some(explained) => *self.explained.entry(explained.says).or_default() += 1,
                None => {
                    let first = || (0, line.chars().take(2_000).collect());
                    self.unexplained.entry(without_numbers(error)).or_insert_with(first).0 += 1;
                }
            }
        }
        Ok(())
    }

    /// Fails unless every error has a reason, and none is frequent.
    ///
    /// # Errors
    ///
    /// The errors without a reason, and the too frequent ones.
    pub fn finish(&self) -> Result<()> {
        ensure!(self.unexplained.is_empty(), "errors that nothing explains:\n{self}");
        for explained in EXPLAINED {
            let found = self.explained.get(explained.says).copied().unwrap_or_default();
            let most = 10 + self.records * explained.per_mille / 1_000;
            ensure!(found <= most, "{found} values for one reason, in {} records:\n{self}", self.records);
        }
        Ok(())
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (says, count) in &self.explained {
            writeln!(f, "{count:8} {says}")?;
        }
        for (says, (count, first)) in &self.unexplained {
            writeln!(f, "{count:8} not explained: {says}\n{first}")?;
        }
        Ok(())
    }
}

/// The errors of a record's values.
fn errors(record: &Record) -> Vec<&str> {
    let mut found = Vec::new();
    match &record.event {
        Event::Enter { this, args, .. } => {
            let values = this.iter().chain(args.iter().filter_map(|arg| arg.value.as_ref()));
            values.for_each(|value| collect(value, &mut found));
        }
        Event::Leave { result, outs } => {
            let values = result.iter().map(|(_, value)| value);
            let values = values.chain(outs.iter().filter_map(|out| out.value.as_ref()));
            values.for_each(|value| collect(value, &mut found));
        }
        Event::Tailcall | Event::Suspend | Event::Resume | Event::Unwind { .. } => {}
    }
    found
}

fn collect<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    let Value::Object(map) = value else { return };
    if let (Some(Value::String(error)), 1) = (map.get("error"), map.len()) {
        found.push(error);
    }
    for (key, part) in map {
        match (key.as_str(), part) {
            ("fields", Value::Object(fields)) => fields.values().for_each(|field| collect(field, found)),
            ("items", Value::Array(items)) => items.iter().for_each(|item| collect(item, found)),
            _ => collect(part, found),
        }
    }
}

/// The text with `N` for every number and address.
fn without_numbers(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        plain.push_str(&rest[..at]);
        plain.push('N');
        rest = rest[at..].trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == 'x');
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(value: &str) -> String {
        format!(
            r#"{{"event":"leave","thread":1,"depth":0,"module":"a.dll","method":"A.B","return":{{"type":"object","value":{value}}}}}"#
        )
    }

    #[test]
    fn nested_errors_are_found_and_need_a_reason() {
        let mut errors = Errors::default();
        let known = r#"{"error":"target: 4 bytes at 0x7f00 cannot be read: not mapped"}"#;
        errors.feed_line(&line(&format!(r#"{{"type":"A","fields":{{"a":{known}}}}}"#))).unwrap();
        errors.feed_line(&line(&format!(r#"{{"type":"A[]","length":1,"items":[{known}]}}"#))).unwrap();
        errors.finish().unwrap();
        assert_eq!(errors.explained.values().sum::<u64>(), 2);
        errors.feed_line(&line(r#"{"pointer":"0x1","target":{"error":"A at 0x1f: nonsense"}}"#)).unwrap();
        assert!(errors.finish().unwrap_err().to_string().contains("A at N: nonsense"));
    }

    #[test]
    fn a_field_named_error_is_no_error() {
        let mut errors = Errors::default();
        errors.feed_line(&line(r#"{"type":"A","fields":{"error":"text"}}"#)).unwrap();
        errors.finish().unwrap();
        assert!(errors.explained.is_empty());
    }

    #[test]
    fn too_many_errors_of_one_reason_fail() {
        let mut errors = Errors::default();
        for _ in 0..20 {
            errors.feed_line(&line(r#"{"error":"4 bytes at 0x7f00 cannot be read: not mapped"}"#)).unwrap();
        }
        assert!(errors.finish().is_err());
    }
}
