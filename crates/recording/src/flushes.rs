//! Requests to write everything, for who cannot wait for the interval.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Requests to write everything, by number.
#[derive(Default)]
pub(crate) struct Flushes {
    requested: AtomicU64,
    /// The last that was fulfilled.
    done: Mutex<u64>,
    is_done: Condvar,
}

impl Flushes {
    /// Makes a request, and returns its number.
    pub(crate) fn request(&self) -> u64 {
        self.requested.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Returns the last request: what was emitted before it is seen after this call.
    pub(crate) fn requested(&self) -> u64 {
        self.requested.load(Ordering::Acquire)
    }

    /// Everything is written that was emitted before a request.
    pub(crate) fn fulfil(&self, request: u64) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if *done < request {
            *done = request;
            self.is_done.notify_all();
        }
    }

    /// Waits until a request is fulfilled. Returns `false` if it is not in time.
    pub(crate) fn wait(&self, request: u64, patience: Duration) -> bool {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.is_done.wait_timeout_while(done, patience, |done| *done < request);
        *waited.unwrap_or_else(PoisonError::into_inner).0 >= request
    }
}
