//! Compares a trace with the program's own report: the same events, thread by thread, in the same
//! order, with the same names and values.
//!
//! Compiler-generated methods have no body in the source and so cannot report themselves: members of
//! closures and state machines, default constructors, the methods that only start a state machine, and
//! those that the report lists as silent. They may appear in the trace; their frames do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::record::{Event, Record, Slot};
use crate::values::{self, Tally};

/// The number of findings that are described.
const KEPT: usize = 15;
/// The number of events that are searched for the next match after a mismatch.
const WINDOW: usize = 40;

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The values, by the kind of comparison.
    pub tally: Tally,
    /// Matching events.
    pub events: usize,
    /// Events of compiler-generated methods, which were left out.
    pub silent: usize,
    /// Methods that ended with a tail call where the report has their return value.
    pub tail_calls: usize,
    /// Descriptions of the first differences.
    pub findings: Vec<String>,
    /// The number of all differences.
    pub found: usize,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally, events, silent, tail_calls, findings, found } = self;
        write!(f, "{events} events fit, {silent} of the compiler's, {tail_calls} tail calls; {tally}")?;
        if *found > 0 {
            write!(f, "\n{found} differences, the first:\n{}", findings.join("\n"))?;
        }
        Ok(())
    }
}

/// Compares a report with a trace.
#[must_use]
pub fn compare(report: &[Record], trace: &[Record]) -> Comparison {
    compare_but(report, trace, &[])
}

/// Compares a report with a trace in which `silent` methods do not count.
#[must_use]
pub fn compare_but(report: &[Record], trace: &[Record], silent: &[String]) -> Comparison {
    let reported = Reported::of(report, silent);
    let mut result = Comparison::default();
    let expected = by_thread(report);
    let mut actual = by_thread(trace);
    for (thread, expected) in &expected {
        let actual = actual.remove(thread).unwrap_or_default();
        let audible = drop_silent(&actual, &reported, &mut result);
        result.thread(expected, &audible);
    }
    for (_, rest) in actual {
        let audible = drop_silent(&rest, &reported, &mut result);
        result.thread(&[], &audible);
    }
    result
}

/// Whether the name has a part that begins with `<`, which is no C# identifier.
#[must_use]
pub fn is_compiler_made(method: &str) -> bool {
    method.starts_with('<') || method.contains(".<")
}

/// The methods that report themselves.
struct Reported<'a> {
    methods: BTreeSet<&'a str>,
    /// The constructors among them, without type arguments.
    constructors: BTreeSet<String>,
    /// The methods whose state machines are among them, without type arguments of their own.
    started: BTreeSet<String>,
    /// The methods that the report lists as silent, without type arguments.
    silent: BTreeSet<String>,
}

impl<'a> Reported<'a> {
    fn of(report: &'a [Record], silent: &[String]) -> Self {
        let methods: BTreeSet<_> = report.iter().map(|record| record.method.as_str()).collect();
        let constructors = methods.iter().filter(|method| is_constructor(method));
        Self {
            constructors: constructors.map(|method| without_type_arguments(method)).collect(),
            started: methods.iter().filter_map(|method| started_by(method)).collect(),
            silent: silent.iter().map(|method| without_type_arguments(method)).collect(),
            methods,
        }
    }

    /// Whether the method has no body in the source.
    fn cannot_report(&self, method: &str) -> bool {
        let starts =
            |started: &String| method.strip_prefix(started).is_some_and(|rest| rest.starts_with('<'));
        !self.methods.contains(method)
            && (is_compiler_made(method)
                || is_constructor(method) && !self.constructors.contains(&without_type_arguments(method))
                || self.started.contains(method)
                || self.silent.contains(&without_type_arguments(method))
                || self.started.iter().any(starts))
    }
}

fn is_constructor(method: &str) -> bool {
    method.ends_with("..ctor") || method.ends_with("..cctor")
}

