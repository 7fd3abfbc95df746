//! The budget of time for the calls of methods that are called often.
//!
//! The first calls of each method are all traced. After that, a thread traces a call of it while the time that it has spent
//! on such calls is less than its share of the time that has passed. Calls that are omitted are counted exactly, for each
//! method by each thread: nothing of that is written by more than one thread.

pub(crate) mod frequent;
mod thread;

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use corprof::ModuleMethod;
use recording::{Clock, ClockKind};

use crate::limits::{FIRST_CALLS, MAX_SAVED, REPORT_OMITTED};
use crate::selection::CallBudget;
use crate::traced::Traced;

use self::frequent::Unhooked;
use self::thread::Counts;
pub(crate) use self::thread::{Decision, ThreadBudget};

/// The state that threads share.
pub(crate) struct Budget<M> {
    percent: u64,
    clock: Clock,
    /// The ticks of a millisecond, once some have passed.
    millisecond: OnceLock<u64>,
    begin: u64,
    /// When omitted calls were reported last.
    reported: AtomicU64,
    counts: Arc<Mutex<Counts>>,
    methods: Mutex<Vec<Limited<M>>>,
    unhooked: Unhooked<M>,
}

/// A method that has been called more often than all its calls are traced.
struct Limited<M> {
    /// Absent once it has been unloaded and its last omitted calls were reported.
    method: Option<Arc<Traced<M>>>,
    is_unloaded: bool,
    /// The number of omitted calls that were reported.
    reported: u64,
    /// The number at the last look for frequent methods.
    seen: u64,
    /// What is requested of the runtime when it is frequent, unless it was or cannot be.
    request: Option<ModuleMethod>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M> Budget<M> {
    pub(crate) fn new(budget: CallBudget) -> Self {
        let clock = Clock::start(ClockKind::best());
        let begin = clock.now();
        Self {
            percent: u64::from(budget.percent.get().min(100)),
            clock,
            millisecond: OnceLock::new(),
            begin,
            reported: AtomicU64::new(begin),
            counts: Arc::default(),
            methods: Mutex::default(),
            unhooked: Unhooked::default(),
        }
    }

    /// The time, in ticks.
    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    /// The ticks of a millisecond; those of a fast clock before any has passed.
    fn millisecond(&self) -> u64 {
        if let Some(known) = self.millisecond.get() {
            return *known;
        }
        let (ticks, nanoseconds) = (self.now().wrapping_sub(self.begin), self.clock.nanoseconds());
        if nanoseconds < 1_000_000 {
            return 1 << 22;
        }
        let ticks = u128::from(ticks) * 1_000_000 / u128::from(nanoseconds);
        *self.millisecond.get_or_init(|| u64::try_from(ticks).unwrap_or(u64::MAX).max(1))
    }

    /// The ticks that a thread may save.
    fn most(&self) -> i64 {
        let most = MAX_SAVED * self.millisecond() * self.percent / 100;
        i64::try_from(most).unwrap_or(i64::MAX).max(1)
    }

    /// Returns the number of a method that is limited from now on; `None` if there are too many.
    fn limit(&self, method: Arc<Traced<M>>) -> Option<u32> {
        let request = frequent::request_for(&method);
        let mut methods = lock(&self.methods);
        let number = u32::try_from(methods.len()).ok().filter(|number| *number < Quota::<M>::LIMITED)?;
        methods.push(Limited { method: Some(method), is_unloaded: false, reported: 0, seen: 0, request });
        Some(number)
    }

    fn unload(&self, number: usize) {
        if let Some(method) = lock(&self.methods).get_mut(number) {
            method.is_unloaded = true;
        }
    }

    /// Returns whether omitted calls were last reported long ago. `true` for one thread only.
    pub(crate) fn must_report(&self, now: u64) -> bool {
        let last = self.reported.load(Ordering::Relaxed);
        now.saturating_sub(last) > REPORT_OMITTED * self.millisecond()
            && self.reported.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Calls `report` with each method that has had omitted calls since the last report, and their number.
    pub(crate) fn report(&self, mut report: impl FnMut(&Traced<M>, u64)) {
        let mut new = Vec::new();
        let mut unloaded = Vec::new();
        let mut methods = lock(&self.methods);
        let counts = lock(&self.counts);
        let totals = counts.totals(methods.len());
        for (limited, total) in methods.iter_mut().zip(totals) {
            let Some(method) = &limited.method else { continue };
            if total > limited.reported {
                new.push((Arc::clone(method), total - limited.reported));
                limited.reported = total;
            }
            if limited.is_unloaded {
                unloaded.extend(limited.method.take());
            }
        }
        drop((counts, methods));
        // The tracer's own code runs without the locks.
        for (method, calls) in new {
            report(&method, calls);
        }
    }
}

/// The calls of a method: how many are traced in any case, then the method's number among the limited ones.
pub(crate) struct Quota<M> {
    /// Absent if every call is traced.
    budget: Option<Arc<Budget<M>>>,
    /// The number of calls so far, up to [`FIRST_CALLS`]; once it is limited, its number and [`LIMITED`](Self::LIMITED).
    state: AtomicU32,
}

impl<M> Quota<M> {
    const LIMITED: u32 = 1 << 31;

    pub(crate) fn new(budget: Option<&Arc<Budget<M>>>) -> Self {
        let state = if budget.is_some() { 0 } else { FIRST_CALLS };
        Self { budget: budget.cloned(), state: AtomicU32::new(state) }
    }

    /// Returns whether calls are traced without being counted.
    #[inline(always)]
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Ordering::Relaxed) == FIRST_CALLS
    }

    /// Returns the number of the method if it is limited.
    #[inline(always)]
    pub(crate) fn limited(&self) -> Option<usize> {
        let state = self.state.load(Ordering::Relaxed);
        (state >= Self::LIMITED).then_some((state & !Self::LIMITED) as usize)
    }

    /// Counts a call that is traced, and returns whether it is one of the first. After the last of these the method is limited;
    /// `method` returns what its omitted calls count for.
    pub(crate) fn count(&self, method: impl FnOnce() -> Arc<Traced<M>>) -> bool {
        let add = |calls: u32| (calls < FIRST_CALLS).then_some(calls + 1);
        let before = self.state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        if before == Ok(FIRST_CALLS - 1) {
            self.limit(method());
        }
        before.is_ok()
    }

    #[cold]
    fn limit(&self, method: Arc<Traced<M>>) {
        let Some(budget) = &self.budget else { return };
        // All calls are traced of a method that there is no number for.
        if let Some(number) = budget.limit(method) {
            self.state.store(number | Self::LIMITED, Ordering::Relaxed);
        }
    }
}

impl<M> Drop for Quota<M> {
    fn drop(&mut self) {
        if let (Some(number), Some(budget)) = (self.limited(), &self.budget) {
            budget.unload(number);
        }
    }
}
