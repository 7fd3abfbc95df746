//! The pairing itself: from moments to collections with their pauses.

use std::time::Duration;

use corprof::values::SuspendReason;
use nettrace::runtime_events::{GcKind, GcReason};

use super::{Collection, Ended, HeapSizes, Pause};
use crate::limits::COLLECTIONS;

/// A collection that begins. The callbacks report neither number nor kind.
pub(super) struct Begun {
    pub(super) number: Option<u64>,
    pub(super) generation: u8,
    pub(super) kind: Option<GcKind>,
    pub(super) reason: Option<GcReason>,
}

/// The suspension in progress.
#[derive(Debug)]
struct Suspension {
    reason: SuspendReason,
    begin: Duration,
    /// When all threads were suspended.
    suspended: Option<Duration>,
    /// When the runtime began to resume threads.
    resuming: Option<Duration>,
    /// The end of the part that belongs to the collections that have ended in it.
    shared: Option<Duration>,
}

impl Suspension {
    /// The time to suspend the threads.
    fn suspending(&self, now: Duration) -> Duration {
        self.suspended.unwrap_or(now).saturating_sub(self.begin)
    }

    /// Adds the part of the pause until `now` that belongs to no collection yet.
    fn share(&mut self, collection: &mut Collection, now: Duration) {
        if self.shared.is_none() {
            collection.suspending += self.suspending(now);
        }
        collection.paused += now.saturating_sub(self.shared.unwrap_or(self.begin));
        self.shared = Some(now);
    }
}

/// A collection that has not ended.
#[derive(Debug)]
struct Open {
    collection: Collection,
    /// Whether the program has run since it began.
    is_crossed: bool,
}

#[derive(Debug, Default)]
pub(super) struct Pairing {
    /// The number of the last collection.
    last: u64,
    suspension: Option<Suspension>,
    /// Collections that have begun and not ended, in this order.
    open: Vec<Open>,
    /// Collections that have ended in the pause in progress.
    ended: Vec<Collection>,
    sizes: HeapSizes,
    unpaired: u64,
}

impl Pairing {
    pub(super) fn unpaired(&self) -> u64 {
        self.unpaired
    }

    pub(super) fn measured(&mut self, sizes: HeapSizes) {
        self.sizes = sizes;
    }

    pub(super) fn suspend(&mut self, reason: SuspendReason, begin: Duration) {
        let suspension = Suspension { reason, begin, suspended: None, resuming: None, shared: None };
        self.unpaired += u64::from(self.suspension.replace(suspension).is_some());
    }

    pub(super) fn suspended(&mut self, now: Duration) {
        match &mut self.suspension {
            Some(suspension) => suspension.suspended = Some(now),
            None => self.unpaired += 1,
        }
    }

    pub(super) fn abort(&mut self) {
        self.suspension = None;
    }

    pub(super) fn resuming(&mut self, now: Duration) {
        if let Some(suspension) = &mut self.suspension {
            suspension.resuming = Some(now);
        }
    }

    pub(super) fn resume(&mut self, now: Duration) -> Ended {
        let Some(mut suspension) = self.suspension.take() else {
            self.unpaired += 1;
            return Ended::default();
        };
        let (reason, begin) = (suspension.reason, suspension.begin);
        let pause =
            Pause { reason, begin, suspending: suspension.suspending(now), total: now.saturating_sub(begin) };
        // The rest belongs to the background collection that has begun in the pause, or for which the pause is. Else it is no collection's:
        // the collector's own figures end with the collection.
        let is_its_pause = |open: &&mut Open| !open.is_crossed || reason == SuspendReason::FOR_GC_PREP;
        let background = self.open.iter_mut().rev().find(is_its_pause).map(|open| &mut open.collection);
        if let Some(collection) = background {
            let until = suspension.resuming.unwrap_or(now);
            suspension.share(collection, until);
        }
        self.open.iter_mut().for_each(|open| open.is_crossed = true);
        Ended { pause: Some(pause), collections: core::mem::take(&mut self.ended) }
    }

    pub(super) fn begin(&mut self, begun: &Begun, begin: Duration) {
        self.last = begun.number.unwrap_or(self.last + 1);
        let collection = Collection {
            number: self.last,
            generation: begun.generation,
            kind: begun.kind.unwrap_or(GcKind::BLOCKING),
            reason: begun.reason,
            begin,
            end: begin,
            paused: Duration::ZERO,
            suspending: Duration::ZERO,
            sizes: (self.sizes, self.sizes),
        };
        if self.open.len() < COLLECTIONS {
            self.open.push(Open { collection, is_crossed: false });
        } else {
            self.unpaired += 1;
        }
    }

