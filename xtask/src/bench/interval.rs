//! The median of measured figures, and how sure it is.

/// A median with the interval that has the true one with a probability of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Median {
    pub(super) median: f64,
    /// `None` if there are too few figures.
    pub(super) interval: Option<(f64, f64)>,
}

/// Returns the median of figures that were measured independently of each other, whatever their distribution.
pub(super) fn median(figures: &[f64]) -> Median {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    let (count, middle) = (sorted.len(), sorted.len() / 2);
    let median =
        if count % 2 == 1 { at(middle) } else { f64::midpoint(at(middle.wrapping_sub(1)), at(middle)) };
    let interval = rank(count).map(|rank| (at(rank), at(count - 1 - rank)));
    Median { median, interval }
}

/// Returns the largest number of figures that may be cut off at each end, so that the true median is among the others with a
/// probability of 95 %.
///
/// Each figure is below the true median with a probability of one half, so that the number of those below has a binomial distribution.
fn rank(count: usize) -> Option<usize> {
    let mut probability = 0.5_f64.powi(i32::try_from(count).ok()?);
    let (mut below, mut rank) = (0.0, None);
    for cut in 0..count / 2 {
        below += probability;
        if below > 0.025 {
            break;
        }
        rank = Some(cut);
        #[allow(clippy::cast_precision_loss, reason = "a short list")]
        let step = (count - cut) as f64 / (cut + 1) as f64;
        probability *= step;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_tables() {
        // The ranks of the confidence interval of a median of 95 %, counted from 1, in tables of nonparametric statistics.
        for (count, rank_from_1) in [(6, 1), (9, 2), (10, 2), (15, 4), (20, 6), (25, 8), (40, 14), (100, 40)]
        {
            assert_eq!(rank(count), Some(rank_from_1 - 1), "{count}");
        }
        assert_eq!((rank(5), rank(0)), (None, None));
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Median { median: 2.0, interval: None });
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]).median, 2.5);
        assert_eq!(median(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]).interval, Some((1.0, 6.0)));
        assert!(median(&[]).median.is_nan());
    }
}
