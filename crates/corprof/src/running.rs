//! A profiler that runs, and what its callbacks and hooks share.

use crate::guard::Switch;
use crate::runtime::ProfilerInfo;

/// A profiler that has been initialised, and what its callbacks and hooks share. Callbacks know it as `Running<dyn Profiler>`.
pub(crate) struct Running<P: ?Sized> {
    /// The runtime, with the event mask of this profiler.
    pub(crate) info: ProfilerInfo,
    /// Whether it is called.
    pub(crate) switch: Switch,
    /// The name of its type.
    pub(crate) name: &'static str,
    /// The profiler.
    pub(crate) profiler: P,
}

impl<P: ?Sized> Running<P> {
    /// Runs `work` for the runtime, if the profiler is on; `None` when it panicked.
    #[inline]
    pub(crate) fn deliver<T>(&self, callback: &'static str, work: impl FnOnce(&P) -> T) -> Option<T> {
        self.switch.guard(callback, || work(&self.profiler))
    }
}
