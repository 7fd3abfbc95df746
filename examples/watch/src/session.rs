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
use corprof_link::Client;

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
    /// The client asks for the end, or has gone.
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

/// The output of the lines.
struct Sink {
    target: Target,
    /// The number of lines that could not be written since the last written one.
    missing: u64,
}

enum Target {
    Outlet(Outlet),
    Client(Client),
}

fn open(out: &Out, queue: &SyncSender<Message>) -> io::Result<Sink> {
    let target = match out {
        Out::StandardError => Target::Outlet(Outlet::standard_error()),
        Out::File(path) => Target::Outlet(Outlet::create(path)?),
        Out::Client(client) => {
            let queue = queue.clone();
            let mut is_asked = false;
            client.watch(move |_| {
                // Once: later nobody may take it out of a full queue. It is closed if the profiler has ended the watch itself.
                if !core::mem::replace(&mut is_asked, true) {
                    let _ = queue.send(Message::HungUp);
                }
            })?;
            client.accept();
            Target::Client(client.clone())
        }
    };
    Ok(Sink { target, missing: 0 })
}

impl Sink {
    /// A client that has gone does not end the watch before the profiler is detached, and a slow one is not waited for: the lines
    /// that it misses are counted.
    fn write(&mut self, line: &str) {
        let notice = |missing| format!("{missing} lines were lost: nobody has read them\n");
        let mut write = |line: &str| match &mut self.target {
            Target::Outlet(outlet) => outlet.write_line(line.as_bytes()),
            Target::Client(client) => client.lines(line),
        };
        let written = match self.missing {
            0 => Ok(()),
            missing => write(&notice(missing)),
        };
        let rest = written.is_ok().then(|| write(line));
        if written.is_ok() {
            self.missing = 0;
        }
        if rest.is_none_or(|rest| rest.is_err()) {
            self.missing += 1;
        }
    }

    /// Tells a client that there are no more lines. When this returns, its thread has ended.
    fn end(&self, why: &str, stays: Option<&str>) {
        if let Target::Client(client) = &self.target {
            client.end(why, stays);
            client.close();
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
                    // Before the thread that waits for the client, which may be sending.
                    drop(messages);
                    self.out.end(last, None);
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
            Err(error) => {
                self.say(&format!("cannot be detached: {error}"));
                // Lines go on, to nobody, until the program ends.
                self.out.end("stopped", Some(&error.to_string()));
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.out.write(&stamped(self.begin, text));
    }
}
