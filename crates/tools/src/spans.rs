//! Work of the runtime that begins and ends on a thread: compilations and loads, nested in each other.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use corprof::{AnyId, ProfilerInfo};

use crate::limits::{NESTED, SPANS};

/// The kind of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Work {
    /// The JIT compiles a method.
    Compilation,
    /// A class is loaded.
    ClassLoad,
    /// A module is loaded.
    ModuleLoad,
    /// An assembly is loaded.
    AssemblyLoad,
}

/// Work that has ended.
#[derive(Clone, Debug)]
pub struct Done {
    /// The kind.
    pub work: Work,
    /// What was compiled or loaded.
    pub id: AnyId,
    /// The name, if it can be looked up only while the work is in progress.
    pub name: Option<String>,
    /// How many times this has been done to this id; 1 at first.
    pub time: u32,
    /// The operating system's id of the thread; 0 if unknown.
    pub thread: u32,
    /// When it began, since the recording was created.
    pub begin: Duration,
    /// How long it took.
    pub total: Duration,
    /// The part of that outside of other work.
    pub own: Duration,
    /// Whether it has succeeded.
    pub is_ok: bool,
}

#[derive(Debug)]
struct Open {
    work: Work,
    id: AnyId,
    name: Option<String>,
    begin: Instant,
    /// The time of nested work.
    nested: Duration,
}

#[derive(Debug)]
struct Running {
    os_thread: u32,
    open: Vec<Open>,
}

#[derive(Debug, Default)]
struct State {
    threads: HashMap<ThreadId, Running>,
    done: Vec<Done>,
    times: HashMap<(Work, AnyId), u32>,
    dropped: u64,
    unpaired: u64,
}

/// Pairs the callbacks that report the beginning and the end of work. The first of the work is kept, up to a limit.
#[derive(Debug)]
pub struct Spans {
    info: ProfilerInfo,
    created: Instant,
    first: Option<Duration>,
    state: Mutex<State>,
}

impl Spans {
    /// Creates a recording; `first` is how long it lasts.
    #[must_use]
    pub fn new(info: &ProfilerInfo, first: Option<Duration>) -> Self {
        Self { info: info.clone(), created: Instant::now(), first, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work begins on the calling thread.
    pub fn begin(&self, work: Work, id: impl Into<AnyId>, name: Option<String>) {
        if self.first.is_some_and(|first| self.created.elapsed() > first) {
            return;
        }
        let thread = thread::current().id();
        let is_known = self.state().threads.contains_key(&thread);
        let os_thread = match is_known {
            true => 0,
            false => {
                let thread = self.info.current_thread().ok().flatten();
                thread.and_then(|thread| self.info.os_thread_id(thread).ok()).unwrap_or(0)
            }
        };
        let mut state = self.state();
        let running = state.threads.entry(thread).or_insert(Running { os_thread, open: Vec::new() });
        if running.open.len() < NESTED {
            let id = id.into();
            running.open.push(Open { work, id, name, begin: Instant::now(), nested: Duration::ZERO });
        } else {
            state.dropped += 1;
        }
    }

    /// Work ends on the calling thread.
    pub fn end(&self, work: Work, id: impl Into<AnyId>, is_ok: bool) {
        let (now, id) = (Instant::now(), id.into());
        let mut state = self.state();
        let Some(running) = state.threads.get_mut(&thread::current().id()) else { return };
        let thread = running.os_thread;
        let Some(index) = running.open.iter().rposition(|open| (open.work, open.id) == (work, id)) else {
            state.unpaired += 1;
            return;
        };
        let surplus = running.open.len() - index - 1;
        let mut ended = running.open.drain(index..);
        let Some(open) = ended.next() else { return };
        drop(ended);
        let total = now - open.begin;
        if let Some(outer) = running.open.last_mut() {
            outer.nested += total;
        }
        let is_idle = running.open.is_empty();
        if is_idle && thread == 0 {
            // It may have got an id meanwhile.
            state.threads.remove(&thread::current().id());
        }
        state.unpaired += surplus as u64;
        if state.done.len() >= SPANS {
            state.dropped += 1;
            return;
        }
        let time = state.times.entry((work, id)).or_insert(0);
        *time += 1;
        let time = *time;
        let begin = open.begin.saturating_duration_since(self.created);
        let own = total.saturating_sub(open.nested);
        state.done.push(Done { work, id, name: open.name, time, thread, begin, total, own, is_ok });
    }

    /// Returns the work that has ended so far.
    #[must_use]
    pub fn done(&self) -> Vec<Done> {
        self.state().done.clone()
    }

    /// Returns the number of callbacks beyond the limit, and of those that did not fit the others.
    #[must_use]
    pub fn lost(&self) -> (u64, u64) {
        let state = self.state();
        (state.dropped, state.unpaired)
    }
}
