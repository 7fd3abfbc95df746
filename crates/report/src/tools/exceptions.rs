//! Exceptions by type, and the most frequent throw sites.

use core::cmp::Reverse;
use core::fmt::{self, Write as _};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use corprof_profile::{Profile, Sample, Table, Unit, ValueType, write_stack};
use recording::streams::{Row, Text, Value};

use crate::cells::Cells as _;
use crate::groups::Groups;
use crate::limits::OPEN;
use crate::view::{Moment, Shown, View};

/// The labels of a sample, which are columns.
const LABELS: [&str; 3] = ["type", "message", CAUGHT_IN];
const CAUGHT_IN: &str = "caught in";

/// The handler of an exception that nothing catches.
const NOT_CAUGHT: &str = "[not caught]";

/// The seconds that the report calls recent.
const RECENT: u64 = 10;

/// An exception that may be thrown again.
struct Open {
    group: usize,
    /// The time of its last throw, in nanoseconds.
    time: u64,
    /// Whether it was thrown before the interval has begun.
    is_earlier: bool,
}

/// The exceptions so far.
pub(super) struct Exceptions {
    program: String,
    groups: Groups<1>,
    /// The newest exceptions by their numbers.
    open: BTreeMap<u64, Open>,
    /// The highest number of those that are not among them any more.
    forgotten: u64,
    /// Throws of known exceptions whose first throw has not come yet: by number the time, and the handler. Rows of several threads are not in
    /// order.
    early: BTreeMap<u64, (u64, Text)>,
    has_intervals: bool,
    top: usize,
    thrown: u64,
    /// The exceptions of the last seconds.
    recent: VecDeque<(u64, u64)>,
}

#[derive(Default)]
struct OfType {
    thrown: u64,
    caught: u64,
}

fn label<'s>(sample: &Sample<'s>, key: &str) -> &'s str {
    let labels = &sample.context().labels;
    labels.iter().find(|(name, _)| name == key).map_or("[other]", |(_, value)| value)
}

fn count(sample: &Sample<'_>) -> u64 {
    sample.values.first().copied().unwrap_or(0)
}

#[allow(clippy::cast_precision_loss, reason = "for people to look at")]
fn rate(count: u64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { count as f64 / time.as_secs_f64() }
}

/// Removes the first if there are too many, and returns its number.
fn limit<V>(map: &mut BTreeMap<u64, V>) -> Option<u64> {
    if map.len() > OPEN { map.pop_first().map(|(number, _)| number) } else { None }
}

impl Exceptions {
    pub(super) fn new(shown: &Shown<'_>) -> Self {
        let types = vec![ValueType::new("exceptions", Unit::Count)];
        Self {
            program: shown.program.to_owned(),
            groups: Groups::new(shown.program, types, &LABELS),
            open: BTreeMap::new(),
            forgotten: 0,
            early: BTreeMap::new(),
            has_intervals: false,
            top: shown.limit("TOP"),
            thrown: 0,
            recent: VecDeque::new(),
        }
    }

    fn exception(&mut self, row: &Row<'_>) {
        let (number, time) = (row.number("number"), row.time("time"));
        self.thrown += 1;
        let second = time / 1_000_000_000;
        match self.recent.iter_mut().find(|(known, _)| *known == second) {
            Some((_, count)) => *count += 1,
            None => self.recent.push_back((second, 1)),
        }
        self.recent.retain(|(known, _)| known + RECENT >= second);
        let group = self.groups.add(row, "stack", None, &LABELS, [1]);
        self.open.insert(number, Open { group, time, is_earlier: false });
        self.forgotten = self.forgotten.max(limit(&mut self.open).unwrap_or(0));
        if let Some((time, caught_in)) = self.early.remove(&number) {
            self.caught_elsewhere(row, number, time, caught_in);
        }
    }

