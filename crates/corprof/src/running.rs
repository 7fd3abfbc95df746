//! A profiler that runs: what its callbacks and hooks share.

use crate::guard::Switch;
use crate::runtime::ProfilerInfo;

/// A profiler that has been initialised, and what its callbacks and hooks share.
pub(crate) struct Running<P> {
    /// The profiler.
    pub(crate) profiler: P,
    /// The runtime.
    pub(crate) info: ProfilerInfo,
    /// Whether it is called.
    pub(crate) switch: Switch,
}

impl<P> Running<P> {
    /// From now on the profiler is not called by the runtime, and the runtime not through any [`ProfilerInfo`].
    pub(crate) fn stop(&self) {
        self.switch.end();
        self.info.end();
    }

    /// Runs `work` for the runtime, if the profiler is on; `None` when it panicked.
    #[inline]
    pub(crate) fn deliver<T>(&self, callback: &'static str, work: impl FnOnce(&P) -> T) -> Option<T> {
        self.switch.guard(callback, || work(&self.profiler))
    }
}
