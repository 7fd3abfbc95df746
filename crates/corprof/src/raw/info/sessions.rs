//! The EventPipe sessions of the parts, and the parts that get an event.
//!
//! The runtime delivers an event once for each session that enables it, one after the other on the thread of the event, and does
//! not say which session it is. So with sessions of several parts each delivery is counted: of an event that three sessions enable there are three
//! deliveries, of which a part gets as many as it has such sessions. Another event of the same content on the same thread begins
//! anew when these are complete. While a session starts or stops, the number is that with it: an event may then be taken for a further
//! delivery of one with the same content, but none is delivered twice.
#![forbid(unsafe_code)]

use core::cell::Cell;
use core::hash::{Hash, Hasher as _};
use std::collections::HashMap;
use std::hash::DefaultHasher;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::event_mask::PartId;

/// Events that a session enables.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) provider: String,
    pub(super) keywords: u64,
    pub(super) level: u32,
}

/// A session that is starting, running or stopping.
#[derive(Debug)]
struct Session {
    part: PartId,
    filters: Vec<Filter>,
    is_stopping: bool,
}

/// What decides whether a session enables an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enabled<'e> {
    pub(crate) provider: &'e str,
    pub(crate) keywords: u64,
    pub(crate) level: u32,
}

/// The sessions that the profiler has started and not stopped.
#[derive(Debug, Default)]
pub(super) struct Sessions(RwLock<Open>);

#[derive(Debug, Default)]
struct Open {
    by_number: HashMap<u64, Session>,
    /// The number of sessions that are being started, which have no number yet.
    starting: u64,
}

thread_local! {
    /// The content of the last event of the thread, and how often it was delivered.
    static LAST: Cell<(u64, u32)> = const { Cell::new((0, 0)) };
}

impl Filter {
    /// As the runtime has it (`ep_event_compute_enabled_mask`).
    fn enables(&self, event: Enabled<'_>) -> bool {
        self.provider == event.provider
            && (event.keywords == 0 || self.keywords & event.keywords != 0)
            && (event.level == 0 || self.level >= event.level)
    }
}

/// A session that is being started. Its events are delivered before it has a number.
pub(super) struct Starting<'s>(&'s Sessions, u64);

impl Starting<'_> {
    /// The session has started.
    pub(super) fn started(self, number: u64) {
        let mut open = self.0.write();
        if let Some(session) = open.by_number.remove(&self.1) {
            open.by_number.insert(number, session);
        }
    }
}

impl Drop for Starting<'_> {
    fn drop(&mut self) {
        self.0.write().by_number.remove(&self.1);
    }
}

impl Sessions {
    fn read(&self) -> RwLockReadGuard<'_, Open> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Open> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn start(&self, part: PartId, filters: Vec<Filter>) -> Starting<'_> {
        let mut open = self.write();
        open.starting += 1;
        // Numbers of the runtime are addresses.
        let number = u64::MAX - open.starting;
        open.by_number.insert(number, Session { part, filters, is_stopping: false });
        Starting(self, number)
    }

    pub(super) fn add(&self, number: u64, filter: Filter) {
        self.write()
            .by_number
            .get_mut(&number)
            .into_iter()
            .for_each(|session| session.filters.push(filter.clone()));
    }

    /// A session is about to be stopped: `false` if it was stopped before, or another thread is about to. Its events may come
    /// until it [was](Self::stopped).
    pub(super) fn stop(&self, number: u64) -> bool {
        let mut open = self.write();
        open.by_number.get_mut(&number).is_some_and(|it| !core::mem::replace(&mut it.is_stopping, true))
    }

    /// A session was stopped, or goes on.
    pub(super) fn stopped(&self, number: u64, was_stopped: bool) {
        let mut open = self.write();
        if was_stopped {
            open.by_number.remove(&number);
        } else if let Some(session) = open.by_number.get_mut(&number) {
            session.is_stopping = false;
        }
    }

    /// The sessions of some parts.
    pub(super) fn of(&self, is_meant: impl Fn(PartId) -> bool) -> Vec<u64> {
        let open = self.read();
        open.by_number
            .iter()
            .filter(|(_, session)| is_meant(session.part))
            .map(|(number, _)| *number)
            .collect()
    }

    /// Returns the one part that has sessions, or the error that there are none or several.
    pub(super) fn only_part(&self) -> Result<PartId, bool> {
        let open = self.read();
        let mut parts = open.by_number.values().map(|session| session.part);
        let first = parts.next().ok_or(false)?;
        if parts.all(|part| part == first) { Ok(first) } else { Err(true) }
    }

    /// Returns the number of sessions of each part that enable an event.
    fn counts(&self, event: Enabled<'_>) -> Counts {
        let (mut matching, mut all) = (Counts::default(), Counts::default());
        for session in self.read().by_number.values() {
            all.add(session.part);
            if session.filters.iter().any(|filter| filter.enables(event)) {
                matching.add(session.part);
            }
        }
        // Those of a rundown, which no session has named.
        if matching.total == 0 { Counts { total: 1, ..all } } else { matching }
    }