    /// Ends the collection with this number; the last one that has begun if the number is not known.
    pub(super) fn end(&mut self, number: Option<u64>, end: Duration) -> Ended {
        let is_it = |open: &Open| number.is_none_or(|number| open.collection.number == number);
        let Some(index) = self.open.iter().rposition(is_it) else {
            self.unpaired += 1;
            return Ended::default();
        };
        let Open { mut collection, is_crossed } = self.open.remove(index);
        collection.end = end;
        collection.sizes.1 = self.sizes;
        if is_crossed && number.is_none() {
            collection.kind = GcKind::BACKGROUND;
        }
        match &mut self.suspension {
            // Another thread may suspend the program while a background collection ends.
            Some(suspension) if !is_crossed || suspension.reason == SuspendReason::FOR_GC_PREP => {
                suspension.share(&mut collection, end);
                self.ended.push(collection);
                Ended::default()
            }
            _ => Ended { pause: None, collections: vec![collection] },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

    use super::*;

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn begun(number: u64, generation: u8, kind: GcKind) -> Begun {
        Begun { number: Some(number), generation, kind: Some(kind), reason: Some(GcReason::ALLOC_SMALL) }
    }

    /// What .NET 8 to 11 report of a younger collection at the start of a background one, and of another while that runs.
    #[test]
    fn collections_around_a_background_one_have_their_own_pauses() {
        let mut pairing = Pairing::default();
        let mut all = Vec::new();
        pairing.suspend(SuspendReason::FOR_GC, at(100));
        pairing.suspended(at(101));
        pairing.measured([1, 0, 0, 0, 0]);
        pairing.begin(&begun(5, 2, GcKind::BACKGROUND), at(102));
        pairing.begin(&begun(6, 0, GcKind::BLOCKING), at(103));
        pairing.measured([2, 0, 0, 0, 0]);
        all.extend(pairing.end(Some(6), at(110)).collections);
        assert_eq!(all, []);
        // Threads that are resumed count as running, as the collector's own figures have it.
        pairing.resuming(at(115));
        let ended = pairing.resume(at(117));
        assert_eq!(ended.pause.unwrap().total, at(17));
        all.extend(ended.collections);
        pairing.suspend(SuspendReason::FOR_GC, at(200));
        pairing.suspended(at(203));
        pairing.begin(&begun(7, 1, GcKind::FOREGROUND), at(204));
        pairing.end(Some(7), at(220));
        all.extend(pairing.resume(at(221)).collections);
        pairing.suspend(SuspendReason::FOR_GC_PREP, at(300));
        pairing.suspended(at(302));
        all.extend(pairing.resume(at(310)).collections);
        // This pause is for no collection.
        pairing.suspend(SuspendReason::FOR_REJIT, at(400));
        pairing.measured([3, 0, 0, 0, 0]);
        all.extend(pairing.end(Some(5), at(401)).collections);
        all.extend(pairing.resume(at(409)).collections);

        let seen: Vec<_> = all.iter().map(|it| (it.number, it.paused, it.suspending)).collect();
        let expected = [(6, at(10), at(1)), (7, at(20), at(3)), (5, at(5) + at(10), at(2))];
        assert_eq!(seen, expected);
        assert_eq!(all[0].sizes, ([1, 0, 0, 0, 0], [2, 0, 0, 0, 0]));
        assert_eq!(all[2].sizes, ([1, 0, 0, 0, 0], [3, 0, 0, 0, 0]));
        assert_eq!((all[2].begin, all[2].end, all[2].kind), (at(102), at(401), GcKind::BACKGROUND));
        assert_eq!((pairing.unpaired(), pairing.open.len()), (0, 0));
    }

    /// The callbacks of .NET Core 3.1: without numbers and kinds.
    #[test]
    fn without_events_a_collection_that_the_program_runs_beside_is_a_background_one() {
        let mut pairing = Pairing::default();
        let unnumbered = |generation| Begun { number: None, generation, kind: None, reason: None };
        pairing.suspend(SuspendReason::FOR_GC, at(0));
        pairing.begin(&unnumbered(2), at(0));
        assert_eq!(pairing.resume(at(3)).collections, []);
        pairing.suspend(SuspendReason::FOR_GC, at(10));
        pairing.begin(&unnumbered(1), at(10));
        pairing.end(None, at(12));
        let young = pairing.resume(at(14)).collections;
        let background = pairing.end(None, at(20)).collections;
        let facts = |all: &[Collection]| (all[0].number, all[0].generation, all[0].kind, all[0].paused);
        assert_eq!(facts(&young), (2, 1, GcKind::BLOCKING, at(2)));
        assert_eq!(facts(&background), (1, 2, GcKind::BACKGROUND, at(3)));
        assert_eq!(pairing.end(None, at(30)), Ended::default());
        assert_eq!(pairing.unpaired(), 1);
    }
}
