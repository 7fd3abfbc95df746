//! The client that has attached or started a tool, for the tool: what it measures goes there.

use std::io::{self, ErrorKind};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::Asked;
use crate::Invited;
use crate::document;
use crate::invitation::Invitation;
use crate::invitation::LINK;
use crate::limits::{ANSWER, HELLO, PATIENCE, TURN};
use crate::message::{MAJOR, MINOR, Message};
use crate::recorded::Recorded;
use crate::stream::{Receiver, Sender, connect, pair};

/// The client that has attached a tool. A clone is the same client.
///
/// No method waits longer for the client than two seconds without progress. None is for a thread of the program.
#[derive(Clone, Debug)]
pub struct Client(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    sender: Mutex<Sender>,
    receiver: Mutex<Option<Receiver>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Whether the client knows that the tool measures. Before, nothing else is sent.
    is_accepted: AtomicBool,
    has_ended: AtomicBool,
    lost: AtomicU64,
    /// When nobody waits any more for the client to take the rest of a recording.
    deadline: Mutex<Option<Instant>>,
}

impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Client {}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    /// Connects to the client that the data of an attach request name; `None` if they name none.
    ///
    /// # Errors
    /// If nobody waits there any more, as when the process was stopped meanwhile; if somebody else does; or if it does not
    /// speak this protocol. Then the tool must not run.
    pub fn of_client_data(tool: &str, data: &[u8]) -> io::Result<Option<Self>> {
        let invitation = Invitation::of_client_data(data).map_err(io::Error::other)?;
        let Some(invitation) = invitation else { return Ok(None) };
        if invitation.is_over() {
            return Err(io::Error::new(ErrorKind::TimedOut, "the client does not wait any more"));
        }
        let (sender, receiver) = greet(tool, invitation, &[], Instant::now() + HELLO)?;
        Ok(Some(Self::new(sender, receiver)))
    }

    /// Connects to the client that has started this program, if there is one, and asks whether it means this process. For
    /// `Initialize`; it returns within two seconds, also if the client does not answer.
    #[must_use]
    pub fn of_environment(tool: &str) -> Invited {
        let Some(value) = std::env::var_os(LINK) else { return Invited::Alone };
        // Whatever fails: the program runs as if there were no tool.
        value.to_str().and_then(|value| Self::invited(tool, value).ok()).unwrap_or(Invited::Unwanted)
    }

    pub(crate) fn invited(tool: &str, value: &str) -> io::Result<Invited> {
        let deadline = Instant::now() + ANSWER;
        let invitation = Invitation::of_value(value).map_err(io::Error::other)?;
        let command = corprof_in_process::command_line()
            .into_iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let process = Message::Process { id: std::process::id().into(), command };
        let (sender, mut receiver) = greet(tool, invitation, &[process], deadline)?;
        match receiver.receive(Some(deadline))? {
            Some(Message::Start { settings }) => {
                Ok(Invited::Wanted { client: Self::new(sender, receiver), settings })
            }
            _ => Ok(Invited::Unwanted),
        }
    }

    fn new(sender: Sender, receiver: Receiver) -> Self {
        Self(Arc::new(Shared {
            sender: Mutex::new(sender),
            receiver: Mutex::new(Some(receiver)),
            thread: Mutex::default(),
            is_accepted: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            lost: AtomicU64::new(0),
            deadline: Mutex::default(),
        }))
    }

    /// Says that the tool measures. Only the first call counts.
    pub fn accept(&self) {
        if self.0.is_accepted.load(Ordering::Acquire) {
            return;
        }
        self.tell(&Message::Accepted);
        self.0.is_accepted.store(true, Ordering::Release);
    }

    /// Says that the tool does not run, and why; `setting` is the one that is wrong, or empty.
    pub fn refuse(&self, setting: &str, text: &str) {
        self.tell(&Message::Refused { setting: setting.to_owned(), text: text.to_owned() });
        self.close();
    }

    /// Calls a function with what the client asks for, on a thread of its own, until [`close`](Self::close). To stop is asked for
    /// at most once; that the client has gone is the last call.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn watch(&self, mut asked: impl FnMut(Asked) + Send + 'static) -> io::Result<()> {
        let Some(mut receiver) = locked(&self.0.receiver).take() else { return Ok(()) };
        let run = move || {
            let mut has_stopped = false;
            // What is no message closes the connection, as its end does.
            while let Ok(Some(message)) = receiver.receive(None) {
                if message == Message::Stop && !core::mem::replace(&mut has_stopped, true) {
                    asked(Asked::Stop);
                }
            }
            asked(Asked::Gone);
        };
        *locked(&self.0.thread) = Some(thread::Builder::new().name("corprof-link".to_owned()).spawn(run)?);
        Ok(())
    }

    /// Sends a report, which replaces the one before.
    ///
    /// # Errors
    /// If the client does not take it in time, or has gone. It then keeps the one before.
    pub fn document(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.counted(|sender| {
            document::messages(name, bytes).try_for_each(|part| sender.send(&part, PATIENCE))?;
            sender.flush(PATIENCE)
        })
    }

    /// Sends lines.
    ///
    /// # Errors
    /// If the client does not take them in time, or has gone.
    pub fn lines(&self, text: &str) -> io::Result<()> {
        self.counted(|sender| {
            // One that has taken nothing for a while is not waited for again.
            let patience = if self.0.lost.load(Ordering::Relaxed) > 0 { Duration::ZERO } else { PATIENCE };
            sender.send(&Message::Lines { text: text.to_owned() }, patience)
        })
    }

    /// Returns what a recording is written to, from its first byte on. There is one for a client.
    ///
    /// Writing waits for a client that is slow, and fails if it has gone or has taken nothing for 30 seconds: it is for the thread
    /// of the recording, whose rows are dropped and counted meanwhile. Before [`accept`](Self::accept) nothing is sent, and up to
    /// 16 MiB are kept.
    #[must_use]
    pub fn recording(&self) -> Recorded {
        Recorded::new(Arc::clone(&self.0))
    }

    /// From now on the rest of the recording waits two seconds at most for the client: the program is about to end.
    pub fn hurry(&self) {
        locked(&self.0.deadline).get_or_insert(Instant::now() + PATIENCE);
    }

    fn counted(&self, send: impl FnOnce(&mut Sender) -> io::Result<()>) -> io::Result<()> {
        if !self.0.is_accepted.load(Ordering::Acquire) {
            return Ok(());
        }
        let sent = send(&mut locked(&self.0.sender));
        if sent.is_err() {
            self.0.lost.fetch_add(1, Ordering::Relaxed);
        }
        sent
    }

    /// Says what the tool does, or what has failed.
    pub fn progress(&self, text: &str) {
        self.tell(&Message::Progress { text: text.to_owned() });
    }

    /// Says that the tool ends, and, if it has to stay in the process, why. Only the first call counts.
    pub fn end(&self, why: &str, stays: Option<&str>) {
        if self.0.is_accepted.load(Ordering::Acquire) && !self.0.has_ended.swap(true, Ordering::AcqRel) {
            let lost = self.0.lost.load(Ordering::Relaxed);
            self.tell(&Message::End { why: why.to_owned(), stays: stays.map(str::to_owned), lost });
        }
    }

    /// Closes the connection. When this returns, the thread of [`watch`](Self::watch) has ended.
    pub fn close(&self) {
        let _ = locked(&self.0.sender).flush(PATIENCE);
        self.0.close();
    }

    /// A client that does not take a message or has gone is no reason to fail: that it has gone is noticed by the thread.
    fn tell(&self, message: &Message) {
        let _ = locked(&self.0.sender).send(message, PATIENCE);
    }
}

