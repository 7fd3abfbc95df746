//! A program that runs under a tool which reports to this command: what it measures arrives here, however the program ends.

mod session;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver as Events, Sender as Queue, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use corprof_in_process::printable::Printable;
use corprof_link::{Connection, Invitation, LINK, Listener, Message, Sender};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::child::wait;
use crate::chosen::{Chooser, Process};
use crate::recorded::Plan;
use session::Session;

/// How often the thread that waits for processes looks whether they are still wanted.
const LOOK: Duration = Duration::from_millis(50);
/// The time limit for what a process says first.
const HELLO: Duration = Duration::from_secs(5);
/// The time for a message to arrive.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time that a program may take to end after a signal. Afterwards the reports are written, and the program goes on.
const SIGNALLED: Duration = Duration::from_secs(5);
/// The time without a message after which processes that have survived the program are not waited for any more.
const SURVIVES: Duration = Duration::from_secs(5);
/// The length that the settings may have.
const SETTINGS: usize = 32 << 10;

/// What is wanted of a tool in the processes of a program.
pub(crate) struct Wanted {
    pub(crate) name: String,
    /// The settings, without that of the output.
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) out: Option<Out>,
    /// What is made of the tool's recordings, if it records.
    pub(crate) plan: Option<Plan>,
    pub(crate) seconds: Option<Duration>,
    /// Patterns for the processes.
    pub(crate) processes: Vec<globset::GlobMatcher>,
}

/// The output.
pub(crate) struct Out {
    /// The setting.
    pub(crate) setting: String,
    /// The absolute path.
    pub(crate) path: PathBuf,
    /// Whether the processes share it: a folder, or files that the tool names itself.
    pub(crate) is_shared: bool,
}

impl Out {
    /// Returns the path for the process of a number, from 1: with the number before the ending from the second on.
    fn of(&self, number: usize) -> PathBuf {
        if number == 1 || self.is_shared {
            return self.path.clone();
        }
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // An ending may have two parts: `.pb.gz`.
        let dot =
            name.char_indices().skip(1).find(|(_, char)| *char == '.').map_or(name.len(), |(dot, _)| dot);
        let (begin, end) = name.split_at(dot);
        self.path.with_file_name(format!("{begin}.{number}{end}"))
    }
}

enum Event {
    /// A process was chosen, and is about to measure.
    Started(usize, Process, Option<PathBuf>, Sender),
    Message(usize, Message),
    Closed(usize),
    Signal,
    Ended(Result<ExitStatus>),
}

/// How a program has ended, and what came of it.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// Whether a process has connected.
    pub(crate) is_connected: bool,
    /// The exit code of a tool that did not measure, or whose report could not be written.
    pub(crate) failure: Option<u8>,
}

