//! Compares two traces of the same program line by line: one with slow-path hooks, the other with fast-path
//! hooks.
//!
//! Runs of a program differ: in addresses, in hash codes that are computed from them, in times, and in the number of
//! cache lookups. [`Noise`] collects, from two traces of one kind, the methods whose lines differ anyway. They are
//! counted and left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// The number of findings that are described.
const KEPT: usize = 12;
/// The number of lines that are searched for a match after a mismatch.
const WINDOW: usize = 400;
/// The number of consecutive lines that must match there.
const MEETING: usize = 3;
/// A number with so many digits may be an address.
const ADDRESS_DIGITS: usize = 12;

/// The tracer's text for a value that it cannot locate.
const NOT_LOCATED: &str = "its location is unknown";

/// The type argument of shared code.
const SHARED: &str = "System.__Canon";

/// A trace: for each thread, its lines in order. The threads are in the order in which they began.
#[derive(Debug)]
pub struct Trace {
    threads: Vec<Vec<Line>>,
}

/// A line without its thread id.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// Event and method.
    key: Key,
    text: Box<str>,
}

type Key = (Box<str>, Box<str>);

/// Whether possible addresses are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// All digits are compared.
    Compared,
    /// Numbers that may be addresses are treated as equal.
    Alike,
}

impl Trace {
    /// Reads a trace in the `jsonl` format.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or a line is no event.
    pub fn read(path: &Path, addresses: Addresses) -> Result<Self> {
        let file = fs::File::open(path).with_context(|| format!("no trace {}", path.display()))?;
        let mut order: BTreeMap<String, usize> = BTreeMap::new();
        let mut threads: Vec<Vec<Line>> = Vec::new();
        for line in BufReader::new(file).lines() {
            let line = line?;
            let (thread, parsed) =
                Line::parse(&line, addresses).with_context(|| format!("{}: {line}", path.display()))?;
            let next = order.len();
            let index = *order.entry(thread.to_owned()).or_insert(next);
            if index == threads.len() {
                threads.push(Vec::new());
            }
            threads[index].push(parsed);
        }
        ensure!(!threads.is_empty(), "{} is empty", path.display());
        Ok(Self { threads })
    }
}

impl Line {
    fn parse(line: &str, addresses: Addresses) -> Option<(&str, Self)> {
        let rest = line.strip_prefix("{\"event\":\"")?;
        let (event, rest) = rest.split_once("\",\"thread\":")?;
        let (thread, rest) = rest.split_once(',')?;
        let (_, method) = rest.split_once("\"method\":\"")?;
        let (method, _) = method.split_once('"')?;
        let text = match addresses {
            Addresses::Compared => rest.into(),
            Addresses::Alike => without_addresses(rest),
        };
        Some((thread, Self { key: (event.into(), method.into()), text }))
    }
}

/// The text with `#` for numbers that may be addresses.
fn without_addresses(text: &str) -> Box<str> {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        clean.push_str(before);
        let digits = match from.strip_prefix("0x") {
            Some(hex) => 2 + hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len()),
            None => from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len()),
        };
        let (number, behind) = from.split_at(digits);
        clean.push_str(if number.starts_with("0x") || digits >= ADDRESS_DIGITS { "#" } else { number });
        rest = behind;
    }
    clean.push_str(rest);
    clean.into()
}

/// The methods whose lines differ between two traces of the same kind.
#[derive(Debug, Default)]
pub struct Noise(BTreeSet<Key>);

impl Noise {
    /// Compares two traces of the same kind.
    #[must_use]
    pub fn between(first: &Trace, second: &Trace) -> Self {
        let mut noise = Self::default();
        let mut ignored = Difference::default();
        compare(first, second, &mut ignored, |a, _| {
            noise.0.insert(a.key.clone());
        });
        noise
    }
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Difference {
    /// Lines that are the same.
    pub equal: usize,
    /// Lines that differ, of methods whose lines differ anyway.
    pub noisy: usize,
    /// Lines that have no counterpart.
    pub alone: usize,
    /// Lines with the type argument in the second trace and the canonical one in the first.
    pub more_exact: usize,
    /// Lines of the second trace with a value that could not be located.
    pub not_located: usize,
    /// Other lines that differ.
    pub found: usize,
    /// The first of them.
    pub findings: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { equal, noisy, alone, more_exact, not_located, found, findings } = self;
        write!(
            f,
            "{equal} lines are the same, {noisy} differ in every run, {alone} have no counterpart, {more_exact} \
             have a more exact type, {not_located} have a value that could not be located, {found} differ"
        )?;
        findings.iter().try_for_each(|finding| write!(f, "\n{finding}"))
    }
}

impl Difference {
    /// Compares two traces of different kinds.
    #[must_use]
    pub fn between(first: &Trace, second: &Trace, noise: &Noise) -> Self {
        let mut difference = Self::default();
        let mut differing = Vec::new();
        compare(first, second, &mut difference, |a, b| differing.push((a.clone(), b.clone())));
        for (a, b) in differing {
            if b.text.contains(NOT_LOCATED) {
                difference.not_located += 1;
            } else if is_more_exact(&b.text, &a.text) {
                difference.more_exact += 1;
            } else if noise.0.contains(&a.key) {
                difference.noisy += 1;
            } else {
                difference.found += 1;
                if difference.findings.len() < KEPT {
                    difference.findings.push(format!("{} {}\n  {}\n  {}", a.key.0, a.key.1, a.text, b.text));
                }
            }
        }
        difference
    }

