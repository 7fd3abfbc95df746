//! Where a tool's rows go: a recording, which the client that has attached the tool gets, or a file.

use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use corprof::{Error, ProfilerInfo, Result};
use corprof_in_process::outlet::{Outlet, PATIENCE};
use corprof_in_process::printable::Printable;
use corprof_link::{Asked, Client};
use recording::streams::{Emitted, Schema, Session, SessionStart, Stream, Text, Value};
use recording::{ClockKind, Journal, Options, Process, Recorder};

use crate::missed::{MISSED, Missed};
use crate::report::{LEAVING, Message, Reporter};
use crate::settings::{Settings, SettingsError};

/// The ending of a recording's file.
const ENDING: &str = "clrec";

/// The chunks of memory for what rows refer to, until it is written.
const CHUNKS: usize = 8;

/// The memory for rows that are not written yet.
const MEMORY: usize = 1 << 20;

/// What is said of what rows refer to and is not in the recording.
const NO_ROOM: &str = "stacks or names are unknown, because the recording had no room for them";

/// The output of a tool that records. A clone is the same output.
///
/// Nothing here waits for a file or a client: rows for which there is no room are dropped, and the recording has their number.
#[derive(Clone, Debug)]
pub struct Output {
    recording: Arc<Recording>,
    reporter: Arc<Reporter>,
}

/// The recording, which the thread of the reporter ends.
struct Recording {
    name: &'static str,
    recorder: Recorder,
    session: Session,
    client: Option<Client>,
    /// A time by both clocks.
    begin: (Instant, u64),
    /// What could not be recorded.
    missed: Mutex<Vec<Arc<Missed>>>,
    no_room: Arc<Missed>,
}

impl core::fmt::Debug for Recording {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recording").field("tool", &self.name).finish_non_exhaustive()
    }
}

/// A stream of a tool: rows are emitted by any thread.
#[derive(Debug)]
pub struct Rows(Stream);

impl Rows {
    /// Emits a row, with a value for each column of the schema. A few stores; never waits, never allocates. Without room for it, it is
    /// counted as lost.
    pub fn emit(&self, row: &[Value]) {
        let emitted = self.0.emit(row);
        debug_assert_ne!(emitted, Emitted::Malformed, "a row is not as its schema says: {row:?}");
    }
}

impl Output {
    /// Begins the recording of a tool, in the file of the setting `OUT` or to the client that has attached it.
    pub(crate) fn start(
        name: &'static str,
        info: &ProfilerInfo,
        settings: &Settings,
        streams: &[&'static Schema],
    ) -> Result<Self> {
        let client = settings.client().cloned();
        let (output, journal): (Box<dyn Write + Send>, _) = match &client {
            Some(client) => (Box::new(client.recording()), None),
            None => {
                let (outlet, journal) = file(name, settings)?;
                (Box::new(outlet), journal)
            }
        };
        let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
        let process = Process {
            command: words.collect::<Vec<_>>().join(" "),
            runtime: info
                .runtime_info()
                .map_or_else(|_| String::new(), |runtime| runtime.version_string.clone()),
            ..Process::default()
        };
        let options = Options { chunks: CHUNKS, clock: ClockKind::Monotonic, process, ..Options::default() };
        let failed = {
            let client = client.clone();
            move |error: &std::io::Error| {
                // That the client has gone is noticed elsewhere.
                if client.is_none() {
                    complain(name, None, &format!("the recording ends here, it cannot be written: {error}"));
                }
            }
        };
        let cannot = |what: &str| Error::other(format!("cannot begin a recording: {what}"));
        let recorder = Recorder::start_with(output, journal, options, failed)
            .map_err(|error| cannot(&error.to_string()))?;
        let begin = (Instant::now(), recorder.ticks());
        let given: Vec<(&str, &str)> = settings.given().filter(|(name, _)| *name != "OUT").collect();
        let start = SessionStart { tool: name, settings: &given, memory: MEMORY, ..SessionStart::default() };
        let session = recorder.session(&start).ok_or_else(|| cannot("its settings are too long"))?;
        let missed = Missed::new(Rows(stream_of(&session, &MISSED)?), text_of(&recorder, NO_ROOM));
        let no_room = Arc::new(missed);
        let recording = Arc::new(Recording {
            name,
            recorder,
            session,
            client,
            begin,
            missed: Mutex::new(vec![Arc::clone(&no_room)]),
            no_room,
        });
        for schema in streams {
            stream_of(&recording.session, schema)?;
        }
        let leaving = Leaving {
            recording: Arc::clone(&recording),
            info: info.clone(),
            time: settings.seconds("SECONDS")?,
            is_ready: false,
            has_left: None,
            goes_on: false,
        };
        let reporter = Reporter::with_thread(name, |messages| leaving.run(&messages))?;
        if let Some(client) = &recording.client {
            reporter.watch(client)?;
        }
        Ok(Self { recording, reporter: Arc::new(reporter) })
    }

    /// Returns the stream of a schema, which the tool declares among its [`STREAMS`](crate::Records::STREAMS).
    ///
    /// # Errors
    /// If there are too many streams.
    pub fn rows(&self, schema: &'static Schema) -> Result<Rows> {
        stream_of(&self.recording.session, schema).map(Rows)
    }

    /// Returns a count of what could not be recorded for a reason: `"callbacks were ignored, because memory had run out"`. Reports have it
    /// as a line.
    ///
    /// # Errors
    /// If there are too many streams.
    pub fn missed(&self, reason: &'static str) -> Result<Arc<Missed>> {
        let Recording { session, recorder, .. } = &*self.recording;
        let missed = Arc::new(Missed::new(Rows(stream_of(session, &MISSED)?), text_of(recorder, reason)));
        let mut all = self.recording.missed.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(&missed));
        Ok(missed)
    }

