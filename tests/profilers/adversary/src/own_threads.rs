//! Threads of the profiler's own: those that make calls, and one that looks at them all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use corprof::values::Generations;
use corprof::{EventMask, Forget, ProfilerInfo, Unload, WatchCollections};

use crate::place::{Given, Place};
use crate::shared::Shared;

/// How long calls are made: shorter than the program runs.
const DURATION: Duration = Duration::from_millis(1500);
/// How long a call may take.
const PATIENCE: Duration = Duration::from_secs(15);
/// The time between the calls of a thread.
const PAUSE: Duration = Duration::from_millis(2);
/// How often collections begin to be watched while masks are set.
const MASKS: u64 = 300;

/// Starts the threads.
pub(crate) fn start(shared: &Arc<Shared>) {
    for (place, count) in [(Place::OwnThread, 1), (Place::OwnThreadInitialized, 2)] {
        for _ in 0..count {
            shared.unfinished.fetch_add(1, Ordering::SeqCst);
            let shared = Arc::clone(shared);
            thread::spawn(move || {
                make_calls(&shared, place);
                shared.unfinished.fetch_sub(1, Ordering::SeqCst);
            });
        }
    }
    let shared = Arc::clone(shared);
    thread::spawn(move || look(&shared));
}

fn make_calls(shared: &Arc<Shared>, place: Place) {
    if place == Place::OwnThreadInitialized {
        // A failure is one of the calls that fail.
        let _ = shared.info.initialize_current_thread();
    } else {
        set_masks(shared);
    }
    let begin = Instant::now();
    while begin.elapsed() < DURATION {
        shared.attack(place, Given::default());
        thread::sleep(PAUSE);
    }
    // Whatever the calls have set.
    if let Err(error) = shared.info.set_event_mask(shared.mask) {
        let found = shared.info.event_mask();
        shared.note_wrong(format!("{:?} cannot be set: {error}; it is {found:?}", shared.mask));
    }
}

/// Ends the process, with what is in progress, when a call takes too long.
fn look(shared: &Shared) {
    loop {
        thread::sleep(Duration::from_millis(250));
        if let Some(thread) = shared.journal.longer_than(PATIENCE) {
            eprintln!("adversary: a call of thread {thread} takes more than {PATIENCE:?}");
            std::process::abort();
        }
    }
}

/// Sets masks, while another thread begins to watch collections: each mask stays as it was set.
fn set_masks(shared: &Shared) {
    let info = &shared.info;
    thread::scope(|scope| {
        let watching = scope.spawn(|| {
            for _ in 0..MASKS {
                let watcher = Arc::new(Watcher::default());
                // It begins to be notified, and is dropped.
                let _ = info.watch_collections(&watcher);
            }
        });
        let masks = [shared.mask, shared.mask - EventMask::CLASS_LOADS];
        for mask in masks.iter().cycle() {
            let set = info.set_event_mask(*mask);
            for _ in 0..4 {
                match (&set, info.event_mask()) {
                    (Ok(()), Ok(found)) if found != *mask => {
                        shared.note_wrong(format!("after {:?} was set, {:?} differs", mask, found ^ *mask));
                    }
                    _ => {}
                }
            }
            if watching.is_finished() {
                break;
            }
        }
    });
    shared.is_mask_free.store(true, Ordering::SeqCst);
}

/// Is notified of collections and unloads, and makes calls meanwhile.
#[derive(Default)]
pub(crate) struct Watcher {
    pub(crate) shared: std::sync::Weak<Shared>,
    pub(crate) collections: AtomicU64,
}

impl WatchCollections for Watcher {
    fn started(&self, _: &ProfilerInfo, generations: Generations<'_>) {
        self.collections.fetch_add(1, Ordering::SeqCst);
        if let Some(shared) = self.shared.upgrade() {
            let given = Given { generations: Some(generations), ..Given::default() };
            shared.attack(Place::CollectionStarted, given);
        }
    }

    fn finished(&self, _: &ProfilerInfo) {
        if let Some(shared) = self.shared.upgrade() {
            shared.attack(Place::CollectionFinished, Given::default());
        }
    }
}

impl Forget for Watcher {
    fn forget(&self, unload: &Unload) {
        if let Some(shared) = self.shared.upgrade() {
            shared.attack(Place::Forget, Given { unload: Some(unload), ..Given::default() });
        }
    }
}
