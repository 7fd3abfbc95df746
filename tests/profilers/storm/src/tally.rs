//! The results, as counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

/// The number of errors that are kept as text.
const SHOWN: usize = 50;

/// The counts of events.
#[derive(Default)]
pub(crate) struct Tally {
    /// Calls of any method.
    pub(crate) entered: AtomicU64,
    /// Calls with a description, which were compared.
    pub(crate) compared: AtomicU64,
    /// Ids that belonged to another entity when they were seen recently: without eviction, each is a stale name.
    pub(crate) renamed: AtomicU64,
    /// Queries of the profiler's own threads that returned a result,
    pub(crate) answered: AtomicU64,
    /// were refused,
    pub(crate) refused: AtomicU64,
    /// or failed otherwise.
    pub(crate) failed: AtomicU64,
    wrong: AtomicU64,
    /// The first errors.
    mistakes: Mutex<Vec<String>>,
}

impl Tally {
    pub(crate) fn add(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an error.
    pub(crate) fn wrong(&self, what: String) {
        Self::add(&self.wrong);
        self.note(what);
    }

    /// Keeps a text.
    pub(crate) fn note(&self, what: String) {
        let mut mistakes = self.mistakes.lock().unwrap_or_else(PoisonError::into_inner);
        if mistakes.len() < SHOWN {
            mistakes.push(what);
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        json!({
            "entered": count(&self.entered),
            "compared": count(&self.compared),
            "renamed": count(&self.renamed),
            "answered": count(&self.answered),
            "refused": count(&self.refused),
            "failed": count(&self.failed),
            "wrong": count(&self.wrong),
            "mistakes": *self.mistakes.lock().unwrap_or_else(PoisonError::into_inner),
        })
    }
}
