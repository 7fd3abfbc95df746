//! The time for which a tool is attached: what it measures comes over a connection, until Ctrl-C, the end of the time, or the end of
//! the process.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver as Events, RecvTimeoutError, Sender as Queue, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use corprof_in_process::printable::Printable;
use corprof_link::{Expected, Invitation, Listener, Message, Receiver, Sender, clock};
use diagport::Port;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::delivered::Output;
use crate::received::Received;
use crate::recorded::Plan;

/// The time that what a tool has said while it was attached may take to be read here.
const HEARD_WITHIN: Duration = Duration::from_secs(1);
/// How often the thread that waits for the tool looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);
/// The time for the last report: that of a large heap takes long.
const LAST: Duration = Duration::from_secs(60);
/// The time for a request to arrive.
const PATIENCE: Duration = Duration::from_secs(2);

enum Event {
    Connected(Sender),
    Message(Message),
    /// The connection has ended, by a failure if there is one.
    Closed(Option<std::io::Error>),
    Signal,
}

/// A tool that is to be attached, and what is wanted of it.
pub(crate) struct Wanted<'a> {
    pub(crate) name: &'a str,
    pub(crate) pid: u32,
    pub(crate) port: &'a Port,
    /// The root folder of the process, if it is not ours.
    pub(crate) root: Option<&'a Path>,
    pub(crate) timeout: Duration,
    pub(crate) seconds: Option<Duration>,
    pub(crate) out: Option<PathBuf>,
    /// What is made of the tool's recording, if it records.
    pub(crate) plan: Option<Plan>,
}

/// Attaches a tool by `attach`, which gets the line of the client data, and stays until its end.
pub(crate) fn run(wanted: &Wanted<'_>, attach: impl FnOnce(&str) -> Result<()>) -> Result<ExitCode> {
    let folder = wanted.port.path().parent().context("the port has no folder")?;
    // As the process sees it.
    let inside = match wanted.root {
        Some(root) => Path::new("/").join(folder.strip_prefix(root).unwrap_or(folder)),
        None => folder.to_owned(),
    };
    let expected = Expected { process: wanted.pid, user: wanted.port.owner() };
    let listener = Listener::bind(wanted.root, &inside, expected).with_context(|| {
        format!(
            "cannot make a socket in {}, where process {} finds it; start that process with a TMPDIR that takes files",
            folder.display(),
            wanted.pid
        )
    })?;
    let listener = Arc::new(listener);
    let waits = u64::try_from(wanted.timeout.as_nanos()).unwrap_or(u64::MAX);
    let invitation = Invitation {
        path: inside.join(listener.name()).display().to_string(),
        nonce: listener.nonce().to_owned(),
        deadline: clock().saturating_add(waits),
    };
    let (queue, events) = channel();
    let is_wanted = Arc::new(AtomicBool::new(true));
    let signals = watch_signals(queue.clone(), &listener, &is_wanted)?;
    let waiting = {
        let (listener, is_wanted) = (Arc::clone(&listener), Arc::clone(&is_wanted));
        thread::spawn(move || receive(&listener, &is_wanted, &queue))
    };
    let attached = attach(&invitation.line());
    let connected = first(&events, wanted.timeout);
    is_wanted.store(false, Ordering::Release);
    // The process has the connection, or is not to have one.
    listener.remove();
    let outcome = match (attached, connected) {
        (attached, First::Refused { setting, text }) => refused(wanted, &setting, &text, attached),
        (Err(error), _) => Err(error),
        (Ok(()), First::Accepted(sender)) => Session::new(wanted, sender).run(&events),
        (Ok(()), First::Nothing) => {
            eprintln!(
                "attached {} to process {}; it does not report to this command",
                wanted.name, wanted.pid
            );
            Ok(ExitCode::SUCCESS)
        }
    };
    signals.close();
    // It ends with the connection, which has ended, or which nobody has made.
    if outcome.is_err() || waiting.is_finished() {
        drop(waiting.join());
    }
    outcome
}

/// What comes of the tool first.
enum First {
    Accepted(Sender),
    Refused { setting: String, text: String },
    Nothing,
}

/// A tool that has connected says whether it measures, which takes it as long as the runtime's response may take.
fn first(events: &Events<Event>, timeout: Duration) -> First {
    let begin = Instant::now();
    let mut connected = None;
    loop {
        let within = if connected.is_some() { timeout.max(HEARD_WITHIN) } else { HEARD_WITHIN };
        let left = (begin + within).saturating_duration_since(Instant::now());
        match events.recv_timeout(left) {
            Ok(Event::Connected(sender)) => connected = Some(sender),
            Ok(Event::Message(Message::Refused { setting, text })) => {
                return First::Refused { setting, text };
            }
            Ok(Event::Message(Message::Accepted)) => match connected {
                Some(sender) => return First::Accepted(sender),
                None => return First::Nothing,
            },
            Ok(Event::Message(_) | Event::Signal) => {}
            Ok(Event::Closed(_)) | Err(_) => return First::Nothing,
        }
    }
}

fn refused(wanted: &Wanted<'_>, setting: &str, text: &str, attached: Result<()>) -> Result<ExitCode> {
    let text = Printable(text);
    let message = format!("{} was not attached to process {}: {text}", wanted.name, wanted.pid);
    if setting.is_empty() {
        // What the runtime says is only that the tool has refused.
        drop(attached);
        anyhow::bail!("{message}");
    }
    eprintln!("error: {message}");
    Ok(ExitCode::from(2))
}

