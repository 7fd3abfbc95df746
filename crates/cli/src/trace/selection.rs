//! The part of a recording that a command is about: threads, a range of time, methods.

use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use method_filter::{Patterns, Unmatched};
use recording::{BlockInfo, Function, Thread, Timeline};

use super::names::Functions;

/// The arguments that select a part.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Select {
    /// Leave out what was before this time since the beginning of the recording: `1.5s`, `200ms`, `30us`; seconds without a unit
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Selection")]
    from: Option<u64>,
    /// Leave out what was after this time
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Selection")]
    to: Option<u64>,
    /// Only the thread with this id of the operating system; may be repeated
    #[arg(long, value_name = "ID", help_heading = "Selection")]
    thread: Vec<u64>,
    /// Only calls of these methods, and what they call: `Shop.Cart.*`, `shop.dll!*`, as calltrace's --include; may be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "Selection")]
    method: Vec<String>,
    /// Fail if a pattern of --method matches no method of the recording
    #[arg(long, help_heading = "Selection")]
    pub(super) strict: bool,
}

/// The selected threads and times.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    /// Nanoseconds since the recording began.
    pub(super) from: u64,
    pub(super) to: u64,
    threads: Vec<u64>,
    /// Whether methods are selected.
    pub(super) has_methods: bool,
}

/// The selected methods.
#[derive(Debug, Default)]
pub(crate) struct Methods(Patterns);

impl Methods {
    /// Whether a method is selected.
    pub(super) fn select(&self, module: &str, name: &str) -> bool {
        self.0.is_empty() || self.0.is_match(module, name)
    }

    /// The patterns that have selected no method.
    pub(super) fn unmatched(&self) -> Vec<Unmatched> {
        self.0.unmatched()
    }
}

impl Select {
    /// Whether everything is selected.
    pub(super) fn is_all(&self) -> bool {
        self.from.is_none() && self.to.is_none() && self.thread.is_empty() && self.method.is_empty()
    }

    pub(super) fn selection(&self) -> Result<Selection> {
        let (from, to) = (self.from.unwrap_or(0), self.to.unwrap_or(u64::MAX));
        if from > to {
            bail!("--from is after --to: nothing is between them");
        }
        Ok(Selection { from, to, threads: self.thread.clone(), has_methods: !self.method.is_empty() })
    }

    pub(super) fn methods(&self) -> Result<Methods> {
        Ok(Methods(Patterns::new("--method", self.method.iter().map(String::as_str))?))
    }
}

impl Default for Selection {
    fn default() -> Self {
        Self { from: 0, to: u64::MAX, threads: Vec::new(), has_methods: false }
    }
}

impl Selection {
    /// Whether all threads are selected, and all of the time.
    pub(super) fn has_all_times(&self) -> bool {
        self.from == 0 && self.to == u64::MAX && self.threads.is_empty()
    }

    /// Whether the thread with an id is selected.
    pub(super) fn has_thread(&self, id: u64) -> bool {
        self.threads.is_empty() || self.threads.contains(&id)
    }

    /// Whether events of a thread at a time are selected.
    pub(super) fn has(&self, thread: Thread, time: u64) -> bool {
        (self.from..=self.to).contains(&time) && self.has_thread(thread.id)
    }

    /// Whether a block may have something that is selected: of `whole` calls that begin in the selected time, their beginnings or
    /// ends; otherwise what happens in the selected time and in selected calls. `is_inside` says whether a selected call is open
    /// before it.
    pub(super) fn may_have(
        &self,
        block: &BlockInfo<'_>,
        timeline: Timeline,
        functions: &mut Functions,
        whole: bool,
        is_inside: impl Fn() -> bool,
    ) -> bool {
        let is_at_time =
            timeline.nanoseconds(block.top) >= self.from && timeline.nanoseconds(block.floor) <= self.to;
        self.has_thread(block.thread.id)
            && (is_at_time || whole && is_inside())
            && (self.has_selected(block, functions) || !whole && is_inside())
    }

    /// Whether a block has events of a selected method.
    fn has_selected(&self, block: &BlockInfo<'_>, functions: &mut Functions) -> bool {
        let defined: &[Arc<Function>] = block.defined;
        !self.has_methods
            || block.functions.iter().any(|number| {
                let id = functions.id(*number, defined);
                functions.is_selected(id)
            })
    }
}

/// Reads a time: a number with a unit, in nanoseconds.
pub(super) fn time(text: &str) -> Result<u64, String> {
    let at =
        text.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let digits = match unit.trim() {
        "" | "s" => 9,
        "ms" => 6,
        "us" | "µs" => 3,
        "ns" => 0,
        _ => return Err("a time is a number and s, ms, us or ns, as in 1.5s".to_owned()),
    };
    let malformed = || "a time begins with a number, as in 1.5s".to_owned();
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let part: String = part.chars().chain("0".repeat(9).chars()).take(digits).collect();
    if whole.is_empty() {
        return Err(malformed());
    }
    format!("{whole}{part}").parse().map_err(|_| malformed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, nanoseconds) in [
            ("2", 2_000_000_000),
            ("1.5s", 1_500_000_000),
            ("0.25 ms", 250_000),
            ("30us", 30_000),
            ("7ns", 7),
            ("1.9ns", 1),
        ] {
            assert_eq!(time(text), Ok(nanoseconds), "{text}");
        }
        for text in ["", "s", ".5", "1.2.3", "1 h", "99999999999999"] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
