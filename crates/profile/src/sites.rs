//! Stacks in reports for people.

use core::fmt::Write as _;

use crate::{Profile, Sample};

/// The number of frames of a stack in a report.
const FRAMES: usize = 12;

/// Writes the innermost frames of a sample, a line each, without the `skipped` innermost ones.
///
/// # Errors
/// Any error of `out`.
pub fn write_stack(
    out: &mut String,
    profile: &Profile,
    sample: Sample<'_>,
    skipped: usize,
) -> core::fmt::Result {
    let mut frames = sample.stack().skip(skipped);
    for frame in frames.by_ref().take(FRAMES) {
        writeln!(out, "    at {}", profile.frame_of(frame).name)?;
    }
    match frames.count() {
        0 => Ok(()),
        more => writeln!(out, "    … {more} more"),
    }
}