    /// Has everything written, or sent, that was emitted before, for when the program is about to be killed. Waits two seconds at most.
    pub fn flush(&self) {
        // What is late is written if the program still runs.
        let _ = self.recording.recorder.flush(PATIENCE);
    }

    /// Returns a text for a row. The same text is in the recording once. Takes a lock, and allocates for a new one. Of one for which there
    /// is no room, there is none, and it is counted.
    #[must_use]
    pub fn text(&self, text: &str) -> Value {
        let text = self.recording.recorder.text(text);
        if text.is_none() {
            self.no_room().add(1);
        }
        Value::Text(text.unwrap_or(Text::NONE))
    }

    /// Counts what rows refer to and is not in the recording.
    pub(crate) fn no_room(&self) -> &Missed {
        &self.recording.no_room
    }

    /// Returns a time for a row.
    #[must_use]
    pub fn time(&self, at: Instant) -> Value {
        let (begin, ticks) = self.recording.begin;
        // The ticks of this clock are nanoseconds.
        let since = corprof_profile::nanoseconds(at.saturating_duration_since(begin));
        Value::Time(ticks.saturating_add(since))
    }

    /// Returns a duration for a row.
    #[must_use]
    pub fn duration(time: Duration) -> Value {
        Value::Nanoseconds(corprof_profile::nanoseconds(time))
    }

    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recording.recorder
    }

    /// Returns what requests the detach of the tool and ends it.
    pub(crate) fn reporter(&self) -> &Reporter {
        &self.reporter
    }
}

fn stream_of(session: &Session, schema: &'static Schema) -> Result<Stream> {
    let stream = session.stream(schema);
    stream.ok_or_else(|| Error::other(format!("the stream {} cannot be declared", schema.name())))
}

/// Returns a text for a row, or none.
fn text_of(recorder: &Recorder, text: &str) -> Value {
    Value::Text(recorder.text(text).unwrap_or(Text::NONE))
}

/// Opens the file of the setting `OUT`, and its journal: what is recorded survives the end of the process.
fn file(name: &str, settings: &Settings) -> Result<(Outlet, Option<Journal>)> {
    let Some(path) = settings.out() else {
        let reason = format!(
            "it names the file for the recording, which ends in .{ENDING}; or start the program by `corprof run {name}`"
        );
        return Err(settings.missing("OUT", &reason).into());
    };
    let is_stream = std::fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if !is_stream && path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case(ENDING)) {
        let expected = format!(
            "the file for the recording ends in .{ENDING}; `corprof report` makes other files of it, as does `corprof run {name} --out`"
        );
        return Err(settings.invalid("OUT", &expected).into());
    }
    let outlet = Outlet::create(&path)
        .map_err(|error| Error::other(format!("cannot write to {}: {error}", path.display())))?;
    let journal = journal(name, &outlet);
    Ok((outlet, journal))
}

fn journal(name: &str, outlet: &Outlet) -> Option<Journal> {
    outlet.position()?;
    let path = outlet.path()?;
    // The command may be run in another folder.
    let shown = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let command = format!("corprof report {}", Printable(&shown.to_string_lossy()));
    Journal::create(path, &command)
        .inspect_err(|error| {
            complain(
                name,
                None,
                &format!(
                    "a kill of the program may lose the last rows, because there is no journal: {error}"
                ),
            );
        })
        .ok()
}

