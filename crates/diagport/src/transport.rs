//! The connection to a port, with a deadline.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::limits::BEFORE_LISTENING;
use crate::{Command, Error, Result, locate};

/// The size of a read. Memory for a response grows with the bytes that have arrived, not with the announced length.
const CHUNK: usize = 1 << 16;

/// The time between two looks at a pipe for bytes that have arrived.
#[cfg(windows)]
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

#[cfg(unix)]
type Stream = std::os::unix::net::UnixStream;
#[cfg(windows)]
type Stream = std::fs::File;

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: Stream,
    timeout: Duration,
    deadline: Instant,
}

impl Connection {
    /// Connects; with `pid`, to a socket of that process's user only.
    pub(crate) fn open(path: &Path, command: Command, timeout: Duration, pid: Option<u32>) -> Result<Self> {
        let deadline = Instant::now() + timeout;
        // A socket of a running process that refuses connections is not listened to yet.
        let listening = Instant::now() + BEFORE_LISTENING.min(timeout);
        let connected = loop {
            match connect(path, timeout) {
                Err(error)
                    if error.kind() == io::ErrorKind::ConnectionRefused
                        && pid.is_some_and(|pid| locate::owner_of(pid).is_some())
                        && Instant::now() < listening =>
                {
                    std::thread::sleep(Duration::from_millis(5));
                }
                connected => break connected,
            }
        };
        match connected {
            Ok(stream) => {
                pid.map_or(Ok(()), |pid| locate::check_peer(&stream, pid, path))?;
                Ok(Self { stream, timeout, deadline })
            }
            // The queue of pending connections is full and stays full.
            Err(error) if is_timeout(&error) => Err(Error::TimedOut { command, after: timeout }),
            Err(error) => {
                Err(Error::Io { what: format!("cannot connect to {}", path.display()), source: error })
            }
        }
    }

    pub(crate) fn write(&mut self, command: Command, bytes: &[u8]) -> Result<()> {
        self.limit(command)?;
        self.stream.write_all(bytes).map_err(|error| self.failure(command, 0, error))
    }

    /// Reads exactly `length` bytes, after `before` bytes of this response.
    pub(crate) fn read(&mut self, command: Command, length: usize, before: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            self.limit(command)?;
            let start = bytes.len();
            bytes.resize(length.min(start + CHUNK), 0);
            match self.receive(&mut bytes[start..]) {
                Ok(0) => return Err(Error::Closed { command, received: before + start }),
                Ok(count) => bytes.truncate(start + count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => bytes.truncate(start),
                Err(error) => return Err(self.failure(command, before + start, error)),
            }
        }
        Ok(bytes)
    }

    /// Reads what has arrived, and waits for the first byte for so long.
    pub(crate) fn read_some(
        &mut self,
        command: Command,
        buffer: &mut [u8],
        patience: Duration,
    ) -> io::Result<usize> {
        (self.timeout, self.deadline) = (patience, Instant::now() + patience);
        self.limit(command).map_err(io::Error::other)?;
        match self.receive(buffer) {
            Err(error) if is_timeout(&error) => {
                let after = patience.as_secs_f32();
                Err(io::Error::new(io::ErrorKind::TimedOut, format!("{command}: no event within {after} s")))
            }
            // The process was killed.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(0),
            read => read,
        }
    }

    /// Reads what has arrived, after waiting for the first byte until the deadline.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A read of a pipe has no time limit, and is not made before there are bytes. A failure is that of the read, too.
        #[cfg(windows)]
        while let Ok(0) = crate::kernel32::available(&self.stream) {
            if Instant::now() >= self.deadline {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        self.stream.read(buffer)
    }

    /// Limits the next call to the time that is left.
    fn limit(&mut self, command: Command) -> Result<()> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::TimedOut { command, after: self.timeout });
        }
        #[cfg(unix)]
        {
            let limited = self
                .stream
                .set_read_timeout(Some(left))
                .and_then(|()| self.stream.set_write_timeout(Some(left)));
            limited
                .map_err(|source| Error::Io { what: "cannot limit the waiting time".to_owned(), source })?;
        }
        Ok(())
    }

    fn failure(&self, command: Command, received: usize, error: io::Error) -> Error {
        match error.kind() {
            _ if is_timeout(&error) => Error::TimedOut { command, after: self.timeout },
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => Error::Closed { command, received },
            _ => Error::Io { what: format!("{command}: the connection broke"), source: error },
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

#[cfg(unix)]
fn connect(path: &Path, timeout: Duration) -> io::Result<Stream> {
    use rustix::net::sockopt::{Timeout, set_socket_timeout};
    use rustix::net::{SocketAddrUnix, connect};

    // The standard library's `connect` would wait for ever where the queue of a process that is stopped is full.
    let socket = socket()?;
    set_socket_timeout(&socket, Timeout::Send, Some(timeout))?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket.into())
}

/// A socket that a child process does not inherit.
#[cfg(all(unix, not(target_vendor = "apple")))]
fn socket() -> io::Result<std::os::fd::OwnedFd> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

    Ok(socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?)
}

/// A socket that a child process does not inherit, unless it is started between the two calls: the system has no single one.
#[cfg(target_vendor = "apple")]
fn socket() -> io::Result<std::os::fd::OwnedFd> {
    use rustix::io::{FdFlags, fcntl_setfd};
    use rustix::net::{AddressFamily, SocketType, socket};

    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    Ok(socket)
}

/// A named pipe.
#[cfg(windows)]
fn connect(path: &Path, timeout: Duration) -> io::Result<Stream> {
    /// `ERROR_PIPE_BUSY`: another client has the only instance, and the runtime has not created the next one yet.
    const BUSY: Option<i32> = Some(231);

    let deadline = Instant::now() + timeout;
    loop {
        match std::fs::OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.raw_os_error() == BUSY => {
                if Instant::now() >= deadline {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => break opened,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::net::{SocketAddrUnix, bind, listen};

    use super::*;

    #[test]
    fn a_socket_that_is_bound_is_waited_for_until_it_listens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let bound = socket().unwrap();
        bind(&bound, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        let open =
            |pid| Connection::open(&path, Command::ProcessInfo, Duration::from_secs(10), pid).map(drop);
        // Of an unknown process: nobody may ever listen.
        assert!(open(None).is_err());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                listen(&bound, 1).unwrap();
            });
            open(Some(std::process::id())).unwrap();
        });
    }

    #[test]
    fn a_socket_that_nobody_listens_to_is_refused_in_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let begin = Instant::now();
        let own = Some(std::process::id());
        assert!(Connection::open(&path, Command::ProcessInfo, Duration::from_secs(10), own).is_err());
        assert!(begin.elapsed() < BEFORE_LISTENING * 5);
    }
}
