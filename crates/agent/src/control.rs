//! The control thread: it starts and ends sessions, and answers requests of clients. Nothing wakes it while nothing happens.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use corprof_in_process::spawn_quiet;
use corprof_link::{AgentSocket, Reply, Request};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::events::Event;
use crate::limits::{CONNECTIONS, REQUEST};
use crate::sessions::Sessions;

/// Starts the thread, and listens for requests.
pub(crate) fn start(sessions: &Arc<Sessions>, is_attached: bool) -> io::Result<()> {
    let sessions = Arc::clone(sessions);
    // One that has sessions from its start leaves when they have ended.
    let leaves = is_attached || sessions.count() > 0;
    let mut control = Control { sessions, connections: Vec::new(), leaves };
    // Who asks as soon as the runtime has answered the attach finds the socket.
    control.listen();
    spawn_quiet("corprof-agent", move || control.run()).map(drop)
}

struct Control {
    sessions: Arc<Sessions>,
    connections: Vec<Connection>,
    /// Whether the agent leaves when it has no sessions.
    leaves: bool,
}

/// A client that sends a request.
struct Connection {
    stream: UnixStream,
    request: Vec<u8>,
    until: Instant,
}

/// Whether the thread goes on.
#[derive(PartialEq, Eq)]
enum Then {
    Continue,
    End,
}

impl Control {
    /// Without a socket, as in a folder that takes none, sessions are started by the attach only.
    fn listen(&self) {
        let socket = AgentSocket::bind(&std::env::temp_dir()).ok().map(Arc::new);
        *self.sessions.socket.lock().unwrap_or_else(PoisonError::into_inner) = socket;
        if self.sessions.has_ended() {
            self.deaf();
        }
    }

    /// Listens no more.
    fn deaf(&self) {
        self.sessions.socket.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn socket(&self) -> Option<Arc<AgentSocket>> {
        self.sessions.socket.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn run(&mut self) {
        loop {
            self.sessions.events.clear();
            while let Some(event) = self.sessions.events.next() {
                match event {
                    Event::Part(key, event) => self.sessions.handle(key, event),
                    Event::End => return,
                }
            }
            if self.leaves && self.sessions.count() == 0 && self.leave().is_ok() {
                return;
            }
            if self.wait() == Then::End {
                return;
            }
        }
    }

    /// Leaves the process, if the runtime lets it. Who connects meanwhile is told by the end of the connection.
    fn leave(&mut self) -> Result<(), String> {
        self.deaf();
        match self.sessions.leave() {
            Ok(()) => Ok(()),
            Err(error) => {
                // It stays, silent, until it has had another session.
                self.leaves = false;
                self.listen();
                Err(error.to_string())
            }
        }
    }

    /// Waits for something to do, and reads and answers requests.
    fn wait(&mut self) -> Then {
        let socket = self.socket().filter(|_| self.connections.len() < CONNECTIONS);
        let events = Arc::clone(&self.sessions.events);
        let mut fds: Vec<PollFd<'_>> = Vec::new();
        let readable = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
        fds.extend(self.connections.iter().map(|connection| readable(connection.stream.as_fd())));
        fds.extend(socket.iter().map(|socket| readable(socket.as_fd())));
        fds.extend(events.socket().map(|events| readable(events.as_fd())));
        let until = self.connections.iter().map(|connection| connection.until).min();
        // Without the pair of sockets events are looked for now and then.
        let look = events.socket().is_none().then(|| Instant::now() + Duration::from_millis(50));
        let until = until.into_iter().chain(look).min();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let left = left.map(|left| Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i32::MAX.into()),
            tv_nsec: left.subsec_nanos().into(),
        });
        // An interruption, or no memory: the loop comes here again.
        let polled = poll(&mut fds, left.as_ref());
        let is_ready: Vec<bool> = fds.iter().map(|fd| polled.is_ok() && !fd.revents().is_empty()).collect();
        drop(fds);
        let mut is_ready = is_ready.into_iter();
        let open = core::mem::take(&mut self.connections);
        for mut connection in open {
            let request = if is_ready.next() == Some(true) { connection.read() } else { Ok(None) };
            match request {
                Ok(Some(request)) => {
                    if self.answer(connection, Request::decode(&request)) == Then::End {
                        return Then::End;
                    }
                }
                Ok(None) if connection.until > Instant::now() => self.connections.push(connection),
                Ok(None) | Err(_) => {}
            }
        }
        if let Some(socket) = socket.filter(|_| is_ready.next() == Some(true)) {
            self.accept(&socket);
        }
        Then::Continue
    }

    fn accept(&mut self, socket: &AgentSocket) {
        while self.connections.len() < CONNECTIONS {
            match socket.accept() {
                Ok(Some(stream)) => {
                    let until = Instant::now() + REQUEST;
                    self.connections.push(Connection { stream, request: Vec::new(), until });
                }
                Ok(None) => return,
                // Nobody can connect any more.
                Err(_) => return self.deaf(),
            }
        }
    }

    fn answer(&mut self, connection: Connection, request: Result<Request, corprof_link::NotAgent>) -> Then {
        let (reply, then) = match request {
            Err(error) => (Reply::Refused(error.to_string()), Then::Continue),
            Ok(Request::Start { tool, data }) => match self.sessions.attach_apart(tool, data) {
                Ok(number) => {
                    self.leaves = true;
                    (Reply::Started(number), Then::Continue)
                }
                Err(error) => (Reply::Refused(error.to_string()), Then::Continue),
            },
            Ok(Request::List) => (Reply::Sessions(self.sessions.list()), Then::Continue),
            Ok(Request::Stop(number)) => match self.sessions.stop(number) {
                true => (Reply::Done, Then::Continue),
                false => (Reply::Refused(format!("there is no session {number}")), Then::Continue),
            },
            Ok(Request::Leave) => match self.sessions.count() {
                0 => match self.leave() {
                    Ok(()) => (Reply::Done, Then::End),
                    Err(why) => (Reply::Refused(format!("the agent stays: {why}")), Then::Continue),
                },
                count => (Reply::Refused(format!("the agent has {count} sessions")), Then::Continue),
            },
            Ok(_) => (Reply::Refused("the agent does not know this request".to_owned()), Then::Continue),
        };
        // A client that has gone needs no reply.
        let _ = (&connection.stream).write_all(&reply.encode());
        then
    }
}

impl Connection {
    /// Reads what has come. Returns the request when its end has come.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        /// A request that is longer is refused as such.
        const MOST: usize = 128 << 10;
        let mut buffer = [0; 4096];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return Ok(Some(core::mem::take(&mut self.request))),
                Ok(count) => self.request.extend_from_slice(buffer.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if self.request.len() > MOST {
                return Ok(Some(core::mem::take(&mut self.request)));
            }
        }
    }
}
