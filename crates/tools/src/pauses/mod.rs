//! Suspensions of the runtime, and garbage collections with the pauses that they cause.

mod pairing;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use corprof::values::{self, Generations, SuspendReason};
use corprof::{EventMask, EventPipeEvent, EventPipeProviderConfig, EventPipeSession, ProfilerInfo, Result};
use nettrace::runtime_events::{GcKind, GcReason, PROVIDER, RuntimeEvent, ids, keywords, levels};

use self::pairing::{Begun, Pairing};

/// The .NET version whose runtime has EventPipe for profilers.
const EVENT_PIPE: u16 = 5;

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
#[non_exhaustive]
pub struct Collection {
    /// The runtime's number of the collection, from 1. Before .NET 5 the number of the callback, from 1.
    pub number: u64,
    /// The oldest collected generation.
    pub generation: u8,
    /// How it ran. Before .NET 5 derived from the pauses: [`GcKind::BACKGROUND`] if the program ran meanwhile.
    pub kind: GcKind,
    /// Why it ran. Before .NET 5 only [`GcReason::INDUCED`] is reported, and others are `None`.
    pub reason: Option<GcReason>,
    /// When it began, since the pairing was created.
    pub begin: Duration,
    /// When it ended.
    pub end: Duration,
    /// The time in its pauses with the time to suspend, and without the time to resume: the sum over all collections is
    /// `GC.GetTotalPauseDuration`. A pause counts until the collection ends in it, or until threads are resumed. A background collection runs between its pauses as well. The pause in which a background collection begins is shared with the younger collection that may run at its start.
    pub paused: Duration,
    /// The time to suspend in these pauses.
    pub suspending: Duration,
    /// The sizes before and after.
    pub sizes: (HeapSizes, HeapSizes),
}

impl Collection {
    /// Returns whether the program or a profiler has induced the collection.
    #[must_use]
    pub fn is_induced(&self) -> bool {
        self.reason.is_some_and(GcReason::is_induced)
    }
}

/// What is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// The pause that has ended.
    pub pause: Option<Pause>,
    /// The collections whose last pause this was.
    pub collections: Vec<Collection>,
}

/// Pairs suspensions with collections.
///
/// Collections are those of the runtime's events `GCStart` and `GCEnd`: the callbacks do not report the beginning of a younger
/// collection at the start of a background one, and do not name the collection that has ended. The callbacks report the pauses, and when
/// sizes can be queried. Before .NET 5, which has no events for profilers, the collections are those of the callbacks as well.
///
/// Call its methods in the callbacks with these names: [`pause_callbacks!`](crate::pause_callbacks) does.
#[derive(Debug)]
pub struct Pauses {
    info: ProfilerInfo,
    created: Instant,
    has_events: bool,
    session: Mutex<Option<EventPipeSession>>,
    state: Mutex<Pairing>,
}

impl Pauses {
    /// The flags that the event mask may need.
    pub const EVENTS: EventMask = EventMask::SUSPENDS.union(EventMask::BASIC_GC).union(EventMask::EVENT_PIPE);

    /// Returns the flags of [`EVENTS`](Self::EVENTS) that the runtime has.
    ///
    /// # Errors
    /// Any failure of the query for the runtime's version.
    pub fn events(info: &ProfilerInfo) -> Result<EventMask> {
        let has_events = info.runtime_info()?.major >= EVENT_PIPE;
        Ok(if has_events { Self::EVENTS } else { EventMask::SUSPENDS.union(EventMask::BASIC_GC) })
    }

    /// Creates a pairing, and starts the session of the runtime's events. Needs the flags of [`events`](Self::events).
    ///
    /// The session costs the program some ten milliseconds of processor time once: the runtime describes its events by reflection.
    ///
    /// # Errors
    /// Any failure of the calls.
    pub fn start(info: &ProfilerInfo) -> Result<Self> {
        let has_events = info.runtime_info()?.major >= EVENT_PIPE;
        let level = levels::INFORMATIONAL;
        let provider =
            EventPipeProviderConfig { name: PROVIDER, keywords: keywords::GC, level, filter: None };
        let session = has_events.then(|| info.event_pipe_start_session(&[provider], false)).transpose()?;
        Ok(Self {
            info: info.clone(),
            created: Instant::now(),
            has_events,
            session: Mutex::new(session),
            state: Mutex::default(),
        })
    }

    /// Returns when the pairing was created, which its times begin with.
    #[must_use]
    pub const fn created(&self) -> Instant {
        self.created
    }

    /// Ends the session.
    pub fn stop(&self) {
        drop(self.session.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn state(&self) -> MutexGuard<'_, Pairing> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of callbacks and events that did not fit the others: the tool was attached in the middle of a pause or of a
    /// background collection.
    #[must_use]
    pub fn unpaired(&self) -> u64 {
        self.state().unpaired()
    }

    /// A suspension begins.
    pub fn runtime_suspend_started(&self, reason: SuspendReason) {
        let now = self.created.elapsed();
        self.state().suspend(reason, now);
    }

    /// All threads are suspended.
    pub fn runtime_suspend_finished(&self) {
        let now = self.created.elapsed();
        self.state().suspended(now);
    }

    /// A suspension was given up, and is no pause.
    pub fn runtime_suspend_aborted(&self) {
        self.state().abort();
    }

    /// The runtime begins to resume threads.
    pub fn runtime_resume_started(&self) {
        let now = self.created.elapsed();
        self.state().resuming(now);
    }

    /// All threads are resumed.
    pub fn runtime_resume_finished(&self) -> Ended {
        let now = self.created.elapsed();
        self.state().resume(now)
    }

    /// The bounds of the generations are those before a collection. Before .NET 5 a collection begins.
    pub fn garbage_collection_started(&self, generations: Generations<'_>, reason: values::GcReason) {
        let begin = self.created.elapsed();
        let sizes = self.sizes();
        let mut state = self.state();
        state.measured(sizes);
        if self.has_events {
            return;
        }
        let generation = (0..=2_u8).rev().find(|generation| generations.contains((*generation).into()));
        let reason = (reason == values::GcReason::INDUCED).then_some(GcReason::INDUCED);
        state.begin(&Begun { number: None, generation: generation.unwrap_or(0), kind: None, reason }, begin);
    }

    /// The bounds of the generations are those after a collection. Before .NET 5 a collection has ended: returns it if that was
    /// outside of a pause, as a background collection does.
    pub fn garbage_collection_finished(&self) -> Ended {
        let end = self.created.elapsed();
        let sizes = self.sizes();
        let mut state = self.state();
        state.measured(sizes);
        if self.has_events { Ended::default() } else { state.end(None, end) }
    }

    /// Begins or ends a collection. Returns it if it has ended outside of a pause. Other events are ignored.
    pub fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) -> Ended {
        if event.id != ids::GC_START && event.id != ids::GC_END {
            return Ended::default();
        }
        let now = self.created.elapsed();
        match RuntimeEvent::decode(event.id, event.version, event.data, size_of::<usize>()) {
            // The callback has measured the sizes before.
            Ok(Some(RuntimeEvent::GcStart(start))) => {
                let begun = Begun {
                    number: Some(start.number.into()),
                    generation: u8::try_from(start.generation).unwrap_or(u8::MAX),
                    kind: Some(start.kind),
                    reason: Some(start.reason),
                };
                self.state().begin(&begun, now);
                Ended::default()
            }
            Ok(Some(RuntimeEvent::GcEnd(end))) => self.state().end(Some(end.number.into()), now),
            _ => Ended::default(),
        }
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
