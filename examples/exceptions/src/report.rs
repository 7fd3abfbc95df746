//! The report: exceptions by type, and the most frequent throw sites.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use corprof::Result;
use corprof_tools::corprof_profile::{Profile, Sample};
use corprof_tools::{Moment, Settings, Table, write_stack};

use crate::Counted;

/// The labels of a sample.
pub(crate) const TYPE: &str = "type";
pub(crate) const MESSAGE: &str = "message";
pub(crate) const CAUGHT_IN: &str = "caught in";
/// The handler of an exception that nothing catches.
pub(crate) const NOT_CAUGHT: &str = "[not caught]";
/// The handler of an exception that no managed code has caught, and that has not ended the program.
pub(crate) const THE_RUNTIME: &str = "[the runtime]";

/// The settings and sources of every report.
pub(crate) struct Report {
    counted: Arc<Counted>,
    top: usize,
    /// The number of exceptions in the report before, and its time.
    before: (u64, Duration),
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

impl Report {
    pub(crate) fn new(counted: Arc<Counted>, settings: &Settings) -> Result<Self> {
        let top = settings.limit("TOP")?;
        Ok(Self { counted, top, before: (0, Duration::ZERO) })
    }

    /// Writes the report of a moment.
    pub(crate) fn write(&mut self, profile: &Profile, moment: Moment, out: &mut String) -> std::fmt::Result {
        let thrown = profile.total(0);
        let (before, then) = if moment.is_interval { (0, Duration::ZERO) } else { self.before };
        let recent = rate(thrown.saturating_sub(before), moment.elapsed.saturating_sub(then));
        self.before = (thrown, moment.elapsed);
        let (seconds, mean) = (moment.elapsed.as_secs_f64(), rate(thrown, moment.elapsed));
        let program = profile.program();
        writeln!(
            out,
            "{program}: {thrown} exceptions in {seconds:.1} s, {mean:.1} a second, lately {recent:.1}"
        )?;
        let lost = self.counted.lost.load(Ordering::Relaxed);
        if lost > 0 {
            writeln!(out, "{lost} callbacks were ignored, because memory had run out")?;
        }
        let merged = profile.merged();
        if merged.samples + merged.contexts > 0 {
            writeln!(out, "{} exceptions have no exact stack, {} no type", merged.samples, merged.contexts)?;
        }

        let mut types: BTreeMap<&str, OfType> = BTreeMap::new();
        let mut sites: Vec<Sample<'_>> = profile.samples().collect();
        for sample in &sites {
            let of_type = types.entry(label(sample, TYPE)).or_default();
            of_type.thrown += count(sample);
            of_type.caught += if label(sample, CAUGHT_IN) == NOT_CAUGHT { 0 } else { count(sample) };
        }
        let mut types: Vec<_> = types.into_iter().collect();
        types.sort_by_key(|(name, of_type)| (core::cmp::Reverse(of_type.thrown), *name));
        let mut table = Table::new(["thrown", "caught", "type"]);
        for (name, OfType { thrown, caught }) in types {
            table.row([thrown.to_string(), caught.to_string(), name.to_owned()]);
        }
        if !table.is_empty() {
            write!(out, "\n{table}")?;
        }

        // The order of samples is that of their first throws.
        sites.sort_by_key(|sample| core::cmp::Reverse(count(sample)));
        for sample in sites.iter().take(self.top) {
            let message = match label(sample, MESSAGE) {
                "" => String::new(),
                message => format!(": {message}"),
            };
            writeln!(out, "\n{} × {}{message}", count(sample), label(sample, TYPE))?;
            writeln!(out, "    caught in {}", label(sample, CAUGHT_IN))?;
            write_stack(out, profile, *sample, 0)?;
        }
        if sites.len() > self.top {
            writeln!(out, "\n{} more throw sites", sites.len() - self.top)?;
        }
        Ok(())
    }
}
