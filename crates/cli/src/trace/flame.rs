//! Flame graphs, and the stacks behind them.

use std::io::Write;

use anyhow::{Result, anyhow};
use corprof_profile::{FlameError, FlameGraph};

use super::names::Functions;
use super::tree::Forest;

/// The number of drawn levels of calls, by default.
pub(super) const DEPTH: usize = 256;

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
    let mut too_deep = Ok(0);
    let graph = FlameGraph { title: "Time in calls", unit: "ns" };
    let drawn = graph.draw(
        |least, visit| {
            too_deep = forest.visit_stacks(functions, depth, least, |stack, time| {
                visit(stack, time);
                Ok(())
            });
        },
        out,
    );
    let least = drawn.map_err(|error| match error {
        FlameError::Empty => anyhow!("there is nothing to draw: the recording has no calls that took time"),
        error => error.into(),
    })?;
    Ok(notes(depth, too_deep?, least))
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
