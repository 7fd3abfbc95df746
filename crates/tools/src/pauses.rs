//! Suspensions of the runtime, and garbage collections with the pauses that they cause.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use corprof::values::{GcReason, Generations, SuspendReason};
use corprof::{EventMask, ProfilerInfo};

use crate::limits::COLLECTIONS;

/// A time during which no managed thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The reason of the suspension.
    pub reason: SuspendReason,
    /// When the runtime began to suspend threads, since the pairing was created.
    pub begin: Duration,
    /// The time until all threads were suspended.
    pub suspending: Duration,
    /// The time until all threads were resumed, with `suspending`.
    pub total: Duration,
}

/// The bytes of each generation: 0 to 2, the large and the pinned object heap.
pub type HeapSizes = [u64; 5];

/// A garbage collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// The number of the collection, from 1.
    pub number: u64,
    /// The oldest collected generation.
    pub generation: u8,
    /// Whether the program or a profiler has induced it.
    pub is_induced: bool,
    /// When it began, since the pairing was created.
    pub begin: Duration,
    /// When it ended.
    pub end: Duration,
    /// The time in pauses while it ran: with the time to suspend and to resume. A background collection runs between its
    /// pauses as well.
    pub paused: Duration,
    /// The time to suspend in these pauses.
    pub suspending: Duration,
    /// The sizes before and after.
    pub sizes: (HeapSizes, HeapSizes),
}

/// What is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// The pause that has ended.
    pub pause: Option<Pause>,
    /// The collections whose last pause this was.
    pub collections: Vec<Collection>,
}

#[derive(Debug, Default)]
struct State {
    collections: u64,
    /// The suspension in progress: reason, begin, and end of the suspending.
    suspension: Option<(SuspendReason, Duration, Option<Duration>)>,
    /// Collections that have begun and not ended; the innermost last. The others are background collections.
    open: Vec<Collection>,
    /// Collections that have ended, but not their last pause.
    ended: Vec<Collection>,
    /// The calls that did not fit the others.
    unpaired: u64,
}

/// Pairs the callbacks of suspensions and collections.
///
/// Call its methods in the callbacks with these names.
#[derive(Debug)]
pub struct Pauses {
    info: ProfilerInfo,
    created: Instant,
    state: Mutex<State>,
}

impl Pauses {
    /// The flags that the event mask must have.
    pub const EVENTS: EventMask = EventMask::SUSPENDS.union(EventMask::BASIC_GC);

    /// Creates a pairing.
    #[must_use]
    pub fn new(info: &ProfilerInfo) -> Self {
        Self { info: info.clone(), created: Instant::now(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of callbacks that did not fit the others: the tool was attached in the middle of a pause.
    #[must_use]
    pub fn unpaired(&self) -> u64 {
        self.state().unpaired
    }

    /// A suspension begins.
    pub fn runtime_suspend_started(&self, reason: SuspendReason) {
        let now = self.created.elapsed();
        let mut state = self.state();
        let before = state.suspension.replace((reason, now, None));
        state.unpaired += u64::from(before.is_some());
    }

    /// All threads are suspended.
    pub fn runtime_suspend_finished(&self) {
        let now = self.created.elapsed();
        let mut state = self.state();
        match &mut state.suspension {
            Some((_, _, suspended)) => *suspended = Some(now),
            None => state.unpaired += 1,
        }
    }

    /// A suspension was given up, and is no pause.
    pub fn runtime_suspend_aborted(&self) {
        self.state().suspension = None;
    }

    /// All threads are resumed.
    pub fn runtime_resume_finished(&self) -> Ended {
        let now = self.created.elapsed();
        let mut state = self.state();
        let Some((reason, begin, suspended)) = state.suspension.take() else {
            state.unpaired += 1;
            return Ended::default();
        };
        let suspending = suspended.unwrap_or(now).saturating_sub(begin);
        let pause = Pause { reason, begin, suspending, total: now.saturating_sub(begin) };
        // A pause belongs to the collections that run in it.
        let State { open, ended, .. } = &mut *state;
        let innermost = open.last_mut().filter(|_| ended.is_empty());
        for collection in ended.iter_mut().chain(innermost) {
            collection.paused += pause.total;
            collection.suspending += pause.suspending;
        }
        Ended { pause: Some(pause), collections: core::mem::take(ended) }
    }

    /// A collection begins.
    pub fn garbage_collection_started(&self, generations: Generations<'_>, reason: GcReason) {
        let begin = self.created.elapsed();
        let sizes = self.sizes();
        let generation = (0..=2_u8).rev().find(|generation| generations.contains((*generation).into()));
        let mut state = self.state();
        state.collections += 1;
        let collection = Collection {
            number: state.collections,
            generation: generation.unwrap_or(0),
            is_induced: reason == GcReason::INDUCED,
            begin,
            end: begin,
            paused: Duration::ZERO,
            suspending: Duration::ZERO,
            sizes: (sizes, sizes),
        };
        if state.open.len() < COLLECTIONS {
            state.open.push(collection);
        } else {
            state.unpaired += 1;
        }
    }

    /// A collection has ended. Returns it if it has ended outside of a pause, as a background collection does.
    pub fn garbage_collection_finished(&self) -> Ended {
        let end = self.created.elapsed();
        let sizes = self.sizes();
        let mut state = self.state();
        let Some(mut collection) = state.open.pop() else {
            state.unpaired += 1;
            return Ended::default();
        };
        collection.end = end;
        collection.sizes.1 = sizes;
        if state.suspension.is_none() {
            return Ended { pause: None, collections: vec![collection] };
        }
        state.ended.push(collection);
        Ended::default()
    }

    /// Returns the sizes of the generations; zeros if the runtime refuses the query.
    fn sizes(&self) -> HeapSizes {
        let mut sizes = HeapSizes::default();
        for range in self.info.generation_bounds().unwrap_or_default() {
            if let Some(size) =
                usize::try_from(range.generation.0).ok().and_then(|index| sizes.get_mut(index))
            {
                *size += range.length as u64;
            }
        }
        sizes
    }
}
