//! Calls that were left out by choice.

use core::fmt;
use core::ops::AddAssign;

/// Calls of a function that the program has made and the recording leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Omitted {
    /// The number of calls that were counted.
    pub calls: u64,
    /// Whether there may be more, which nobody has counted.
    pub and_more: bool,
}

/// The number, with "at least" before it if there may be more.
impl fmt::Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = if self.and_more { "at least " } else { "" };
        write!(f, "{least}{}", self.calls)
    }
}

impl AddAssign for Omitted {
    fn add_assign(&mut self, more: Self) {
        self.calls = self.calls.saturating_add(more.calls);
        self.and_more = self.and_more || more.and_more;
    }
}
