//! The state of a thread: its counts, a ring of records, and reused buffers for decoding.
//!
//! Contract of the unsafe code here: the state is created once for each thread and never freed. Its counts are shared with the
//! thread that adds them up. Only its own thread has the pointer to the rest. References into it are borrowed for one hook at a
//! time, and hooks are not nested.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use argvalues::{RecordNames, Scratch};
use corprof::PerThread;

/// The number of records in a ring.
const RING: usize = 1 << 12;

/// As in `c/profiler.c`.
#[derive(Clone, Copy)]
struct Entry {
    _function: usize,
    _time: u64,
    _values: [u64; 2],
}

/// The part of a thread's state that other threads read.
#[derive(Default)]
struct Counts {
    enters: AtomicU64,
    leaves: AtomicU64,
}

/// A thread's state.
pub(crate) struct Thread {
    counts: Counts,
    ring: UnsafeCell<[Entry; RING]>,
    buffers: UnsafeCell<Buffers>,
}

/// Reused buffers for decoding.
pub(crate) struct Buffers {
    pub(crate) scratch: Scratch,
    pub(crate) names: RecordNames,
    pub(crate) bytes: Vec<u8>,
}

static COUNTS: Mutex<Vec<&'static Counts>> = Mutex::new(Vec::new());

static CURRENT: PerThread<&'static Thread> = PerThread::new(Thread::start);

impl Thread {
    /// The state of the running thread, if it has one.
    #[inline(always)]
    pub(crate) fn known() -> Option<&'static Self> {
        CURRENT.with_made(|thread| *thread)
    }

    /// Borrows the state of the running thread. A thread that is ending has none.
    #[inline(always)]
    pub(crate) fn with(work: impl FnOnce(&'static Self)) {
        CURRENT.with(|thread| work(thread));
    }

    fn start() -> &'static Self {
        let mut thread = Box::<Self>::new_uninit();
        let at = thread.as_mut_ptr();
        // Not by value: some threads of the runtime have less stack than two rings take.
        // SAFETY: all the fields are written; a ring of zeros is one.
        let thread: &'static Self = unsafe {
            (&raw mut (*at).counts).write(Counts::default());
            (&raw mut (*at).ring).write_bytes(0, 1);
            (&raw mut (*at).buffers).write(UnsafeCell::new(Buffers {
                scratch: Scratch::new(),
                names: RecordNames::new(),
                bytes: Vec::new(),
            }));
            Box::leak(thread.assume_init())
        };
        COUNTS.lock().unwrap_or_else(PoisonError::into_inner).push(&thread.counts);
        thread
    }

    /// Counts a call that begins.
    #[inline(always)]
    pub(crate) fn count_enter(&self) {
        let Counts { enters, .. } = &self.counts;
        enters.store(enters.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Counts a call that ends.
    #[inline(always)]
    pub(crate) fn count_leave(&self) {
        let Counts { leaves, .. } = &self.counts;
        leaves.store(leaves.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// The number of the next record: the sum of enters and leaves.
    #[inline(always)]
    pub(crate) fn number(&self) -> u64 {
        let Counts { enters, leaves } = &self.counts;
        enters.load(Ordering::Relaxed) + leaves.load(Ordering::Relaxed)
    }

    /// Writes the record of this number to the ring.
    #[inline(always)]
    pub(crate) fn note(&self, number: u64, function: usize, time: u64, values: [u64; 2]) {
        // SAFETY: the ring belongs to this thread, and there is no reference into it.
        let ring = unsafe { &mut *self.ring.get() };
        ring[number as usize % RING] = Entry { _function: function, _time: time, _values: values };
    }

    /// Borrows the buffers, for one hook.
    #[inline(always)]
    pub(crate) fn with_buffers<T>(&self, work: impl FnOnce(&mut Buffers) -> T) -> T {
        // SAFETY: they belong to this thread, and are borrowed once in each hook.
        work(unsafe { &mut *self.buffers.get() })
    }
}

/// The time stamp counter.
#[inline(always)]
pub(crate) fn time() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// The totals of all threads.
pub(crate) fn seen() -> (u64, u64) {
    let counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    let sum =
        |of: fn(&Counts) -> &AtomicU64| counts.iter().map(|counts| of(counts).load(Ordering::Relaxed)).sum();
    (sum(|counts| &counts.enters), sum(|counts| &counts.leaves))
}