    /// Returns the parts that get this delivery of an event: `content` is that of the event.
    pub(super) fn receivers(&self, event: Enabled<'_>, content: &impl Hash) -> u32 {
        let counts = self.counts(event);
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        let hash = hasher.finish();
        let (last, delivered) = LAST.get();
        let before = if last == hash && delivered < counts.total { delivered } else { 0 };
        LAST.set((hash, before + 1));
        counts.more_than(before)
    }
}

/// Sessions by their parts.
#[derive(Debug, Default)]
struct Counts {
    of: [u8; PartId::CRATE.index() + 1],
    total: u32,
}

impl Counts {
    fn add(&mut self, part: PartId) {
        self.of.get_mut(part.index()).into_iter().for_each(|count| *count = count.saturating_add(1));
        self.total += 1;
    }

    /// The bits of the parts with more sessions than so many.
    fn more_than(&self, count: u32) -> u32 {
        let parts = self.of.iter().enumerate().filter(|(_, of)| u32::from(**of) > count);
        parts.map(|(index, _)| PartId::new(index).bit()).fold(0, core::ops::BitOr::bitor)
    }
}

/// Keeps the count of the thread while an event is delivered, in which others may come.
pub(crate) struct Delivering((u64, u32));

impl Delivering {
    pub(crate) fn begin() -> Self {
        Self(LAST.get())
    }
}

impl Drop for Delivering {
    fn drop(&mut self) {
        LAST.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNTIME: &str = nettrace::runtime_events::PROVIDER;

    fn event(keywords: u64, level: u32) -> Enabled<'static> {
        Enabled { provider: RUNTIME, keywords, level }
    }

    fn filter(keywords: u64, level: u32) -> Vec<Filter> {
        vec![Filter { provider: RUNTIME.to_owned(), keywords, level }]
    }

    fn part(index: usize) -> PartId {
        PartId::new(index)
    }

    /// The parts that get each of so many deliveries.
    fn deliveries(sessions: &Sessions, event: Enabled<'_>, content: &str, count: usize) -> Vec<Vec<usize>> {
        let parts = |bits: u32| (0..31).filter(|part| bits & 1 << part != 0).collect();
        (0..count).map(|_| parts(sessions.receivers(event, &content))).collect()
    }

    #[test]
    fn a_part_gets_an_event_as_often_as_its_sessions_enable_it() {
        let sessions = Sessions::default();
        sessions.start(part(1), filter(1, 4)).started(10);
        assert_eq!(sessions.only_part(), Ok(part(1)));
        sessions.start(part(2), filter(3, 5)).started(20);
        sessions.start(part(2), filter(3, 5)).started(21);
        assert_eq!(sessions.only_part(), Err(true));
        let expected = [vec![1, 2], vec![2], vec![]];
        assert_eq!(deliveries(&sessions, event(1, 4), "a", 3), expected);
        // The same content again, and another one.
        assert_eq!(deliveries(&sessions, event(1, 4), "a", 3), expected);
        assert_eq!(deliveries(&sessions, event(1, 4), "b", 3), expected);
        // Of another keyword, and of a level that one does not enable.
        assert_eq!(deliveries(&sessions, event(2, 4), "c", 4), [vec![2], vec![2], vec![2], vec![2]]);
        assert_eq!(deliveries(&sessions, event(1, 5), "d", 2), [[2], [2]]);
        assert_eq!(deliveries(&sessions, event(0, 0), "e", 3), expected);
        assert!(sessions.stop(20) && !sessions.stop(20));
        sessions.stopped(20, false);
        assert!(sessions.stop(20));
        sessions.stopped(20, true);
        assert!(!sessions.stop(20));
        assert_eq!(deliveries(&sessions, event(1, 4), "a", 2), [vec![1, 2], vec![]]);
        assert_eq!(sessions.of(|owner| owner == part(2)), [21]);
    }

    #[test]
    fn a_delivery_inside_of_another_does_not_count_for_it() {
        let sessions = Sessions::default();
        sessions.start(part(1), filter(1, 4)).started(10);
        sessions.start(part(2), filter(1, 4)).started(20);
        assert_eq!(deliveries(&sessions, event(1, 4), "a", 1), [[1, 2]]);
        {
            let _delivering = Delivering::begin();
            assert_eq!(deliveries(&sessions, event(1, 4), "b", 1), [[1, 2]]);
        }
        assert_eq!(deliveries(&sessions, event(1, 4), "a", 1), [[0; 0]]);
    }

    #[test]
    fn a_session_that_fails_to_start_is_none() {
        let sessions = Sessions::default();
        drop(sessions.start(part(1), filter(1, 4)));
        assert_eq!(sessions.only_part(), Err(false));
    }
}
