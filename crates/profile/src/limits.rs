//! The limits of a profile's memory, and of what is kept and pushed.

#[cfg(feature = "push")]
use std::time::Duration;

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

/// The number of files of reports that are kept.
pub(crate) const KEPT_FILES: usize = 100;

/// The bytes of files of reports that are kept.
pub(crate) const KEPT_BYTES: u64 = 1 << 30;

/// The number of profiles that wait to be pushed.
#[cfg(feature = "push")]
pub(crate) const QUEUE: usize = 32;

/// The bytes of the profiles that wait to be pushed.
#[cfg(feature = "push")]
pub(crate) const QUEUED_BYTES: usize = 16 << 20;

/// The number of times that a profile is tried to be pushed.
#[cfg(feature = "push")]
pub(crate) const ATTEMPTS: u32 = 10;

/// The number of those that may begin when the program ends.
#[cfg(feature = "push")]
pub(crate) const ATTEMPTS_AT_END: u32 = 2;

/// The time until the second attempt; it doubles for each further one, up to [`RETRY_MOST`].
#[cfg(feature = "push")]
pub(crate) const RETRY: Duration = Duration::from_secs(1);

/// The longest time between two attempts.
#[cfg(feature = "push")]
pub(crate) const RETRY_MOST: Duration = Duration::from_secs(60);

/// The time for which a push waits for a connection.
#[cfg(feature = "push")]
pub(crate) const CONNECTING: Duration = Duration::from_secs(5);

/// The time that a push takes at most.
#[cfg(feature = "push")]
pub(crate) const PUSHING: Duration = Duration::from_secs(10);
