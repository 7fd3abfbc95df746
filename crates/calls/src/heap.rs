//! The ranges of the managed heap, from one collection to the next.
//!
//! Contract of the unsafe code here: a range that is published meets the contract of [`HeapRanges`]: its bytes in use stay
//! readable, and with `stays` every byte that was readable, until the next call of [`HeapRanges::begin`] or, for a thread
//! in a hook, until the hook ends. `SAFETY.md` argues for it, under "Memory that is read in place"; the rules in short:
//!
//! - Memory is released by collections while no thread is in a hook, and besides by
//!   1. a background collection, from generation 2 and the large and pinned object heaps: these are not published while
//!      one may be running;
//!   2. a timer of the server collector, from free regions and behind the allocated memory of generations 0 and 1: there
//!      only memory that was in use when the last collection ended is published.
//! - `GarbageCollectionStarted` comes before anything is released, and `GarbageCollectionFinished` after it.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use argvalues::{Checked, HeapRange, HeapRanges};
use corprof::values::Generations;
use corprof::{GcGeneration, GenerationRange, ModuleInfo, NonGcHeapRange, ProfilerInfo, WatchCollections};

use crate::images::image_of;
use crate::os_thread;

/// The size of a page, or a part of it.
const PAGE: usize = 4096;

/// The managed heap of a traced program, and the images of its modules.
#[derive(Default)]
pub(crate) struct Heap {
    ranges: Arc<HeapRanges>,
    collector: Mutex<Collector>,
    kept: Mutex<Kept>,
}

/// The ranges that belong to every epoch, as they were published last.
#[derive(Default)]
struct Kept {
    /// The images by their base addresses; `None` for one that is not read in place.
    images: BTreeMap<usize, Option<HeapRange>>,
    frozen: Vec<HeapRange>,
}

impl Kept {
    /// Adds what was read since. Returns whether the pages of the ranges are others than before.
    fn update(
        &mut self,
        base: Option<usize>,
        image: impl FnOnce() -> Option<HeapRange>,
        frozen: &[NonGcHeapRange],
    ) -> bool {
        let mut is_new = false;
        if let Some(Entry::Vacant(entry)) = base.map(|base| self.images.entry(base)) {
            is_new = entry.insert(image()).is_some();
        }
        let frozen = frozen.iter().map(|range| HeapRange {
            start: range.start,
            used: range.length,
            reserved: range.reserved,
            stays: true,
        });
        if !frozen.clone().map(bounds_of).eq(self.frozen.iter().copied().map(bounds_of)) {
            self.frozen.clear();
            self.frozen.extend(frozen);
            is_new = true;
        }
        is_new
    }

    fn ranges(&self) -> Vec<HeapRange> {
        let images = self.images.values().flatten();
        images.chain(&self.frozen).copied().collect()
    }
}

/// Where a range of frozen objects begins, the pages in use, and where it ends. An object is added to a range at nearly each method
/// with literals that is compiled; what lies behind the pages in use is looked up once, as it stays.
fn bounds_of(range: HeapRange) -> (usize, usize, usize) {
    (range.start, range.used / PAGE, range.reserved)
}

/// The state of the collector, as far as callbacks report it.
#[derive(Default)]
struct Collector {
    /// The operating system's id of the thread that has begun the last collection, if there was one.
    starter: Option<u64>,
    /// Whether a collection has begun whose end was not reported yet.
    is_starting: bool,
    /// Whether a collection has begun on a thread that is not managed, as those of the server collector are.
    is_server: bool,
    /// Whether a background collection may be running.
    in_background: bool,
}

/// The heap as the runtime describes it.
type Bounds = Vec<(GcGeneration, HeapRange)>;

impl Collector {
    /// A collection begins on the running thread.
    fn started(&mut self, thread: u64, is_managed: bool, is_full: bool) {
        self.starter = Some(thread);
        self.is_starting = true;
        self.is_server |= !is_managed;
        // A full collection may go on in the background. Before it does, it may collect the young generations, and the end
        // of that is reported as the end of a collection.
        self.in_background |= is_full;
    }

    /// A collection ends on the running thread.
    fn finished(&mut self, thread: u64) {
        self.is_starting = false;
        // The workstation collector ends collections on the threads that have begun them, except background collections,
        // which have a thread of their own.
        if !self.is_server && self.starter != Some(thread) {
            self.in_background = false;
        }
    }

    /// The ranges that may be published now.
    fn published(&self, bounds: &[(GcGeneration, HeapRange)]) -> Vec<HeapRange> {
        let oldest = match (self.is_starting, self.in_background) {
            // What is called young here may have become old by the time that a background collection runs.
            (true, _) => None,
            (false, true) => Some(1),
            (false, false) => Some(u32::MAX),
        };
        // The server's timer runs after the first collection only.
        let stays = !self.is_server;
        let young =
            bounds.iter().filter(|(generation, _)| oldest.is_some_and(|oldest| generation.0 <= oldest));
        young.map(|(_, range)| HeapRange { stays, ..*range }).collect()
    }

    /// Whether ranges that the heap has got since the last collection are of use.
    const fn is_extensible(&self) -> bool {
        !self.is_server && !self.is_starting
    }
}

impl Heap {
    pub(crate) fn ranges(&self) -> &Arc<HeapRanges> {
        &self.ranges
    }

    /// Adds the ranges that the heap has got since the last collection. Returns whether there are any. To be called in a
    /// hook, so that no collection begins meanwhile.
    pub(crate) fn extend(&self, info: &ProfilerInfo) -> bool {
        if !self.collector().is_extensible() {
            return false;
        }
        let epoch = self.ranges.epoch();
        let bounds = bounds(info);
        let ranges = self.collector().published(&bounds);
        // SAFETY: see the contract above. The runtime has written these bounds at the end of the last collection, and has
        // added ranges since. If a background collection has ended meanwhile, the epoch is another and nothing happens.
        unsafe { self.ranges.extend(epoch, ranges) }
    }

