//! The limits on memory: a recording may be as long as a program runs, and anybody may have written it.

/// The pauses whose median and 99th percentile are computed exactly: the newest.
pub(crate) const NEWEST: usize = 10_000;

/// The events of a timeline: the newest.
pub(crate) const EVENTS: usize = 100_000;

/// The rows that a list has at most, whatever a setting says.
pub(crate) const LISTED: usize = 100_000;

/// The rows that a list has unless a setting says otherwise.
pub(crate) const TOP: usize = 20;

/// The groups of a table.
pub(crate) const GROUPS: usize = 100_000;

/// The groups that have a distribution of their own: others have sums.
pub(crate) const DISTRIBUTIONS: usize = 10_000;

/// The kinds of a thing of which the runtime has few: generations, reasons.
pub(crate) const KINDS: usize = 64;

/// The exceptions whose handler may be another one yet, because they may be thrown again: more than a tool recognises.
pub(crate) const OPEN: usize = 4_096;

/// The reasons for which something was not recorded.
pub(crate) const REASONS: usize = 64;