/// `A.B<C<int>>..ctor` → `A.B..ctor`.
fn without_type_arguments(method: &str) -> String {
    let mut open = 0;
    let mut plain = String::new();
    for c in method.chars() {
        match c {
            '<' => open += 1,
            '>' => open -= 1,
            _ if open == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// `A.<Wait>d__7<int>.MoveNext` → `A.Wait`, which starts the state machine.
fn started_by(method: &str) -> Option<String> {
    let (outer, machine) = method.strip_suffix(".MoveNext")?.split_once(".<")?;
    let (started, _) = machine.split_once(">d__")?;
    Some(format!("{outer}.{started}"))
}

fn by_thread(records: &[Record]) -> BTreeMap<u64, Vec<&Record>> {
    let mut threads = BTreeMap::<u64, Vec<&Record>>::new();
    for record in records {
        threads.entry(record.thread).or_default().push(record);
    }
    threads
}

/// The events of methods that can report themselves, with their depth among each other.
fn drop_silent<'a>(
    records: &[&'a Record],
    reported: &Reported<'_>,
    result: &mut Comparison,
) -> Vec<(u64, &'a Record)> {
    let mut open_silent = 0;
    let mut audible = Vec::new();
    for record in records {
        if !reported.cannot_report(&record.method) {
            audible.push((record.depth.saturating_sub(open_silent), *record));
            continue;
        }
        result.silent += 1;
        match record.event {
            Event::Enter { .. } | Event::Resume => open_silent += 1,
            _ => open_silent = open_silent.saturating_sub(1),
        }
    }
    audible
}

impl Comparison {
    fn thread(&mut self, expected: &[&Record], actual: &[(u64, &Record)]) {
        let (mut i, mut j) = (0, 0);
        while i < expected.len() || j < actual.len() {
            match (expected.get(i), actual.get(j)) {
                (Some(wanted), Some((depth, found))) if self.fit(wanted, found) => {
                    self.events += 1;
                    self.record(wanted, *depth, found);
                    (i, j) = (i + 1, j + 1);
                }
                (Some(wanted), found) => {
                    let missing = (1..WINDOW).find(|k| {
                        let later = expected.get(i + k);
                        later.zip(found).is_some_and(|(later, (_, found))| self.fit(later, found))
                    });
                    let extra = (1..WINDOW)
                        .find(|k| actual.get(j + k).is_some_and(|(_, later)| self.fit(wanted, later)));
                    match (missing, extra, found) {
                        (None, Some(_), Some((_, found))) => j = self.unexpected(found, j),
                        (Some(m), Some(e), Some((_, found))) if e < m => j = self.unexpected(found, j),
                        _ => {
                            self.note(|| format!("missing    {}", wanted.brief()));
                            i += 1;
                        }
                    }
                }
                (None, Some((_, found))) => j = self.unexpected(found, j),
                (None, None) => return,
            }
        }
    }

    fn unexpected(&mut self, found: &Record, at: usize) -> usize {
        self.note(|| format!("unexpected {}", found.brief()));
        at + 1
    }

    fn fit(&self, wanted: &Record, found: &Record) -> bool {
        let kinds = (wanted.event.name(), found.event.name());
        wanted.method == found.method && (kinds.0 == kinds.1 || kinds == ("leave", "tailcall"))
    }

    fn record(&mut self, wanted: &Record, depth: u64, found: &Record) {
        let brief = wanted.brief();
        if wanted.depth != depth {
            self.note(|| format!("{brief}: depth {depth} in the trace"));
        }
        if wanted.module != found.module {
            self.note(|| format!("{brief}: module {}, expected {}", found.module, wanted.module));
        }
        match (&wanted.event, &found.event) {
            (
                Event::Enter { signature, this, args, .. },
                Event::Enter { signature: found_signature, this: found_this, args: found_args, error },
            ) => {
                if let Some(error) = error {
                    self.note(|| format!("{brief}: no arguments: {error}"));
                }
                if signature != found_signature {
                    self.note(|| {
                        format!("{brief}: signature\n    {found_signature}, expected\n    {signature}")
                    });
                }
                match (this, found_this) {
                    (Some(this), Some(found)) => self.value(&brief, "this", "", this, found),
                    (None, None) => {}
                    _ => self.note(|| format!("{brief}: `this` is {found_this:?}, expected {this:?}")),
                }
                self.slots(&brief, args, found_args);
            }
            (Event::Leave { result, outs }, Event::Leave { result: found_result, outs: found_outs }) => {
                match (result, found_result) {
                    (Some((ty, value)), Some((found_ty, found))) => {
                        if ty != found_ty {
                            self.note(|| format!("{brief}: return type `{found_ty}`, expected `{ty}`"));
                        }
                        self.value(&brief, "return", ty, value, found);
                    }
                    (None, None) => {}
                    _ => self.note(|| format!("{brief}: returns {found_result:?}, expected {result:?}")),
                }
                self.slots(&brief, outs, found_outs);
            }
            (Event::Leave { .. }, Event::Tailcall) => self.tail_calls += 1,
            (wanted, found) if wanted == found => {}
            (wanted, found) => self.note(|| format!("{brief}: {found:?}, expected {wanted:?}")),
        }
    }

    fn slots(&mut self, brief: &str, wanted: &[Slot], found: &[Slot]) {
        if wanted.len() != found.len() {
            self.note(|| format!("{brief}: {} parameters, expected {}", found.len(), wanted.len()));
        }
        for (wanted, found) in wanted.iter().zip(found) {
            let head = |slot: &Slot| (slot.name.clone(), slot.ty.clone(), slot.mode.clone());
            if head(wanted) != head(found) {
                self.note(|| format!("{brief}: parameter {:?}, expected {:?}", head(found), head(wanted)));
            }
            match (&wanted.value, &found.value) {
                (Some(value), Some(found)) => self.value(brief, &wanted.name, &wanted.ty, value, found),
                (None, None) => {}
                _ => self.note(|| format!("{brief}: {} has or lacks its value", wanted.name)),
            }
        }
    }

    fn value(
        &mut self,
        brief: &str,
        what: &str,
        ty: &str,
        wanted: &serde_json::Value,
        found: &serde_json::Value,
    ) {
        if let Err(difference) = values::compare(wanted, found, ty, &mut self.tally) {
            self.note(|| format!("{brief}: {what}: {difference}"));
        }
    }

    fn note(&mut self, finding: impl FnOnce() -> String) {
        self.found += 1;
        if self.findings.len() < KEPT {
            self.findings.push(finding());
        }
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
