//! Which calls of a hooked function the profiler is told of.
//!
//! What is decided when a call begins holds until it ends: the thread remembers the calls that were taken, each by the
//! stack pointer of its caller, which is the same when the call returns. Calls that an exception or a tail call has left
//! are found to be gone when the stack is found to be shorter, so nobody has to tell.

use core::cell::RefCell;
use core::num::NonZeroU32;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;
use std::time::Instant;

use crate::PerThread;

/// Which calls of a function are reported to the profiler, with [`Hooks::selective`](super::Hooks::selective).
///
/// ```
/// # use core::num::NonZeroU32;
/// use corprof::SelectedCalls;
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

    /// The first call of each `n`, those of all threads together.
    #[must_use]
    pub const fn every(n: NonZeroU32) -> Self {
        Self { every: n, per_second: None }
    }

    /// Of those no more than `n` in each second, those of all threads together. Seconds are counted from the first call
    /// of any function that has a limit.
    #[must_use]
    pub const fn at_most(self, n: NonZeroU32) -> Self {
        Self { per_second: Some(n), ..self }
    }
}

/// What is counted for a function, to decide.
pub(super) struct Gate {
    calls: SelectedCalls,
    begun: AtomicU64,
    /// The second in the upper half, in the lower half how many calls were taken in it.
    taken: AtomicU64,
}

impl Gate {
    pub(super) const fn new(calls: SelectedCalls) -> Self {
        Self { calls, begun: AtomicU64::new(0), taken: AtomicU64::new(0) }
    }

    /// Whether a call that begins is taken.
    fn takes(&self) -> bool {
        let SelectedCalls { every, per_second } = self.calls;
        let is_nth = every == NonZeroU32::MIN
            || self.begun.fetch_add(1, Ordering::Relaxed).is_multiple_of(u64::from(every.get()));
        is_nth && per_second.is_none_or(|limit| self.takes_in(second(), limit))
    }

    /// The same for the limit, in this second.
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

/// The whole seconds since this was asked for the first time.
fn second() -> u32 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let elapsed = BEGIN.get_or_init(Instant::now).elapsed().as_secs();
    u32::try_from(elapsed).unwrap_or(u32::MAX)
}

/// A call that was taken and has not ended.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Taken {
    /// The stack pointer of its caller. Calls from this one have lower ones.
    place: usize,
    /// The function, by the address of what is kept with it.
    client: usize,
}

/// The thread's calls, innermost last.
static OPEN: PerThread<RefCell<Vec<Taken>>> = PerThread::new(RefCell::default);

/// A call begins: whether it is taken. `is_on` says whether calls are reported now.
pub(super) fn begins(gate: &Gate, client: usize, place: usize, is_on: bool) -> bool {
    if !is_on || !gate.takes() {
        return false;
    }
    with_open(|open| {
        // Those that are not further up the stack are gone.
        while open.pop_if(|taken| taken.place <= place).is_some() {}
        open.push(Taken { place, client });
        true
    })
}

/// A call ends: whether it was taken.
pub(super) fn ends(client: usize, place: usize) -> bool {
    with_open(|open| {
        while open.pop_if(|taken| taken.place < place).is_some() {}
        open.pop_if(|taken| *taken == Taken { place, client }).is_some()
    })
}

/// Not when the thread is ending.
fn with_open(work: impl FnOnce(&mut Vec<Taken>) -> bool) -> bool {
    OPEN.with(|open| open.try_borrow_mut().is_ok_and(|mut open| work(&mut open))).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: usize = 0x10;
    const B: usize = 0x20;

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
    fn no_more_are_taken_than_a_second_may_have() {
        let gate = Gate::new(SelectedCalls::ALL);
        let taken = |second, times| (0..times).filter(|_| gate.takes_in(second, number(2))).count();
        assert_eq!((taken(0, 5), taken(1, 1), taken(1, 5), taken(7, 5)), (2, 1, 1, 2));
        // A thread that has looked at the clock before others did comes too late.
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
    fn what_is_taken_when_it_begins_is_taken_when_it_ends() {
        let gate = Gate::new(SelectedCalls::every(number(2)));
        // A calls itself four times deep.
        let entered = [100, 90, 80, 70].map(|place| begins(&gate, A, place, true));
        assert_eq!(entered, [true, false, true, false]);
        assert_eq!([70, 80, 90, 100].map(|place| ends(A, place)), [false, true, false, true]);
        assert!(!ends(A, 100));
    }

    #[test]
    fn a_call_that_an_exception_has_left_is_not_taken_for_another() {
        let all = Gate::new(SelectedCalls::ALL);
        assert!(begins(&all, A, 100, true) && begins(&all, A, 90, true) && begins(&all, B, 80, true));
        // The exception is caught in the outermost; the next call is at the place of one that is gone.
        assert!(!begins(&all, A, 90, false));
        assert!(!ends(A, 90 + 1));
        assert!(ends(A, 100));
    }

    #[test]
    fn switched_off_while_a_call_runs_its_end_is_still_reported() {
        let all = Gate::new(SelectedCalls::ALL);
        assert!(begins(&all, A, 100, true));
        assert!(!begins(&all, B, 90, false));
        assert!(!ends(B, 90));
        assert!(ends(A, 100));
    }

    #[test]
    fn a_tail_call_has_the_place_of_the_call_that_made_it() {
        let all = Gate::new(SelectedCalls::ALL);
        assert!(begins(&all, A, 100, true));
        assert!(ends(A, 100));
        assert!(begins(&all, B, 100, true));
        assert!(ends(B, 100));
    }
}
