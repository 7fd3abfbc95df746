//! Prints every method call of a .NET program: C# name, argument values, return value.
//!
//! | file | subject |
//! |---|---|
//! | `lib` | the tracer: selection of methods, output |
//! | `settings` | the settings, from the client or from environment variables |
//! | `redact` | patterns of secret values |
//! | `self_test` | the messages about the self-test of locations |
//! | `clock` | the time zone of the process, for local times |
//! | `switch` | tracing while a file exists |
//! | `sink` | the file or stream of the lines, and the journal |
//! | `omitted` | the calls that are left out to keep to the budget |
//! | `recorded` | the recording, for later |
//!
//! The README describes the settings; `docs/calltrace-format.md` describes the format.

mod clock;
mod omitted;
mod recorded;
mod redact;
mod self_test;
mod settings;
mod sink;
mod switch;

use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{
    DeclaredMethod, Error, FunctionId, LastError, ModuleFlags, ModuleInfo, ProfilerInfo, Reserve, Result,
};
use corprof_calls::{CallTracer, CalledMethod, Calls, EndedCall, EnteredCall, Format, OmittedCalls, Options};
use corprof_link::Client;
use recording::lines::Place;
use recording::{Defined, Recorder, Summary, ThreadLog, ThreadRecorder};

use crate::omitted::Omitted;
use crate::self_test::SelfTest;
use crate::settings::{Form, Settings};
use crate::sink::{MESSAGES, Sink, complain};

#[cfg(feature = "export")]
corprof::export_profiler!("{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}", [Calls<CallTrace>]);

/// Lets hooks finish their work when there is no memory, see [`CallTrace::has_memory`].
#[cfg_attr(feature = "export", global_allocator)]
static MEMORY: Reserve = Reserve::new();

/// The number of methods that are named because they keep their code.
const MOST_REFUSED: u64 = 100;

/// The tracer.
pub struct CallTrace {
    /// The number of events that are missing because memory ran out.
    without_memory: AtomicU64,
    /// The number of calls that are missing because they were near the end of a stack.
    skipped: AtomicU64,
    /// The number of methods that keep their code.
    refused: AtomicU64,
    /// The number of methods not all of whose calls are traced.
    missed: AtomicU64,
    self_test: SelfTest,
    /// The calls that are missing to keep to the budget.
    omitted: Omitted,
    settings: Settings,
    switch: Option<corprof_calls::CallSwitch>,
    output: Output,
}

/// The output of the calls.
enum Output {
    Lines(Format, Sink),
    Recording(Recorder),
}

/// The state of a thread: a line buffer and the log that it goes to, or a recorder.
#[derive(Default)]
pub struct Thread {
    line: String,
    log: Option<ThreadLog>,
    recorder: Option<ThreadRecorder>,
}

impl CallTrace {
    /// Returns the recorder of the calling thread.
    #[inline(always)]
    fn recorder<'t>(recorder: &Recorder, thread: &'t mut Thread, id: u64) -> &'t mut ThreadRecorder {
        match thread.recorder {
            Some(ref mut recorder) => recorder,
            ref mut none => none.insert(Self::begin_thread(recorder, id)),
        }
    }

    #[cold]
    #[inline(never)]
    fn begin_thread(recorder: &Recorder, id: u64) -> ThreadRecorder {
        recorder.thread(id)
    }

    /// Writes a line.
    #[inline(never)]
    fn write(&self, sink: &Sink, place: Place, thread: &mut Thread, write_line: impl FnOnce(&mut String)) {
        let _kept = LastError::keep();
        if self.has_memory() {
            write_line(&mut thread.line);
            sink.write(place, &mut thread.line, &mut thread.log);
        }
    }
}

