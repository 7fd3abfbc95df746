//! What a thread keeps: its counts, a ring of records, and what decoding uses again and again.
//!
//! Contract of the unsafe code here: the state is made once for each thread and never freed; only its thread has the
//! pointer, and lends it out for one hook at a time. Hooks do not run inside of hooks.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use argvalues::{ArgumentRange, RecordNames, Scratch};

/// How many records a ring has.
const RING: usize = 1 << 12;

/// As in `c/profiler.c`.
#[derive(Clone, Copy)]
struct Entry {
    _function: usize,
    _time: u64,
    _values: [u64; 2],
}

#[derive(Default)]
struct Counts {
    enters: AtomicU64,
    leaves: AtomicU64,
}

pub(crate) struct Thread {
    counts: &'static Counts,
    next: usize,
    ring: Box<[Entry; RING]>,
    pub(crate) scratch: Scratch,
    pub(crate) names: RecordNames,
    pub(crate) ranges: Vec<ArgumentRange>,
    pub(crate) bytes: Vec<u8>,
}

static COUNTS: Mutex<Vec<&'static Counts>> = Mutex::new(Vec::new());

thread_local! {
    static CURRENT: Cell<*mut Thread> = const { Cell::new(ptr::null_mut()) };
}

impl Thread {
    /// Lends out the state of the running thread.
    #[inline(always)]
    pub(crate) fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let mut thread = CURRENT.get();
        if thread.is_null() {
            thread = Self::start();
        }
        // SAFETY: it is this thread's, and lent out for one hook at a time.
        work(unsafe { &mut *thread })
    }

    #[cold]
    fn start() -> *mut Self {
        let counts: &'static Counts = Box::leak(Box::default());
        COUNTS.lock().unwrap_or_else(PoisonError::into_inner).push(counts);
        let thread = Box::into_raw(Box::new(Self {
            counts,
            next: 0,
            ring: Box::new([Entry { _function: 0, _time: 0, _values: [0; 2] }; RING]),
            scratch: Scratch::new(),
            names: RecordNames::new(),
            ranges: Vec::new(),
            bytes: Vec::new(),
        }));
        CURRENT.set(thread);
        thread
    }

    #[inline]
    pub(crate) fn count_enter(&self) {
        let enters = &self.counts.enters;
        enters.store(enters.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn count_leave(&self) {
        let leaves = &self.counts.leaves;
        leaves.store(leaves.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Writes to the ring.
    #[inline]
    pub(crate) fn note(&mut self, function: usize, time: u64, values: [u64; 2]) {
        self.ring[self.next % RING] = Entry { _function: function, _time: time, _values: values };
        self.next = self.next.wrapping_add(1);
    }
}

/// The processor's clock.
#[inline]
pub(crate) fn time() -> u64 {
    // SAFETY: every x86-64 has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// What was counted on all threads.
pub(crate) fn seen() -> (u64, u64) {
    let counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    let sum =
        |of: fn(&Counts) -> &AtomicU64| counts.iter().map(|counts| of(counts).load(Ordering::Relaxed)).sum();
    (sum(|counts| &counts.enters), sum(|counts| &counts.leaves))
}
