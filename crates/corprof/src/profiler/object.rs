//! The object that the runtime calls: one per load of the profiler.

use std::sync::OnceLock;

use super::parts::{Part, Parts};
use crate::event_mask::Callback;

/// The value of the COM object.
pub(crate) struct CallbackObject {
    /// The parts of which `Initialize` makes the profiler.
    pub(super) made_of: &'static [Part],
    /// Empty until `Initialize` has succeeded.
    parts: OnceLock<Parts>,
}

impl CallbackObject {
    /// The value of an object that has not been initialised.
    pub(crate) const fn new(made_of: &'static [Part]) -> Self {
        Self { made_of, parts: OnceLock::new() }
    }

    /// The profiler, once it has been initialised.
    #[inline]
    pub(crate) fn parts(&self) -> Option<&Parts> {
        self.parts.get()
    }

    /// Stores the profiler that `Initialize` has made; the one stored before, if it is called twice.
    pub(crate) fn start(&self, parts: Parts) -> &Parts {
        self.parts.get_or_init(|| parts)
    }

    /// Returns whether nobody takes a callback, in which case nothing else is done for it.
    #[inline]
    pub(crate) fn ignores(&self, callback: Callback) -> bool {
        self.parts.get().is_none_or(|parts| parts.info.takers(callback).is_empty())
    }
}

#[cfg(test)]
#[path = "object_tests.rs"]
mod tests;