impl CallTrace {
    fn begin(info: &ProfilerInfo, settings: Settings) -> Result<Self> {
        let self_test = SelfTest::begin(info, &settings);
        let out = settings.out.as_deref();
        let output = match (settings.form, out) {
            (Form::Recording, Some(file)) => {
                let recorder = recorded::start(file, &settings, info.runtime_info().ok());
                Output::Recording(recorder.map_err(|error| Error::other(error.to_string()))?)
            }
            (Form::Recording, None) => return Err(Error::other("a recording needs a file")),
            (Form::Lines(format), out) => {
                let sink =
                    Sink::open(out, format, &settings).map_err(|error| Error::other(error.to_string()))?;
                Output::Lines(format, sink)
            }
        };
        let (file, time) = (settings.while_exists.clone(), settings.time);
        let is_switched = file.is_some() || time.is_some();
        let switch = is_switched.then(|| switch::follow(file, time)).transpose();
        let switch = switch.map_err(|error| Error::other(error.to_string()))?;
        let [without_memory, skipped, refused, missed] = [const { AtomicU64::new(0) }; 4];
        let omitted = Omitted::default();
        Ok(Self { without_memory, skipped, refused, missed, omitted, self_test, settings, switch, output })
    }
}

impl CallTracer for CallTrace {
    /// Nothing sets it here but what keeps it, except on Windows, where the per-thread values of the standard library do.
    const KEEPS_LAST_ERROR: bool = !cfg!(windows);
    const AT_ONCE: bool = true;

