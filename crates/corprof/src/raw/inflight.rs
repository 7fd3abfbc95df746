//! The calls and lookups in flight, so that an unload can wait for them.
//!
//! A thread that calls the runtime counts itself, in a counter that it shares with few others: calling threads wait for
//! nothing. There are two counters in turn. A waiting thread directs newcomers to the other counter and waits until the
//! first is zero, and then the same the other way round: no call that began before is overlooked, and calls that begin
//! meanwhile do not delay the wait.
//!
//! The waiting thread has listed the stale ids before. A newcomer reads that list after it has counted itself: the wait
//! includes it, or it finds the id on the list. `alive_model` tries every order of both.
#![forbid(unsafe_code)]

use core::cell::Cell;
use core::marker::PhantomData;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::sync::{AtomicUsize, Mutex, Ordering, in_single_order, yield_now};

/// The kind of work of a thread that an unload waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// One call of the runtime about an id that neither starts a garbage collection nor waits for one, whatever
    /// the thread's mode. A thread that must not wait for a collection may wait for it.
    Call,
    /// All other work: the lookup of a name, with all its calls.
    Lookup,
}

/// How many counters there are: more than processors in most machines. Threads that share one are only slower.
const SHARDS: usize = if cfg!(loom) { 2 } else { 64 };

/// Two counters, on a cache line of their own.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Shard([AtomicUsize; 2]);

/// The threads that do one kind of work.
#[derive(Debug)]
struct Threads {
    /// The lowest bit is the counter that newcomers use.
    turn: AtomicUsize,
    shards: Box<[Shard]>,
    /// Held by the thread that waits.
    waiting: Mutex<()>,
}

/// The threads that call the runtime.
#[derive(Debug)]
pub(crate) struct InFlight {
    calls: Threads,
    lookups: Threads,
}

/// The counts of the running thread, by kind of work.
#[derive(Clone, Copy)]
struct Held {
    /// The address of the [`Threads`] that it was counted in.
    of: usize,
    /// How many guards there are; the first one has counted.
    depth: usize,
    counter: usize,
}

const NOTHING: Held = Held { of: 0, depth: 0, counter: 0 };

// Neither has a destructor, so they can be used while a thread is ending.
#[cfg(not(loom))]
thread_local! {
    static HELD: Cell<[Held; 2]> = const { Cell::new([NOTHING; 2]) };
    pub(super) static SHARD: Cell<usize> = const { Cell::new(usize::MAX) };
}

#[cfg(loom)]
loom::thread_local! {
    static HELD: Cell<[Held; 2]> = Cell::new([NOTHING; 2]);
    pub(super) static SHARD: Cell<usize> = Cell::new(usize::MAX);
}

/// Returns the shard of the running thread. Threads that are created one after the other get different shards.
pub(super) fn place_of_thread(places: usize) -> usize {
    static THREADS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = match SHARD.with(Cell::get) {
        usize::MAX => {
            let number = THREADS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            SHARD.with(|shard| shard.set(number));
            number
        }
        number => number,
    };
    number % places
}

/// The thread is at work as long as this lives.
#[derive(Debug)]
#[must_use]
pub(crate) struct Asking<'a> {
    threads: &'a Threads,
    work: Work,
    /// Of the running thread alone.
    of_thread: PhantomData<*const ()>,
}

impl Default for InFlight {
    fn default() -> Self {
        Self { calls: Threads::new(), lookups: Threads::new() }
    }
}

impl InFlight {
    /// Counts the running thread as working until the guard is dropped. Waits for nothing.
    pub(crate) fn begin(&self, work: Work) -> Asking<'_> {
        let threads = self.threads(work);
        threads.begin(work);
        Asking { threads, work, of_thread: PhantomData }
    }

    /// Waits until every other thread has ended the work that it began before. Returns `false` if the time was too short.
    /// The running thread's own work is not waited for, nor that of a thread that waits here itself.
    pub(crate) fn wait(&self, work: Work, limit: Duration) -> bool {
        self.threads(work).wait(work, Instant::now() + limit)
    }

    fn threads(&self, work: Work) -> &Threads {
        match work {
            Work::Call => &self.calls,
            Work::Lookup => &self.lookups,
        }
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.threads.end(self.work);
    }
}

