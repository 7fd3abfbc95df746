//! Flame graphs.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::folded;
use crate::profile::Profile;

/// The limit of drawn stacks in bytes.
const MAX_BYTES: usize = 32 << 20;

/// The part of the width that a frame needs to be drawn: one in so many.
const PARTS: u32 = 10_000;

/// The error of a drawing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlameError {
    /// No stack has a value.
    #[error("there is nothing to draw: no stack has a value")]
    Empty,
    /// It cannot be written.
    #[error("the flame graph cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// A flame graph.
#[derive(Clone, Copy, Debug)]
pub struct FlameGraph<'t> {
    /// The heading.
    pub title: &'t str,
    /// The unit of the values.
    pub unit: &'t str,
}

impl FlameGraph<'_> {
    /// Draws stacks as SVG.
    ///
    /// `visit_stacks` visits folded stacks with their values. What has less than its first argument counts for its caller. The
    /// first visit is with the largest number, for the sum; the second one without frames that are too narrow to be seen; if there
    /// is still too much to draw, there are others with larger numbers. Returns the last of these, or 1 if all that can be
    /// seen is drawn.
    ///
    /// # Errors
    /// [`FlameError::Empty`]: no stack has a value. [`FlameError::Io`]: any error of `out`.
    pub fn draw(
        &self,
        mut visit_stacks: impl FnMut(u64, &mut dyn FnMut(&str, u64)),
        out: &mut dyn Write,
    ) -> Result<u64, FlameError> {
        let mut total = 0_u64;
        visit_stacks(u64::MAX, &mut |_, value| total = total.saturating_add(value));
        let visible = (total / u64::from(PARTS)).max(1);
        let mut least = visible;
        let lines = loop {
            let (mut bytes, mut lines) = (0, Vec::new());
            visit_stacks(least, &mut |stack, value| {
                bytes += stack.len();
                if bytes <= MAX_BYTES {
                    lines.push(format!("{} {value}", unnumbered(stack)));
                }
            });
            if bytes <= MAX_BYTES || least > u64::MAX / 2 {
                break lines;
            }
            least *= 2;
        };
        if lines.is_empty() {
            return Err(FlameError::Empty);
        }
        let mut options = inferno::flamegraph::Options::default();
        options.title = self.title.to_owned();
        options.count_name = self.unit.to_owned();
        options.min_width = 100.0 / f64::from(PARTS);
        inferno::flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut *out)?;
        out.flush()?;
        Ok(if least == visible { 1 } else { least })
    }
}

/// Returns a folded stack none of whose frames ends in a space and a number. At the end of a stack that would count as the value
/// before another one, of a differential graph.
fn unnumbered(stack: &str) -> Cow<'_, str> {
    const NO_BREAK_SPACE: char = '\u{a0}';
    let is_number = |text: &str| text.chars().all(|char| char.is_ascii_digit() || char == '.');
    let ends_in_number = |frame: &str| frame.rsplit_once(' ').is_some_and(|(_, last)| is_number(last));
    if !stack.split(';').any(ends_in_number) {
        return Cow::Borrowed(stack);
    }
    let frames = stack.split(';').map(|frame| match frame.rsplit_once(' ') {
        Some((name, number)) if is_number(number) => format!("{name}{NO_BREAK_SPACE}{number}"),
        _ => frame.to_owned(),
    });
    Cow::Owned(frames.collect::<Vec<_>>().join(";"))
}

/// Draws a value of a profile.
pub(crate) fn write(profile: &Profile, value: usize, out: &mut dyn Write) -> Result<(), FlameError> {
    let (name, unit) =
        profile.types().get(value).map_or(("", ""), |kind| (kind.name.as_str(), kind.unit.name()));
    let title = format!("{}: {name}", profile.program());
    let graph = FlameGraph { title: &title, unit };
    graph.draw(|least, visit| folded::visit(profile, value, least, visit), out).map(drop)
}