/// The command's end of the connections.
pub(crate) struct Held {
    wanted: Arc<Wanted>,
    listener: Arc<Listener>,
    path: String,
    chooser: Arc<Mutex<Chooser>>,
    queue: Queue<Event>,
    events: Events<Event>,
    is_over: Arc<AtomicBool>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Held {
    /// Listens for the processes of a program.
    pub(crate) fn listen(wanted: Wanted) -> Result<Self> {
        let folder = std::env::temp_dir();
        let shown = folder.display().to_string();
        let cannot = || {
            format!(
                "cannot make a socket in {shown}; set TMPDIR to a folder that takes files, with a name in UTF-8"
            )
        };
        let path = folder.to_str().with_context(cannot)?;
        let path = std::path::absolute(path).with_context(cannot)?;
        let listener = Listener::for_program(&path).with_context(cannot)?;
        let path = path.join(listener.name()).display().to_string();
        let length: usize = wanted.settings.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
        if length > SETTINGS {
            bail!("the settings have {length} bytes, and {SETTINGS} fit into a message: leave some out");
        }
        if let Some((name, _)) = wanted.settings.iter().find(|(_, value)| value.contains('\n')) {
            bail!("the value of {name} has more than one line, which a process cannot be sent");
        }
        let chooser = Arc::new(Mutex::new(Chooser::new(wanted.processes.clone())));
        let (queue, events) = channel();
        let (wanted, listener) = (Arc::new(wanted), Arc::new(listener));
        let is_over = Arc::default();
        Ok(Self { wanted, listener, path, chooser, queue, events, is_over })
    }

    /// Returns the variable that lets the tool find this command.
    pub(crate) fn variable(&self) -> (&'static str, String) {
        let invitation = Invitation {
            path: self.path.clone(),
            nonce: self.listener.nonce().to_owned(),
            deadline: u64::MAX,
        };
        (LINK, invitation.value())
    }

    /// Starts the program, and stays until it has ended and the reports are here.
    pub(crate) fn run(self, process: &mut Command) -> Result<Ended> {
        let accepting = {
            let (wanted, listener) = (Arc::clone(&self.wanted), Arc::clone(&self.listener));
            let (chooser, queue) = (Arc::clone(&self.chooser), self.queue.clone());
            let is_over = Arc::clone(&self.is_over);
            thread::spawn(move || {
                while !is_over.load(Ordering::Acquire) {
                    match listener.connection(Instant::now() + LOOK) {
                        Ok(connection) => {
                            let (wanted, chooser, queue) =
                                (Arc::clone(&wanted), Arc::clone(&chooser), queue.clone());
                            thread::spawn(move || serve(connection, &wanted, &chooser, &queue));
                        }
                        Err(error) if error.kind() == ErrorKind::TimedOut => {}
                        Err(_) => return,
                    }
                }
            })
        };
        let spawned = {
            // It may connect before its id is known here.
            let mut chooser = locked(&self.chooser);
            process.spawn().inspect(|child| chooser.set_root(child.id()))
        };
        let outcome = spawned.map_err(anyhow::Error::from).and_then(|child| self.hold(child));
        self.is_over.store(true, Ordering::Release);
        self.listener.remove();
        // A panic of the thread has been printed.
        drop(accepting.join());
        outcome
    }

    fn hold(&self, mut child: Child) -> Result<Ended> {
        let root = child.id();
        let (signals, queue) = (self.queue.clone(), self.queue.clone());
        thread::spawn(move || {
            // Nobody waits for it any more after the end.
            let status = wait(&mut child, move |signal| {
                if matches!(signal, SIGINT | SIGTERM) {
                    let _ = signals.send(Event::Signal);
                }
            });
            let _ = queue.send(Event::Ended(status));
        });
        let mut sessions = BTreeMap::<usize, Session>::new();
        let (mut until, mut signalled, mut status) = (None, None, None);
        let (mut last, mut failure) = (Instant::now(), None);
        // Chosen ones that have ended before they could be told so.
        let mut missed = 0;
        loop {
            let survives = status.map(|_| last + SURVIVES);
            let due = sessions.values().filter_map(|session| session.received.due()).min();
            let event = match [until, signalled, survives, due].into_iter().flatten().min() {
                Some(time) => self.events.recv_timeout(time.saturating_duration_since(Instant::now())).ok(),
                None => self.events.recv().ok(),
            };
            let now = Instant::now();
            if due.is_some_and(|due| due <= now) {
                self.report(&mut sessions, &mut failure);
            }
            match event {
                Some(Event::Started(number, process, out, sender)) => {
                    if number > 1 {
                        self.further(&process, out.as_deref());
                    }
                    until = until.or_else(|| now.checked_add(self.wanted.seconds?));
                    let is_root = process.pid == root;
                    sessions.insert(number, Session::new(&self.wanted, process, is_root, out, sender));
                }
                Some(Event::Message(number, message)) => {
                    last = now;
                    if let Some(session) = sessions.get_mut(&number)
                        && let Err(error) = session.take(message)
                    {
                        // The tool measures for nobody.
                        eprintln!("error: {error:#}");
                        failure = Some(1);
                        session.stop();
                    }
                }
                Some(Event::Closed(number)) => {
                    let session = sessions.get_mut(&number);
                    missed += usize::from(session.is_none());
                    if let Some(session) = session {
                        session.is_closed = true;
                        session.is_shown = session.end.is_some() || session.refused.is_some();
                        if session.is_shown {
                            session.show(None)?;
                        }
                    }
                }
                Some(Event::Signal) => signalled = signalled.or(now.checked_add(SIGNALLED)),
                Some(Event::Ended(ended)) => {
                    status = Some(ended?);
                    last = now;
                    // Those that go on are not waited for.
                    sessions.values_mut().filter(|session| !session.is_root).for_each(Session::stop);
                }
                None => {}
            }
            if [until, signalled].into_iter().flatten().any(|time| time <= now) {
                if signalled.is_some_and(|time| time <= now) && status.is_none() {
                    eprintln!("the program goes on after the signal; what was measured until now:");
                }
                (until, signalled) = (None, None);
                sessions.values_mut().for_each(Session::stop);
            }
            if let Some(status) = status
                && (self.is_heard(&sessions, missed) || last + SURVIVES <= now)
            {
                return self.ended(status, sessions.into_values(), failure);
            }
        }
    }

    /// Writes the reports that are due.
    fn report(&self, sessions: &mut BTreeMap<usize, Session>, failure: &mut Option<u8>) {
        for session in sessions.values_mut().filter(|session| !session.is_closed) {
            if let Err(error) = session.received.report_if_due() {
                // The tool measures for nobody.
                eprintln!("error: {error:#}");
                *failure = Some(1);
                session.stop();
            }
        }
    }

    /// Whether all has arrived that the processes have sent.
    fn is_heard(&self, sessions: &BTreeMap<usize, Session>, missed: usize) -> bool {
        let are_closed = sessions.values().all(|session| session.is_closed);
        are_closed && sessions.len() + missed == locked(&self.chooser).count()
    }

    /// Says that a further process is measured, and where its output is.
    fn further(&self, process: &Process, out: Option<&Path>) {
        let place = match (out, &self.wanted.out) {
            (Some(path), Some(Out { is_shared: false, .. })) => format!("; see {}", path.display()),
            _ => String::new(),
        };
        let (name, pid) = (process.name(), process.pid);
        eprintln!("{}: process {pid} ({}) is measured too{place}", self.wanted.name, Printable(&name));
    }

    fn ended(
        &self,
        status: ExitStatus,
        sessions: impl Iterator<Item = Session>,
        mut failure: Option<u8>,
    ) -> Result<Ended> {
        let (mut is_measured, mut refused) = (false, None);
        for mut session in sessions {
            if !session.is_shown {
                session.show(Some(status))?;
            }
            match &session.refused {
                Some(code) => refused = Some(*code),
                None => is_measured = true,
            }
        }
        if !is_measured {
            failure = failure.or(refused);
        }
        let chooser = locked(&self.chooser);
        let others = chooser.others();
        if let (0, Some(others)) = (chooser.count(), &others) {
            let why = match self.wanted.processes.is_empty() {
                true => "there were these .NET processes only, which are the SDK's own",
                false => "no --process names one of these",
            };
            eprintln!(
                "{}: nothing was measured: {why}: {}; `--process GLOB` chooses",
                self.wanted.name,
                Printable(others)
            );
        }
        Ok(Ended { status, is_connected: chooser.count() > 0 || others.is_some(), failure })
    }
}

/// Answers a process that has connected, and receives what it sends.
fn serve(connection: Connection, wanted: &Wanted, chooser: &Mutex<Chooser>, queue: &Queue<Event>) {
    let known = connection.process;
    let Ok(Some((mut sender, mut receiver))) = connection.greet() else { return };
    let Ok(Some(Message::Process { id, command })) = receiver.receive(Some(Instant::now() + HELLO)) else {
        return;
    };
    let Some(pid) = known.or_else(|| u32::try_from(id).ok()) else { return };
    let process = Process { pid, command };
    let number = {
        let mut chooser = locked(chooser);
        chooser.choose(&process).then(|| chooser.count())
    };
    let Some(number) = number else {
        // One that has gone meanwhile is none that is measured.
        let _ = sender.send(&Message::Unwanted, PATIENCE);
        return;
    };
    let out = wanted.out.as_ref().map(|out| out.of(number));
    let mut settings = wanted.settings.clone();
    // A tool that records sends all of it.
    if let (None, Some(Out { setting, .. }), Some(path)) = (&wanted.plan, &wanted.out, &out) {
        settings.push((setting.clone(), path.display().to_string()));
    }
    let settings = settings.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    // Nobody listens any more if the command is about to end.
    if sender.send(&Message::Start { settings }, PATIENCE).is_ok() {
        let _ = queue.send(Event::Started(number, process, out, sender));
        while let Ok(Some(message)) = receiver.receive(None) {
            let _ = queue.send(Event::Message(number, message));
        }
    }
    let _ = queue.send(Event::Closed(number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_files_have_numbers() {
        let out = |path: &str| Out { setting: String::new(), path: path.into(), is_shared: false };
        for (path, second) in [
            ("/tmp/cpu", "/tmp/cpu.2"),
            ("/tmp/cpu.svg", "/tmp/cpu.2.svg"),
            ("/tmp/a.b/cpu.pb.gz", "/tmp/a.b/cpu.2.pb.gz"),
            ("/tmp/.cpu", "/tmp/.cpu.2"),
        ] {
            assert_eq!(out(path).of(1), Path::new(path));
            assert_eq!(out(path).of(2), Path::new(second));
        }
        let shared = Out { is_shared: true, ..out("/tmp/coverage") };
        assert_eq!(shared.of(3), Path::new("/tmp/coverage"));
    }
}
