//! Calls that were left out by choice.

use core::ops::AddAssign;

/// Calls of a function that the program has made and the recording leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Omitted {
    /// The number of calls that were counted.
    pub calls: u64,
    /// Whether there may be more, which nobody has counted.
    pub and_more: bool,
}

impl AddAssign for Omitted {
    fn add_assign(&mut self, more: Self) {
        self.calls = self.calls.saturating_add(more.calls);
        self.and_more = self.and_more || more.and_more;
    }
}
