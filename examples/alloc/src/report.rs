//! The report: allocations by class, and the sites that allocate the most.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use corprof::Result;
use corprof_tools::corprof_profile::{Profile, add_values};
use corprof_tools::{Moment, Settings, Table, write_stack};

use crate::Measured;

/// The index of the bytes among the values.
pub(crate) const BYTES: usize = 1;

/// The settings and sources of every report.
pub(crate) struct Report {
    measured: Arc<Measured>,
    top: usize,
}

/// The sums of a class or a site: objects, bytes, samples, and if they are estimates the variance of the bytes.
#[derive(Clone, Copy, Default)]
struct Sums([u64; 4]);

impl Sums {
    fn add(&mut self, values: &[u64]) {
        add_values(&mut self.0, values);
    }

    /// The columns for objects and bytes, with half the width of the 95 % interval if they are estimates.
    #[allow(clippy::cast_precision_loss, reason = "for people to look at")]
    fn columns(self, is_exact: bool) -> [String; 3] {
        let [objects, bytes, _, variance] = self.0;
        let error = match is_exact {
            true => String::new(),
            false => format!("± {:.0}", 1.96 * 1024.0 * (variance as f64).sqrt()),
        };
        [objects.to_string(), bytes.to_string(), error]
    }
}

impl Report {
    pub(crate) fn new(measured: Arc<Measured>, settings: &Settings) -> Result<Self> {
        let top = settings.limit("TOP")?;
        Ok(Self { measured, top })
    }

    /// Writes the report of a moment.
    pub(crate) fn write(&self, profile: &Profile, moment: Moment, out: &mut String) -> std::fmt::Result {
        let is_exact = self.measured.allocations.is_exact();
        let (program, seconds) = (profile.program(), moment.elapsed.as_secs_f64());
        let how = if is_exact { "all allocations" } else { "sampled allocations" };
        let [objects, bytes, samples] = [0, 1, 2].map(|value| profile.total(value));
        writeln!(
            out,
            "{program}: {objects} objects, {bytes} bytes in {seconds:.1} s; {how}, {samples} seen"
        )?;
        for (count, what) in [
            (self.measured.lost.load(Ordering::Relaxed), "were ignored, because memory had run out"),
            (
                self.measured.allocations.left_out(),
                "were left out at random, to keep to ALLOC_RATE; the estimates allow for them",
            ),
            (self.measured.allocations.failed(), "have no size or stack"),
            (profile.merged().samples, "have no exact stack"),
        ] {
            if count > 0 {
                writeln!(out, "{count} allocations {what}")?;
            }
        }

        let mut classes: BTreeMap<&str, Sums> = BTreeMap::new();
        let mut sites: Vec<_> = profile.samples().collect();
        let class = |sample: &corprof_tools::corprof_profile::Sample<'_>| {
            sample.stack().next().map_or("[other]", |frame| profile.frame_of(frame).name)
        };
        for sample in &sites {
            classes.entry(class(sample)).or_default().add(sample.values);
        }
        let mut classes: Vec<_> = classes.into_iter().collect();
        classes.sort_by_key(|(name, Sums([_, bytes, ..]))| (core::cmp::Reverse(*bytes), *name));
        let mut table = Table::new(["objects", "bytes", if is_exact { "" } else { "± bytes" }, "class"]);
        for (name, sums) in classes.iter().take(self.top) {
            let [objects, bytes, error] = sums.columns(is_exact);
            table.row([objects, bytes, error, (*name).to_owned()]);
        }
        if !table.is_empty() {
            write!(out, "\n{table}")?;
        }
        if classes.len() > self.top {
            writeln!(out, "{} more classes", classes.len() - self.top)?;
        }

        sites.sort_by_key(|sample| core::cmp::Reverse(sample.values.get(BYTES).copied()));
        for sample in sites.iter().take(self.top) {
            let mut sums = Sums::default();
            sums.add(sample.values);
            let [objects, bytes, error] = sums.columns(is_exact);
            let error = if error.is_empty() { error } else { format!(" {error}") };
            writeln!(out, "\n{bytes}{error} bytes in {objects} × {}", class(sample))?;
            write_stack(out, profile, *sample, 1)?;
        }
        if sites.len() > self.top {
            writeln!(out, "\n{} more sites", sites.len() - self.top)?;
        }
        Ok(())
    }
}
