//! The report: waits by the class of the lock, and the sites that wait the longest.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use corprof::Result;
use corprof_tools::corprof_profile::{Profile, Sample, add_values};
use corprof_tools::{Moment, Settings, Table, write_stack};

use crate::{CALLER, Measured};

/// The index of the time among the values.
pub(crate) const WAITED: usize = 1;

/// The settings and sources of every report.
pub(crate) struct Report {
    measured: Arc<Measured>,
    top: usize,
}

#[allow(clippy::cast_precision_loss, reason = "for people to look at")]
fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.3}", nanoseconds as f64 / 1e6)
}

/// The class of the lock, and the stack of its owner.
fn lock_of<'p>(profile: &'p Profile, sample: Sample<'p>) -> (&'p str, &'p str) {
    let class = sample.stack().next().map_or("[other]", |frame| profile.frame_of(frame).name);
    let owner = sample.context().labels.iter().find(|(name, _)| name == "owner");
    (class, owner.map_or("", |(_, owner)| owner))
}

impl Report {
    pub(crate) fn new(measured: Arc<Measured>, settings: &Settings) -> Result<Self> {
        Ok(Self { measured, top: settings.limit("TOP")? })
    }

    /// Writes the report of a moment.
    pub(crate) fn write(&self, profile: &Profile, moment: Moment, out: &mut String) -> std::fmt::Result {
        let (program, seconds) = (profile.program(), moment.elapsed.as_secs_f64());
        let (waits, waited) = (profile.total(0), milliseconds(profile.total(WAITED)));
        writeln!(out, "{program}: {waits} waits for locks in {seconds:.1} s; waited {waited} ms")?;
        for (count, what) in [
            (self.measured.contentions.open() as u64, "are not over"),
            (self.measured.lost.load(Ordering::Relaxed), "were ignored, because memory had run out"),
            (self.measured.contentions.failed(), "have no stack or no end"),
            (profile.merged().samples, "have no exact stack"),
        ] {
            if count > 0 {
                writeln!(out, "{count} waits {what}")?;
            }
        }

        let mut classes: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        let mut sites: Vec<_> = profile.samples().collect();
        for sample in &sites {
            add_values(classes.entry(lock_of(profile, *sample).0).or_default(), sample.values);
        }
        let mut classes: Vec<_> = classes.into_iter().collect();
        classes.sort_by_key(|(name, [_, waited])| (core::cmp::Reverse(*waited), *name));
        let mut table = Table::new(["waits", "waited ms", "lock"]);
        for (name, [waits, waited]) in classes.iter().take(self.top) {
            table.row([waits.to_string(), milliseconds(*waited), (*name).to_owned()]);
        }
        if !table.is_empty() {
            write!(out, "\n{table}")?;
        }
        if classes.len() > self.top {
            writeln!(out, "{} more locks", classes.len() - self.top)?;
        }

        sites.sort_by_key(|sample| core::cmp::Reverse(sample.values.get(WAITED).copied()));
        for sample in sites.iter().take(self.top) {
            let (class, owner) = lock_of(profile, *sample);
            let [waits, waited] = [0, WAITED].map(|value| sample.values.get(value).copied().unwrap_or(0));
            writeln!(out, "\n{} ms in {waits} × {class}", milliseconds(waited))?;
            write_stack(out, profile, *sample, 1)?;
            for (index, frame) in owner.split(CALLER).filter(|frame| !frame.is_empty()).enumerate() {
                writeln!(out, "    {} {frame}", if index == 0 { "held at" } else { "     at" })?;
            }
        }
        if sites.len() > self.top {
            writeln!(out, "\n{} more sites", sites.len() - self.top)?;
        }
        Ok(())
    }
}
