//! Records the exceptions of a .NET program with type, message, throw site and handler. The README describes the report.

mod streams;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use corprof::{EventMask, FunctionId, Names, ObjectId, Profiler, ProfilerInfo, Reserve, Result};
use corprof_tools::streams::{Schema, Value};
use corprof_tools::{Missed, Outcome, Output, RecordedStacks, Records, Rows, Settings, Throw, Throws};

use crate::streams::{A_FILTER, AGAIN, EXCEPTIONS, NOT_CAUGHT, THE_RUNTIME};

#[cfg(feature = "export")]
corprof::export_profiler!("{0B7C2D64-58E3-4B0B-9C1E-3A41D7F2A9E5}", [Exceptions]);

/// Lets callbacks finish their work when there is no memory.
#[cfg_attr(feature = "export", global_allocator)]
static MEMORY: Reserve = Reserve::new();

/// The number of throw sites whose message is kept.
const MESSAGES: usize = 10_000;

/// A throw site: the type, and the name of the method.
type Site = (Arc<str>, Arc<str>);

/// The profiler.
pub struct Exceptions {
    throws: Throws,
    stacks: RecordedStacks,
    output: Output,
    exceptions: Rows,
    again: Rows,
    /// The first message at each throw site.
    messages: Mutex<HashMap<Site, String>>,
    ignored: Arc<Missed>,
}

impl Records for Exceptions {
    const NAME: &'static str = "exceptions";
    const PREFIX: &'static str = "EXCEPTIONS_";
    // For the report.
    const SETTINGS: &'static [&'static str] = &["TOP"];
    const STREAMS: &'static [&'static Schema] = &[&EXCEPTIONS, &AGAIN];

    fn start(info: &ProfilerInfo, settings: &Settings, output: Output) -> Result<Self> {
        settings.limit("TOP")?;
        info.set_event_mask(Throws::EVENTS)?;
        let names = Names::new(info);
        Ok(Self {
            throws: Throws::new(&names)?,
            stacks: RecordedStacks::new(&names, &output),
            exceptions: output.rows(&EXCEPTIONS)?,
            again: output.rows(&AGAIN)?,
            messages: Mutex::default(),
            ignored: output.missed("callbacks were ignored, because memory had run out")?,
            output,
        })
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn stop(&self) {
        self.add(self.throws.end_all());
    }
}

impl Exceptions {
    /// Gives a throw the message of the first exception of its type at its throw site. The first is the one that was thrown first:
    /// throws whose fate is known come from several threads, in no order.
    fn set_first_message(&self, throw: &mut Throw) {
        let site = throw.stack.first().map_or_else(|| "".into(), |function| self.stacks.name(*function));
        let site = (Arc::clone(&throw.type_name), site);
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = messages.get(&site) {
            throw.message = Some(first.clone());
        } else if messages.len() >= MESSAGES {
            throw.message = None;
        } else {
            messages.insert(site, throw.message.clone().unwrap_or_default());
        }
    }

    /// Records the exceptions whose fate is known.
    fn add(&self, throws: impl IntoIterator<Item = Throw>) {
        for Throw { number, is_again, time, type_name, message, stack, outcome, .. } in throws {
            let caught_in = match outcome {
                Outcome::Caught(function) => self.output.text(&self.stacks.name(function)),
                Outcome::InFilter => self.output.text(A_FILTER),
                Outcome::Uncaught => self.output.text(NOT_CAUGHT),
                _ => self.output.text(THE_RUNTIME),
            };
            let (time, number) = (self.output.time(time), Value::Count(number));
            let (type_name, stack) = (self.output.text(&type_name), self.stacks.stack(&stack));
            if is_again {
                self.again.emit(&[time, number, type_name, caught_in, stack]);
            } else {
                let message = self.output.text(message.as_deref().unwrap_or_default());
                self.exceptions.emit(&[time, number, type_name, message, caught_in, stack]);
            }
        }
    }

    /// Calls `work` if there is memory.
    fn with_memory(&self, work: impl FnOnce()) {
        if MEMORY.is_low() { self.ignored.add(1) } else { work() }
    }

    /// Has everything written if nothing catches an exception: the runtime ends the program without notifying its profiler.
    fn uncaught(&self, throw: Option<Throw>) {
        if throw.is_some() {
            self.add(throw);
            self.output.flush();
        }
    }
}

impl Profiler for Exceptions {
    corprof_tools::tool_callbacks!();

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        self.with_memory(|| {
            self.add(self.throws.exception_thrown(exception, |throw| self.set_first_message(throw)));
        });
    }

    fn exception_search_catcher_found(&self, function: FunctionId) {
        self.with_memory(|| self.add(self.throws.exception_search_catcher_found(function)));
    }

    fn exception_search_function_enter(&self, function: FunctionId) {
        self.throws.exception_search_function_enter(function);
    }

    fn exception_search_function_leave(&self) {
        self.uncaught(self.throws.exception_search_function_leave());
    }

    fn exception_unwind_function_enter(&self, _: FunctionId) {
        self.uncaught(self.throws.exception_unwind_function_enter());
    }

    fn exception_search_filter_enter(&self, _: FunctionId) {
        self.throws.exception_search_filter_enter();
    }

    fn exception_search_filter_leave(&self) {
        self.add(self.throws.exception_search_filter_leave());
    }
}

/// The mask has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(Throws::EVENTS));
