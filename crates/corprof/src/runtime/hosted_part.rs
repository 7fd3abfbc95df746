//! What the [`ProfilerInfo`](super::ProfilerInfo) of an added part knows of its removal.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicBool, Ordering};

/// A part that a profiler has added while it runs, as its `ProfilerInfo` knows it.
pub(super) struct HostedPart {
    leave: Box<dyn Fn() + Send + Sync>,
    has_left: AtomicBool,
}

impl HostedPart {
    /// `leave` requests its removal.
    pub(super) fn new(leave: impl Fn() + Send + Sync + 'static) -> Self {
        Self { leave: Box::new(leave), has_left: AtomicBool::new(false) }
    }

    /// Returns whether it is being removed: it changes nothing any more that others share, whoever has its number then.
    pub(super) fn has_left(&self) -> bool {
        self.has_left.load(Ordering::SeqCst)
    }

    /// It is being removed.
    pub(super) fn note_left(&self) {
        self.has_left.store(true, Ordering::SeqCst);
    }

    /// Requests its removal.
    pub(super) fn request_removal(&self) {
        (self.leave)();
    }
}
