//! The names of the parts of a profiler, and the part that changes IL.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::error::{Error, Result};

/// The names of the parts, and the part that changes IL.
pub(super) struct PartNames {
    names: RwLock<Vec<&'static str>>,
    /// The index of the part that changes IL; [`NONE`] without one.
    il: AtomicUsize,
}

const NONE: usize = usize::MAX;

/// The name of a part that has none.
const UNKNOWN: &str = "another part";

impl Default for PartNames {
    fn default() -> Self {
        Self { names: RwLock::default(), il: AtomicUsize::new(NONE) }
    }
}

impl PartNames {
    /// Notes the name of a part.
    pub(super) fn set(&self, index: usize, name: &'static str) {
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        if names.len() <= index {
            names.resize(index + 1, UNKNOWN);
        }
        if let Some(place) = names.get_mut(index) {
            *place = name;
        }
    }

    fn name(&self, index: usize) -> &'static str {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        names.get(index).copied().unwrap_or(UNKNOWN)
    }

    /// Makes a part the owner of IL, unless another part is.
    pub(super) fn own_il(&self, part: usize) -> Result<()> {
        match self.il.compare_exchange(NONE, part, Ordering::Relaxed, Ordering::Relaxed) {
            Err(owner) if owner != part => {
                Err(Error::Conflict { what: "changes IL", parts: [self.name(owner), self.name(part)] })
            }
            _ => Ok(()),
        }
    }

    /// The part changes no IL any more.
    pub(super) fn leave_il(&self, part: usize) {
        let _ = self.il.compare_exchange(part, NONE, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn il_has_one_owner() {
        let parts = PartNames::default();
        parts.set(1, "b::B");
        parts.set(2, "c::C");
        assert!(parts.own_il(1).is_ok() && parts.own_il(1).is_ok());
        let error = parts.own_il(2).unwrap_err().to_string();
        assert!(error.contains("b::B") && error.contains("c::C"), "{error}");
        parts.leave_il(1);
        assert!(parts.own_il(2).is_ok());
    }
}
