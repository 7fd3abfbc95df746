//! Folded stacks: a line for each stack, its frames separated by semicolons, then its value.

use std::io::{self, Write};

use crate::layout::{ThreadValues, by_thread};
use crate::profile::{FrameId, Profile};

/// The largest number of characters of a name in a folded stack.
const NAME: usize = 256;

/// A folded stack: frames with semicolons between them, outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldedStack(String);

impl FoldedStack {
    /// Adds a frame. Semicolons in its name become colons, and the name is truncated.
    pub fn push(&mut self, name: &str) {
        if !self.0.is_empty() {
            self.0.push(';');
        }
        self.0.extend(name.chars().take(NAME).map(|c| if c == ';' { ':' } else { c }));
    }

    /// Returns the length, for [`truncate`](Self::truncate).
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there is no frame.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the frames that were added since the stack had this length.
    pub fn truncate(&mut self, length: usize) {
        if self.0.is_char_boundary(length) {
            self.0.truncate(length);
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Visits the folded stacks of a value; what has less than `least` counts for its caller.
pub(crate) fn visit(profile: &Profile, value: usize, least: u64, mut visit: impl FnMut(&str, u64)) {
    let visit_thread = |values: &ThreadValues<'_>, visit: &mut dyn FnMut(&str, u64)| {
        for (node, amount) in values.of_at_least(least) {
            let mut stack = FoldedStack::default();
            stack.push(&values.name());
            let mut frames: Vec<FrameId> = profile.tree().stack(node).collect();
            frames.reverse();
            frames.iter().for_each(|frame| stack.push(profile.frame_of(*frame).name));
            visit(stack.as_str(), amount);
        }
    };
    by_thread(profile, value).iter().for_each(|values| visit_thread(values, &mut visit));
}

/// Writes a value of a profile.
pub(crate) fn write(profile: &Profile, value: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut result = Ok(());
    visit(profile, value, 1, |stack, amount| {
        if result.is_ok() {
            result = writeln!(out, "{stack} {amount}");
        }
    });
    result
}
