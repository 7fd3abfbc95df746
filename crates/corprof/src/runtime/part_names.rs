//! The names of the parts of a profiler, and the part that changes IL.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use crate::error::{Error, Result};

/// The names of the parts, and the part that changes IL.
pub(super) struct PartNames {
    pub(super) names: OnceLock<Box<[&'static str]>>,
    /// The index of the part that changes IL; [`NONE`] without one.
    il: AtomicUsize,
}

const NONE: usize = usize::MAX;

impl Default for PartNames {
    fn default() -> Self {
        Self { names: OnceLock::new(), il: AtomicUsize::new(NONE) }
    }
}

impl PartNames {
    fn name(&self, index: usize) -> &'static str {
        self.names.get().and_then(|names| names.get(index)).copied().unwrap_or("another part")
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
        parts.names.get_or_init(|| Box::new(["a::A", "b::B", "c::C"]));
        assert!(parts.own_il(1).is_ok() && parts.own_il(1).is_ok());
        let error = parts.own_il(2).unwrap_err().to_string();
        assert!(error.contains("b::B") && error.contains("c::C"), "{error}");
        parts.leave_il(1);
        assert!(parts.own_il(2).is_ok());
    }
}
