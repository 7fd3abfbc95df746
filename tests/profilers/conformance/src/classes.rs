//! `classload`: loads and unloads of classes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};

use corprof::{ClassId, EventMask, HResult, Names, ProfilerInfo, Result};

use crate::row::Row;
use crate::{locked, say};

/// The class of the program that is loaded and unloaded, and that others have as a type argument.
const CLASS: &str = "Plugin.TestClass";

/// The observed loads and unloads of classes.
pub(crate) struct Classes {
    names: Names,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Classes whose load, or unload, has started and not finished.
    loading: HashSet<ClassId>,
    unloading: HashSet<ClassId>,
    /// Loaded classes that count. They cannot be queried at their unload, because their module has been unloaded.
    loaded: HashMap<ClassId, String>,
    /// Finished callbacks without a start, or with a failure.
    wrong: BTreeSet<String>,
    /// The loads and unloads of classes that count, by name.
    counts: BTreeMap<String, (u32, u32)>,
}

impl Classes {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CLASS_LOADS | EventMask::MODULE_LOADS)?;
        Ok(Self { names: Names::new(info), seen: Mutex::default() })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        locked(&self.seen)
    }
}

/// Whether a class is the one, or has it as a type argument; arrays do not count.
fn concerns(name: &str) -> bool {
    name.contains(CLASS) && !name.ends_with(']')
}

impl Row for Classes {
    fn class_load_started(&self, class: ClassId) {
        self.seen().loading.insert(class);
    }

    fn class_load_finished(&self, class: ClassId, status: Result<(), HResult>) {
        let name = self.names.class(class).map_or_else(|error| error.to_string(), |name| name.to_string());
        let mut seen = self.seen();
        if !seen.loading.remove(&class) || status.is_err() {
            seen.wrong.insert(format!("the load of {name}: {status:?}"));
        }
        if concerns(&name) {
            seen.counts.entry(name.clone()).or_default().0 += 1;
            seen.loaded.insert(class, name);
        }
    }

    fn class_unload_started(&self, class: ClassId) {
        self.seen().unloading.insert(class);
    }

    fn class_unload_finished(&self, class: ClassId, status: Result<(), HResult>) {
        let mut seen = self.seen();
        if !seen.unloading.remove(&class) || status.is_err() {
            seen.wrong.insert(format!("the unload of {class}: {status:?}"));
        }
        if let Some(name) = seen.loaded.remove(&class) {
            seen.counts.entry(name).or_default().1 += 1;
        }
    }

    fn say(&self) {
        let seen = self.seen();
        say("begun_and_not_ended", seen.loading.len() + seen.unloading.len());
        say("wrong", seen.wrong.iter().map(String::as_str).collect::<Vec<_>>().join("; "));
        for (name, (loaded, unloaded)) in &seen.counts {
            say(format_args!("class.{name}"), format_args!("loaded {loaded}, unloaded {unloaded}"));
        }
    }
}
