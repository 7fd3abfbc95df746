//! A thread that writes the lines, and asks to be detached when it is time.
//!
//! Callbacks hand their lines over and go on: some of them run while the whole program waits for a collection, and none
//! may wait for whoever reads the lines. What does not fit into the queue is counted.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use corprof::ProfilerInfo;
use outlet::Outlet;
use printable::Printable;

use crate::settings::{Out, Settings};

/// How many lines may wait.
const QUEUE: usize = 10_000;

/// How long our code may still be on the stack of one of the program's threads.
const LEAVING: Duration = Duration::from_millis(100);

enum Message {
    Line(String),
    /// The runtime is ready to let go of the profiler if asked.
    Ready,
    /// Nobody listens any more.
    #[cfg_attr(not(unix), allow(dead_code, reason = "only a socket has another end"))]
    HungUp,
    /// The last message: the profiler is detached, or the process ends.
    End(&'static str),
}

/// See the module's documentation.
pub(crate) struct Session {
    queue: SyncSender<Message>,
    lost: AtomicU64,
    begin: Instant,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Session {
    /// Opens what the lines go to, and starts the thread.
    pub(crate) fn begin(info: &ProfilerInfo, settings: &Settings) -> io::Result<Self> {
        let (queue, messages) = sync_channel(QUEUE);
        let out = open(&settings.out, &queue)?;
        let writer = Writer {
            out,
            info: info.clone(),
            time: settings.time,
            begin: Instant::now(),
            deadline: None,
            ready: false,
        };
        let begin = writer.begin;
        let thread = thread::Builder::new().name("watch".to_owned()).spawn(move || writer.run(messages))?;
        Ok(Self { queue, lost: AtomicU64::new(0), begin, writer: Mutex::new(Some(thread)) })
    }

    /// Writes a line, sooner or later.
    pub(crate) fn line(&self, text: &str) {
        let line = stamped(self.begin, text);
        if self.queue.try_send(Message::Line(line)).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// From now on the profiler may be detached.
    pub(crate) fn ready(&self) {
        // The queue is empty at this point, or the thread is gone.
        let _ = self.queue.send(Message::Ready);
    }

    /// Writes what is left and ends the thread: when this returns, none of our code is running there.
    pub(crate) fn end(&self, last: &'static str) {
        let thread = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        match self.lost.load(Ordering::Relaxed) {
            0 => {}
            lost => drop(self.queue.send(Message::Line(stamped(
                self.begin,
                &format!("{lost} events were lost: they came faster than they could be written"),
            )))),
        }
        // If the thread has panicked, there is nobody to tell.
        let _ = self.queue.send(Message::End(last));
        let _ = thread.join();
    }
}

/// The threads of a profiler that fails to start end with it.
impl Drop for Session {
    fn drop(&mut self) {
        self.end("not watching");
    }
}

fn stamped(begin: Instant, text: &str) -> String {
    format!("{:+9.3}  {}\n", begin.elapsed().as_secs_f64(), Printable(text))
}

/// Where the lines go, and what to close at the end.
struct Sink {
    outlet: Outlet,
    /// How many lines could not be written since the last one that was.
    missing: u64,
    #[cfg(unix)]
    socket: Option<(std::os::unix::net::UnixStream, Option<JoinHandle<()>>)>,
}

impl Sink {
    fn plain(outlet: Outlet) -> Self {
        Self {
            outlet,
            missing: 0,
            #[cfg(unix)]
            socket: None,
        }
    }
}

fn open(out: &Out, queue: &SyncSender<Message>) -> io::Result<Sink> {
    match out {
        Out::StandardError => Ok(Sink::plain(Outlet::standard_error())),
        Out::File(path) => Ok(Sink::plain(Outlet::create(path)?)),
        #[cfg(unix)]
        Out::Socket(path) => {
            use std::io::Read as _;

            let socket = std::os::unix::net::UnixStream::connect(path)?;
            // The outlet waits for a reader, and not for long.
            let outlet = Outlet::stream(socket.try_clone()?.into());
            let mut listener = socket.try_clone()?;
            let queue = queue.clone();
            let thread = thread::Builder::new().name("watch-end".to_owned()).spawn(move || {
                // Nothing is sent to us but the end.
                while listener.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
                // The queue is gone when it was us who ended.
                let _ = queue.send(Message::HungUp);
            })?;
            Ok(Sink { outlet, missing: 0, socket: Some((socket, Some(thread))) })
        }
        #[cfg(not(unix))]
        Out::Socket(_) => {
            let _ = queue;
            Err(io::Error::new(io::ErrorKind::Unsupported, "WATCH_SOCKET needs Unix domain sockets"))
        }
    }
}

impl Sink {
    /// A reader that has gone is no reason to stop before the profiler is detached, and one that does not read is none to
    /// wait: what it misses is counted.
    fn write(&mut self, line: &str) {
        let notice = |missing| format!("{missing} lines were lost: nobody has read them\n");
        let written = match self.missing {
            0 => Ok(()),
            missing => self.outlet.write_line(notice(missing).as_bytes()),
        };
        if written.is_ok() {
            self.missing = 0;
        }
        if written.and_then(|()| self.outlet.write_line(line.as_bytes())).is_err() {
            self.missing += 1;
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some((socket, thread)) = &mut self.socket {
            // It ends when the socket does; its code must be gone before the library is.
            let _ = socket.shutdown(std::net::Shutdown::Both);
            let _ = thread.take().map(JoinHandle::join);
        }
    }
}

struct Writer {
    out: Sink,
    info: ProfilerInfo,
    time: Option<Duration>,
    begin: Instant,
    /// When to ask to be detached.
    deadline: Option<Instant>,
    ready: bool,
}

impl Writer {
    fn run(mut self, messages: Receiver<Message>) {
        let mut hung_up = false;
        loop {
            let message = match self.deadline {
                Some(deadline) => messages.recv_timeout(deadline.saturating_duration_since(Instant::now())),
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match message {
                Ok(Message::Line(line)) => self.out.write(&line),
                Ok(Message::Ready) => {
                    self.ready = true;
                    self.deadline = if hung_up {
                        Some(Instant::now())
                    } else {
                        self.time.and_then(|time| Instant::now().checked_add(time))
                    };
                }
                Ok(Message::HungUp) => {
                    hung_up = true;
                    if self.ready {
                        self.deadline = Some(Instant::now());
                    }
                }
                Ok(Message::End(last)) => {
                    self.say(last);
                    // Before the thread that waits for the end of the socket is, which may be sending.
                    drop(messages);
                    return;
                }
                Err(RecvTimeoutError::Timeout) => self.detach(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            // Lines that keep coming must not put it off.
            if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                self.detach();
            }
        }
    }

    /// Asks the runtime to let go of us, once. It does so later, from a thread of its own.
    fn detach(&mut self) {
        if self.deadline.take().is_none() {
            return;
        }
        // It is not asked for a second time.
        self.time = None;
        match self.info.request_detach(LEAVING) {
            Ok(()) => self.say("detaching"),
            Err(error) => self.say(&format!("cannot be detached: {error}")),
        }
    }

    fn say(&mut self, text: &str) {
        self.out.write(&stamped(self.begin, text));
    }
}
