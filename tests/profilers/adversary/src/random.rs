//! Random numbers of a seed.

use std::cell::Cell;

/// A generator (SplitMix64). Each thread of the profiler's calls has its own.
pub(crate) struct Random(Cell<u64>);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Cell::new(seed))
    }

    /// The next number.
    pub(crate) fn next(&self) -> u64 {
        let state = self.0.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.0.set(state);
        mixed(state)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub(crate) fn below(&self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    /// `true` once in `n` times on average.
    pub(crate) fn once_in(&self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of some values.
    pub(crate) fn one_of<T: Copy>(&self, values: &[T]) -> Option<T> {
        values.get(self.below(values.len())).copied()
    }
}

/// A number whose bits depend on each bit of another one.
pub(crate) fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
