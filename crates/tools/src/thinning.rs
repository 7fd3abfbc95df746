//! Events that are looked at, out of more than the program could afford.

use core::hash::BuildHasher as _;
use core::sync::atomic::{AtomicU64, Ordering};
use std::hash::RandomState;
use std::time::{Duration, Instant};

use crate::stacks::process_time;

/// The number of events after which the probability is computed again.
const EVENTS: u64 = 128;

/// The time after which it is computed again with fewer events: they have become rare.
const TIME: Duration = Duration::from_millis(100);

/// The number of events that are all kept at the beginning: a short program has no more, and is measured as well as it can be.
const FIRST: u64 = 3_000;

/// The lowest probability.
const LEAST: f64 = 1e-6;

/// Keeps the first events, and then each with a probability that bounds the number of kept ones in a second of processor time.
///
/// The probability is computed from earlier events alone, and each event is kept or not independently of the others. A sum over
/// the kept events, each divided by its probability, is therefore an unbiased estimate of the sum over all.
/// No lock is taken.
#[derive(Debug)]
pub(crate) struct Thinning {
    /// The number of events that are kept in a second, on average.
    rate: f64,
    /// The bits of the probability.
    probability: AtomicU64,
    /// The number of events since the probability was computed.
    events: AtomicU64,
    /// The number of those before.
    before: AtomicU64,
    /// The wall-clock time and the processor time when it was, in nanoseconds.
    begin: AtomicU64,
    processor: AtomicU64,
    random: AtomicU64,
    created: Instant,
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Thinning {
    /// Keeps so many events in a second; all of them if the number is infinite.
    pub(crate) fn new(rate: f64) -> Self {
        Self::with_seed(rate, RandomState::new().hash_one(0_u8))
    }

    fn with_seed(rate: f64, seed: u64) -> Self {
        Self {
            rate,
            probability: AtomicU64::new(1_f64.to_bits()),
            events: AtomicU64::new(0),
            before: AtomicU64::new(0),
            begin: AtomicU64::new(0),
            processor: AtomicU64::new(0),
            random: AtomicU64::new(seed),
            created: Instant::now(),
        }
    }

    /// Returns the probability with which this event is kept, if it is kept.
    pub(crate) fn kept(&self) -> Option<f64> {
        if self.rate.is_infinite() {
            return Some(1.0);
        }
        let wall = self.created.elapsed();
        // Where there is no clock of the processor time, the rate is one of wall-clock time.
        self.decided(nanoseconds(wall), || nanoseconds(process_time().unwrap_or(wall)))
    }

    /// Decides on an event at a time, in nanoseconds.
    fn decided(&self, wall: u64, processor: impl FnOnce() -> u64) -> Option<f64> {
        let probability = f64::from_bits(self.probability.load(Ordering::Relaxed));
        let events = self.events.fetch_add(1, Ordering::Relaxed) + 1;
        let elapsed = wall.saturating_sub(self.begin.load(Ordering::Relaxed));
        if events >= EVENTS || elapsed >= nanoseconds(TIME) {
            self.renew(events, wall, processor());
        }
        (self.uniform() < probability).then_some(probability)
    }

    /// Computes the probability from the events since the last time, unless another thread does.
    #[allow(clippy::cast_precision_loss, reason = "a rate")]
    fn renew(&self, events: u64, wall: u64, processor: u64) {
        if self.events.compare_exchange(events, 0, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        self.begin.store(wall, Ordering::Relaxed);
        let since = self.processor.swap(processor, Ordering::Relaxed);
        let seconds = processor.saturating_sub(since).max(1) as f64 / 1e9;
        let is_begun = self.before.fetch_add(events, Ordering::Relaxed) + events >= FIRST;
        let probability =
            if is_begun { (self.rate * seconds / events as f64).clamp(LEAST, 1.0) } else { 1.0 };
        self.probability.store(probability.to_bits(), Ordering::Relaxed);
    }

    /// Returns a random number from 0 on, less than 1.
    #[allow(clippy::cast_precision_loss, reason = "of 53 bits, which the type has")]
    fn uniform(&self) -> f64 {
        // The generator SplitMix64.
        let mut random = self.random.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        random = (random ^ (random >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        random = (random ^ (random >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((random ^ (random >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Events at a rate for so many seconds of processor time, which is all wall-clock time; returns the probabilities of the kept ones.
    fn run(thinning: &Thinning, begin: u64, seconds: u64, rate: u64) -> Vec<f64> {
        let events = (0..seconds * rate).map(|event| begin + event * SECOND / rate);
        events.filter_map(|at| thinning.decided(at, || at)).collect()
    }

    #[test]
    fn the_rate_is_kept_after_the_first_events() {
        let thinning = Thinning::with_seed(500.0, 1);
        let first = run(&thinning, 0, 1, FIRST);
        assert!(first.len() as u64 == FIRST && first.iter().all(|probability| *probability >= 1.0));
        for (phase, rate) in (1..).zip([100, 10_000, 400, 200_000, 50]) {
            let kept = run(&thinning, phase * 10 * SECOND, 10, rate).len() as u64;
            // Events are kept with the probability of the rate before until it has been computed again.
            let (expected, late) = ((rate * 10).min(5_000), 2 * EVENTS);
            // Four standard deviations.
            let slack = 4 * 71 + rate / 10;
            assert!(
                (expected - slack.min(expected)..=expected + late + 284).contains(&kept),
                "{kept} kept of {rate}"
            );
        }
    }

    #[test]
    fn all_are_kept_without_a_rate_and_below_it() {
        let all = Thinning::with_seed(f64::INFINITY, 1);
        assert!((0..10_000).all(|_| all.kept() == Some(1.0)));
        assert_eq!(run(&Thinning::with_seed(500.0, 1), 0, 10, 300), [1.0; 3_000]);
    }

    #[test]
    fn estimates_are_unbiased_and_as_exact_as_they_claim() {
        let (mut within, mut sum) = (0, 0.0);
        let truth = f64::from(2 * (200 + 20_000 + 3_000));
        for seed in 0..400 {
            let thinning = Thinning::with_seed(500.0, seed);
            let phases = [(0, 200), (2, 20_000), (4, 3_000)];
            let kept = phases.map(|(begin, rate)| run(&thinning, begin * SECOND, 2, rate)).concat();
            let estimate: f64 = kept.iter().map(|probability| 1.0 / probability).sum();
            // That of a sum over events that are kept independently.
            let variance: f64 =
                kept.iter().map(|probability| (1.0 - probability) / (probability * probability)).sum();
            within += u32::from((estimate - truth).abs() <= 1.96 * variance.sqrt());
            sum += estimate / 400.0;
        }
        // Of 400 estimates, 380 are within an interval of 95 % on average, with a standard deviation of 4.4.
        assert!((363..=397).contains(&within), "{within} of 400");
        assert!((sum / truth - 1.0).abs() < 0.01, "{sum} instead of {truth}");
    }

    #[test]
    fn threads_that_decide_at_once_share_the_rate() {
        let thinning = Thinning::with_seed(1_000.0, 1);
        let kept = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for event in 0..50_000_u64 {
                        let at = event * 1_000;
                        kept.fetch_add(u64::from(thinning.decided(at, || at).is_some()), Ordering::Relaxed);
                    }
                });
            }
        });
        // The first ones, and some of the others: in all threads the time is a twentieth of a second.
        assert!((FIRST..100_000).contains(&kept.load(Ordering::Relaxed)), "{kept:?}");
    }
}
