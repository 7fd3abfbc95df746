//! The selection of calls: of each method, and by a budget.

use core::num::NonZeroU32;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A selection of a method's calls: every nth, a limit for each second.
///
/// ```
/// # use core::num::NonZeroU32;
/// use corprof_calls::SelectedCalls;
///
/// // Every hundredth call, and no more than ten a second.
/// let (hundred, ten) = (NonZeroU32::new(100).unwrap(), NonZeroU32::new(10).unwrap());
/// let calls = SelectedCalls::every(hundred).at_most(ten);
/// # assert_ne!(calls, SelectedCalls::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedCalls {
    every: NonZeroU32,
    per_second: Option<NonZeroU32>,
}

impl SelectedCalls {
    /// Every call.
    pub const ALL: Self = Self { every: NonZeroU32::MIN, per_second: None };

    /// The first of each `n` calls, counted over all threads.
    #[must_use]
    pub const fn every(n: NonZeroU32) -> Self {
        Self { every: n, per_second: None }
    }

    /// At most `n` of them in each second, counted over all threads.
    ///
    /// Seconds are counted from the first call of any method that has a limit. Reading the clock adds 20 to 30 ns to a
    /// call.
    #[must_use]
    pub const fn at_most(self, n: NonZeroU32) -> Self {
        Self { per_second: Some(n), ..self }
    }
}

/// A budget for calls: a share of the time of each thread.
///
/// The first 100 calls of each method are traced in any case. Of later ones, a thread traces as many as fit into its share of
/// the time that passes, those of methods that are called less often rather than others. The tracer gets the number of the others
/// by [`CallTracer::omitted`](crate::CallTracer::omitted). An omitted call costs some nanoseconds. A thread may save the share
/// of 100 ms.
///
/// Even that is a multiple of what a small method takes. So where there are more than a million omitted calls in a second, the
/// methods that have the most of them are compiled again without hooks while the program runs: their later calls are neither
/// traced nor counted, and run at full speed. `CallTracer::omitted` is called then. With [`counting_all`](Self::counting_all) all
/// methods keep their hooks. Dynamic methods, those of collectible modules and those that
/// [must not be requested](corprof::ProfilerInfo::may_request_rejit), such as what casts call, keep them in any case. A profiler
/// with requests for ReJIT of its own gets [`rejit_parameters`](corprof::Profiler::rejit_parameters) for these methods too.
///
/// ```
/// use core::num::NonZeroU32;
/// use corprof_calls::CallBudget;
///
/// let quarter = CallBudget::percent(NonZeroU32::new(25).unwrap());
/// # let _ = quarter;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallBudget {
    pub(crate) percent: NonZeroU32,
    pub(crate) counts_all: bool,
}

impl CallBudget {
    /// So many percent of the time of each thread, 100 at most.
    #[must_use]
    pub const fn percent(percent: NonZeroU32) -> Self {
        Self { percent, counts_all: false }
    }

    /// Keeps the hooks of every method, so that all omitted calls are counted.
    #[must_use]
    pub const fn counting_all(self) -> Self {
        Self { counts_all: true, ..self }
    }
}

/// A switch for tracing, initially on. Clones share one state.
///
/// A call that began while the switch was on is reported when it ends, even if the switch is off by then.
#[derive(Clone, Debug)]
pub struct CallSwitch(Arc<AtomicBool>);

impl CallSwitch {
    /// A switch that is on.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Turns tracing on or off, for calls that begin from now on. May be called from any thread.
    pub fn set(&self, is_on: bool) {
        self.0.store(is_on, Ordering::Relaxed);
    }

    /// Returns whether tracing is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for CallSwitch {
    fn default() -> Self {
        Self::new()
    }
}

/// The counts of one method that decide which of its calls are traced.
pub(crate) struct Gate {
    calls: SelectedCalls,
    begun: AtomicU64,
    /// The second in the upper half, in the lower half how many calls were taken in it.
    taken: AtomicU64,
}

impl Gate {
    pub(crate) const fn new(calls: SelectedCalls) -> Self {
        Self { calls, begun: AtomicU64::new(0), taken: AtomicU64::new(0) }
    }

    /// Returns whether the call that begins is traced.
    pub(crate) fn takes(&self) -> bool {
        let SelectedCalls { every, per_second } = self.calls;
        let is_nth = every == NonZeroU32::MIN
            || self.begun.fetch_add(1, Ordering::Relaxed).is_multiple_of(u64::from(every.get()));
        is_nth && per_second.is_none_or(|limit| self.takes_in(second(), limit))
    }

    /// Returns whether the limit admits a call in this second.
    fn takes_in(&self, second: u32, limit: NonZeroU32) -> bool {
        let begin = u64::from(second) << u32::BITS;
        let count = |before: u64| match before.checked_sub(begin) {
            Some(taken) if taken >= u64::from(limit.get()) => None,
            Some(taken) => Some(begin + taken + 1),
            None => Some(begin + 1),
        };
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_ok()
    }
}

/// The whole seconds since the first call of this function.
fn second() -> u32 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let elapsed = BEGIN.get_or_init(Instant::now).elapsed().as_secs();
    u32::try_from(elapsed).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: u32) -> NonZeroU32 {
        NonZeroU32::new(n).unwrap()
    }

    #[test]
    fn every_third_call_is_taken() {
        let gate = Gate::new(SelectedCalls::every(number(3)));
        let taken: Vec<bool> = (0..7).map(|_| gate.takes()).collect();
        assert_eq!(taken, [true, false, false, true, false, false, true]);
        assert!((0..5).all(|_| Gate::new(SelectedCalls::ALL).takes()));
    }

    #[test]
    fn a_second_has_no_more_calls_than_its_limit() {
        let gate = Gate::new(SelectedCalls::ALL);
        let taken = |second, times| (0..times).filter(|_| gate.takes_in(second, number(2))).count();
        assert_eq!((taken(0, 5), taken(1, 1), taken(1, 5), taken(7, 5)), (2, 1, 1, 2));
        // A thread that read the clock before the others comes too late.
        assert_eq!(taken(6, 1), 0);
    }

    #[test]
    fn threads_share_the_count() {
        let gate = Gate::new(SelectedCalls::every(number(10)));
        let count = || (0..1000).filter(|_| gate.takes()).count();
        let taken = std::thread::scope(|scope| {
            let threads = [scope.spawn(count), scope.spawn(count), scope.spawn(count)];
            threads.map(|thread| thread.join().unwrap())
        });
        assert_eq!(taken.iter().sum::<usize>(), 300);
    }

    #[test]
    fn clones_of_a_switch_share_its_state() {
        let switch = CallSwitch::new();
        let other = switch.clone();
        other.set(false);
        assert!(!switch.is_on());
    }
}