    /// Reads the ranges that belong to every epoch, before a method of a module is compiled: the module's image, and the frozen
    /// ranges, whose number grows when methods with literals are compiled. Not to be called in a hook: the
    /// runtime takes a lock, whose owner may be waiting for a collection to end.
    pub(crate) fn read_kept(&self, info: &ProfilerInfo, module: Option<&ModuleInfo>, memory: &Checked) {
        let frozen = info.non_gc_heap_bounds().unwrap_or_default();
        let base = module.map(|module| module.base_address);
        let image = || module.and_then(|module| image_of(module, memory));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.update(base, image, &frozen) {
            // SAFETY: the runtime releases no frozen memory, and unloads collectible modules only, whose images are left out.
            unsafe { self.ranges.keep(kept.ranges()) };
        }
    }

    fn collector(&self) -> MutexGuard<'_, Collector> {
        self.collector.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchCollections for Heap {
    fn started(&self, info: &ProfilerInfo, generations: Generations<'_>) {
        let is_managed = matches!(info.current_thread(), Ok(Some(_)));
        let mut collector = self.collector();
        collector.started(os_thread::thread_id(), is_managed, generations.contains(2));
        drop(collector);
        // SAFETY: there is none.
        unsafe { self.ranges.begin(Vec::new()) };
    }

    fn finished(&self, info: &ProfilerInfo) {
        let bounds = bounds(info);
        let mut collector = self.collector();
        collector.finished(os_thread::thread_id());
        let ranges = collector.published(&bounds);
        // SAFETY: the bounds are those after the collection; see the contract above. What a thread in a hook has cached before the
        // end of a background collection lies in generations 0 and 1. Their memory is not released
        // without a collection.
        unsafe { self.ranges.begin(ranges) };
    }
}

/// The bounds of the generations; none if the runtime does not report them.
fn bounds(info: &ProfilerInfo) -> Bounds {
    let bounds = info.generation_bounds().unwrap_or_default();
    let range = |range: &GenerationRange| HeapRange {
        start: range.start,
        used: range.length,
        reserved: range.reserved,
        stays: false,
    };
    bounds.iter().map(|bound| (bound.generation, range(bound))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIGGER: u64 = 7;
    const BACKGROUND: u64 = 8;

    fn bounds() -> Bounds {
        let range =
            |start| HeapRange { start: start * 0x10_0000, used: 0x1000, reserved: 0x10_0000, stays: false };
        (0..5).map(|generation| (GcGeneration(generation), range(generation as usize + 1))).collect()
    }

    /// The published generations, and whether their memory stays.
    fn published(collector: &Collector) -> (usize, bool) {
        let ranges = collector.published(&bounds());
        (ranges.len(), ranges.iter().all(|range| range.stays))
    }

    #[test]
    fn kept_ranges_are_published_again_when_there_is_a_new_image_or_page() {
        let image = |start| Some(HeapRange { start, used: 0, reserved: 0x8000, stays: true });
        let frozen = |length| NonGcHeapRange { start: 0x10_0000, length, reserved: 0x40_0000 };
        let mut kept = Kept::default();
        assert!(kept.update(Some(0x1000), || image(0x1000), &[]));
        assert!(!kept.update(Some(0x1000), || image(0x1000), &[]), "the same module");
        assert!(!kept.update(Some(0), || None, &[]), "a module without an image");
        assert!(!kept.update(None, || None, &[]), "a method without a module");
        assert!(kept.update(None, || None, &[frozen(0x20)]), "the first literal");
        assert!(!kept.update(None, || None, &[frozen(0x40)]), "one on the same page");
        assert!(kept.update(None, || None, &[frozen(0x1040)]), "one on the next page");
        let starts: Vec<_> = kept.ranges().iter().map(|range| (range.start, range.used)).collect();
        assert_eq!(starts, [(0x1000, 0), (0x10_0000, 0x1040)]);
    }

    #[test]
    fn everything_is_published_before_the_first_collection_and_after_young_ones() {
        let mut collector = Collector::default();
        assert_eq!(published(&collector), (5, true));
        collector.started(TRIGGER, true, false);
        assert_eq!(published(&collector).0, 0, "while it runs");
        collector.finished(TRIGGER);
        assert_eq!(published(&collector), (5, true));
    }

    #[test]
    fn old_generations_are_not_published_until_a_background_collection_has_ended() {
        let mut collector = Collector::default();
        collector.started(TRIGGER, true, true);
        assert_eq!(
            published(&collector).0,
            0,
            "a background collection may be running, and what is young is unknown"
        );
        // The young collection that comes first has no beginning of its own.
        collector.finished(TRIGGER);
        assert_eq!(published(&collector), (2, true));
        // A young one meanwhile, triggered by another thread.
        collector.started(TRIGGER + 9, true, false);
        collector.finished(TRIGGER + 9);
        assert_eq!(published(&collector), (2, true));
        collector.finished(BACKGROUND);
        assert_eq!(published(&collector), (5, true));
    }

    #[test]
    fn of_the_server_collector_only_memory_in_use_is_published_and_no_old_one_after_a_full_collection() {
        let mut collector = Collector::default();
        collector.started(TRIGGER, false, false);
        collector.finished(BACKGROUND);
        assert_eq!(published(&collector), (5, false));
        assert!(!collector.is_extensible());
        collector.started(TRIGGER, false, true);
        collector.finished(BACKGROUND);
        assert_eq!(published(&collector), (2, false));
    }
}
