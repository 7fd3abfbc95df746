//! The report: time by thread and by method.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use corprof::Result;
use corprof_tools::stack_profile::{FrameId, Profile, add_values};
use corprof_tools::{Moment, Sampler, Settings, Table, write_stack};

/// The index of a value.
const CPU: usize = 0;
const WALL: usize = 1;

/// What the reports have in common.
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
    fn add(&mut self, values: &[u64]) {
        add_values(&mut self.0, values);
    }

    /// The columns for the time on a processor, off it, and the percentage of all of `value`.
    #[allow(clippy::cast_precision_loss, reason = "for people to look at")]
    fn columns(self, value: usize, whole: u64) -> [String; 3] {
        let [cpu, wall] = self.0;
        let milliseconds = |nanoseconds: u64| format!("{:.1}", nanoseconds as f64 / 1e6);
        let part = self.0.get(value).copied().unwrap_or(0);
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
        let sampled = self.sampler.sampled();
        let [suspending, suspended] =
            [sampled.suspending, sampled.suspended].map(|time| time.as_secs_f64() * 1000.0);
        writeln!(
            out,
            "{program}: {} rounds in {seconds:.1} s; suspended {suspended:.1} ms, and {suspending:.1} ms until it was",
            sampled.rounds
        )?;
        for (count, what) in [
            (sampled.refused, "rounds are missing, because the runtime was suspended"),
            (sampled.failed, "stacks could not be walked"),
            (sampled.truncated, "stacks are truncated"),
            (profile.merged().samples, "samples have no exact stack"),
        ] {
            if count > 0 {
                writeln!(out, "{count} {what}")?;
            }
        }
        let whole = profile.total(self.value);
        let share = if self.value == WALL { "wall %" } else { "cpu %" };

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
        let order = |times: &Times| core::cmp::Reverse(times.0.get(self.value).copied());
        let mut threads: Vec<_> = threads.into_iter().collect();
        threads.sort_by_key(|(_, times)| order(times));
        let mut table = Table::new(["on cpu ms", "off cpu ms", share, "thread"]);
        for (name, times) in threads.iter().take(self.top) {
            let [cpu, off, percent] = times.columns(self.value, whole);
            table.row([cpu, off, percent, name.clone()]);
        }
        write!(out, "\n{table}")?;

        let mut methods: Vec<_> = methods.into_iter().collect();
        methods.sort_by_key(|(frame, (own, all))| (order(own), order(all), *frame));
        let mut table =
            Table::new(["on cpu ms", "off cpu ms", share, "with callees", "off cpu ms", share, "method"]);
        for (frame, (own, all)) in methods.iter().take(self.top) {
            let [own_cpu, own_off, own_percent] = own.columns(self.value, whole);
            let [all_cpu, all_off, all_percent] = all.columns(self.value, whole);
            let name = profile.frame_of(*frame).name.to_owned();
            table.row([own_cpu, own_off, own_percent, all_cpu, all_off, all_percent, name]);
        }
        write!(out, "\n{table}")?;
        if methods.len() > self.top {
            writeln!(out, "{} more methods", methods.len() - self.top)?;
        }

        stacks.sort_by_key(|sample| core::cmp::Reverse(sample.values.get(self.value).copied()));
        for sample in stacks.iter().take(self.top) {
            let mut times = Times::default();
            times.add(sample.values);
            let [cpu, off, percent] = times.columns(self.value, whole);
            writeln!(out, "\n{percent} %: {cpu} ms on cpu, {off} ms off cpu")?;
            write_stack(out, profile, *sample, 0)?;
        }
        Ok(())
    }
}
