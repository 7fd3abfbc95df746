//! The assignment of ranges to arguments.

use corprof_types::ArgumentRange;

use super::{Argument, Step};
use crate::error::DecodeError;

/// The located arguments of a call.
///
/// The runtime gives one range for each argument, or merges those that lie next to each other. As soon as as many ranges
/// are left as arguments, each has its own, which must have the size of the type. Until then, arguments are taken
/// from a range by their sizes, and never from beyond its end. An argument that cannot be placed is an error of its
/// own, and so are those behind it in the same range; the next range is a new start where the counts allow it.
#[derive(Clone, Debug)]
pub struct Arguments<'p, 'r> {
    steps: &'p [Step],
    ranges: &'r [ArgumentRange],
    /// The number of consumed bytes of the first range.
    taken: u32,
    /// Whether the location in the first range is not known any more.
    lost: bool,
    /// For messages.
    counts: (usize, usize),
}

impl<'p, 'r> Arguments<'p, 'r> {
    pub(super) const fn new(steps: &'p [Step], ranges: &'r [ArgumentRange]) -> Self {
        Self { steps, ranges, taken: 0, lost: false, counts: (ranges.len(), steps.len()) }
    }

    /// The next argument, where there may be several in a range.
    fn locate(&mut self, step: &'p Step, arguments_left: usize) -> Argument<'p> {
        let full = self.ranges.first().is_some_and(|range| self.taken > 0 && self.taken >= range.length);
        if full || self.lost && self.ranges.len() == arguments_left + 1 {
            self.next_range();
        }
        let Some(&range) = self.ranges.first() else {
            return step.failed(self.count_error());
        };
        if self.taken == 0 && !self.lost {
            if self.ranges.len() > arguments_left {
                return step.failed(self.count_error());
            }
            if self.ranges.len() == arguments_left {
                self.next_range();
                return step.at_range(range);
            }
        }
        if self.lost {
            return step.failed(DecodeError::UnknownPlace { address: range.address });
        }
        let address = range.address.wrapping_add(self.taken as usize);
        let length = range.length - self.taken;
        match step.size {
            Some(size) if size <= length => {
                self.taken += size;
                step.at(address)
            }
            Some(_) => {
                self.lost = true;
                step.wrong_length(ArgumentRange { address, length })
            }
            None => {
                self.lost = true;
                step.at(address)
            }
        }
    }

    #[inline]
    fn next_range(&mut self) {
        self.ranges = self.ranges.get(1..).unwrap_or_default();
        self.taken = 0;
        self.lost = false;
    }

    const fn count_error(&self) -> DecodeError {
        DecodeError::RangeCount { ranges: self.counts.0, arguments: self.counts.1 }
    }
}

impl<'p> Iterator for Arguments<'p, '_> {
    type Item = Argument<'p>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (step, rest) = self.steps.split_first()?;
        let arguments_left = self.steps.len();
        self.steps = rest;
        // A range each, as the runtime always gives them.
        if let Some((range, ranges)) = self.ranges.split_first()
            && self.ranges.len() == arguments_left
            && self.taken == 0
            && !self.lost
        {
            self.ranges = ranges;
            return Some(step.at_range(*range));
        }
        Some(self.locate(step, arguments_left))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.steps.len(), Some(self.steps.len()))
    }
}

impl ExactSizeIterator for Arguments<'_, '_> {}
