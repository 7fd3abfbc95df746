//! `enumthreads`: the list of threads during a suspension of the runtime.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

use corprof::{EventMask, ProfilerInfo, Result, ThreadId};

use crate::row::Row;
use crate::{locked, say};

/// The prefix of the names of the program's threads.
const PREFIX: &str = "row ";

/// The results.
pub(crate) struct Threads {
    info: ProfilerInfo,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    names: BTreeMap<ThreadId, String>,
    enumerations: u32,
    errors: BTreeSet<String>,
    /// The number of the program's threads in a list.
    listed: BTreeSet<String>,
    collections: (u32, u32),
}

impl Threads {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::GC | EventMask::SUSPENDS | EventMask::THREADS)?;
        Ok(Self { info: info.clone(), seen: Mutex::default() })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        locked(&self.seen)
    }

    /// Lists the threads.
    fn look(&self) {
        let listed = self.info.threads();
        let mut seen = self.seen();
        match listed {
            Ok(threads) => {
                let names = threads.iter().filter_map(|thread| seen.names.get(thread));
                let names: Vec<String> = names.filter(|name| name.starts_with(PREFIX)).cloned().collect();
                seen.listed.extend(names);
                seen.enumerations += 1;
            }
            Err(error) => {
                seen.errors.insert(error.hresult().name().unwrap_or("?").to_owned());
            }
        }
    }
}

impl Row for Threads {
    fn thread_name_changed(&self, thread: ThreadId, name: String) {
        self.seen().names.insert(thread, name);
    }

    fn runtime_suspend_finished(&self) {
        self.look();
    }

    fn runtime_resume_started(&self) {
        self.look();
    }

    fn garbage_collection_started(&self) {
        self.seen().collections.0 += 1;
        self.look();
    }

    fn garbage_collection_finished(&self) {
        self.seen().collections.1 += 1;
    }

    fn say(&self) {
        let seen = self.seen();
        let (started, finished) = seen.collections;
        say("collections.some", started > 0);
        say("collections.started_is_finished", started == finished);
        say("enumerations.at_least_one_for_each_collection", seen.enumerations >= started);
        say("errors", seen.errors.iter().map(String::as_str).collect::<Vec<_>>().join("; "));
        for name in &seen.listed {
            say("thread", name);
        }
    }
}
