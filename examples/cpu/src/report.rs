//! The report: time by thread and by method.

use core::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use corprof::Result;
use corprof_tools::corprof_profile::{FrameId, Profile, add_values};
use corprof_tools::{Moment, Sampler, Settings, Table, write_stack};

/// The index of a value in the profile; that of the wall-clock time if it has some.
const CPU: usize = 0;
const WALL: usize = 2;

/// The settings and sources of every report.
pub(crate) struct Report {
    sampler: Arc<Sampler>,
    top: usize,
    /// The value that is drawn and sorted by.
    pub(crate) value: usize,
}

/// The processor and wall-clock time of a thread or method, in nanoseconds.
#[derive(Clone, Copy, Default)]
struct Times([u64; 2]);

impl Times {
    /// Adds the values of a sample.
    fn add(&mut self, values: &[u64]) {
        add_values(&mut self.0, &[CPU, WALL].map(|index| values.get(index).copied().unwrap_or(0)));
    }

    /// Returns the time with this index in the profile.
    const fn get(self, value: usize) -> u64 {
        let [cpu, wall] = self.0;
        if value == WALL { wall } else { cpu }
    }

    fn of(cpu: Duration, wall: Duration) -> Self {
        Self([cpu, wall].map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)))
    }

    /// The cells for the time on a processor, off it, and the percentage of all of `value`.
    #[allow(clippy::cast_precision_loss, reason = "for people to look at")]
    fn cells(self, value: usize, whole: u64) -> [String; 3] {
        let [cpu, wall] = self.0;
        let milliseconds = |nanoseconds: u64| format!("{:.1}", nanoseconds as f64 / 1e6);
        let part = self.get(value);
        let percent = if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 };
        [milliseconds(cpu), milliseconds(wall.saturating_sub(cpu)), format!("{percent:.1}")]
    }
}

impl Report {
    pub(crate) fn new(sampler: Arc<Sampler>, settings: &Settings) -> Result<Self> {
        let top = settings.limit("TOP")?;
        let value = if settings.is_on("WALL")? { WALL } else { CPU };
        Ok(Self { sampler, top, value })
    }

    /// Writes the report of a moment.
    pub(crate) fn text(&self, profile: &Profile, moment: Moment, out: &mut String) -> std::fmt::Result {
        let (program, seconds) = (profile.program(), moment.elapsed.as_secs_f64());
        write!(out, "{program}, {seconds:.1} s: {}", self.sampler.sampled())?;
        if let Some(refusal) = self.sampler.refusal() {
            writeln!(out, "not sampled by signals: {refusal}")?;
        }
        if profile.merged().samples > 0 {
            writeln!(out, "{} samples have no exact stack", profile.merged().samples)?;
        }
        let mut threads: BTreeMap<String, Times> = BTreeMap::new();
        let mut methods: BTreeMap<FrameId, (Times, Times)> = BTreeMap::new();
        let mut stacks: Vec<_> = profile.samples().collect();
        for sample in &stacks {
            let thread = sample.context().thread.as_ref().map_or_else(String::new, ToString::to_string);
            threads.entry(thread).or_default().add(sample.values);
            let mut frames = sample.stack();
            if let Some(innermost) = frames.next() {
                methods.entry(innermost).or_default().0.add(sample.values);
                let callers: BTreeSet<FrameId> = frames.chain([innermost]).collect();
                // A recursive method counts once.
                callers.iter().for_each(|frame| methods.entry(*frame).or_default().1.add(sample.values));
            }
        }
        // The clocks of the threads have what no sample has.
        if let Some(clocks) = self.sampler.threads() {
            threads.clear();
            for clock in clocks {
                let times = threads.entry(clock.thread.to_string()).or_default();
                add_values(&mut times.0, &Times::of(clock.cpu, clock.wall).0);
            }
        }
        self.threads(threads, out)?;
        self.methods(profile, methods, out)?;
        stacks.sort_by_key(|sample| core::cmp::Reverse(sample.values.get(self.value).copied()));
        let whole = profile.total(self.value);
        for sample in stacks.iter().take(self.top) {
            let mut times = Times::default();
            times.add(sample.values);
            let [cpu, off, percent] = times.cells(self.value, whole);
            match self.sampler.has_wall() {
                true => writeln!(out, "\n{percent} %: {cpu} ms on cpu, {off} ms off cpu")?,
                false => writeln!(out, "\n{percent} %: {cpu} ms on cpu")?,
            }
            write_stack(out, profile, *sample, 0)?;
        }
        Ok(())
    }

    fn order(&self, times: Times) -> Reverse<u64> {
        Reverse(times.get(self.value))
    }

    fn share(&self) -> &'static str {
        if self.value == WALL { "wall %" } else { "cpu %" }
    }

    fn threads(&self, threads: BTreeMap<String, Times>, out: &mut String) -> std::fmt::Result {
        let whole = threads.values().map(|times| times.get(self.value)).sum();
        let mut threads: Vec<_> = threads.into_iter().collect();
        threads.sort_by_key(|(_, times)| self.order(*times));
        let mut table = Table::new(["on cpu ms", "off cpu ms", self.share(), "thread"]);
        for (name, times) in threads.into_iter().take(self.top) {
            let [cpu, off, percent] = times.cells(self.value, whole);
            table.row([cpu, off, percent, name]);
        }
        write!(out, "\n{table}")
    }

    fn methods(
        &self,
        profile: &Profile,
        methods: BTreeMap<FrameId, (Times, Times)>,
        out: &mut String,
    ) -> std::fmt::Result {
        let (whole, count, share) = (profile.total(self.value), methods.len(), self.share());
        let mut methods: Vec<_> = methods.into_iter().collect();
        methods.sort_by_key(|(frame, (own, all))| (self.order(*own), self.order(*all), *frame));
        let rows = methods.into_iter().take(self.top).map(|(frame, (own, all))| {
            let name = profile.frame_of(frame).name.to_owned();
            (own.cells(self.value, whole), all.cells(self.value, whole), name)
        });
        if self.sampler.has_wall() {
            let off = "off cpu ms";
            let mut table = Table::new(["on cpu ms", off, share, "with callees", off, share, "method"]);
            rows.for_each(|([cpu, off, part], [all, all_off, all_part], name)| {
                table.row([cpu, off, part, all, all_off, all_part, name]);
            });
            write!(out, "\n{table}")?;
        } else {
            let mut table = Table::new(["on cpu ms", share, "with callees", share, "method"]);
            rows.for_each(|([cpu, _, part], [all, _, all_part], name)| {
                table.row([cpu, part, all, all_part, name])
            });
            write!(out, "\n{table}")?;
        }
        if count > self.top {
            writeln!(out, "{} more methods", count - self.top)?;
        }
        Ok(())
    }
}
