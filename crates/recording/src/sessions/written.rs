//! What a session shares with the writing thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bytes::{put_count, put_text};
use crate::format::session;
use crate::journal::Mark;
use crate::lane::{Consumer, Drain, Producer};

/// A thread that finds one lane in use takes the next one.
pub(crate) const LANES: usize = 4;

/// The state that a session shares with its streams and the writing thread.
pub(crate) struct State {
    pub(crate) lanes: [Mutex<Option<Producer>>; LANES],
    /// The streams, each with the number of its lost rows.
    pub(crate) streams: Mutex<Vec<(u16, Arc<AtomicU64>)>>,
    /// When the session ended, and why.
    pub(crate) end: Mutex<Option<(u64, String)>>,
}

/// Locks.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Returns the streams with lost rows, and how many these are.
    fn losses(&self) -> Vec<(u16, u64)> {
        let streams = lock(&self.streams);
        let losses = streams.iter().map(|(stream, lost)| (*stream, lost.load(Ordering::Relaxed)));
        losses.filter(|(_, lost)| *lost > 0).collect()
    }

    /// Takes what the block of the end has.
    fn take_end(&self) -> Option<(u64, String)> {
        lock(&self.end).take()
    }
}

/// A session whose rows are written.
pub(crate) struct WrittenSession {
    pub(crate) number: u32,
    consumers: Vec<Consumer>,
    state: Arc<State>,
    /// The losses that are in the file.
    losses: Vec<(u16, u64)>,
}

impl WrittenSession {
    pub(crate) fn new(number: u32, consumers: Vec<Consumer>, state: Arc<State>) -> Self {
        Self { number, consumers, state, losses: Vec::new() }
    }

    /// Returns whether no rows will be emitted any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.consumers.iter().all(Consumer::has_ended)
    }

    /// Passes the rows to `take`, in pieces of the memory. Returns the number of pieces.
    pub(crate) fn drain(&mut self, which: Drain, mut take: impl FnMut(&[u8], Option<Mark<'_>>)) -> usize {
        self.consumers.iter_mut().map(|consumer| consumer.drain(which, &mut take)).sum()
    }

    /// Returns the content of a block with the numbers of lost rows, if these have changed.
    pub(crate) fn new_losses(&mut self) -> Option<Vec<u8>> {
        let losses = self.state.losses();
        if losses == self.losses {
            return None;
        }
        let mut content = Vec::new();
        put_count(&mut content, self.number.into());
        for (stream, lost) in &losses {
            put_count(&mut content, u64::from(*stream));
            put_count(&mut content, *lost);
        }
        self.losses = losses;
        Some(content)
    }

    /// Returns the number of lost rows when [`new_losses`](Self::new_losses) was called last.
    pub(crate) fn lost(&self) -> u64 {
        self.losses.iter().map(|(_, lost)| *lost).sum()
    }

    /// Returns the content of the block of the end, once.
    pub(crate) fn end(&self) -> Option<Vec<u8>> {
        let (ticks, reason) = self.state.take_end()?;
        let mut content = Vec::new();
        put_count(&mut content, self.number.into());
        content.push(session::ENDS);
        content.extend_from_slice(&ticks.to_le_bytes());
        put_text(&mut content, &reason);
        Some(content)
    }
}
