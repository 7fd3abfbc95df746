//! The lines for a client: queued, and sent by a thread. Inserted code runs on the program's threads, which wait for nobody.
#![forbid(unsafe_code)]

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use corprof_link::Client;

/// The capacity of the queue, in lines.
const QUEUE: usize = 10_000;

enum Message {
    Line(String),
    /// Why the lines end, and why the library stays, if it does.
    End(&'static str, Option<String>),
}

/// The thread that sends the lines.
pub(crate) struct Lines {
    queue: SyncSender<Message>,
    thread: JoinHandle<()>,
}

impl Lines {
    pub(crate) fn start(client: Client) -> io::Result<Self> {
        let (queue, messages) = sync_channel(QUEUE);
        let thread = thread::Builder::new().name("inject-lines".to_owned());
        let thread = thread.spawn(move || send(&client, &messages))?;
        Ok(Self { queue, thread })
    }

    /// Queues a line. Returns `false` if there is no room.
    pub(crate) fn write(&self, line: String) -> bool {
        self.queue.try_send(Message::Line(line)).is_ok()
    }

    /// Sends what is queued, and ends the thread.
    pub(crate) fn end(self, why: &'static str, stays: Option<String>) {
        // The thread ends by this message only; a panic of it has been printed.
        let _ = self.queue.send(Message::End(why, stays));
        let _ = self.thread.join();
    }
}

fn send(client: &Client, messages: &Receiver<Message>) {
    while let Ok(message) = messages.recv() {
        match message {
            // The client counts what it has not taken.
            Message::Line(line) => drop(client.lines(&line)),
            Message::End(why, stays) => {
                client.end(why, stays.as_deref());
                break;
            }
        }
    }
    client.close();
}
