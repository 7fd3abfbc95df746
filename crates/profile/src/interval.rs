//! The time that a profile is of.

use std::time::{Duration, SystemTime};

/// The time that the samples of a profile are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// When it began.
    pub begin: SystemTime,
    /// How long it took.
    pub length: Duration,
}

impl Interval {
    /// Returns the begin in nanoseconds since 1970.
    #[must_use]
    pub fn unix_nanoseconds(&self) -> u64 {
        self.begin.duration_since(SystemTime::UNIX_EPOCH).map_or(0, nanoseconds)
    }
}

/// Returns a time in nanoseconds, at most the largest number.
#[must_use]
pub fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
