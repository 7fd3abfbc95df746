//! The report: allocations by class and by method, and the sites that allocate the most.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use corprof::Result;
use corprof_tools::corprof_profile::{FrameId, Profile, Sample, add_values};
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

    fn bytes(self) -> u64 {
        let [_, bytes, ..] = self.0;
        bytes
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
            (self.measured.allocations.failed(), "have no size or stack"),
            (profile.merged().samples, "have no exact stack"),
        ] {
            if count > 0 {
                writeln!(out, "{count} allocations {what}")?;
            }
        }

        let mut sites: Vec<_> = profile.samples().collect();
        self.write_classes(profile, &sites, out)?;
        self.write_methods(profile, &sites, out)?;

        sites.sort_by_key(|sample| Reverse(sample.values.get(BYTES).copied()));
        for sample in sites.iter().take(self.top) {
            let mut sums = Sums::default();
            sums.add(sample.values);
            let [objects, bytes, error] = sums.columns(is_exact);
            let error = if error.is_empty() { error } else { format!(" {error}") };
            writeln!(out, "\n{bytes}{error} bytes in {objects} × {}", class(profile, *sample))?;
            write_stack(out, profile, *sample, 1)?;
        }
        if sites.len() > self.top {
            writeln!(out, "\n{} more sites", sites.len() - self.top)?;
        }
        Ok(())
    }

    /// Writes the classes that the most bytes were allocated of.
    fn write_classes(&self, profile: &Profile, sites: &[Sample<'_>], out: &mut String) -> std::fmt::Result {
        let is_exact = self.measured.allocations.is_exact();
        let mut classes: BTreeMap<&str, Sums> = BTreeMap::new();
        for sample in sites {
            classes.entry(class(profile, *sample)).or_default().add(sample.values);
        }
        let mut classes: Vec<_> = classes.into_iter().collect();
        classes.sort_by_key(|(name, sums)| (Reverse(sums.bytes()), *name));
        let mut table = Table::new(["objects", "bytes", if is_exact { "" } else { "± bytes" }, "class"]);
        for (name, sums) in classes.iter().take(self.top) {
            let [objects, bytes, error] = sums.columns(is_exact);
            table.row([objects, bytes, error, (*name).to_owned()]);
        }
        write_table(out, &table, classes.len().saturating_sub(self.top), "classes")
    }

    /// Writes the methods that have allocated the most bytes themselves, with what they and the methods that they called have.
    fn write_methods(&self, profile: &Profile, sites: &[Sample<'_>], out: &mut String) -> std::fmt::Result {
        let is_exact = self.measured.allocations.is_exact();
        let mut methods: HashMap<FrameId, (Sums, Sums)> = HashMap::new();
        let mut on_stack = HashSet::new();
        for sample in sites {
            let mut stack = sample.stack().skip(1).peekable();
            if let Some(innermost) = stack.peek() {
                methods.entry(*innermost).or_default().0.add(sample.values);
            }
            // A recursive method counts once.
            on_stack.clear();
            for method in stack.filter(|method| on_stack.insert(*method)) {
                methods.entry(method).or_default().1.add(sample.values);
            }
        }
        let name = |method: FrameId| profile.frame_of(method).name;
        let mut methods: Vec<_> = methods.into_iter().collect();
        methods.sort_by_key(|(method, (own, all))| (Reverse((own.bytes(), all.bytes())), name(*method)));
        let error = if is_exact { "" } else { "± bytes" };
        let mut table = Table::new(["objects", "bytes", error, "with callees", error, "method"]);
        for (method, (own, all)) in methods.iter().take(self.top) {
            let ([objects, bytes, error], [_, all, all_error]) =
                (own.columns(is_exact), all.columns(is_exact));
            table.row([objects, bytes, error, all, all_error, name(*method).to_owned()]);
        }
        write_table(out, &table, methods.len().saturating_sub(self.top), "methods")
    }
}

/// Returns the name of the class of a sample's objects.
fn class<'p>(profile: &'p Profile, sample: Sample<'p>) -> &'p str {
    sample.stack().next().map_or("[other]", |frame| profile.frame_of(frame).name)
}

fn write_table<const N: usize>(
    out: &mut String,
    table: &Table<N>,
    more: usize,
    what: &str,
) -> std::fmt::Result {
    if !table.is_empty() {
        write!(out, "\n{table}")?;
    }
    match more {
        0 => Ok(()),
        more => writeln!(out, "{more} more {what}"),
    }
}
