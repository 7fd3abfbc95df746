//! The report: waits by kind, by the method that waits and by the class of the lock, and the sites that wait the longest.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use corprof::Result;
use corprof_tools::corprof_profile::{Profile, Sample, add_values, nanoseconds};
use corprof_tools::{Moment, Settings, Table, WaitKind, write_stack};

use crate::longest::Longests;
use crate::{CALLER, HELD, KIND, Measured, SHORT, SITE, has_class};

/// The index of the time among the values.
pub(crate) const WAITED: usize = 1;

/// Stands for the method of the program where there is none on the stack: in threads of .NET and of libraries.
const NOT_OWN: &str = "[no method of the program]";

/// The settings and sources of every report.
pub(crate) struct Report {
    measured: Arc<Measured>,
    top: usize,
    /// The waits whose end was not seen, as of the report before.
    lost: u64,
    /// The waits that were ignored, as of the report before.
    ignored: u64,
}

#[allow(clippy::cast_precision_loss, reason = "for people to look at")]
fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.3}", nanoseconds as f64 / 1e6)
}

/// What the report says of a sample.
#[derive(Clone, Copy)]
struct Wait<'p> {
    kind: &'p str,
    /// The method of the program that waits.
    site: Option<&'p str>,
    /// The class of the lock, for a kind that has one.
    class: Option<&'p str>,
    /// The stack of the owner of the lock.
    owner: &'p str,
    has_stack: bool,
}

impl<'p> Wait<'p> {
    fn of(profile: &'p Profile, sample: Sample<'p>) -> Self {
        let labels = &sample.context().labels;
        let label = |name: &str| labels.iter().find(|(known, _)| known == name).map(|(_, value)| &**value);
        // Samples that exceed the limits of the profile are merged, and have no labels.
        let kind = label(KIND).unwrap_or("[other]");
        let class = sample.stack().next().filter(|_| has_class(kind));
        let class = class.map(|frame| profile.frame_of(frame).name);
        let has_stack = kind == SHORT || sample.stack().nth(usize::from(class.is_some())).is_some();
        Self { kind, site: label(SITE), class, owner: label(HELD).unwrap_or_default(), has_stack }
    }

    fn is_acquisition(&self) -> bool {
        [WaitKind::MonitorEnter, WaitKind::Lock].iter().any(|kind| kind.name() == self.kind)
    }
}

/// Waits and their time, by a key.
type Sums<K> = BTreeMap<K, [u64; 2]>;

/// Returns the sums, those with the longest time first.
fn sorted<K: Ord + Copy>(sums: Sums<K>) -> Vec<(K, [u64; 2])> {
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(key, [_, waited])| (core::cmp::Reverse(*waited), *key));
    sums
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
    if more > 0 {
        writeln!(out, "{more} more {what}")?;
    }
    Ok(())
}

impl Report {
    pub(crate) fn new(measured: Arc<Measured>, settings: &Settings) -> Result<Self> {
        Ok(Self { measured, top: settings.limit("TOP")?, lost: 0, ignored: 0 })
    }

    /// Writes the report of a moment.
    pub(crate) fn write(&mut self, profile: &Profile, moment: Moment, out: &mut String) -> std::fmt::Result {
        let longest = self.measured.longest.take(moment.is_interval);
        let mut samples: Vec<_> =
            profile.samples().map(|sample| (Wait::of(profile, sample), sample)).collect();
        self.write_heading(profile, moment, &samples, out)?;
        self.write_kinds(&samples, &longest, out)?;

        let mut classes = Sums::new();
        for (wait, sample) in &samples {
            if let Some(class) = wait.class {
                add_values(classes.entry((class, wait.kind)).or_default(), sample.values);
            }
        }
        let classes = sorted(classes);
        let mut table = Table::new(["waits", "waited ms", "kind", "lock"]);
        for ((class, kind), [waits, waited]) in classes.iter().take(self.top) {
            table.row([waits.to_string(), milliseconds(*waited), (*kind).to_owned(), (*class).to_owned()]);
        }
        write_table(out, &table, classes.len().saturating_sub(self.top), "locks")?;

        // Threads of .NET wait for work all the time.
        samples.retain(|(wait, _)| wait.has_stack && wait.kind != SHORT);
        samples.sort_by_key(|(wait, sample)| {
            (wait.site.is_none(), core::cmp::Reverse(sample.values.get(WAITED).copied()))
        });
        for (wait, sample) in samples.iter().take(self.top) {
            let [waits, waited] = [0, WAITED].map(|value| sample.values.get(value).copied().unwrap_or(0));
            write!(out, "\n{} ms in {waits} × {}", milliseconds(waited), wait.kind)?;
            writeln!(out, "{}", wait.class.map(|class| format!(" of {class}")).unwrap_or_default())?;
            write_stack(out, profile, *sample, usize::from(wait.class.is_some()))?;
            for (index, frame) in wait.owner.split(CALLER).filter(|frame| !frame.is_empty()).enumerate() {
                writeln!(out, "    {} {frame}", if index == 0 { "held at" } else { "     at" })?;
            }
        }
        if samples.len() > self.top {
            writeln!(out, "\n{} more sites", samples.len() - self.top)?;
        }
        Ok(())
    }

