//! Messages over a socket, with limits on the time of each.

use std::io::{self, ErrorKind};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketType, recv, send, socket};

use crate::frame::{Decoder, encode};
use crate::limits::{CHUNK, RETRY, STALLED};
use crate::message::Message;

/// Makes the two directions of a connection.
#[must_use]
pub fn pair(stream: UnixStream) -> (Sender, Receiver) {
    let stream = Arc::new(stream);
    let sender = Sender { stream: Arc::clone(&stream), unsent: Vec::new(), at: 0, stalled: None };
    (sender, Receiver { stream, decoder: Decoder::default() })
}

/// Waits until a descriptor is ready, or the deadline; returns whether it is ready.
pub(crate) fn wait(fd: BorrowedFd<'_>, flags: PollFlags, deadline: Option<Instant>) -> io::Result<bool> {
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let left = left.map(|left| Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i32::MAX.into()),
            tv_nsec: left.subsec_nanos().into(),
        });
        match poll(&mut [PollFd::from_borrowed_fd(fd, flags)], left.as_ref()) {
            Ok(count) => return Ok(count > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Connects to a socket, also to one whose path is longer than an address may be (on Linux).
///
/// # Errors
/// If nobody listens there, or takes the connection before the deadline.
pub(crate) fn connect(path: &Path, deadline: Instant) -> io::Result<UnixStream> {
    // An address has room for about a hundred bytes.
    #[cfg(target_os = "linux")]
    let (_folder, short);
    #[cfg(target_os = "linux")]
    let path = match (SocketAddrUnix::new(path), path.parent(), path.file_name()) {
        (Err(_), Some(folder), Some(name)) => {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            _folder = rustix::fs::open(folder, flags, rustix::fs::Mode::empty())?;
            short = Path::new("/proc/self/fd").join(_folder.as_raw_fd().to_string()).join(name);
            &*short
        }
        _ => path,
    };
    let address = SocketAddrUnix::new(path)?;
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    // One whose queue is full would keep a blocking socket for as long as the client takes nobody out of it.
    fcntl_setfl(&socket, fcntl_getfl(&socket)? | OFlags::NONBLOCK)?;
    loop {
        match rustix::net::connect(&socket, &address) {
            Ok(()) => return Ok(UnixStream::from(socket)),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) if Instant::now() + RETRY < deadline => std::thread::sleep(RETRY),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Sends messages. Between two calls at most one message is held that the other side has not taken yet.
#[derive(Debug)]
pub struct Sender {
    stream: Arc<UnixStream>,
    /// A block of which a part was sent: without its rest the stream makes no sense.
    unsent: Vec<u8>,
    at: usize,
    /// Since when the other side has taken nothing.
    stalled: Option<Instant>,
}

impl Sender {
    /// Sends a message, whole or not at all. Waits while the other side takes something at least every `patience`.
    ///
    /// # Errors
    /// [`ErrorKind::TimedOut`]: the message was not sent; others may be. Otherwise the connection is closed, also when the other
    /// side has taken nothing for 30 seconds.
    pub fn send(&mut self, message: &Message, patience: Duration) -> io::Result<()> {
        self.flush(patience)?;
        self.unsent = encode(message);
        match self.flush(patience) {
            // The rest is sent by the next call.
            Err(error) if error.kind() == ErrorKind::TimedOut && self.at > 0 => Ok(()),
            Err(error) => {
                (self.unsent, self.at) = (Vec::new(), 0);
                Err(error)
            }
            Ok(()) => Ok(()),
        }
    }

    /// Sends the rest of the last message.
    ///
    /// # Errors
    /// Those of [`send`](Self::send).
    pub fn flush(&mut self, patience: Duration) -> io::Result<()> {
        let flags = SendFlags::DONTWAIT;
        // Elsewhere (macOS) the runtime, which ignores the signal, is relied on.
        #[cfg(not(target_vendor = "apple"))]
        let flags = flags | SendFlags::NOSIGNAL;
        let mut deadline = Instant::now() + patience;
        while let Some(rest) = self.unsent.get(self.at..).filter(|rest| !rest.is_empty()) {
            match send(&*self.stream, rest, flags) {
                Ok(sent) => {
                    (self.at, self.stalled) = (self.at + sent, None);
                    deadline = Instant::now() + patience;
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::NOBUFS) => {
                    let since = *self.stalled.get_or_insert_with(Instant::now);
                    if since.elapsed() >= STALLED {
                        self.close();
                        return Err(io::Error::new(ErrorKind::BrokenPipe, "the client takes nothing"));
                    }
                    if !wait(self.stream.as_fd(), PollFlags::OUT, Some(deadline))? {
                        return Err(io::Error::new(ErrorKind::TimedOut, "the client is too slow"));
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        (self.unsent, self.at) = (Vec::new(), 0);
        Ok(())
    }

    /// Closes the connection: the other side reads what was sent, and then its end.
    pub fn close(&self) {
        // It fails if the other side has closed it.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

/// Receives messages.
#[derive(Debug)]
pub struct Receiver {
    stream: Arc<UnixStream>,
    decoder: Decoder,
}

impl Receiver {
    /// Returns the next message; `None` if the other side has closed the connection.
    ///
    /// # Errors
    /// [`ErrorKind::TimedOut`]: none has come until the deadline. [`ErrorKind::InvalidData`]: what has come is no message.
    pub fn receive(&mut self, deadline: Option<Instant>) -> io::Result<Option<Message>> {
        let mut buffer = vec![0; CHUNK];
        loop {
            match self.decoder.next_message() {
                Ok(Some(message)) => return Ok(Some(message)),
                Ok(None) => {}
                Err(error) => return Err(io::Error::new(ErrorKind::InvalidData, error.what)),
            }
            if !wait(self.stream.as_fd(), PollFlags::IN, deadline)? {
                return Err(io::Error::new(ErrorKind::TimedOut, "nothing has come in time"));
            }
            match recv(&*self.stream, &mut *buffer, RecvFlags::DONTWAIT) {
                Ok((0, _)) => return Ok(None),
                Ok((count, _)) => self.decoder.push(buffer.get(..count).unwrap_or_default()),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                // What the other side has not read when it closes the connection, or ends.
                Err(rustix::io::Errno::CONNRESET) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
