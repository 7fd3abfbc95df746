//! The stacks of threads that have locks, while others wait for them.

use core::ops::ControlFlow;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use corprof::{FunctionId, ProfilerInfo, Result, StackWalk};

use super::{Message, Open, State, ThreadNumbers, lock};
use crate::limits::{FRAMES, STACK};

/// How long a wait lasts before the stack of the owner is taken.
const LASTING: Duration = Duration::from_millis(10);

/// The share of time for which the program may be suspended for that: one part in so many.
const SHARE: u32 = 200;

/// The thread that takes the stacks of owners.
pub(super) struct Owners {
    pub(super) info: ProfilerInfo,
    pub(super) numbers: ThreadNumbers,
    pub(super) open: Arc<Mutex<State>>,
    /// When the program may be suspended again.
    pub(super) next: Instant,
}

impl Owners {
    pub(super) fn run(&mut self, woken: &Receiver<Message>) {
        // If this fails, the queries fail.
        let _ = self.info.initialize_current_thread();
        let mut due = None;
        loop {
            let message = match due {
                Some(due) => woken.recv_timeout(Instant::now().max(due) - Instant::now()),
                None => woken.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match message {
                Ok(Message::Begun) => {}
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => self.take(),
            }
            due = self.due();
        }
    }

    /// Returns when the oldest wait whose owner's stack is wanted has lasted.
    fn due(&self) -> Option<Instant> {
        let state = lock(&self.open);
        let begins = state.open.values().filter(|open| is_wanted(open)).map(|open| open.begin + LASTING);
        begins.min().map(|due| due.max(self.next))
    }

    /// Takes the stacks of the threads that have locks.
    fn take(&mut self) {
        let begin = Instant::now();
        let lasting = |open: &Open| is_wanted(open) && open.begin + LASTING <= begin;
        let wanted: Vec<(u64, Instant)> = {
            let state = lock(&self.open);
            let open = state.open.values().filter(|open| lasting(open));
            open.filter_map(|open| Some((open.holder?, open.begin))).collect()
        };
        let stacks = if wanted.is_empty() { Ok(HashMap::new()) } else { self.stacks(&wanted) };
        self.next = Instant::now() + (begin.elapsed() * SHARE).max(LASTING);
        // The runtime was suspended by a collection: at the next time.
        let Ok(stacks) = stacks else { return };
        let mut state = lock(&self.open);
        for open in state.open.values_mut() {
            let Some(holder) = open.holder.filter(|holder| wanted.contains(&(*holder, open.begin))) else {
                continue;
            };
            // A thread that is not managed, or has ended, has an empty stack.
            open.contention.owner_stack = Some(stacks.get(&holder).cloned().unwrap_or_default());
        }
    }

    /// Walks the stacks of all threads, and returns those of these.
    fn stacks(&self, wanted: &[(u64, Instant)]) -> Result<HashMap<u64, Vec<FunctionId>>> {
        let mut frames: Vec<FunctionId> = Vec::with_capacity(FRAMES);
        let mut ends = Vec::with_capacity(1_000);
        let suspension = self.info.suspend_runtime()?;
        for thread in suspension.threads()? {
            let first = frames.len();
            // A thread that cannot be walked has no stack here.
            let _ = suspension.walk_stack(thread, StackWalk::default(), |frame| {
                // The buffer must not grow while the program is suspended.
                if frames.len() - first >= STACK || frames.len() >= FRAMES {
                    return ControlFlow::Break(());
                }
                frames.extend(frame.function);
                ControlFlow::Continue(())
            });
            if ends.len() == ends.capacity() {
                break;
            }
            ends.push((thread, first, frames.len()));
        }
        drop(suspension);
        let mut stacks = HashMap::new();
        for (thread, first, end) in ends {
            // The thread may have ended meanwhile.
            let Some(number) = self.numbers.of(thread) else { continue };
            if wanted.iter().any(|(holder, _)| *holder == number) {
                stacks.insert(number, frames.get(first..end).unwrap_or_default().to_vec());
            }
        }
        Ok(stacks)
    }
}

fn is_wanted(open: &Open) -> bool {
    open.holder.is_some() && open.contention.owner_stack.is_none()
}
