//! Checks that every enter has its end. The check is per thread and event by event, and keeps the open calls only:
//! a trace of a large program has millions of lines.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::BufRead;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::record::Omitted;

/// The number of findings that are kept; later ones are mostly consequences of the first.
const KEPT: usize = 10;

/// Follows the calls of every thread.
#[derive(Debug, Default)]
pub struct Balance {
    threads: BTreeMap<u64, Vec<String>>,
    counts: Counts,
    line: u64,
    findings: Vec<String>,
    found: usize,
}

/// The counts of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Methods entered.
    pub enters: u64,
    /// Methods that returned.
    pub leaves: u64,
    /// Methods replaced by the last one they called.
    pub tailcalls: u64,
    /// Methods that an exception left.
    pub unwinds: u64,
    /// Methods that the runtime has suspended.
    pub suspends: u64,
    /// Methods that went on.
    pub resumes: u64,
    /// Calls that were open when the trace ended.
    pub open: u64,
    /// Threads with at least one event.
    pub threads: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { enters, leaves, tailcalls, unwinds, suspends, resumes, open, threads } = self;
        write!(
            f,
            "{enters} enters + {resumes} resumes = {leaves} leaves + {tailcalls} tail calls + {unwinds} unwinds + {suspends} suspends + {open} open"
        )?;
        write!(f, ", on {threads} threads")
    }
}

impl Balance {
    /// Checks the next event of the trace.
    pub fn feed(&mut self, event: &str, thread: u64, depth: u64, method: &str) {
        self.line += 1;
        let stack = self.threads.entry(thread).or_default();
        let finding = if matches!(event, "enter" | "resume") {
            *(if event == "enter" { &mut self.counts.enters } else { &mut self.counts.resumes }) += 1;
            let open = stack.len() as u64;
            stack.push(method.to_owned());
            (depth != open).then(|| format!("depth {depth}, but {open} calls are open"))
        } else {
            match event {
                "leave" => self.counts.leaves += 1,
                "tailcall" => self.counts.tailcalls += 1,
                "unwind" => self.counts.unwinds += 1,
                "suspend" => self.counts.suspends += 1,
                _ => {}
            }
            let entered = stack.pop();
            let open = stack.len() as u64;
            match entered {
                None => Some("ends a call, but none is open".to_owned()),
                Some(entered) if entered != method => {
                    Some(format!("ends `{entered}`, which was entered last"))
                }
                Some(_) if depth != open => {
                    Some(format!("depth {depth}, but the call was entered at {open}"))
                }
                Some(_) => None,
            }
        };
        if let Some(finding) = finding {
            self.found += 1;
            if self.findings.len() < KEPT {
                let line = self.line;
                self.findings.push(format!("line {line}: {event} `{method}` on thread {thread}: {finding}"));
            }
        }
    }

    /// Returns the counts, if the trace is complete.
    ///
    /// # Errors
    ///
    /// The first findings, when calls and ends do not match.
    pub fn finish(self) -> Result<Counts> {
        if self.found > 0 {
            bail!("{} events do not fit, the first:\n{}", self.found, self.findings.join("\n"));
        }
        let open = self.threads.values().map(|stack| stack.len() as u64).sum();
        Ok(Counts { open, threads: self.threads.len(), ..self.counts })
    }

    /// The innermost method of every thread that has open calls.
    #[must_use]
    pub fn innermost(&self) -> Vec<&str> {
        self.threads.values().filter_map(|stack| stack.last().map(String::as_str)).collect()
    }
}

/// Checks a trace of any length, reading only what the check needs.
///
/// # Errors
///
/// A line that is not an event, or the first findings of the check.
pub fn check_file(trace: &Path) -> Result<Counts> {
    let mut input = std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(trace)?);
    let mut balance = Balance::default();
    let mut line = String::new();
    while input.read_line(&mut line).with_context(|| format!("line {}", balance.line + 1))? > 0 {
        balance.feed_line(&line).with_context(|| format!("line {}: {line}", balance.line + 1))?;
        line.clear();
    }
    balance.finish()
}

/// The fields of a line that the check needs; serde skips the others.
#[derive(Deserialize)]
struct Brief<'a> {
    event: &'a str,
    thread: u64,
    depth: u64,
    #[serde(borrow)]
    method: Cow<'a, str>,
}

impl Balance {
    /// Checks the next line of the trace. Only the needed fields are parsed.
    ///
    /// # Errors
    ///
    /// When it is not an event.
    pub fn feed_line(&mut self, line: &str) -> Result<()> {
        if Omitted::parse(line)?.is_some() {
            return Ok(());
        }
        let Brief { event, thread, depth, method } = serde_json::from_str(line)?;
        if !matches!(event, "enter" | "leave" | "tailcall" | "unwind" | "suspend" | "resume") {
            bail!("unknown event `{event}`");
        }
        self.feed(event, thread, depth, &method);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(events: &[(&str, u64, u64, &str)]) -> Result<Counts> {
        let mut balance = Balance::default();
        for (event, thread, depth, method) in events {
            balance.feed(event, *thread, *depth, method);
        }
        balance.finish()
    }

    #[test]
    fn every_kind_of_end_closes_a_call() {
        let counts = check(&[
            ("enter", 1, 0, "Main"),
            ("enter", 1, 1, "A"),
            ("enter", 2, 0, "Work"),
            ("leave", 1, 1, "A"),
            ("enter", 1, 1, "B"),
            ("tailcall", 1, 1, "B"),
            ("enter", 1, 1, "C"),
            ("unwind", 1, 1, "C"),
            ("enter", 1, 1, "D"),
            ("suspend", 1, 1, "D"),
            ("resume", 2, 1, "D"),
            ("leave", 2, 1, "D"),
        ])
        .unwrap();
        let ends = Counts { leaves: 2, tailcalls: 1, unwinds: 1, suspends: 1, ..Counts::default() };
        assert_eq!(counts, Counts { enters: 6, resumes: 1, open: 2, threads: 2, ..ends });
    }

    #[test]
    fn an_end_without_a_call_is_found() {
        assert!(check(&[("leave", 1, 0, "A")]).is_err());
        assert!(check(&[("enter", 1, 0, "A"), ("leave", 2, 0, "A")]).is_err());
        assert!(check(&[("enter", 1, 0, "A"), ("leave", 1, 0, "A"), ("unwind", 1, 0, "A")]).is_err());
    }

    #[test]
    fn the_end_of_another_call_is_found() {
        let error = check(&[("enter", 1, 0, "A"), ("enter", 1, 1, "B"), ("leave", 1, 1, "A")]).unwrap_err();
        assert!(error.to_string().contains("line 3: leave `A` on thread 1: ends `B`"), "{error}");
    }

    #[test]
    fn a_wrong_depth_is_found() {
        assert!(check(&[("enter", 1, 1, "A")]).is_err());
        assert!(check(&[("enter", 1, 0, "A"), ("leave", 1, 1, "A")]).is_err());
    }

    #[test]
    fn a_lost_end_is_found_at_the_next_one() {
        let lost = [("enter", 1, 0, "A"), ("enter", 1, 1, "B"), ("leave", 1, 0, "A")];
        assert!(check(&lost).is_err());
    }
}
