//! The thread that writes the report of a tool: at intervals, and at the end.
//!
//! A report is a document, which is replaced as a whole: a program that is killed leaves the last whole report. The settings may
//! ask for a file for each report instead, and for the profiles of the intervals to be pushed to a server. The report goes to
//! the client that has started the program or attached the tool, if there is one.

use core::fmt;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use corprof::{Error, ProfilerInfo, Result};
use corprof_in_process::outlet::{Document, Outlet, PATIENCE};
use corprof_in_process::printable::Printable;
use corprof_link::{Asked, Client};
use corprof_profile::push::{Pushed, Pusher, Target};
use corprof_profile::{Budget, Files, Format, Interval, Profile};

use crate::limits::CONTINUOUS;
use crate::profiled::LiveProfile;
use crate::program::program_name;
use crate::settings::Settings;

/// The time for which the profiler's code may still be on the stack of a program's thread.
pub(crate) const LEAVING: Duration = Duration::from_millis(100);

/// How often the reporter looks for the file of the setting `WHEN`.
const LOOK: Duration = Duration::from_millis(100);

/// How often a client gets a report that it has not asked for: it keeps the last one if the process is killed. Less often if a report
/// takes long, and more often in the beginning: a program that runs for a second leaves one too.
const REFRESH: Duration = Duration::from_secs(2);

/// The time until the first one.
const FIRST_REFRESH: Duration = Duration::from_millis(100);

/// A report that a client has not asked for takes at most one part of the time in so many.
const SHARE: u32 = 50;

/// When a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time since the tool was started; for a tool that keeps or pushes profiles, since the report before.
    pub elapsed: Duration,
    /// Whether the report has what was measured since the one before, and not since the tool was started.
    pub is_interval: bool,
    /// Whether this is the last report.
    pub is_last: bool,
}

/// Returns a report on a profile: in a file format, with this value where the format has one, or else as the text that `text`
/// writes.
#[must_use]
pub fn render(
    profile: &Profile,
    format: Option<Format>,
    value: usize,
    text: impl FnOnce(&mut String) -> fmt::Result,
) -> Vec<u8> {
    let Some(format) = format else {
        let mut report = String::new();
        // A `String` takes everything.
        let _ = text(&mut report);
        return report.into_bytes();
    };
    let mut bytes = Vec::new();
    match profile.write(format, value, &mut bytes) {
        Ok(()) => bytes,
        Err(error) => format!("{error}\n").into_bytes(),
    }
}

pub(crate) enum Message {
    /// The runtime accepts a request to detach.
    Ready,
    /// The client asks for something.
    Client(Asked),
    /// A report is to be written now.
    Now(SyncSender<()>),
    /// The profiler has been detached, or the part removed.
    Detached,
    End,
}