impl Shared {
    /// Whether anything but the beginning and refusals may be sent.
    pub(crate) fn is_accepted(&self) -> bool {
        self.is_accepted.load(Ordering::Acquire)
    }

    /// Sends a part of the recording; waits for a slow client.
    pub(crate) fn send_recorded(&self, message: &Message) -> io::Result<()> {
        loop {
            // Other messages get their turn between two tries.
            match locked(&self.sender).send(message, TURN) {
                Err(error) if error.kind() == ErrorKind::TimedOut => {}
                sent => return sent,
            }
            if locked(&self.deadline).is_some_and(|deadline| deadline <= Instant::now()) {
                return Err(io::Error::new(ErrorKind::TimedOut, "the client is too slow"));
            }
        }
    }

    fn close(&self) {
        locked(&self.sender).close();
        let thread = locked(&self.thread).take();
        // On the thread itself, when its function has the last clone.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id()) {
            // A panic of the thread has been printed.
            let _ = thread.join();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.close();
    }
}

/// Connects, and exchanges the first messages.
fn greet(
    tool: &str,
    invitation: Invitation,
    further: &[Message],
    deadline: Instant,
) -> io::Result<(Sender, Receiver)> {
    let stream = connect(invitation.path.as_ref(), deadline)?;
    check(&stream)?;
    let (mut sender, mut receiver) = pair(stream);
    let (nonce, tool) = (invitation.nonce, tool.to_owned());
    let patience = || deadline.saturating_duration_since(Instant::now()).min(PATIENCE);
    sender.send(&Message::Hello { major: MAJOR, minor: MINOR, nonce, tool }, patience())?;
    further.iter().try_for_each(|message| sender.send(message, patience()))?;
    match receiver.receive(Some(deadline))? {
        Some(Message::Hello { major: MAJOR, .. }) => Ok((sender, receiver)),
        Some(_) => Err(io::Error::other("the client is of another version")),
        None => Err(io::Error::other("the client has gone")),
    }
}

/// Fails if a user listens who has nothing to do with this process: anybody may make a socket in `/tmp`.
pub(crate) fn check(stream: &UnixStream) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        let user = corprof_in_process::peer_of(stream)?.user;
        let own = rustix::process::geteuid().as_raw();
        // Users of other namespaces, root of the machine among them, have a number that stands for all of them.
        let stands_for_others = |file: &str| {
            std::fs::read_to_string(file).ok().and_then(|number| number.trim().parse::<u32>().ok())
        };
        let is_of_outside = || {
            stands_for_others("/proc/sys/kernel/overflowuid") == Some(user)
                && !std::fs::read_to_string("/proc/self/uid_map")
                    .is_ok_and(|map| map.split_ascii_whitespace().eq(["0", "0", "4294967295"]))
        };
        if user != own && user != 0 && !is_of_outside() {
            return Err(io::Error::new(
                ErrorKind::PermissionDenied,
                format!("user {user} listens at the socket, not user {own} or root"),
            ));
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
    Ok(())
}