    /// With a recording, the definition of the method in it.
    type Method = Option<Defined>;
    type Thread = Thread;
    type Attached = ();

    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let begin = |client: Option<&Client>, lines: Option<&str>| {
            MESSAGES.go_to(client);
            let settings = lines.map_or_else(Settings::from_environment, Settings::from_client);
            Self::begin(
                info,
                settings
                    .map_err(|error| Error::Setting { name: error.setting(), message: error.to_string() })?,
            )
        };
        let setting = |error: &Error| error.setting().map(str::to_owned);
        corprof_link::start("calltrace", begin, setting, Error::Declined)
    }

    fn options(&mut self) -> Options {
        let settings = &mut self.settings;
        Options {
            hooks: settings.hooks,
            self_test: settings.self_test,
            calls: settings.calls,
            budget: settings.budget,
            switch: self.switch.take(),
            limits: settings.limits,
            full_calls: settings.full_calls,
            raw: settings.raw,
            local_time: Some(Box::new(clock::local_time())),
            redact: Some(Box::new(std::mem::take(&mut settings.redaction))),
        }
    }

    fn select_module(&self, module: &ModuleInfo) -> bool {
        self.settings.filter.may_match(&module.path)
    }

    fn refused(&self, method: &str, reason: &dyn std::fmt::Display) {
        match self.refused.fetch_add(1, Ordering::Relaxed) {
            0..MOST_REFUSED => complain(&format!("{method} is not traced: {reason}")),
            MOST_REFUSED => complain("further methods that are not traced are counted"),
            _ => {}
        }
    }

    fn missed(&self, method: &str, reason: &dyn std::fmt::Display) {
        match self.missed.fetch_add(1, Ordering::Relaxed) {
            0..MOST_REFUSED => complain(&format!("not all calls of {method} are traced: {reason}")),
            MOST_REFUSED => complain("further methods not all of whose calls are traced are not named"),
            _ => {}
        }
    }

    fn select(&self, method: &DeclaredMethod<'_>) -> bool {
        let (filter, module) = (&self.settings.filter, method.module_info);
        let name = || method.plain_name();
        if module.flags.contains(ModuleFlags::DYNAMIC) || method.token.is_none() {
            return filter.matches_emitted(module.file_name(), name);
        }
        filter.matches(&module.path, name)
    }

    fn unnamed(&self, _: FunctionId, error: &Error) {
        complain(&format!("a method cannot be named and is not traced: {error}"));
    }

    fn prepare(&self, method: &CalledMethod) -> Option<Defined> {
        match &self.output {
            Output::Recording(recorder) => recorder.define(&method.recorded()),
            Output::Lines(..) => None,
        }
    }

    #[inline(always)]
    fn enter(&self, call: &EnteredCall<'_, Self>, thread: &mut Thread) {
        match (&self.output, call.kept()) {
            (Output::Recording(recorder), Some(defined)) => {
                call.record(Self::recorder(recorder, thread, call.thread_id()), defined);
            }
            (Output::Recording(_), None) => {}
            (Output::Lines(format, sink), _) => {
                let call = call.clone();
                self.write(sink, call.place(), thread, |line| call.write_line(line, *format));
            }
        }
    }

    #[inline(always)]
    fn leave(&self, call: &EndedCall<'_, Self>, (): (), thread: &mut Thread) {
        match (&self.output, call.kept()) {
            (Output::Recording(recorder), Some(defined)) => {
                call.record(Self::recorder(recorder, thread, call.thread_id()), defined);
            }
            (Output::Recording(_), None) => {}
            (Output::Lines(format, sink), _) => {
                let call = call.clone();
                self.write(sink, call.place(), thread, |line| call.write_line(line, *format));
            }
        }
    }

    /// Records a call of numbers.
    #[inline(always)]
    fn enter_at_once(&self, call: &EnteredCall<'_, Self>, thread: &mut Thread) -> Option<()> {
        // Only of a recording.
        let (Some(recorder), Some(defined)) = (&mut thread.recorder, call.kept()) else { return None };
        call.record_at_once(recorder, defined).then_some(())
    }

    #[inline(always)]
    fn leave_at_once(&self, call: &EndedCall<'_, Self>, thread: &mut Thread) -> bool {
        let (Some(recorder), Some(defined)) = (&mut thread.recorder, call.kept()) else { return false };
        call.record_at_once(recorder, defined)
    }

    /// Counts the event if there is no memory for it.
    fn has_memory(&self) -> bool {
        let is_low = MEMORY.is_low();
        if is_low {
            self.without_memory.fetch_add(1, Ordering::Relaxed);
        }
        !is_low
    }

    fn self_tested(&self, hold: bool) {
        self.self_test.end(hold);
    }

    fn skipped(&self) {
        // A stack overflow ends the process without a shutdown.
        if self.skipped.fetch_add(1, Ordering::Relaxed) == 0 {
            complain(
                "calls near the end of a thread's stack are missing: its last 64 KiB, or the last quarter of a small one",
            );
        }
    }

    fn omitted(&self, method: &CalledMethod, kept: &Option<Defined>, omitted: OmittedCalls) {
        self.omitted.add(method, omitted);
        if let (Output::Recording(recorder), Some(defined)) = (&self.output, kept) {
            // Without memory the message at the end has the number.
            let _ = recorder.omit(defined.number(), omitted);
        }
    }

    fn shutdown(&self) {
        self.self_test.shutdown();
        self.omitted.complain();
        self.settings.filter.report(complain);
        let skipped = self.skipped.load(Ordering::Relaxed);
        if skipped > 0 {
            complain(&format!("{skipped} calls are missing, which were near the end of a stack"));
        }
        let refused = self.refused.load(Ordering::Relaxed);
        if refused > MOST_REFUSED {
            complain(&format!(
                "{refused} methods were not traced, because code could not be inserted into them"
            ));
        }
        let missing = self.without_memory.load(Ordering::Relaxed);
        if missing > 0 {
            complain(&format!("{missing} events are missing, for which there was no memory"));
        }
        match &self.output {
            Output::Recording(recorder) => match recorder.finish() {
                Ok(Summary { lost: 0, .. }) => {}
                Ok(Summary { lost, .. }) => {
                    complain(&format!("{lost} records are missing, for which there was no room"));
                }
                Err(error) => complain(&error.to_string()),
            },
            Output::Lines(format, sink) => {
                let mut log = None;
                self.omitted
                    .each_line(*format, |line| sink.write(Place { thread: 0, depth: 0 }, line, &mut log));
                drop(log);
                sink.finish();
            }
        }
        MESSAGES.end();
    }
}