impl Threads {
    fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        Self { turn: AtomicUsize::new(0), shards, waiting: Mutex::new(()) }
    }

    fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }

    fn counter(&self, counter: usize) -> Option<&AtomicUsize> {
        self.shards.get(place_of_thread(SHARDS))?.0.get(counter)
    }

    fn begin(&self, work: Work) {
        self.change(work, |held| {
            if held.depth == 0 {
                *held = Held { of: self.address(), depth: 0, counter: self.count() };
            }
            held.depth += 1;
        });
    }

    fn end(&self, work: Work) {
        self.change(work, |held| {
            held.depth -= 1;
            if held.depth == 0 {
                self.uncount(held.counter);
            }
        });
    }

    /// Changes the running thread's part. There is one runtime in a process; a thread that calls another one in between, as
    /// in a test, would be counted as calling the first.
    fn change(&self, work: Work, change: impl FnOnce(&mut Held)) {
        let mut all = HELD.with(Cell::get);
        let held = &mut all[work as usize];
        debug_assert!(held.depth == 0 || held.of == self.address());
        change(held);
        HELD.with(|held| held.set(all));
    }

    /// Counts the running thread. Returns the counter.
    fn count(&self) -> usize {
        let counter = self.turn.load(Ordering::SeqCst) & 1;
        if let Some(count) = self.counter(counter) {
            count.fetch_add(1, Ordering::SeqCst);
        }
        in_single_order();
        counter
    }

    fn uncount(&self, counter: usize) {
        if let Some(count) = self.counter(counter) {
            count.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn wait(&self, work: Work, until: Instant) -> bool {
        // Two threads that work and wait would wait for each other: a waiting thread does not count as working.
        let own = HELD.with(Cell::get)[work as usize];
        let is_at_work = own.depth > 0;
        if is_at_work {
            self.uncount(own.counter);
        }
        in_single_order();
        let ended = {
            let _alone = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            (0..2).all(|_| self.drain(self.turn.fetch_add(1, Ordering::SeqCst) & 1, until))
        };
        if is_at_work {
            self.change(work, |held| held.counter = self.count());
        }
        ended
    }

    /// Waits until a counter that newcomers do not use is zero.
    fn drain(&self, counter: usize, until: Instant) -> bool {
        wait_until(until, || self.shards.iter().all(|shard| shard.0[counter].load(Ordering::SeqCst) == 0))
    }
}

/// Waits for what threads in callbacks do. Returns `false` if it is not done in time.
pub(super) fn wait_until(until: Instant, is_done: impl Fn() -> bool) -> bool {
    let mut pause = 0;
    while !is_done() {
        if Instant::now() >= until {
            return false;
        }
        // Work takes microseconds as a rule.
        pause += 1;
        if pause < 100 || cfg!(loom) {
            yield_now();
        } else {
            std::thread::sleep(Duration::from_micros(50));
        }
    }
    true
}

#[cfg(all(test, loom))]
#[path = "alive_model.rs"]
mod model;

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc;

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(30);

    #[test]
    fn work_that_has_begun_is_waited_for() {
        let (in_flight, ended) = (InFlight::default(), AtomicBool::new(false));
        let (begun, has_begun) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let outer = in_flight.begin(Work::Lookup);
                let inner = in_flight.begin(Work::Lookup);
                begun.send(()).unwrap();
                drop(inner);
                std::thread::sleep(SHORT);
                ended.store(true, Ordering::SeqCst);
                drop(outer);
            });
            has_begun.recv().unwrap();
            // The other kind of work is nobody's.
            assert!(in_flight.wait(Work::Call, LONG));
            assert!(in_flight.wait(Work::Lookup, LONG));
            assert!(ended.load(Ordering::SeqCst));
        });
    }

    #[test]
    fn nobody_waits_for_itself_or_for_one_that_waits() {
        let in_flight = InFlight::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _asking = in_flight.begin(Work::Lookup);
                        assert!(in_flight.wait(Work::Lookup, LONG));
                    }
                });
            }
        });
        assert!(
            in_flight
                .lookups
                .shards
                .iter()
                .flat_map(|shard| &shard.0)
                .all(|count| { count.load(Ordering::SeqCst) == 0 })
        );
    }

    #[test]
    fn the_wait_has_an_end() {
        let in_flight = InFlight::default();
        let (end, may_end) = mpsc::channel::<()>();
        let (begun, has_begun) = mpsc::channel();
        std::thread::scope(|scope| {
            let in_flight = &in_flight;
            scope.spawn(move || {
                let _asking = in_flight.begin(Work::Call);
                begun.send(()).unwrap();
                may_end.recv().unwrap_err();
            });
            has_begun.recv().unwrap();
            assert!(!in_flight.wait(Work::Call, SHORT));
            drop(end);
            assert!(in_flight.wait(Work::Call, LONG));
        });
    }

    /// An id that is evicted before the wait is used by no thread after it.
    #[test]
    fn newcomers_see_what_was_said_before_the_wait() {
        let (in_flight, gone, freed) = (InFlight::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let _asking = in_flight.begin(Work::Lookup);
                        // Uses what was last said to be there.
                        let used = gone.load(Ordering::SeqCst);
                        std::hint::spin_loop();
                        assert!(freed.load(Ordering::SeqCst) <= used, "used after it was freed");
                    }
                });
            }
            for id in 1..2000 {
                gone.store(id, Ordering::SeqCst);
                assert!(in_flight.wait(Work::Lookup, LONG));
                freed.store(id, Ordering::SeqCst);
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}
