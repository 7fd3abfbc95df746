//! The middle of measured figures, and how sure it is.

/// The middle of a distribution with the interval that has the true one with a probability of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Middle {
    pub(super) middle: f64,
    /// `None` if there are too few figures.
    pub(super) interval: Option<(f64, f64)>,
}

/// Returns the middle of figures that were measured independently of each other: the estimate of Hodges and Lehmann, with the interval
/// of Wilcoxon's signed-rank test.
///
/// The distribution is whatever it is, about as wide to both sides, as the ratios of two alike runs are. A few runs that were disturbed
/// change little, and the interval is narrower than that of the median.
pub(super) fn middle(figures: &[f64]) -> Middle {
    let mut means: Vec<f64> = figures
        .iter()
        .enumerate()
        .flat_map(|(index, one)| figures.iter().skip(index).map(|other| f64::midpoint(*one, *other)))
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |index: usize| means.get(index).copied().unwrap_or(f64::NAN);
    let (count, half) = (means.len(), means.len() / 2);
    let middle = if count % 2 == 1 { at(half) } else { f64::midpoint(at(half.wrapping_sub(1)), at(half)) };
    let interval = critical(figures.len()).map(|cut| (at(cut), at(count - 1 - cut)));
    Middle { middle, interval }
}

/// Returns the largest sum of ranks that is improbable at 5 % for so many figures, in Wilcoxon's test: so many of the sorted means may be
/// cut off at each end.
///
/// Each figure is above the true middle with a probability of one half, so each subset of the ranks is as probable as another.
fn critical(count: usize) -> Option<usize> {
    // The probability of each sum of ranks.
    let mut sums = vec![1.0];
    for rank in 1..=count {
        let mut next = vec![0.0; sums.len() + rank];
        for (sum, probability) in sums.iter().enumerate() {
            for reached in [sum, sum + rank] {
                if let Some(next) = next.get_mut(reached) {
                    *next += 0.5 * probability;
                }
            }
        }
        sums = next;
    }
    let mut below = 0.0;
    let improbable = |probability: &&f64| {
        below += **probability;
        below <= 0.025
    };
    sums.iter().take_while(improbable).count().checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_ranks_are_those_of_tables() {
        // The critical values of Wilcoxon's signed-rank test in tables of nonparametric statistics, two-sided, at 5 %.
        for (count, expected) in [(6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (15, 25), (20, 52), (25, 89)] {
            assert_eq!(critical(count), Some(expected), "{count}");
        }
        assert_eq!((critical(5), critical(0)), (None, None));
    }

    #[test]
    fn the_middle_is_that_of_the_means_of_pairs() {
        assert_eq!(middle(&[3.0, 1.0, 2.0]), Middle { middle: 2.0, interval: None });
        // The means are 1, 1.5, 2, 2, 2.5, 3, 5.5, 6, 6.5 and 10.
        assert_eq!(middle(&[1.0, 2.0, 3.0, 10.0]).middle, 2.75);
        assert_eq!(
            middle(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]),
            Middle { middle: 3.5, interval: Some((1.0, 6.0)) }
        );
        assert!(middle(&[]).middle.is_nan());
    }
}