    fn again(&mut self, row: &Row<'_>) {
        let (number, time) = (row.number("number"), row.time("time"));
        let Some(Value::Text(caught_in)) = row.value(CAUGHT_IN) else { return };
        if self.open.contains_key(&number) {
            self.caught_elsewhere(row, number, time, caught_in);
        } else if number <= self.forgotten {
            // Its first throw is forgotten. What ends the program is reported in any case.
            if row.text(CAUGHT_IN) == NOT_CAUGHT {
                self.thrown += 1;
                self.groups.add(row, "stack", None, &LABELS, [1]);
            }
        } else {
            self.early.insert(number, (time, caught_in));
            limit(&mut self.early);
        }
    }

    /// The last throw of an exception has another handler.
    fn caught_elsewhere(&mut self, row: &Row<'_>, number: u64, time: u64, caught_in: Text) {
        let Some(open) = self.open.get_mut(&number).filter(|open| open.time <= time) else { return };
        let group = self.groups.relabelled(row.tables(), open.group, CAUGHT_IN, caught_in);
        self.groups.shift(open.group, group, [1], open.is_earlier);
        (open.group, open.time) = (group, time);
    }

    /// The exceptions a second in the last seconds.
    fn recently(&self, elapsed: Duration) -> f64 {
        let count = self.recent.iter().map(|(_, count)| count).sum();
        rate(count, elapsed.min(Duration::from_secs(RECENT)))
    }
}

impl View for Exceptions {
    fn row(&mut self, row: &Row<'_>) {
        match &*row.stream().name {
            "exceptions" => self.exception(row),
            "again" => self.again(row),
            _ => {}
        }
    }

    fn profile(&self) -> Option<(Cow<'_, Profile>, usize)> {
        Some((Cow::Owned(self.groups.profile(self.has_intervals)), 0))
    }

    fn next_interval(&mut self) {
        self.has_intervals = true;
        self.groups.next_interval();
        self.open.values_mut().for_each(|open| open.is_earlier = true);
    }

    fn text(&self, moment: Moment<'_>, out: &mut String) -> fmt::Result {
        let (program, thrown, elapsed) = (&self.program, self.thrown, moment.elapsed);
        let (seconds, mean, recent) = (elapsed.as_secs_f64(), rate(thrown, elapsed), self.recently(elapsed));
        writeln!(
            out,
            "{program}: {thrown} exceptions in {seconds:.1} s, {mean:.1} a second, lately {recent:.1}"
        )?;
        moment.missed.write(out)?;
        let profile = self.groups.profile(false);
        let merged = profile.merged();
        if merged.samples + merged.contexts > 0 {
            writeln!(out, "{} exceptions have no exact stack, {} no type", merged.samples, merged.contexts)?;
        }
        let mut sites: Vec<Sample<'_>> = profile.samples().collect();
        write_types(&sites, out)?;

        // The order of samples is that of the first exception.
        sites.sort_by_key(|sample| Reverse(count(sample)));
        for sample in sites.iter().take(self.top) {
            let message = match label(sample, "message") {
                "" => String::new(),
                message => format!(": {message}"),
            };
            writeln!(out, "\n{} × {}{message}", count(sample), label(sample, "type"))?;
            writeln!(out, "    caught in {}", label(sample, CAUGHT_IN))?;
            write_stack(out, &profile, *sample, 0)?;
        }
        if sites.len() > self.top {
            writeln!(out, "\n{} more throw sites", sites.len() - self.top)?;
        }
        Ok(())
    }
}

fn write_types(sites: &[Sample<'_>], out: &mut String) -> fmt::Result {
    let mut types: BTreeMap<&str, OfType> = BTreeMap::new();
    for sample in sites {
        let of_type = types.entry(label(sample, "type")).or_default();
        of_type.thrown += count(sample);
        of_type.caught += if label(sample, CAUGHT_IN) == NOT_CAUGHT { 0 } else { count(sample) };
    }
    let mut types: Vec<_> = types.into_iter().collect();
    types.sort_by_key(|(name, of_type)| (Reverse(of_type.thrown), *name));
    let mut table = Table::new(["thrown", "caught", "type"]);
    for (name, OfType { thrown, caught }) in types {
        table.row([thrown.to_string(), caught.to_string(), name.to_owned()]);
    }
    if table.is_empty() { Ok(()) } else { write!(out, "\n{table}") }
}
