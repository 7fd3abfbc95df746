//! Flame graphs, and the stacks behind them.

use std::io::Write;

use anyhow::{Context as _, Result, bail};

use super::names::Functions;
use super::tree::Forest;

/// The number of drawn levels of calls, by default.
pub(super) const DEPTH: usize = 256;

/// The limit of stacks in bytes: calls that take too little time for it count as part of their callers.
const MAX_BYTES: usize = 32 << 20;

/// Writes the stacks as text, each with its nanoseconds. Returns a note about calls that are merged into their callers.
pub(super) fn write_folded(
    forest: &Forest,
    functions: &Functions,
    depth: usize,
    out: &mut dyn Write,
) -> Result<Vec<String>> {
    let too_deep =
        forest.visit_stacks(functions, depth, 1, |stack, time| Ok(writeln!(out, "{stack} {time}")?))?;
    out.flush()?;
    Ok(notes(depth, too_deep, 1))
}

/// Draws the stacks. Returns a note about calls that are merged into their callers.
pub(super) fn draw(
    forest: &Forest,
    functions: &Functions,
    depth: usize,
    out: &mut dyn Write,
) -> Result<Vec<String>> {
    let (mut least, mut lines, mut too_deep) = (1, None, 0);
    while lines.is_none() {
        let (mut bytes, mut fitting) = (0, Some(Vec::new()));
        too_deep = forest.visit_stacks(functions, depth, least, |stack, time| {
            bytes += stack.len();
            fitting = fitting.take().filter(|_| bytes <= MAX_BYTES);
            fitting.iter_mut().for_each(|lines| lines.push(format!("{stack} {time}")));
            Ok(())
        })?;
        lines = fitting;
        if lines.is_none() {
            least *= 2;
        }
    }
    let lines = lines.unwrap_or_default();
    if lines.is_empty() {
        bail!("there is nothing to draw: the recording has no calls that took time");
    }
    let mut options = inferno::flamegraph::Options::default();
    options.title = "Time in calls".to_owned();
    options.count_name = "ns".to_owned();
    inferno::flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut *out)
        .context("the flame graph cannot be drawn")?;
    out.flush()?;
    Ok(notes(depth, too_deep, least))
}

fn notes(depth: usize, too_deep: u64, least: u64) -> Vec<String> {
    let mut notes = Vec::new();
    if too_deep > 0 {
        notes.push(format!(
            "what is deeper than {depth} levels of calls counts for the call at that level; --depth shows more"
        ));
    }
    if least > 1 {
        notes.push(format!(
            "there is too much to draw: calls of less than {least} ns count for their callers"
        ));
    }
    notes
}