/// The thread that writes the report.
///
/// Call [`ready`](Self::ready) when the profiler may be detached, and [`end`](Self::end) in `shutdown` and
/// `profiler_detach_succeeded`.
#[derive(Debug)]
pub struct Reporter {
    messages: Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Reporter {
    /// Opens the output of the settings, and starts the thread.
    ///
    /// `write` returns the report. It runs on the thread, never in two calls at once.
    ///
    /// # Errors
    /// The output cannot be opened, a setting is invalid, the profiles of this tool are to be pushed though it has none, or the
    /// thread cannot be started.
    pub fn start(
        name: &'static str,
        info: &ProfilerInfo,
        settings: &Settings,
        write: impl FnMut(Moment) -> Vec<u8> + Send + 'static,
    ) -> Result<Self> {
        Self::of_source(name, info, settings, Source::Text(Box::new(write)), false)
    }

    /// As [`start`](Self::start), for a report that costs the program nothing but the time to write it: a client gets it meanwhile too,
    /// so that it has one of a program that is killed.
    ///
    /// # Errors
    /// Those of [`start`](Self::start).
    pub fn start_refreshed(
        name: &'static str,
        info: &ProfilerInfo,
        settings: &Settings,
        write: impl FnMut(Moment) -> Vec<u8> + Send + 'static,
    ) -> Result<Self> {
        Self::of_source(name, info, settings, Source::Text(Box::new(write)), true)
    }

    /// Opens the output of the settings, and starts the thread that writes a profile: in the file format that the output's
    /// ending means, with this value where the format has one, or else as the text that `text` writes. [`top`](crate::top)
    /// returns such a function.
    ///
    /// If the settings keep or push reports, each has the samples since the one before.
    ///
    /// # Errors
    /// The output cannot be opened, a setting is invalid, or the thread cannot be started.
    pub fn of_profile(
        name: &'static str,
        info: &ProfilerInfo,
        settings: &Settings,
        profile: &LiveProfile,
        value: usize,
        mut text: impl FnMut(&Profile, Moment, &mut String) -> fmt::Result + Send + 'static,
    ) -> Result<Self> {
        let format = settings.format();
        Self::of_profile_with(name, info, settings, profile, move |profile, moment| {
            render(profile, format, value, |out| text(profile, moment, out))
        })
    }

    /// As [`of_profile`](Self::of_profile), for a tool with formats of its own: `write` returns the report on the profile.
    ///
    /// # Errors
    /// Those of [`of_profile`](Self::of_profile).
    pub fn of_profile_with(
        name: &'static str,
        info: &ProfilerInfo,
        settings: &Settings,
        profile: &LiveProfile,
        write: impl FnMut(&Profile, Moment) -> Vec<u8> + Send + 'static,
    ) -> Result<Self> {
        Self::of_source(name, info, settings, Source::Profile(profile.clone(), Box::new(write)), true)
    }

    fn of_source(
        name: &'static str,
        info: &ProfilerInfo,
        settings: &Settings,
        source: Source,
        is_refreshed: bool,
    ) -> Result<Self> {
        let cannot =
            |path: &Path, error| Error::other(format!("cannot write to {}: {error}", path.display()));
        let budget = Budget::of(settings).map_err(|wrong| settings.wrong(&wrong))?;
        let target = Target::of(settings, &program_name(), std::process::id())
            .map_err(|wrong| settings.wrong(&wrong))?;
        if target.is_some() && matches!(source, Source::Text(_)) {
            return Err(settings.invalid("PUSH", "this tool has no profile").into());
        }
        let is_continuous = budget.is_some() || target.is_some();
        let client = settings.client();
        let out = match (settings.out(), budget) {
            // Of long measurements, which may outlive a client.
            (Some(path), Some(budget)) => {
                Output::Files(Files::create(&path, budget).map_err(|error| cannot(&path, error))?)
            }
            (None, _) if target.is_some() => Output::None,
            (_, None) if let Some(client) = client => Output::Client(client.clone(), name),
            (Some(path), None) => {
                Output::Document(Document::create(&path).map_err(|error| cannot(&path, error))?)
            }
            (None, _) => Output::Document(Document::standard_error()),
        };
        let every = settings.seconds("EVERY")?.or_else(|| is_continuous.then_some(CONTINUOUS));
        let is_refreshed = is_refreshed && every.is_none() && matches!(out, Output::Client(..));
        let (sender, messages) = channel();
        if let Some(client) = client {
            let sender = sender.clone();
            // The thread may have ended, after the last report.
            let watched = client.watch(move |asked| drop(sender.send(Message::Client(asked))));
            watched.map_err(|error| Error::other(format!("cannot start a thread: {error}")))?;
        }
        let writer = Writer {
            name,
            out,
            client: client.cloned(),
            info: info.clone(),
            every,
            is_refreshed,
            time: settings.seconds("SECONDS")?,
            when: settings.text("WHEN").map(PathBuf::from),
            begin: Instant::now(),
            is_detached: false,
            goes_on: false,
            source,
            is_continuous,
            pusher: target
                .map(Pusher::start)
                .transpose()
                .map_err(|error| Error::other(format!("cannot start a thread: {error}")))?,
            has_complained: false,
        };
        Self::of_thread(name, sender, move || writer.run(&messages))
    }

    /// Starts a thread that gets the messages.
    pub(crate) fn with_thread(
        name: &'static str,
        run: impl FnOnce(Receiver<Message>) + Send + 'static,
    ) -> Result<Self> {
        let (sender, messages) = channel();
        Self::of_thread(name, sender, move || run(messages))
    }

    fn of_thread(
        name: &'static str,
        messages: Sender<Message>,
        run: impl FnOnce() + Send + 'static,
    ) -> Result<Self> {
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(run)
            .map_err(|error| Error::other(format!("cannot start a thread: {error}")))?;
        Ok(Self { messages, thread: Mutex::new(Some(thread)) })
    }

    /// Passes on what a client asks for.
    pub(crate) fn watch(&self, client: &Client) -> Result<()> {
        let sender = self.messages.clone();
        // The thread may have ended, after the last report.
        let watched = client.watch(move |asked| drop(sender.send(Message::Client(asked))));
        watched.map_err(|error| Error::other(format!("cannot start a thread: {error}")))
    }

    /// Allows the profiler to be detached: the time of the setting `SECONDS` begins.
    pub fn ready(&self) {
        // The thread has ended already, after the last report.
        let _ = self.messages.send(Message::Ready);
    }

    /// Writes a report before this returns, unless that takes longer than [`PATIENCE`]: for when the program is about to be killed.
    pub fn write_now(&self) {
        let (done, written) = sync_channel(1);
        if self.messages.send(Message::Now(done)).is_ok() {
            // The thread may have ended, after the last report.
            let _ = written.recv_timeout(PATIENCE);
        }
    }

    /// The profiler has been detached, or the part was removed: by its own request, or by others. The program goes on.
    pub fn detached(&self) {
        // The thread has ended already, after the last report.
        let _ = self.messages.send(Message::Detached);
    }

    /// Writes the last report and ends the thread. When this returns, the thread runs none of the profiler's code.
    pub fn end(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        let _ = self.messages.send(Message::End);
        // A panic of the thread has been printed.
        let _ = thread.join();
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns the report on a profile.
type OfProfile = Box<dyn FnMut(&Profile, Moment) -> Vec<u8> + Send>;

/// Where the reports of a tool go.
#[derive(Debug)]
enum Output {
    /// Nowhere: they are pushed.
    None,
    /// To a document, which each report replaces.
    Document(Document),
    /// To a file of its own.
    Files(Files),
    /// To the client that has attached the tool, under this name.
    Client(Client, &'static str),
}

impl Output {
    fn write(&mut self, report: &[u8]) -> std::io::Result<()> {
        match self {
            Self::None => Ok(()),
            Self::Document(document) => document.replace(report),
            Self::Files(files) => files.write(report, SystemTime::now()),
            Self::Client(client, name) => client.document(name, report),
        }
    }
}

/// What a report is made of.
enum Source {
    Text(Box<dyn FnMut(Moment) -> Vec<u8> + Send>),
    Profile(LiveProfile, OfProfile),
}

struct Writer {
    name: &'static str,
    out: Output,
    client: Option<Client>,
    info: ProfilerInfo,
    every: Option<Duration>,
    /// Whether the client gets reports meanwhile, though none were asked for.
    is_refreshed: bool,
    time: Option<Duration>,
    when: Option<PathBuf>,
    begin: Instant,
    is_detached: bool,
    /// Whether the program goes on after the end.
    goes_on: bool,
    source: Source,
    /// Whether each report has what was measured since the one before.
    is_continuous: bool,
    pusher: Option<Pusher>,
    has_complained: bool,
}

impl Writer {
    fn run(mut self, messages: &Receiver<Message>) {
        let mut next = self.next(Duration::ZERO);
        let (mut is_ready, mut leave, mut asked) = (false, None, None);
        loop {
            let look = self.when.as_ref().and_then(|_| Instant::now().checked_add(LOOK));
            let wait = match [next, leave, look].into_iter().flatten().min() {
                Some(deadline) => messages.recv_timeout(deadline.saturating_duration_since(Instant::now())),
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match wait {
                Ok(Message::Ready) => {
                    is_ready = true;
                    leave = self.time.and_then(|time| Instant::now().checked_add(time));
                }
                // That it has gone comes last.
                Ok(Message::Client(what)) => asked = Some(what),
                Ok(Message::Detached) => self.goes_on = true,
                Ok(Message::Now(done)) => {
                    self.report(false);
                    self.pusher.iter().for_each(|pusher| pusher.flush(PATIENCE));
                    // The thread has waited too long.
                    let _ = done.try_send(());
                }
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return self.end(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if leave.is_some_and(|leave| leave <= now) || is_ready && asked.is_some() {
                // Once.
                (leave, is_ready) = (None, false);
                self.leave(asked);
            }
            self.report_if_asked();
            if next.is_some_and(|next| next <= now) {
                self.report(false);
                // Reports that take longer than the interval do not pile up.
                next = self.next(now.elapsed());
            }
        }
    }

    /// Returns the time of the next report, after one that has taken so long.
    fn next(&self, took: Duration) -> Option<Instant> {
        let refresh = || {
            let usual = self.begin.elapsed().clamp(FIRST_REFRESH, REFRESH);
            self.is_refreshed.then(|| usual.max(took.saturating_mul(SHARE)))
        };
        self.every.or_else(refresh).and_then(|every| Instant::now().checked_add(every))
    }

    /// Requests the detach.
    fn leave(&mut self, asked: Option<Asked>) {
        // The last one: what is measured ends with the request. Nobody reads it where the client has gone.
        if asked != Some(Asked::Gone) {
            self.report(false);
        }
        // The runtime detaches the profiler later, on a thread of its own.
        match self.info.request_detach(LEAVING) {
            Ok(()) => self.is_detached = true,
            Err(error) => {
                self.complain(&format!("cannot be detached: {error}"));
                if let (Some(client), Some(_)) = (&self.client, asked) {
                    client.end("stopped", Some(&error.to_string()));
                    client.close();
                    (self.out, self.is_refreshed) = (Output::None, false);
                }
            }
        }
    }

    /// Writes a report if the file of the setting `WHEN` is there. Removing it tells who has created it that the report is
    /// written.
    fn report_if_asked(&mut self) {
        let Some(when) = self.when.clone().filter(|when| when.exists()) else { return };
        self.report(false);
        if let Err(error) = fs::remove_file(&when) {
            self.complain(&format!("{} cannot be removed: {error}", when.display()));
            self.when = None;
        }
    }

    fn report(&mut self, is_last: bool) {
        let elapsed = self.begin.elapsed();
        let is_interval = self.is_continuous && matches!(self.source, Source::Profile(..));
        let moment = Moment { elapsed, is_interval, is_last };
        let report = match &mut self.source {
            Source::Text(write) => write(moment),
            Source::Profile(live, write) => {
                let mut profile = if is_interval { live.take() } else { live.snapshot() };
                let now = SystemTime::now();
                let interval = Interval { begin: now.checked_sub(elapsed).unwrap_or(now), length: elapsed };
                profile.set_interval(interval);
                if is_interval {
                    self.begin = Instant::now();
                }
                if let Some(pusher) = &self.pusher
                    && profile.samples().next().is_some()
                {
                    pusher.push(&profile, interval);
                }
                write(&profile, moment)
            }
        };
        let failure =
            self.out.write(&report).err().map(|error| format!("the report cannot be written: {error}"));
        let dropped = self.pusher.as_ref().and_then(|pusher| {
            let Pushed { dropped, failure, .. } = pusher.result();
            (dropped > 0).then(|| format!("a profile cannot be pushed: {}", failure.unwrap_or_default()))
        });
        // The first failure only: the last report has their number.
        if let Some(failure) = failure.or(dropped)
            && !self.has_complained
        {
            self.has_complained = true;
            self.complain(&failure);
        }
    }

    fn end(mut self) {
        if !self.is_detached {
            self.report(true);
        }
        self.end_pushing();
        if let Some(client) = &self.client {
            let goes_on = self.is_detached || self.goes_on;
            client.end(if goes_on { "detached" } else { "the program has ended" }, None);
            client.close();
        }
    }

    fn end_pushing(&self) {
        let Some(pusher) = &self.pusher else { return };
        let Pushed { pushed, dropped, failure, .. } = pusher.end(PATIENCE);
        if dropped > 0 {
            let failure = failure.unwrap_or_else(|| "the server did not accept them in time".to_owned());
            self.complain(&format!("{dropped} of {} profiles were not pushed: {failure}", pushed + dropped));
        }
    }

    fn complain(&self, message: &str) {
        if let Some(client) = &self.client {
            return client.progress(message);
        }
        // A closed standard error is no reason to fail.
        let _ =
            Outlet::standard_error().write_all(format!("{}: {}\n", self.name, Printable(message)).as_bytes());
    }
}
