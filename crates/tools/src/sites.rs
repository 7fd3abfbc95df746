//! Stacks in reports for people.

use std::fmt::Write as _;

use corprof_profile::{Profile, Sample, write_stack};

use crate::report::Moment;

/// The number of stacks in a report of [`top`].
const STACKS: usize = 20;

/// Returns a report for people, for [`Reporter::of_profile`](crate::Reporter::of_profile): the stacks with the largest values.
///
/// `value` is the index of the value that the stacks are sorted by; all values are in the report.
pub fn top(value: usize) -> impl FnMut(&Profile, Moment, &mut String) -> core::fmt::Result + Send + 'static {
    move |profile, moment, out| {
        writeln!(out, "{}: {:.1} s", profile.program(), moment.elapsed.as_secs_f64())?;
        let mut samples: Vec<Sample<'_>> = profile.samples().collect();
        samples.sort_by_key(|sample| core::cmp::Reverse(sample.values.get(value).copied()));
        for sample in samples.iter().take(STACKS) {
            let values = profile.types().iter().zip(sample.values);
            let values = values.map(|(kind, value)| format!("{}: {value} {}", kind.name, kind.unit.name()));
            let labels = sample.context().labels.iter().map(|(key, value)| format!("{key}: {value}"));
            let thread = sample.context().thread.as_ref().map(ToString::to_string);
            let parts: Vec<String> = values.chain(thread).chain(labels).collect();
            writeln!(out, "\n{}", parts.join(", "))?;
            write_stack(out, profile, *sample, 0)?;
        }
        match samples.len().saturating_sub(STACKS) {
            0 => Ok(()),
            more => writeln!(out, "\n{more} more stacks"),
        }
    }
}