    /// Writes the sums, and what is not in them.
    fn write_heading(
        &mut self,
        profile: &Profile,
        moment: Moment,
        samples: &[(Wait<'_>, Sample<'_>)],
        out: &mut String,
    ) -> std::fmt::Result {
        let [mut locks, mut others, mut stackless] = [[0; 2]; 3];
        for (wait, sample) in samples {
            add_values(if wait.is_acquisition() { &mut locks } else { &mut others }, sample.values);
            if !wait.has_stack {
                add_values(&mut stackless, sample.values);
            }
        }
        let (program, seconds) = (profile.program(), moment.elapsed.as_secs_f64());
        let [waits, waited] = locks;
        writeln!(
            out,
            "{program}: {waits} waits for locks in {seconds:.1} s; waited {} ms",
            milliseconds(waited)
        )?;
        if self.measured.contentions.has_wait_events() {
            let [waits, waited] = others;
            writeln!(out, "{waits} other waits; waited {} ms", milliseconds(waited))?;
        } else {
            writeln!(
                out,
                "this runtime reports waits for locks alone: those of Monitor.Wait, tasks, semaphores, events and other wait handles \
                 are reported since .NET 9"
            )?;
        }
        let (open_locks, open_others) = self.measured.contentions.open();
        let lost = self.measured.contentions.lost();
        let ignored = self.measured.lost.load(Ordering::Relaxed);
        let [before_lost, before_ignored] =
            if moment.is_interval { [self.lost, self.ignored] } else { [0; 2] };
        [self.lost, self.ignored] = [lost, ignored];
        for (count, what) in [
            (open_locks as u64, "waits for locks are not over, and not counted"),
            (open_others as u64, "other waits are not over, and not counted"),
            (ignored - before_ignored, "events were ignored, because memory had run out"),
            (lost - before_lost, "waits had no end, and are not counted"),
            (stackless[0], "of the waits have no stack"),
            (profile.merged().samples, "of the stacks were merged with others, because there are too many"),
        ] {
            if count > 0 {
                writeln!(out, "{count} {what}")?;
            }
        }
        Ok(())
    }

    /// Writes the tables by kind, and by kind and method.
    fn write_kinds(
        &self,
        samples: &[(Wait<'_>, Sample<'_>)],
        longest: &Longests,
        out: &mut String,
    ) -> std::fmt::Result {
        let [mut kinds, mut others, mut sites] = [Sums::new(), Sums::new(), Sums::new()];
        for (wait, sample) in samples {
            let kinds = if wait.site.is_some() || wait.kind == SHORT { &mut kinds } else { &mut others };
            add_values(kinds.entry((wait.kind, "")).or_default(), sample.values);
            if let Some(site) = wait.site {
                add_values(sites.entry((wait.kind, site)).or_default(), sample.values);
            }
        }
        let longest_of = |is: &dyn Fn(&str, Option<&str>) -> bool| {
            let of = longest.iter().filter(|((kind, site), _)| is(kind, site.as_deref()));
            milliseconds(of.map(|(_, waited)| nanoseconds(*waited)).max().unwrap_or(0))
        };
        let mut table = Table::new(["waits", "waited ms", "longest ms", "kind"]);
        for ((kind, _), [waits, waited]) in sorted(kinds) {
            let longest = longest_of(&|of, site| of == kind && (site.is_some() || kind == SHORT));
            table.row([waits.to_string(), milliseconds(waited), longest, kind.to_owned()]);
        }
        for ((kind, _), [waits, waited]) in sorted(others) {
            let longest = longest_of(&|of, site| of == kind && site.is_none());
            table.row([waits.to_string(), milliseconds(waited), longest, format!("{kind} {NOT_OWN}")]);
        }
        write_table(out, &table, 0, "kinds")?;
        let sites = sorted(sites);
        let mut table = Table::new(["waits", "waited ms", "longest ms", "kind", "in"]);
        for ((kind, site), [waits, waited]) in sites.iter().take(self.top) {
            let longest = longest_of(&|of, at| of == *kind && at == Some(*site));
            let (kind, site) = ((*kind).to_owned(), (*site).to_owned());
            table.row([waits.to_string(), milliseconds(*waited), longest, kind, site]);
        }
        write_table(out, &table, sites.len().saturating_sub(self.top), "methods")
    }
}
