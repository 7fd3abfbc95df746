//! The limits of a profile's memory.

/// The largest number of characters of a name.
pub(crate) const NAME: usize = 1024;

/// The limits of a profile. What exceeds them is merged, and counted in [`Merged`](crate::Merged).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Different frames.
    pub frames: usize,
    /// Different threads with labels.
    pub contexts: usize,
    /// Different stacks, counting each prefix of a stack once.
    pub nodes: usize,
    /// Stacks with values, for each thread and label.
    pub entries: usize,
    /// Frames of a stack.
    pub depth: usize,
}

impl Default for Limits {
    /// Limits that keep a profile below some 100 MB.
    fn default() -> Self {
        Self { frames: 100_000, contexts: 4_096, nodes: 500_000, entries: 500_000, depth: 512 }
    }
}
