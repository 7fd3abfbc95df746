//! The thread that writes the lines, and requests the detach at the end.
//!
//! Callbacks queue their lines and return: some of them run while the whole program waits for a collection, and none may
//! wait for the reader of the lines. Lines that do not fit into the queue are counted.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use corprof::ProfilerInfo;
use corprof_in_process::outlet::Outlet;
use corprof_in_process::printable::Printable;

use crate::MEMORY;
use crate::settings::{Out, Settings};

/// The capacity of the queue, in lines.
const QUEUE: usize = 10_000;

/// The time for which the profiler's code may still be on the stack of a program's thread.
const LEAVING: Duration = Duration::from_millis(100);

enum Message {
    Line(String),
    /// The runtime accepts a request to detach.
    Ready,
    /// The reader has closed the socket.
    #[cfg_attr(not(unix), allow(dead_code, reason = "only a socket has another end"))]
    HungUp,
    /// The last message: the profiler is detached, or the process ends.
    End(&'static str),
}

/// The thread that writes the lines.
pub(crate) struct Session {
    queue: SyncSender<Message>,
    lost: AtomicU64,
    begin: Instant,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Session {
    /// Opens the output and starts the thread.
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

    /// Queues a line.
    pub(crate) fn line(&self, text: &str) {
        let is_sent =
            !MEMORY.is_low() && self.queue.try_send(Message::Line(stamped(self.begin, text))).is_ok();
        if !is_sent {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Allows the profiler to be detached.
    pub(crate) fn ready(&self) {
        // The queue is empty at this point, or the thread has ended.
        let _ = self.queue.send(Message::Ready);
    }

    /// Writes the queued lines and ends the thread: when this returns, the thread runs none of the profiler's code.
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
        // A panic of the thread cannot be reported to anybody.
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

/// The output of the lines, and the socket to close at the end.
struct Sink {
    outlet: Outlet,
    /// The number of lines that could not be written since the last written one.
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
            // The outlet waits for a reader for a limited time.
            let outlet = Outlet::stream(socket.try_clone()?.into());
            let mut listener = socket.try_clone()?;
            let queue = queue.clone();
            let thread = thread::Builder::new().name("watch-end".to_owned()).spawn(move || {
                // The other side sends only the end of the stream.
                while listener.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
                // The queue is closed if the profiler has ended the watch itself.
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
    /// A closed reader does not end the watch before the profiler is detached, and a slow one is not waited for: the lines
    /// that it misses are counted.
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
            // It ends with the socket; its code must have ended before the library is unmapped.
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
    /// The time of the request to detach.
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
                    // Before the thread that waits for the end of the socket, which may be sending.
                    drop(messages);
                    return;
                }
                Err(RecvTimeoutError::Timeout) => self.detach(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            // A steady stream of lines must not delay it.
            if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                self.detach();
            }
        }
    }

    /// Requests the detach, once. The runtime detaches the profiler later, on a thread of its own.
    fn detach(&mut self) {
        if self.deadline.take().is_none() {
            return;
        }
        // A second request would fail.
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