/// Says something to the client, or on standard error.
fn complain(name: &str, client: Option<&Client>, message: &str) {
    if let Some(client) = client {
        return client.progress(message);
    }
    // A closed standard error is no reason to fail.
    let _ = Outlet::standard_error().write_all(format!("{name}: {}\n", Printable(message)).as_bytes());
}

/// The thread that requests the detach, and ends the recording.
struct Leaving {
    recording: Arc<Recording>,
    info: ProfilerInfo,
    time: Option<Duration>,
    /// Whether the runtime accepts a request to detach.
    is_ready: bool,
    /// Whether the detach was requested: if the runtime has refused it, why.
    has_left: Option<core::result::Result<(), String>>,
    /// Whether the profiler was detached, or removed, by others.
    goes_on: bool,
}

impl Leaving {
    fn run(mut self, messages: &Receiver<Message>) {
        let (mut leave, mut asked) = (None::<Instant>, None);
        loop {
            let wait = match leave.filter(|_| self.has_left.is_none()) {
                Some(deadline) => messages.recv_timeout(deadline.saturating_duration_since(Instant::now())),
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match wait {
                Ok(Message::Ready) => {
                    self.is_ready = true;
                    leave = self.time.and_then(|time| Instant::now().checked_add(time));
                }
                Ok(Message::Detached) => self.goes_on = true,
                Ok(Message::Client(what)) => asked = Some(what),
                // The thread has waited too long.
                Ok(Message::Now(done)) => drop(done.try_send(())),
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return self.end(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_over = leave.is_some_and(|leave| leave <= Instant::now());
            if self.is_ready && self.has_left.is_none() && (is_over || asked.is_some()) {
                self.leave(asked);
            }
        }
    }

    /// Requests the detach. The runtime detaches the profiler later, on a thread of its own.
    fn leave(&mut self, asked: Option<Asked>) {
        let left = self.info.request_detach(LEAVING).map_err(|error| error.to_string());
        if let Err(error) = &left {
            complain(
                self.recording.name,
                self.recording.client.as_ref(),
                &format!("cannot be detached: {error}"),
            );
            if asked.is_some() {
                self.finish("stopped", Some(error));
            }
        }
        self.has_left = Some(left);
    }

    fn end(self) {
        let is_detached = self.goes_on || matches!(self.has_left, Some(Ok(())));
        self.finish(if is_detached { "detached" } else { "the program has ended" }, None);
    }

    /// Ends the recording: a second time, nothing is left to do.
    fn finish(&self, why: &str, stays: Option<&str>) {
        let Recording { session, recorder, client, name, missed, .. } = &*self.recording;
        missed.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|missed| missed.emit());
        client.iter().for_each(Client::hurry);
        session.end(why);
        if let Err(error) = recorder.finish()
            && client.is_none()
        {
            complain(name, None, &error.to_string());
        }
        // Before that, the client is told why the tool does not run.
        if let Some(client) = client.as_ref().filter(|_| self.is_ready) {
            client.end(why, stays);
            client.close();
        }
    }
}

impl Settings {
    /// Fails for settings that a tool which records does not have: its client does what they say.
    pub(crate) fn check_recorded(&self, name: &str) -> core::result::Result<(), SettingsError> {
        const CLIENTS: [&str; 9] =
            ["EVERY", "WHEN", "KEEP", "KEEP_MB", "KEEP_SECONDS", "PUSH", "LABELS", "PUSH_HEADERS", "PUSH_CA"];
        let flag = |setting: &str| setting.to_ascii_lowercase().replace('_', "-");
        match CLIENTS.into_iter().find(|setting| self.text(setting).is_some()) {
            Some(setting) => Err(self.invalid(
                setting,
                &format!(
                    "the tool records, and the command does this while it does: `corprof run {name} --{}`",
                    flag(setting)
                ),
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_is_no_recording_is_refused_with_the_remedy() {
        let settings = |data: &str| Settings::from_client_data("GC_", &["LAST"], data.as_bytes()).unwrap();
        for (data, parts) in [
            ("GC_LAST=2", ["GC_OUT is missing", ".clrec", "corprof run gc"]),
            ("GC_OUT=gc.txt", ["GC_OUT=\"gc.txt\"", ".clrec", "corprof report"]),
        ] {
            let error = file("gc", &settings(data)).err().unwrap().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        }
        let error = settings("GC_OUT=gc.clrec\nGC_KEEP_MB=1").check_recorded("gc").unwrap_err().to_string();
        assert!(error.contains("GC_KEEP_MB=\"1\"") && error.contains("corprof run gc --keep-mb"), "{error}");
        settings("GC_OUT=gc.clrec\nGC_SECONDS=1").check_recorded("gc").unwrap();
    }
}
