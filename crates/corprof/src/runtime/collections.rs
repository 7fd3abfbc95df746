//! Objects that are notified of garbage collections, whatever the profiler does.
#![forbid(unsafe_code)]

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::error::Result;
use crate::event_mask::EventMask;
use crate::runtime::ProfilerInfo;
use crate::values::Generations;

/// Knowledge about the heap that becomes stale with a garbage collection; see [`ProfilerInfo::watch_collections`].
pub trait WatchCollections: Send + Sync {
    /// A collection of these generations begins, before it has moved or released anything.
    ///
    /// `ICorProfilerCallback2::GarbageCollectionStarted`. No thread is in a hook.
    fn started(&self, info: &ProfilerInfo, generations: Generations<'_>);

    /// A collection has ended.
    ///
    /// `ICorProfilerCallback2::GarbageCollectionFinished`. Threads are in hooks only if it is the end of a background
    /// collection. A background collection has one beginning and may have two ends: the first one is that of a collection of
    /// the young generations that precedes it.
    fn finished(&self, info: &ProfilerInfo);
}

/// The objects that are notified.
#[derive(Default)]
pub(super) struct Watchers(Mutex<Vec<Weak<dyn WatchCollections>>>);

impl Watchers {
    fn add(&self, who: Weak<dyn WatchCollections>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.strong_count() > 0);
        all.push(who);
    }

    /// Returns whether there are any.
    pub(super) fn are_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|known| known.strong_count() > 0)
    }

    /// Calls `work` with each object. The lock is not held meanwhile.
    fn each(&self, work: impl Fn(&dyn WatchCollections)) {
        let watchers: Vec<_> = {
            let watchers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            watchers.iter().filter_map(Weak::upgrade).collect()
        };
        watchers.iter().for_each(|watcher| work(&**watcher));
    }
}

impl ProfilerInfo {
    /// Notifies `who` of every garbage collection, for as long as it lives.
    ///
    /// The crate adds [`BASIC_GC`](crate::EventMask::BASIC_GC) to this event mask and to every later one. So `who` is notified
    /// whichever flags the profiler sets, and also if the profiler panics in these callbacks.
    ///
    /// # Errors
    /// Those of [`set_event_mask`](Self::set_event_mask).
    pub fn watch_collections<W: WatchCollections + 'static>(&self, who: &Arc<W>) -> Result<()> {
        self.keep_in_event_mask(EventMask::BASIC_GC)?;
        let who: Weak<W> = Arc::downgrade(who);
        self.shared.watchers.add(who);
        Ok(())
    }

    pub(crate) fn collection_started(&self, generations: Generations<'_>) {
        self.shared.watchers.each(|watcher| watcher.started(self, generations));
    }

    pub(crate) fn collection_finished(&self) {
        self.shared.watchers.each(|watcher| watcher.finished(self));
    }
}
