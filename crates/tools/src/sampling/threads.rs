//! The sampled threads: names and times.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::stacks::processor_time;
use corprof::ThreadId;
use corprof_profile::Thread;

use crate::limits::ENDED_THREADS;

/// The times of a thread while it was sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThreadTimes {
    /// The thread.
    pub thread: Thread,
    /// Its processor time.
    pub cpu: Duration,
    /// Its wall-clock time.
    pub wall: Duration,
}

#[derive(Debug)]
struct Live {
    thread: ThreadId,
    os_thread: u32,
    name: String,
    begin: Instant,
    cpu: Duration,
    /// The round of draining after which no sample of the ended thread is left.
    ended: Option<u64>,
}

impl Live {
    fn thread(&self) -> Thread {
        Thread { id: self.os_thread.into(), name: self.name.clone() }
    }

    fn times(&self) -> ThreadTimes {
        let cpu = processor_time(self.os_thread).unwrap_or(self.cpu).saturating_sub(self.cpu);
        ThreadTimes { thread: self.thread(), cpu, wall: self.begin.elapsed() }
    }
}

/// The threads by the numbers that their samples have.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    live: HashMap<u64, Live>,
    keys: HashMap<ThreadId, u64>,
    /// Names of threads that have not begun.
    names: HashMap<ThreadId, String>,
    next: u64,
    /// The threads that have ended; the last one is all beyond the limit.
    ended: Vec<ThreadTimes>,
}

impl Threads {
    /// A thread begins; returns the number for its samples, or `None` if it is known.
    pub(crate) fn begin(&mut self, thread: ThreadId, os_thread: u32) -> Option<u64> {
        let known = self.keys.get(&thread).and_then(|key| self.live.get(key));
        if known.is_some_and(|known| known.os_thread == os_thread) {
            return None;
        }
        self.next += 1;
        let (key, name) = (self.next, self.names.remove(&thread).unwrap_or_default());
        let cpu = processor_time(os_thread).unwrap_or_default();
        let live = Live { thread, os_thread, name, begin: Instant::now(), cpu, ended: None };
        self.live.insert(key, live);
        self.keys.insert(thread, key);
        Some(key)
    }

    pub(crate) fn rename(&mut self, thread: ThreadId, name: String) {
        match self.keys.get(&thread).and_then(|key| self.live.get_mut(key)) {
            Some(live) => live.name = name,
            None => {
                self.names.insert(thread, name);
            }
        }
    }

    /// A thread ends; returns the operating system's id.
    pub(crate) fn end(&mut self, thread: ThreadId, round: u64) -> Option<u32> {
        self.names.remove(&thread);
        let live = self.live.get_mut(&self.keys.remove(&thread)?)?;
        live.ended = Some(round);
        let times = live.times();
        let os_thread = live.os_thread;
        let is_full = self.ended.len() > ENDED_THREADS;
        match self.ended.last_mut() {
            Some(last) if is_full => {
                last.thread = Thread { id: 0, name: "other threads".to_owned() };
                last.cpu += times.cpu;
                last.wall += times.wall;
            }
            _ => self.ended.push(times),
        }
        Some(os_thread)
    }

    /// Returns the threads that the operating system no longer has.
    pub(crate) fn vanished(&self) -> Vec<ThreadId> {
        let live = self.live.values().filter(|live| live.ended.is_none());
        live.filter(|live| processor_time(live.os_thread).is_none()).map(|live| live.thread).collect()
    }

    /// Returns the thread of a sample.
    pub(crate) fn of_key(&self, key: u64) -> Option<Thread> {
        self.live.get(&key).map(Live::thread)
    }

    /// Forgets the threads that ended before a round of draining.
    pub(crate) fn forget(&mut self, round: u64) {
        self.live.retain(|_, live| live.ended.is_none_or(|ended| ended >= round));
    }

    /// Returns the times of all threads.
    pub(crate) fn times(&self) -> Vec<ThreadTimes> {
        let live = self.live.values().filter(|live| live.ended.is_none()).map(Live::times);
        self.ended.iter().cloned().chain(live).collect()
    }
}
