//! The connection to a port: bytes there and back, with a deadline.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::{Command, Error, Result};

/// What is read at once: no answer can make us reserve more than what has arrived, and this.
const CHUNK: usize = 1 << 16;

#[cfg(unix)]
type Stream = std::os::unix::net::UnixStream;
#[cfg(not(unix))]
type Stream = std::fs::File;

/// An open connection.
pub(crate) struct Connection {
    stream: Stream,
    timeout: Duration,
    deadline: Instant,
}

impl Connection {
    pub(crate) fn open(path: &Path, command: Command, timeout: Duration) -> Result<Self> {
        let deadline = Instant::now() + timeout;
        match connect(path, timeout) {
            Ok(stream) => Ok(Self { stream, timeout, deadline }),
            // The queue of those who want to connect is full, and stays full.
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

    /// Reads exactly `length` bytes; `before` have been read of this answer.
    pub(crate) fn read(&mut self, command: Command, length: usize, before: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            self.limit(command)?;
            let start = bytes.len();
            bytes.resize(length.min(start + CHUNK), 0);
            match self.stream.read(&mut bytes[start..]) {
                Ok(0) => return Err(Error::Closed { command, received: before + start }),
                Ok(count) => bytes.truncate(start + count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => bytes.truncate(start),
                Err(error) => return Err(self.failure(command, before + start, error)),
            }
        }
        Ok(bytes)
    }

    /// Lets the next call take what is left of the time.
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
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

    // The standard library's `connect` would wait for ever where the queue of a process that is stopped is full.
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&socket, Timeout::Send, Some(timeout))?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket.into())
}

/// A pipe. How long it may take to answer is not limited here.
#[cfg(not(unix))]
fn connect(path: &Path, _: Duration) -> io::Result<Stream> {
    std::fs::OpenOptions::new().read(true).write(true).open(path)
}