    /// The number of compared lines.
    #[must_use]
    pub fn total(&self) -> usize {
        self.equal + self.noisy + self.alone + self.more_exact + self.not_located + self.found
    }
}

/// Whether `exact` equals the other text except where that has `System.__Canon`.
fn is_more_exact(exact: &str, other: &str) -> bool {
    let mut parts = other.split(SHARED);
    let mut rest = match parts.next().and_then(|first| exact.strip_prefix(first)) {
        Some(rest) if other.contains(SHARED) => rest,
        _ => return false,
    };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

fn compare(first: &Trace, second: &Trace, count: &mut Difference, mut differ: impl FnMut(&Line, &Line)) {
    let mut others = second.threads.iter();
    for thread in &first.threads {
        let other = others.next().map_or(&[][..], Vec::as_slice);
        thread_by_thread(thread, other, count, &mut differ);
    }
    count.alone += others.map(Vec::len).sum::<usize>();
}

fn thread_by_thread(
    mut a: &[Line],
    mut b: &[Line],
    count: &mut Difference,
    differ: &mut impl FnMut(&Line, &Line),
) {
    while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
        if x.key == y.key {
            if x == y {
                count.equal += 1;
            } else {
                differ(x, y);
            }
            (a, b) = (a_rest, b_rest);
        } else {
            let Some((of_a, of_b)) = meeting(a, b) else { break };
            count.alone += of_a + of_b;
            (a, b) = (&a[of_a..], &b[of_b..]);
        }
    }
    count.alone += a.len() + b.len();
}

/// The number of lines of each side to skip until both match again.
fn meeting(a: &[Line], b: &[Line]) -> Option<(usize, usize)> {
    let fits = |of_a: usize, of_b: usize| {
        let (a, b) = (a.get(of_a..)?, b.get(of_b..)?);
        let longest = MEETING.min(a.len()).min(b.len());
        (longest > 0 && a.iter().zip(b).take(longest).all(|(x, y)| x.key == y.key)).then_some((of_a, of_b))
    };
    (1..=WINDOW).find_map(|both| (0..=both).find_map(|of_a| fits(of_a, both - of_a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(lines: &[(&str, &str)]) -> Trace {
        let line = |(method, value): &(&str, &str)| Line {
            key: ("enter".into(), (*method).into()),
            text: (*value).into(),
        };
        Trace { threads: vec![lines.iter().map(line).collect()] }
    }

    #[test]
    fn a_line_is_parsed() {
        let line =
            r#"{"event":"leave","thread":77,"depth":3,"method":"A.B","return":{"value":140737488355328}}"#;
        let (thread, line) = Line::parse(line, Addresses::Alike).unwrap();
        assert_eq!((thread, &*line.key.0, &*line.key.1), ("77", "leave", "A.B"));
        assert_eq!(&*line.text, r##""depth":3,"method":"A.B","return":{"value":#}}"##);
        assert!(Line::parse("{}", Addresses::Alike).is_none());
    }

    #[test]
    fn only_possible_addresses_are_treated_as_equal() {
        assert_eq!(&*without_addresses("a 12 0x7fab \"0xzz\" 139711609664200, -5"), "a 12 # \"#zz\" #, -5");
    }

    #[test]
    fn another_value_is_found() {
        let (a, b) = (trace(&[("A", "1"), ("B", "2")]), trace(&[("A", "1"), ("B", "3")]));
        let difference = Difference::between(&a, &b, &Noise::default());
        assert_eq!((difference.equal, difference.found, difference.findings.len()), (1, 1, 1));
    }

    #[test]
    fn lines_that_always_differ_are_ignored() {
        let traces = [trace(&[("A", "1")]), trace(&[("A", "2")]), trace(&[("A", "3")])];
        let noise = Noise::between(&traces[0], &traces[1]);
        let difference = Difference::between(&traces[0], &traces[2], &noise);
        assert_eq!((difference.noisy, difference.found), (1, 0));
    }

    #[test]
    fn an_extra_call_does_not_misalign_later_lines() {
        let a = trace(&[("A", "1"), ("B", "2"), ("C", "3"), ("D", "4")]);
        let b = trace(&[("A", "1"), ("X", "9"), ("B", "2"), ("C", "3"), ("D", "4")]);
        let difference = Difference::between(&a, &b, &Noise::default());
        assert_eq!((difference.equal, difference.alone, difference.found, difference.total()), (4, 1, 0, 5));
        let all = Difference::between(&a, &trace(&[("Z", "0")]), &Noise::default());
        assert_eq!((all.equal, all.alone), (0, 5));
    }

    #[test]
    fn a_more_exact_type_is_no_finding() {
        let a = trace(&[("A", "{List<System.__Canon>: 1}")]);
        let compared = |b: &str| Difference::between(&a, &trace(&[("A", b)]), &Noise::default());
        assert_eq!(compared("{List<string>: 1}").more_exact, 1);
        assert_eq!(compared("{List<string>: 2}").found, 1);
        assert_eq!(compared("{Set<string>: 1}").found, 1);
    }

    #[test]
    fn values_that_are_not_located_are_counted() {
        let b = trace(&[("A", "{\"error\":\"its location is unknown, since …\"}")]);
        let difference = Difference::between(&trace(&[("A", "1")]), &b, &Noise::default());
        assert_eq!((difference.not_located, difference.found), (1, 0));
    }
}
