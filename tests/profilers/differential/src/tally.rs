//! The findings, as counts.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use corprof::Error;
use serde_json::{Value, json};

/// The number of differences that are kept as text, and of methods with an unknown location.
const SHOWN: usize = 60;

/// The counts of comparisons.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) calls: AtomicU64,
    /// Compared calls.
    pub(crate) compared: AtomicU64,
    pub(crate) leaves: AtomicU64,
    pub(crate) tailcalls: AtomicU64,
    /// Arguments whose length and bytes, or address, are the same.
    pub(crate) arguments: AtomicU64,
    /// Those of them that could also be read as a word, with an equal result.
    pub(crate) words: AtomicU64,
    /// Return values, `void` not counted.
    pub(crate) returns: AtomicU64,
    /// Type arguments of code that is not shared.
    pub(crate) contexts: AtomicU64,
    /// Type arguments of code that is.
    pub(crate) shared_contexts: AtomicU64,
    /// Return values that the runtime mislocates, except for their length (and their first 8 bytes, if those are in `rax`).
    pub(crate) mislocated: AtomicU64,
    /// Arguments that differ, as bytes or as a word.
    pub(crate) different_arguments: AtomicU64,
    pub(crate) different_returns: AtomicU64,
    pub(crate) different_contexts: AtomicU64,
    /// Values and type arguments without a location in fast-path hooks.
    pub(crate) not_located: AtomicU64,
    failures: Mutex<BTreeMap<String, u64>>,
    methods: Mutex<BTreeMap<String, u64>>,
    differences: Mutex<Vec<String>>,
}

impl Tally {
    pub(crate) fn add(count: &AtomicU64, more: u64) {
        count.fetch_add(more, Ordering::Relaxed);
    }

    /// Counts a difference.
    pub(crate) fn differs(&self, count: &AtomicU64, text: impl FnOnce() -> String) {
        Self::add(count, 1);
        let mut differences = self.differences.lock().unwrap_or_else(PoisonError::into_inner);
        if differences.len() < SHOWN {
            differences.push(text());
        }
    }

    /// Counts a missing location of this method.
    pub(crate) fn lacks(&self, method: &str, what: &str) {
        Self::add(&self.not_located, 1);
        note(&self.methods, format!("{what}: {method}"));
    }

    /// Counts a call that could not be compared.
    pub(crate) fn failed(&self, error: &Error) {
        note(&self.failures, error.to_string());
    }

    pub(crate) fn to_json(&self) -> Value {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        json!({
            "calls": count(&self.calls),
            "compared": count(&self.compared),
            "leaves": count(&self.leaves),
            "tailcalls": count(&self.tailcalls),
            "arguments": count(&self.arguments),
            "words": count(&self.words),
            "returns": count(&self.returns),
            "contexts": count(&self.contexts),
            "shared_contexts": count(&self.shared_contexts),
            "mislocated": count(&self.mislocated),
            "different_arguments": count(&self.different_arguments),
            "different_returns": count(&self.different_returns),
            "different_contexts": count(&self.different_contexts),
            "differences": *self.differences.lock().unwrap_or_else(PoisonError::into_inner),
            "not_located": count(&self.not_located),
            "not_located_in": *self.methods.lock().unwrap_or_else(PoisonError::into_inner),
            "failures": *self.failures.lock().unwrap_or_else(PoisonError::into_inner),
        })
    }
}

fn note(counts: &Mutex<BTreeMap<String, u64>>, what: String) {
    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    let known = counts.len();
    match counts.get_mut(&what) {
        Some(count) => *count += 1,
        None if known < SHOWN => {
            counts.insert(what, 1);
        }
        None => *counts.entry("others".to_owned()).or_default() += 1,
    }
}
