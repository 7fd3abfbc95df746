//! Counts the exceptions of a .NET program by type, message, throw site and handler. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{
    EventMask, FunctionId, Names, ObjectId, Profiler, ProfilerInfo, Reserve, Result, export_profiler,
};
use corprof_tools::corprof_profile::{Context, Unit};
use corprof_tools::{LiveProfile, Outcome, Reporter, Settings, Throw, Throws, Tool};

use crate::report::{CAUGHT_IN, MESSAGE, NOT_CAUGHT, Report, TYPE};

export_profiler!(Exceptions, "{0B7C2D64-58E3-4B0B-9C1E-3A41D7F2A9E5}");

/// Lets callbacks finish their work when there is no memory.
#[global_allocator]
static MEMORY: Reserve = Reserve::new();

/// The profiler.
struct Exceptions {
    counted: Arc<Counted>,
    reporter: Reporter,
}

/// The exceptions so far.
pub(crate) struct Counted {
    pub(crate) throws: Throws,
    pub(crate) profile: LiveProfile,
    /// The number of exceptions that were not looked at, because memory ran out.
    pub(crate) lost: AtomicU64,
}

impl Counted {
    /// Adds the exceptions whose fate is known.
    pub(crate) fn add(&self, throws: impl IntoIterator<Item = Throw>) {
        for throw in throws {
            let caught_in = match throw.outcome {
                Outcome::Caught(function) => self.profile.name(function),
                Outcome::InFilter => "[an exception filter]".to_owned(),
                _ => NOT_CAUGHT.to_owned(),
            };
            let labels = [
                (TYPE, throw.type_name.to_string()),
                (MESSAGE, throw.message.unwrap_or_default()),
                (CAUGHT_IN, caught_in),
            ];
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
            lost: AtomicU64::new(0),
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
        self.with_memory(|counted| counted.add(counted.throws.exception_thrown(exception)));
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
