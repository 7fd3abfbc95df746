//! The event mask has one writer: of two threads that change it at once, none loses what the other has set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use corprof::values::Generations;
use corprof::{EventMask, Profiler, ProfilerInfo, Result, WatchCollections};
use corprof_double::{Runtime, Version};

/// How long masks are set.
const DURATION: Duration = Duration::from_secs(2);
/// How many threads begin to watch meanwhile.
const WATCHING: usize = 3;

struct Masked(ProfilerInfo);

impl Profiler for Masked {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        Ok(Self(info.clone()))
    }
}

struct Watcher;

impl WatchCollections for Watcher {
    fn started(&self, _: &ProfilerInfo, _: Generations<'_>) {}
    fn finished(&self, _: &ProfilerInfo) {}
}

#[test]
fn a_mask_that_is_set_while_collections_begin_to_be_watched_stays_set() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Masked>().unwrap();
    let (info, watcher, is_over) = (&session.profiler().0, Arc::new(Watcher), AtomicBool::new(false));
    let lost = std::thread::scope(|threads| {
        for _ in 0..WATCHING {
            threads.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    info.watch_collections(&watcher).unwrap();
                }
            });
        }
        let masks = [EventMask::EXCEPTIONS, EventMask::CLASS_LOADS].into_iter().cycle();
        let is_lost = |mask: EventMask| {
            info.set_event_mask(mask).unwrap();
            (0..4).any(|_| !runtime.event_mask().contains(mask))
        };
        let begin = Instant::now();
        let lost = masks.take_while(|_| begin.elapsed() < DURATION).filter(|mask| is_lost(*mask)).count();
        is_over.store(true, Ordering::SeqCst);
        lost
    });
    assert_eq!(lost, 0, "masks have lost flags");
    assert!(runtime.event_mask().contains(EventMask::BASIC_GC));
    session.shutdown();
}
