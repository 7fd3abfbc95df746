//! The watched threads of the process, and their samples.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::stacks::limits::THREADS;
use crate::stacks::slot::{HEADER, Slot, allocate, slot};
use crate::stacks::system::{self, Timer};
use crate::stacks::walk::End;

/// Why samples cannot be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Not implemented for this system or processor.
    Unsupported,
    /// Another [`Capture`] is running.
    Running,
    /// Each real-time signal has a handler or is ignored.
    NoSignal,
    /// The kernel refuses `process_vm_readv`, with which the handler reads the stack.
    NoReads,
    /// The thread cannot be watched: the kernel has no timer for it, or there are too many.
    NoTimer,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unsupported => "signals of processor time are not supported on this system",
            Self::Running => "processor time is being sampled already",
            Self::NoSignal => "the program uses every real-time signal",
            Self::NoReads => "the kernel refuses to copy memory of the process (process_vm_readv)",
            Self::NoTimer => "the kernel has no timer for the thread",
        })
    }
}

impl core::error::Error for Refusal {}

/// What a capture has lost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Samples that found their thread's ring full. The next sample of the thread has their time.
    pub dropped: u64,
    /// Threads that could not be watched.
    pub unwatched: u64,
}

/// A sample of a thread.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Captured<'c> {
    /// The value that [`Capture::watch`] got for the thread.
    pub key: u64,
    /// The time when it was taken, by [`Capture::now`].
    pub at: Duration,
    /// The processor time that it stands for.
    pub time: Duration,
    /// The instruction pointer, followed by the return addresses, innermost first. Those with [`CALLER_OF_REPLACED`](crate::stacks::CALLER_OF_REPLACED)
    /// are no frames unless the two before them are in the same function.
    pub addresses: &'c [u64],
    /// The word at the stack pointer: the return address, if the innermost function has not pushed anything yet or is an
    /// assembly routine that pushes nothing.
    pub top: u64,
    /// Why the walk ended.
    pub end: End,
}

/// A thread that is being watched.
#[derive(Debug)]
struct Watched {
    number: usize,
    timer: Timer,
}

#[derive(Debug, Default)]
struct Threads {
    watched: HashMap<u32, Watched>,
    /// Slots whose watch has ended, until their samples have been read.
    ended: Vec<usize>,
    free: Vec<usize>,
    /// The slots that have been allocated by this capture or an earlier one.
    allocated: usize,
    random: u64,
}

/// The slots are the process's: a handler may run after its capture has been stopped.
static THREADS_OF_PROCESS: Mutex<Option<Threads>> = Mutex::new(None);
static IS_RUNNING: AtomicBool = AtomicBool::new(false);

fn threads() -> MutexGuard<'static, Option<Threads>> {
    THREADS_OF_PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Samples threads of this process as they use processor time. There is at most one at a time.
///
/// Each watched thread has a timer of its own processor time. The signal of the timer is delivered to the thread,
/// and its handler writes the stack into a ring of the thread. [`Capture::drain`] reads the rings.
#[derive(Debug)]
pub struct Capture {
    /// The time between two of the kernel's looks at the clocks.
    tick: Duration,
    period: Duration,
    unwatched: AtomicU64,
    dropped: AtomicU64,
    /// Held by the one that reads the rings.
    reader: Mutex<Vec<u64>>,
}

impl Capture {
    /// Chooses a signal and installs the handler. The kernel looks at the clocks at its ticks (250 a second, usually), so the period
    /// is rounded to a multiple of the time between two ticks: see [`Capture::period`].
    ///
    /// The handler stays installed when the capture is dropped, since a signal may still be pending.
    ///
    /// # Errors
    /// [`Refusal`]: why samples cannot be captured.
    pub fn start(period: Duration) -> Result<Self, Refusal> {
        if IS_RUNNING.swap(true, Ordering::SeqCst) {
            return Err(Refusal::Running);
        }
        if let Err(refusal) = system::install() {
            IS_RUNNING.store(false, Ordering::SeqCst);
            return Err(refusal);
        }
        // The seed decides when the first sample of a thread comes, and must differ between processes.
        let seed = u64::try_from(Self::now().as_nanos()).unwrap_or(1) | 1;
        threads().get_or_insert_default().random = seed;
        let tick = system::tick().max(Duration::from_micros(100));
        let ticks = (period.as_secs_f64() / tick.as_secs_f64()).round().clamp(1.0, 1e6);
        Ok(Self {
            tick,
            period: tick.mul_f64(ticks),
            unwatched: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            reader: Mutex::new(Vec::new()),
        })
    }

    /// Returns the time of the clock of [`Captured::at`].
    #[must_use]
    pub fn now() -> Duration {
        Duration::from_nanos(system::now())
    }

    /// Returns the processor time for which a sample stands.
    #[must_use]
    pub const fn period(&self) -> Duration {
        self.period
    }

