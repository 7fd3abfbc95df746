//! The fake runtime, seen by profilers that log callbacks and query it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "of what the tests themselves have set up; one panics on purpose"
)]

mod caches;
mod calls;
mod composed;
mod ending;
mod exceptions;
mod heap;
mod hosted;
mod loading;
mod masks;
mod metadata;
mod misuse;
mod recompiling;
mod sites;

use std::sync::{Mutex, PoisonError};

/// Lines that a profiler writes.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn line(&self, line: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
    }

    /// What was written since the last time.
    fn take(&self) -> Vec<String> {
        core::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