/// Waits for the tool, and receives what it sends.
fn receive(listener: &Listener, is_wanted: &AtomicBool, queue: &Queue<Event>) {
    let mut receiver: Receiver = loop {
        match listener.accept(Instant::now() + LOOK) {
            Ok((sender, receiver)) => {
                // Nobody listens any more if the command is about to end.
                let _ = queue.send(Event::Connected(sender));
                break receiver;
            }
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                if !is_wanted.load(Ordering::Acquire) {
                    return;
                }
            }
            Err(error) => {
                let _ = queue.send(Event::Closed(Some(error)));
                return;
            }
        }
    };
    loop {
        let event = match receiver.receive(None) {
            Ok(Some(message)) => Event::Message(message),
            Ok(None) => Event::Closed(None),
            Err(error) => Event::Closed(Some(error)),
        };
        let is_last = matches!(event, Event::Closed(_));
        if queue.send(event).is_err() || is_last {
            return;
        }
    }
}

/// Passes signals on. The first one while the runtime has not answered ends the command, and the second one always does.
fn watch_signals(
    queue: Queue<Event>,
    listener: &Arc<Listener>,
    is_attaching: &Arc<AtomicBool>,
) -> Result<signal_hook::iterator::Handle> {
    let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]);
    let mut signals = signals.context("cannot watch for signals")?;
    let handle = signals.handle();
    let (listener, is_attaching) = (Arc::clone(listener), Arc::clone(is_attaching));
    thread::spawn(move || {
        let mut has_asked = false;
        for signal in signals.forever() {
            if is_attaching.load(Ordering::Acquire) || core::mem::replace(&mut has_asked, true) {
                listener.remove();
                std::process::exit(128 + signal);
            }
            // The command is about to end.
            let _ = queue.send(Event::Signal);
        }
    });
    Ok(handle)
}

/// A tool that is attached.
struct Session<'a> {
    wanted: &'a Wanted<'a>,
    sender: Sender,
    received: Received,
    /// The time until which the tool may end; none until it is asked for that.
    ends: Option<Instant>,
    failure: Option<anyhow::Error>,
}

impl<'a> Session<'a> {
    fn new(wanted: &'a Wanted<'a>, sender: Sender) -> Self {
        let output = Output::new(wanted.out.as_deref());
        let received = Received::new(wanted.name, wanted.plan.clone(), output);
        Self { wanted, sender, received, ends: None, failure: None }
    }

    fn run(mut self, events: &Events<Event>) -> Result<ExitCode> {
        let (name, pid) = (self.wanted.name, self.wanted.pid);
        eprintln!("attached {name} to process {pid}; Ctrl-C ends it");
        let mut until = self.wanted.seconds.and_then(|seconds| Instant::now().checked_add(seconds));
        let mut end = None;
        loop {
            let due = self.received.due();
            let event = match [self.ends.or(until), due].into_iter().flatten().min() {
                Some(time) => events.recv_timeout(time.saturating_duration_since(Instant::now())),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Message(message)) => {
                    if let Message::End { why, stays, lost } = message {
                        end = Some((why, stays, lost));
                    } else if let Err(error) = self.received.take(message) {
                        // The tool measures for nobody.
                        self.failure.get_or_insert(error);
                        self.stop();
                    }
                }
                Ok(Event::Signal) => self.stop(),
                Ok(Event::Connected(_)) => {}
                Err(RecvTimeoutError::Timeout)
                    if self.ends.or(until).is_none_or(|time| time > Instant::now()) =>
                {
                    if let Err(error) = self.received.report_if_due() {
                        self.failure.get_or_insert(error);
                        self.stop();
                    }
                }
                Err(RecvTimeoutError::Timeout) if self.ends.is_none() => {
                    until = None;
                    self.stop();
                }
                Ok(Event::Closed(error)) => return self.closed(end, error),
                Err(_) => {
                    self.sender.close();
                    return self.closed(end, Some(std::io::ErrorKind::TimedOut.into()));
                }
            }
        }
    }

    /// Asks the tool for its last report, once.
    fn stop(&mut self) {
        if self.ends.is_none() {
            self.ends = Some(Instant::now() + LAST);
            // If it fails, the connection has ended, which is noticed.
            let _ = self.sender.send(&Message::Stop, PATIENCE).and_then(|()| self.sender.flush(PATIENCE));
        }
    }

    /// Prints what there is, and says how it has ended.
    fn closed(
        mut self,
        end: Option<(String, Option<String>, u64)>,
        error: Option<std::io::Error>,
    ) -> Result<ExitCode> {
        if let Err(error) = self.received.finish() {
            self.failure.get_or_insert(error);
        }
        let reported = self.received.last();
        let output = self.received.output();
        let (name, pid) = (self.wanted.name, self.wanted.pid);
        let has_content = output.has_content();
        let place = output.file().map_or_else(String::new, |path| format!("; see {}", path.display()));
        let Some((why, stays, lost)) = end else {
            let cause = match error {
                Some(error) => format!("the connection to {name} in process {pid} has failed: {error}"),
                None => format!("process {pid} has ended before {name} could send its last report"),
            };
            let last = match (reported, has_content) {
                (Some(reported), _) => {
                    let before = reported.elapsed().as_secs_f64();
                    format!("; the report is what it had sent {before:.1} s before{place}")
                }
                (None, true) => format!("; what it had sent before is there{place}"),
                (None, false) => "; it had sent nothing".to_owned(),
            };
            anyhow::bail!("{cause}{last}");
        };
        match stays {
            Some(stays) => {
                eprintln!("{name} stays in process {pid}, and does nothing: {}{place}", Printable(&stays))
            }
            None => eprintln!("{name} in process {pid}: {}{place}", Printable(&why)),
        }
        if lost > 0 {
            eprintln!(
                "{lost} times {name} could not send: this command, or who reads its output, was too slow"
            );
        }
        self.failure.map_or(Ok(ExitCode::SUCCESS), Err)
    }
}
