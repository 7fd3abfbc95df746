//! Pushes profiles to a server, from a thread of its own.
//!
//! Profiles wait in a queue of bounded size. A push that fails is tried again, at growing intervals; a profile that does not
//! fit, or was tried too often, is dropped and counted.

mod labels;
mod target;
mod tls;

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use self::target::{Encoded, Failure};
use crate::limits::{ATTEMPTS, ATTEMPTS_AT_END, PUSHING, QUEUE, QUEUED_BYTES, RETRY, RETRY_MOST};
use crate::{Interval, Profile};

pub use self::target::Target;

/// The fate of the profiles so far: pushed, dropped, failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pushed {
    /// The number of profiles that a server has accepted.
    pub pushed: u64,
    /// The number of profiles that were dropped.
    pub dropped: u64,
    /// The reason of the last failure.
    pub failure: Option<String>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Encoded>,
    /// Whether a profile is being pushed, or waits for its next attempt.
    is_busy: bool,
    /// When the thread has to have ended: each profile is tried once or twice more until then.
    deadline: Option<Instant>,
    has_ended: bool,
    result: Pushed,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Is notified of every change of the state.
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>, time: Duration) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits until a condition holds, or the time has passed.
    fn wait_until(&self, time: Duration, holds: impl Fn(&State) -> bool) {
        let begin = Instant::now();
        let mut state = self.lock();
        while !holds(&state) {
            let left = time.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return;
            }
            state = self.wait(state, left);
        }
    }
}

/// The thread that pushes profiles.
#[derive(Debug)]
pub struct Pusher {
    target: Target,
    shared: Arc<Shared>,
}

impl Pusher {
    /// Starts the thread.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(target: Target) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let (own, server) = (Arc::clone(&shared), target.clone());
        // It is not joined: a call of the system may take longer than anybody waits. It does not call the runtime.
        thread::Builder::new().name("push".to_owned()).spawn(move || run(&own, &server))?;
        Ok(Self { target, shared })
    }

    /// Queues a profile of an interval. Does not wait.
    pub fn push(&self, profile: &Profile, interval: Interval) {
        let encoded = self.target.encode(profile, interval);
        let mut state = self.shared.lock();
        state.waiting.push_back(encoded);
        while state.waiting.len() > QUEUE || bytes(&state.waiting) > QUEUED_BYTES {
            state.waiting.pop_front();
            state.result.dropped += 1;
            state.result.failure.get_or_insert_with(|| "the queue is full".to_owned());
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Waits until everything is pushed or dropped, or the time has passed.
    pub fn flush(&self, time: Duration) {
        self.shared.wait_until(time, |state| state.waiting.is_empty() && !state.is_busy);
    }

    /// Ends the thread within this time. What is not pushed until then is dropped.
    #[must_use]
    pub fn end(&self, time: Duration) -> Pushed {
        self.shared.lock().deadline = Instant::now().checked_add(time);
        self.shared.changed.notify_all();
        self.shared.wait_until(time, |state| state.has_ended);
        let mut state = self.shared.lock();
        let left = state.waiting.len() as u64 + u64::from(state.is_busy);
        state.waiting.clear();
        state.is_busy = false;
        state.result.dropped += left;
        state.result.clone()
    }

    /// Returns what has become of the profiles so far.
    #[must_use]
    pub fn result(&self) -> Pushed {
        self.shared.lock().result.clone()
    }
}

fn bytes(waiting: &VecDeque<Encoded>) -> usize {
    waiting.iter().map(Encoded::len).sum()
}

/// The thread: pushes one profile after the other.
fn run(shared: &Shared, target: &Target) {
    let agent = target.agent();
    loop {
        let mut state = shared.lock();
        let encoded = loop {
            if let Some(encoded) = state.waiting.pop_front() {
                break encoded;
            }
            if state.deadline.is_some() {
                state.has_ended = true;
                drop(state);
                shared.changed.notify_all();
                return;
            }
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        };
        state.is_busy = true;
        drop(state);
        let result = push(shared, target, &agent, &encoded);
        let mut state = shared.lock();
        // The end may have given up, and counted this one as dropped.
        if state.is_busy {
            match result {
                Ok(()) => state.result.pushed += 1,
                Err(()) => state.result.dropped += 1,
            }
        }
        state.is_busy = false;
        drop(state);
        shared.changed.notify_all();
    }
}

/// Pushes a profile, with several attempts. At most [`ATTEMPTS_AT_END`] of them begin after [`Pusher::end`] is called.
fn push(
    shared: &Shared,
    target: &Target,
    agent: &ureq::Agent,
    encoded: &Encoded,
) -> core::result::Result<(), ()> {
    let mut at_end = 0;
    for attempt in 0..ATTEMPTS {
        let deadline = shared.lock().deadline;
        at_end += u32::from(deadline.is_some());
        let left = deadline.map_or(PUSHING, |deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Err(());
        }
        let (message, after) = match target.push(agent, encoded, left.min(PUSHING)) {
            Ok(()) => return Ok(()),
            Err(Failure::Permanent(message)) => {
                shared.lock().result.failure = Some(message);
                return Err(());
            }
            Err(Failure::Temporary(message, after)) => (message, after),
        };
        let mut state = shared.lock();
        state.result.failure = Some(message);
        if at_end == ATTEMPTS_AT_END {
            return Err(());
        }
        let wait =
            after.unwrap_or_else(|| spread(RETRY.saturating_mul(1 << attempt.min(16)))).min(RETRY_MOST);
        let begin = Instant::now();
        loop {
            // The end has little time, and the server is left a part of it.
            let at_most = state.deadline.map(|deadline| deadline.saturating_duration_since(begin) / 8);
            let left = at_most.map_or(wait, |most| wait.min(most)).saturating_sub(begin.elapsed());
            if left.is_zero() {
                break;
            }
            state = shared.wait(state, left);
        }
    }
    Err(())
}

/// Returns a time between the half and the whole, so that many machines do not call at once.
fn spread(time: Duration) -> Duration {
    let random = RandomState::new().hash_one(0_u8) >> 32;
    let part = f64::from(u32::try_from(random).unwrap_or(0)) / f64::from(u32::MAX);
    time.mul_f64(0.5 + part / 2.0)
}

#[cfg(test)]
mod tests;
