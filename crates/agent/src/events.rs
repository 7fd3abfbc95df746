//! What wakes the control thread: events of parts, which come on threads of the program too, and the end.

use std::collections::VecDeque;
#[cfg(unix)]
use std::io::{Read as _, Write as _};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use corprof::{PartEvent, PartKey};

/// An event for the control thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A part has panicked, or wants to be removed.
    Part(PartKey, PartEvent),
    /// The program ends, or the agent has been detached.
    End,
}

/// The events that the control thread has not seen yet.
#[derive(Debug)]
pub(crate) struct Events {
    waiting: Mutex<VecDeque<Event>>,
    /// Readable while there are some; none where no pair of sockets can be made.
    #[cfg(unix)]
    pair: Option<(UnixStream, UnixStream)>,
    #[cfg(not(unix))]
    added: std::sync::Condvar,
}

impl Events {
    pub(crate) fn new() -> Self {
        Self {
            waiting: Mutex::default(),
            #[cfg(unix)]
            pair: UnixStream::pair().ok().filter(|(read, write)| {
                read.set_nonblocking(true).is_ok() && write.set_nonblocking(true).is_ok()
            }),
            #[cfg(not(unix))]
            added: std::sync::Condvar::new(),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event. Waits for nothing.
    pub(crate) fn add(&self, event: Event) {
        self.waiting().push_back(event);
        // A pipe that is full wakes as well.
        #[cfg(unix)]
        let _ = self.pair.as_ref().map(|pair| (&pair.1).write(&[0]));
        #[cfg(not(unix))]
        self.added.notify_one();
    }

    /// Returns an event that waits.
    #[cfg(unix)]
    pub(crate) fn next(&self) -> Option<Event> {
        self.waiting().pop_front()
    }

    /// What is readable when there are events.
    #[cfg(unix)]
    pub(crate) fn socket(&self) -> Option<&UnixStream> {
        self.pair.as_ref().map(|(read, _)| read)
    }

    /// Removes what made it readable: before the events are looked at.
    #[cfg(unix)]
    pub(crate) fn clear(&self) {
        let mut bytes = [0; 64];
        while self.pair.as_ref().is_some_and(|pair| (&pair.0).read(&mut bytes).is_ok_and(|count| count > 0)) {
        }
    }

    /// Waits for an event.
    #[cfg(not(unix))]
    pub(crate) fn wait(&self) -> Event {
        let mut waiting = self.waiting();
        loop {
            if let Some(event) = waiting.pop_front() {
                return event;
            }
            waiting = self.added.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
