//! What was found, in numbers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

/// How many mistakes are kept with their text.
const SHOWN: usize = 50;

/// How often what happened.
#[derive(Default)]
pub(crate) struct Tally {
    /// Calls of any method.
    pub(crate) entered: AtomicU64,
    /// Calls that said what they are, and were compared.
    pub(crate) compared: AtomicU64,
    /// Ids that had been another thing's when they were seen lately: without forgetting, each is a stale name.
    pub(crate) renamed: AtomicU64,
    /// Ids that the profiler's own threads asked for, and what they got: an answer,
    pub(crate) answered: AtomicU64,
    /// a refusal,
    pub(crate) refused: AtomicU64,
    /// another error.
    pub(crate) failed: AtomicU64,
    wrong: AtomicU64,
    /// The first mistakes.
    mistakes: Mutex<Vec<String>>,
}

impl Tally {
    pub(crate) fn add(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Something is not as it should be.
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
