//! The object that the runtime calls: one per load of the profiler.

use std::sync::{Arc, OnceLock};

use crate::guard::Switch;
use crate::profiler::Profiler;
use crate::running::Running;
use crate::runtime::ProfilerInfo;

/// The value of the COM object.
pub(crate) struct CallbackObject<P> {
    /// Empty until `Initialize` has succeeded.
    running: OnceLock<Arc<Running<P>>>,
}

impl<P: Profiler> CallbackObject<P> {
    /// The value of an object that has not been initialised.
    pub(crate) const fn new() -> Self {
        Self { running: OnceLock::new() }
    }

    /// The profiler, once it has been initialised.
    pub(crate) fn running(&self) -> Option<&Arc<Running<P>>> {
        self.running.get()
    }

    /// Stores the profiler that `Initialize` has made; the one stored before, if it is called twice.
    pub(crate) fn start(&self, profiler: P, info: ProfilerInfo) -> &Arc<Running<P>> {
        self.running.get_or_init(|| Arc::new(Running { profiler, info, switch: Switch::new() }))
    }
}

#[cfg(test)]
#[path = "object_tests.rs"]
mod tests;
