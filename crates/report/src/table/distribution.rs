//! How the values of a column are distributed, in bounded memory.

use std::collections::BTreeMap;

/// The bits of a value that its bucket tells: a quantile is at most one part in 64 too high.
const BITS: u32 = 6;

/// The number, sum and extremes of values, and their quantiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Distribution {
    count: u64,
    sum: i128,
    least: i128,
    most: i128,
    last: i128,
    /// How many values are in each bucket; at most some 3,800. Values below 0 are in the first.
    buckets: BTreeMap<u16, u64>,
}

/// Returns the bucket of a value: those below 128 have their own.
fn bucket(value: u64) -> u16 {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(BITS + 1);
    let step = (value >> shift) & ((1 << (BITS + 1)) - 1);
    u16::try_from((u64::from(shift) << BITS) + step).unwrap_or(u16::MAX)
}

/// Returns the highest value of a bucket.
fn highest(bucket: u16) -> u64 {
    let shift = u32::from(bucket >> BITS).saturating_sub(1);
    let step = u64::from(bucket) - (u64::from(shift) << BITS);
    let above = (u128::from(step) + 1) << shift;
    u64::try_from(above - 1).unwrap_or(u64::MAX)
}

impl Distribution {
    /// Adds a value. Without `buckets` it has no quantiles.
    pub(super) fn add(&mut self, value: i128, buckets: bool) {
        if self.count == 0 {
            (self.least, self.most) = (value, value);
        }
        self.count += 1;
        self.sum = self.sum.saturating_add(value);
        (self.least, self.most, self.last) = (self.least.min(value), self.most.max(value), value);
        if buckets {
            let value = u64::try_from(value).unwrap_or(if value < 0 { 0 } else { u64::MAX });
            *self.buckets.entry(bucket(value)).or_default() += 1;
        }
    }

    /// Adds the values of another one.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            (self.least, self.most) = (other.least, other.most);
        }
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        (self.least, self.most) = (self.least.min(other.least), self.most.max(other.most));
        self.last = other.last;
        for (bucket, count) in &other.buckets {
            *self.buckets.entry(*bucket).or_default() += count;
        }
    }

    /// Returns the number of values.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the sum.
    pub(super) const fn sum(&self) -> i128 {
        self.sum
    }

    /// Returns the lowest value; 0 if there is none.
    pub(super) const fn least(&self) -> i128 {
        self.least
    }

    /// Returns the highest value; 0 if there is none.
    pub(super) const fn most(&self) -> i128 {
        self.most
    }

    /// Returns the last value; 0 if there is none.
    pub(super) const fn last(&self) -> i128 {
        self.last
    }

    /// Returns the value that so many percent of the values do not exceed, at most one part in 64 too high. `None` if there is none,
    /// or not all values are in buckets.
    pub(super) fn quantile(&self, percent: u64) -> Option<i128> {
        if self.buckets.values().sum::<u64>() != self.count {
            return None;
        }
        let wanted = (u128::from(self.count) * u128::from(percent)).div_ceil(100).max(1);
        let mut seen = 0;
        let found = self.buckets.iter().find(|(_, count)| {
            seen += u128::from(**count);
            seen >= wanted
        });
        found.map(|(bucket, _)| i128::from(highest(*bucket)).clamp(self.least, self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_has_its_values_and_no_others() {
        let mut next = 0;
        for number in 0..=bucket(u64::MAX) {
            assert_eq!((bucket(next), bucket(highest(number))), (number, number));
            assert!(highest(number) - next <= next / 64, "{number}");
            let Some(above) = highest(number).checked_add(1) else { return };
            next = above;
        }
        panic!("the highest value has a bucket");
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_values() {
        let mut all = Distribution::default();
        // 1 to 1000, in an order that is not sorted.
        for index in 0..1000 {
            all.add(index * 7 % 1000 + 1, true);
        }
        assert_eq!((all.count(), all.sum(), all.least(), all.most()), (1000, 500_500, 1, 1000));
        for (percent, exact) in [(1, 10), (50, 500), (99, 990), (100, 1000)] {
            let found = all.quantile(percent).unwrap();
            assert!((exact..=exact + exact / 64).contains(&found), "{percent}: {found}");
        }
        let mut both = Distribution::default();
        both.merge(&all);
        both.merge(&Distribution::default());
        assert_eq!(both, all);
        assert_eq!(Distribution::default().quantile(50), None);
    }
}
