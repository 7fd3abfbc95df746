//! The budget of a thread, and the counts of the calls that it omits.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::{Budget, lock};
use crate::limits::MAX_INTERVAL;

/// The number of methods whose counts are in one piece of memory.
const CHUNK: usize = 64;

/// The counts of one thread for some methods. Only the thread writes them.
struct Chunk([Slot; CHUNK]);

#[derive(Default)]
struct Slot {
    /// The number of calls to omit until the budget is consulted again.
    left: AtomicU32,
    /// About how many calls are omitted between two that are traced.
    interval: AtomicU32,
    /// The number of omitted calls.
    omitted: AtomicU64,
}

impl Slot {
    #[inline(always)]
    fn omit(&self) {
        self.omitted.store(self.omitted.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// The counts of omitted calls, by the numbers of methods.
#[derive(Default)]
pub(super) struct Counts {
    /// Those of threads that have ended.
    ended: Vec<u64>,
    /// Those of threads that run, each with the position of its first method.
    running: Vec<(usize, Arc<Chunk>)>,
}

impl Counts {
    /// The numbers of omitted calls of the first so many methods.
    pub(super) fn totals(&self, methods: usize) -> Vec<u64> {
        let mut totals = self.ended.clone();
        totals.resize(methods, 0);
        for (at, chunk) in &self.running {
            for (total, slot) in totals.iter_mut().skip(at * CHUNK).zip(&chunk.0) {
                *total += slot.omitted.load(Ordering::Relaxed);
            }
        }
        totals
    }

    /// Adds the counts of a thread that ends.
    fn end(&mut self, at: usize, ended: &Arc<Chunk>) {
        self.running.retain(|(_, chunk)| !Arc::ptr_eq(chunk, ended));
        let (begin, end) = (at * CHUNK, (at + 1) * CHUNK);
        if self.ended.len() < end {
            self.ended.resize(end, 0);
        }
        for (total, slot) in self.ended.iter_mut().skip(begin).zip(&ended.0) {
            *total += slot.omitted.load(Ordering::Relaxed);
        }
    }
}

/// The decision about a call of a limited method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Omitted,
    /// It is traced, from this time on.
    Traced(u64),
}

/// The budget of a thread.
#[derive(Default)]
pub(crate) struct ThreadBudget {
    /// By the number of a method, divided by [`CHUNK`].
    chunks: Vec<Option<Arc<Chunk>>>,
    /// Where its counts belong, once there are some.
    counts: Option<Arc<Mutex<Counts>>>,
    /// The ticks that may be spent; negative if too many have been.
    level: i64,
    /// The time up to which the share has been added; 0 at first.
    seen: u64,
    random: u32,
}

impl ThreadBudget {
    /// Omits a call of a method if that is settled.
    #[inline(always)]
    pub(crate) fn omits(&self, number: usize) -> bool {
        let Some(slot) = self.slot(number) else { return false };
        let left = slot.left.load(Ordering::Relaxed);
        if left == 0 {
            return false;
        }
        slot.left.store(left - 1, Ordering::Relaxed);
        slot.omit();
        true
    }

    #[inline(always)]
    fn slot(&self, number: usize) -> Option<&Slot> {
        self.chunks.get(number / CHUNK)?.as_ref()?.0.get(number % CHUNK)
    }

    /// Decides about a call of a method.
    #[cold]
    #[inline(never)]
    pub(crate) fn decide<M>(&mut self, budget: &Budget<M>, number: usize) -> Decision {
        if self.omits(number) {
            return Decision::Omitted;
        }
        let (now, most) = (budget.now(), budget.most());
        self.earn(now, most, budget.percent);
        self.random = self.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let random = self.random >> 16;
        let has_time = self.level > 0;
        let is_rich = self.level > most / 2;
        self.make_slot(budget, number);
        let Some(slot) = self.slot(number) else { return Decision::Traced(now) };
        let interval = slot.interval.load(Ordering::Relaxed);
        let interval = match (has_time, is_rich) {
            (true, true) => interval / 2,
            (true, false) => interval,
            (false, _) => (interval * 2 + 1).min(MAX_INTERVAL),
        };
        slot.interval.store(interval, Ordering::Relaxed);
        // By chance, since a program may call in a rhythm.
        slot.left.store(interval / 2 + random % (interval + 1), Ordering::Relaxed);
        if has_time {
            return Decision::Traced(now);
        }
        slot.omit();
        Decision::Omitted
    }

    /// Adds the share of the time that has passed.
    fn earn(&mut self, now: u64, most: i64, percent: u64) {
        if self.seen == 0 {
            self.level = most;
        } else {
            let passed = now.saturating_sub(self.seen);
            let share = u128::from(passed) * u128::from(percent) / 100;
            let share = i64::try_from(share).unwrap_or(i64::MAX);
            self.level = self.level.saturating_add(share).min(most);
        }
        self.seen = now.max(1);
    }

    /// Takes the time that a traced call took.
    pub(crate) fn spend(&mut self, begin: u64, end: u64) {
        let spent = i64::try_from(end.saturating_sub(begin)).unwrap_or(i64::MAX);
        self.level = self.level.saturating_sub(spent);
    }

    fn make_slot<M>(&mut self, budget: &Budget<M>, number: usize) {
        let at = number / CHUNK;
        if self.chunks.len() <= at {
            self.chunks.resize(at + 1, None);
        }
        if let Some(chunk @ None) = self.chunks.get_mut(at) {
            let new = Arc::new(Chunk([(); CHUNK].map(|()| Slot::default())));
            *chunk = Some(Arc::clone(&new));
            lock(&budget.counts).running.push((at, new));
            self.counts.get_or_insert_with(|| Arc::clone(&budget.counts));
        }
    }
}

impl Drop for ThreadBudget {
    fn drop(&mut self) {
        let Some(counts) = &self.counts else { return };
        let mut counts = lock(counts);
        for (at, chunk) in self.chunks.iter().enumerate() {
            if let Some(chunk) = chunk {
                counts.end(at, chunk);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use super::*;
    use crate::selection::CallBudget;

    fn budget(percent: u32) -> Budget<()> {
        Budget::new(CallBudget::percent(NonZeroU32::new(percent).unwrap()))
    }

    /// Makes calls of methods in turn, each of which would take a time. Returns how many of each are omitted.
    fn make<const N: usize>(
        thread: &mut ThreadBudget,
        budget: &Budget<()>,
        calls: u64,
        took: u64,
    ) -> [u64; N] {
        let mut omitted = [0; N];
        for _ in 0..calls {
            for (method, omitted) in omitted.iter_mut().enumerate() {
                match thread.decide(budget, method * 50) {
                    Decision::Omitted => *omitted += 1,
                    Decision::Traced(begin) => thread.spend(begin, begin + took),
                }
            }
        }
        omitted
    }

    #[test]
    fn calls_that_take_no_time_are_all_traced() {
        let (mut thread, budget) = (ThreadBudget::default(), budget(1));
        assert_eq!(make(&mut thread, &budget, 10_000, 0), [0; 3]);
    }

    #[test]
    fn calls_beyond_the_budget_are_omitted_and_counted() {
        const CALLS: u64 = 100_000;
        let budget = budget(10);
        let second = budget.millisecond() * 1000;
        let mut thread = ThreadBudget::default();
        let omitted: [u64; 3] = make(&mut thread, &budget, CALLS, second);
        // One call uses up all that a thread has saved.
        assert_eq!(omitted.iter().sum::<u64>(), 3 * CALLS - 1);
        let totals = |budget: &Budget<()>| {
            let all = lock(&budget.counts).totals(101);
            [0, 50, 100].map(|method| all[method])
        };
        assert_eq!(totals(&budget), omitted);
        let running = ThreadBudget::default();
        drop(thread);
        assert_eq!(totals(&budget), omitted, "the thread has ended");
        drop(running);
        // Another thread has a budget of its own, and its counts are added.
        let mut thread = ThreadBudget::default();
        let more: [u64; 3] = make(&mut thread, &budget, CALLS, second);
        assert_eq!(more.iter().sum::<u64>(), 3 * CALLS - 1);
        assert_eq!(totals(&budget), [0, 1, 2].map(|method| omitted[method] + more[method]));
    }

    #[test]
    fn a_share_of_the_time_that_passes_is_earned() {
        let budget = budget(25);
        let (now, most) = (budget.now(), 1000);
        let mut thread = ThreadBudget::default();
        thread.earn(now, most, 25);
        assert_eq!(thread.level, most, "a thread begins with what it may save");
        thread.spend(now, now + 5000);
        thread.earn(now + 8000, most, 25);
        assert_eq!(thread.level, -2000);
        thread.earn(now + 1_000_000, most, 25);
        assert_eq!(thread.level, most);
        // Processors do not quite agree about the time.
        thread.earn(now, most, 25);
        assert_eq!(thread.level, most);
    }

    #[test]
    fn the_interval_of_a_method_has_a_limit() {
        let budget = budget(1);
        let mut thread = ThreadBudget::default();
        let hour = budget.millisecond() * 3_600_000;
        let [omitted] = make(&mut thread, &budget, 1_000_000, hour);
        assert_eq!(omitted, 999_999);
        let interval = thread.slot(0).map(|slot| slot.interval.load(Ordering::Relaxed));
        assert_eq!(interval, Some(MAX_INTERVAL));
    }
}
