//! The longest waits, by kind and by the method that waits.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The number of kinds and methods that are kept apart.
const KEPT: usize = 10_000;

/// The longest wait of each kind in each of the program's methods.
#[derive(Debug, Default)]
pub(crate) struct Longest(Mutex<Longests>);

/// The longest waits by kind and method; no method for waits in which there is none of the program's own.
pub(crate) type Longests = HashMap<(&'static str, Option<String>), Duration>;

impl Longest {
    pub(crate) fn add(&self, kind: &'static str, site: Option<&str>, waited: Duration) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (kind, site.map(str::to_owned));
        if let Some(longest) = all.get_mut(&key) {
            *longest = (*longest).max(waited);
        } else if all.len() < KEPT {
            all.insert(key, waited);
        }
    }

    /// Returns the longest waits so far, and begins again if `is_interval`.
    pub(crate) fn take(&self, is_interval: bool) -> Longests {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_interval { core::mem::take(&mut *all) } else { all.clone() }
    }
}