    /// Returns the number of the signal.
    #[must_use]
    pub fn signal(&self) -> i32 {
        system::signal()
    }

    /// Returns whether the handler is still installed. If the program has replaced it, no more samples are captured.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        system::is_installed()
    }

    /// Returns what has been lost so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            dropped: self.dropped.load(Ordering::Relaxed),
            unwatched: self.unwatched.load(Ordering::Relaxed),
        }
    }

    /// Begins to sample a thread, by the operating system's id. `key` is returned with its samples.
    ///
    /// The first sample comes after a random part of the period, so that the time of threads that live shorter is met too. A
    /// thread that is already watched begins again.
    ///
    /// # Errors
    /// [`Refusal::NoTimer`]: the thread has ended, there are too many, or the user has too many pending signals.
    pub fn watch(&self, os_thread: u32, key: u64) -> Result<(), Refusal> {
        // A thread that ended without a call of `unwatch`: its id is used again.
        self.unwatch(os_thread);
        let mut threads = threads();
        let threads = threads.get_or_insert_default();
        self.add(threads, os_thread, key).inspect_err(|_| {
            self.unwatched.fetch_add(1, Ordering::Relaxed);
        })
    }

    fn add(&self, threads: &mut Threads, os_thread: u32, key: u64) -> Result<(), Refusal> {
        let (number, slot) = take_free(threads).ok_or(Refusal::NoTimer)?;
        let period = u64::try_from(self.period.as_nanos()).unwrap_or(u64::MAX);
        let watch = slot.begin(key, period);
        // Marsaglia's generator.
        threads.random ^= threads.random << 13;
        threads.random ^= threads.random >> 7;
        threads.random ^= threads.random << 17;
        // The first tick after this time is any of the period's with the same probability, however much of the tick before it
        // the thread has had.
        let tick = u64::try_from(self.tick.as_nanos()).unwrap_or(1);
        let first = Duration::from_nanos((threads.random % period) / tick * tick + 1);
        match Timer::start(os_thread, number, watch, first, self.period) {
            Some(timer) => {
                threads.watched.insert(os_thread, Watched { number, timer });
                Ok(())
            }
            None => {
                slot.end();
                threads.free.push(number);
                Err(Refusal::NoTimer)
            }
        }
    }

    /// Stops sampling a thread, before it ends. Its samples can still be read.
    pub fn unwatch(&self, os_thread: u32) {
        let watched = threads().as_mut().and_then(|threads| threads.watched.remove(&os_thread));
        if let Some(watched) = watched {
            self.end(watched);
        }
    }

    fn end(&self, Watched { number, timer }: Watched) {
        drop(timer);
        if let Some(slot) = slot(number) {
            slot.end();
        }
        threads().get_or_insert_default().ended.push(number);
    }

    /// Calls `visit` with each sample that has been captured so far, in the order of each thread. A sample is passed once.
    pub fn drain(&self, mut visit: impl FnMut(Captured<'_>)) {
        let mut words = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let (allocated, ended) = {
            let mut threads = threads();
            let threads = threads.get_or_insert_default();
            (threads.allocated, core::mem::take(&mut threads.ended))
        };
        for slot in (0..allocated).filter_map(slot) {
            slot.ring.drain(&mut words, |sample| {
                if let Some(captured) = captured(sample) {
                    visit(captured);
                }
            });
            self.dropped.fetch_add(slot.take_dropped(), Ordering::Relaxed);
        }
        let mut threads = threads();
        let threads = threads.get_or_insert_default();
        for number in ended {
            let is_free = slot(number).is_some_and(Slot::is_free);
            if is_free { &mut threads.free } else { &mut threads.ended }.push(number);
        }
    }

    /// Stops sampling all threads. Samples that have been captured can still be read.
    pub fn stop(&self) {
        let watched = threads().as_mut().map(|threads| core::mem::take(&mut threads.watched));
        for (_, watched) in watched.unwrap_or_default() {
            self.end(watched);
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.stop();
        self.drain(|_| ());
        IS_RUNNING.store(false, Ordering::SeqCst);
    }
}

/// Takes a slot that no watch uses.
fn take_free(threads: &mut Threads) -> Option<(usize, &'static Slot)> {
    if let Some(number) = threads.free.pop() {
        return Some((number, slot(number)?));
    }
    let number = threads.allocated;
    if number >= THREADS {
        return None;
    }
    let slot = allocate(number)?;
    threads.allocated += 1;
    Some((number, slot))
}

/// Returns the sample of the words in a ring.
fn captured(words: &[u64]) -> Option<Captured<'_>> {
    let (header, addresses) = words.split_at_checked(HEADER)?;
    let [at, time, key, end, top] = *<&[u64; HEADER]>::try_from(header).ok()?;
    let (at, time, end) = (Duration::from_nanos(at), Duration::from_nanos(time), End::of_number(end));
    Some(Captured { key, at, time, addresses, top, end })
}
