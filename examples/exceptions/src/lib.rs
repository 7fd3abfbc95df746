//! Counts the exceptions of a .NET program by type, message, throw site and handler. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use corprof::{EventMask, FunctionId, Names, ObjectId, Profiler, ProfilerInfo, Reserve, Result};
use corprof_tools::corprof_profile::{Context, Unit};
use corprof_tools::{LiveProfile, Outcome, Reporter, Settings, Throw, Throws, Tool};

use crate::report::{CAUGHT_IN, MESSAGE, NOT_CAUGHT, Report, THE_RUNTIME, TYPE};

#[cfg(feature = "export")]
corprof::export_profiler!("{0B7C2D64-58E3-4B0B-9C1E-3A41D7F2A9E5}", [Exceptions]);

/// Lets callbacks finish their work when there is no memory.
#[cfg_attr(feature = "export", global_allocator)]
static MEMORY: Reserve = Reserve::new();

/// The number of throw sites whose message is kept.
const MESSAGES: usize = 10_000;

/// The profiler.
pub struct Exceptions {
    counted: Arc<Counted>,
    reporter: Reporter,
}

/// The exceptions so far.
pub(crate) struct Counted {
    pub(crate) throws: Throws,
    pub(crate) profile: LiveProfile,
    /// The first message at each throw site: by type and the name of the method.
    messages: Mutex<HashMap<(Arc<str>, String), String>>,
    /// The number of exceptions that were not looked at, because memory ran out.
    pub(crate) lost: AtomicU64,
}

impl Counted {
    /// Gives a throw the message of the first exception of its type at its throw site. The first is the one that was thrown first:
    /// throws whose fate is known come from several threads, in no order.
    fn set_first_message(&self, throw: &mut Throw) {
        let site = throw.stack.first().map(|function| self.profile.name(*function)).unwrap_or_default();
        let site = (Arc::clone(&throw.type_name), site);
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = messages.len() >= MESSAGES;
        throw.message = match messages.entry(site) {
            Entry::Occupied(first) => Some(first.get().clone()),
            Entry::Vacant(_) if is_full => None,
            Entry::Vacant(vacant) => Some(vacant.insert(throw.message.take().unwrap_or_default()).clone()),
        };
    }

    /// Adds the exceptions whose fate is known.
    pub(crate) fn add(&self, throws: impl IntoIterator<Item = Throw>) {
        for throw in throws {
            let caught_in = match throw.outcome {
                Outcome::Caught(function) => self.profile.name(function),
                Outcome::InFilter => "[an exception filter]".to_owned(),
                Outcome::Uncaught => NOT_CAUGHT.to_owned(),
                _ => THE_RUNTIME.to_owned(),
            };
            let message = throw.message.unwrap_or_default();
            let labels = [(TYPE, throw.type_name.to_string()), (MESSAGE, message), (CAUGHT_IN, caught_in)];
            let labels = labels.map(|(key, value)| (key.to_owned(), value)).into();
            self.profile.add(&throw.stack, &Context { thread: None, labels }, &[1]);
        }
    }
}

impl Tool for Exceptions {
    const PREFIX: &'static str = "EXCEPTIONS_";
    const SETTINGS: &'static [&'static str] = &["TOP"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        info.set_event_mask(Throws::EVENTS)?;
        let names = Names::new(info);
        let counted = Arc::new(Counted {
            throws: Throws::new(&names)?,
            profile: LiveProfile::of_program(&names, &[("exceptions", Unit::Count)]),
            messages: Mutex::default(),
            lost: AtomicU64::new(0),
        });
        let pending = Arc::downgrade(&counted);
        counted.profile.before_reports(move || {
            pending.upgrade().iter().for_each(|counted| counted.add(counted.throws.settle()));
        });
        let mut report = Report::new(Arc::clone(&counted), settings)?;
        let profile = &counted.profile;
        let reporter =
            Reporter::of_profile("exceptions", info, settings, profile, 0, move |profile, moment, out| {
                report.write(profile, moment, out)
            })?;
        Ok(Self { counted, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }

    fn stop(&self) {
        self.counted.add(self.counted.throws.end_all());
    }
}

impl Exceptions {
    /// Calls `work` if there is memory.
    fn with_memory<T>(&self, work: impl FnOnce(&Counted) -> T) -> Option<T> {
        if MEMORY.is_low() {
            self.counted.lost.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(work(&self.counted))
    }
}

impl Exceptions {
    /// Writes a report if nothing catches an exception: the runtime ends the program without notifying its profiler.
    fn uncaught(&self, throw: Option<Throw>) {
        if throw.is_some() {
            self.counted.add(throw);
            self.reporter.write_now();
        }
    }
}

impl Profiler for Exceptions {
    corprof_tools::tool_callbacks!();

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        self.with_memory(|counted| {
            let throws = &counted.throws;
            counted.add(throws.exception_thrown(exception, |throw| counted.set_first_message(throw)));
        });
    }

    fn exception_search_catcher_found(&self, function: FunctionId) {
        self.with_memory(|counted| counted.add(counted.throws.exception_search_catcher_found(function)));
    }

    fn exception_search_function_enter(&self, function: FunctionId) {
        self.counted.throws.exception_search_function_enter(function);
    }

    fn exception_search_function_leave(&self) {
        self.uncaught(self.counted.throws.exception_search_function_leave());
    }

    fn exception_unwind_function_enter(&self, _: FunctionId) {
        self.uncaught(self.counted.throws.exception_unwind_function_enter());
    }

    fn exception_search_filter_enter(&self, _: FunctionId) {
        self.counted.throws.exception_search_filter_enter();
    }

    fn exception_search_filter_leave(&self) {
        self.counted.add(self.counted.throws.exception_search_filter_leave());
    }
}

/// The mask has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(Throws::EVENTS));
