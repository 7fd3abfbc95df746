//! Both ends of a request to an agent: the socket at which it listens, and the command that finds it.

use std::fs;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, accept, bind, listen, socket};

use crate::agent::{Reply, Request};
use crate::limits::{MAX_REQUEST, PATIENCE};
use crate::listener::{open, path, random};
use crate::stream::wait;

/// The number of connections that wait.
const BACKLOG: i32 = 8;

/// What the name of the socket of an agent begins with.
const NAME: &str = "corprof-agent-";

/// The socket of an agent. It is removed when this is dropped.
#[derive(Debug)]
pub struct AgentSocket {
    socket: OwnedFd,
    folder: OwnedFd,
    name: String,
}

impl AgentSocket {
    /// Listens in a folder, for nobody but the user of this process and root.
    ///
    /// # Errors
    /// If the folder takes no socket.
    pub fn bind(folder: &Path) -> io::Result<Self> {
        let opened = open(None, folder)?;
        #[cfg(target_os = "linux")]
        crate::listener::remove_left(&opened);
        let unique = random()?;
        let name = format!("{NAME}{}-{}.sock", std::process::id(), unique.get(..16).unwrap_or_default());
        let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
        rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&socket, true)?;
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        // Before it has a name, so that nobody else can ever connect. macOS has no such modes.
        #[cfg(target_os = "linux")]
        rustix::fs::fchmod(&socket, mode)?;
        bind(&socket, &SocketAddrUnix::new(path(None, folder, &opened, &name))?)?;
        let bound = Self { socket, folder: opened, name };
        #[cfg(not(target_os = "linux"))]
        rustix::fs::chmodat(&bound.folder, &bound.name, mode, rustix::fs::AtFlags::empty())?;
        #[cfg(target_os = "linux")]
        let _ = mode;
        listen(&bound.socket, BACKLOG)?;
        Ok(bound)
    }

    /// The name of the socket in its folder.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a connection that waits, which does not block; `None` if there is none. Other users are turned away.
    ///
    /// # Errors
    /// The socket does not work any more.
    pub fn accept(&self) -> io::Result<Option<UnixStream>> {
        loop {
            let stream = match accept(&self.socket) {
                Ok(stream) => UnixStream::from(stream),
                Err(rustix::io::Errno::AGAIN) => return Ok(None),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::CONNABORTED) => continue,
                Err(error) => return Err(error.into()),
            };
            rustix::io::fcntl_setfd(&stream, rustix::io::FdFlags::CLOEXEC)?;
            stream.set_nonblocking(true)?;
            if crate::client::check(&stream).is_ok() {
                return Ok(Some(stream));
            }
        }
    }
}

impl AgentSocket {
    /// Removes the socket: nobody connects any more.
    pub fn remove(&self) {
        // The process may have removed it.
        let _ = rustix::fs::unlinkat(&self.folder, &self.name, rustix::fs::AtFlags::empty());
    }
}

impl AsFd for AgentSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Drop for AgentSocket {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Connects to the agent in a process whose temporary folder is `folder`, which is below `root` if the process has another root
/// folder. `None` if there is no agent.
///
/// # Errors
/// If the folder cannot be read.
pub fn connect_agent(root: Option<&Path>, folder: &Path, process: u32) -> io::Result<Option<UnixStream>> {
    let opened = open(root, folder)?;
    let seen = path(root, folder, &opened, "");
    for entry in fs::read_dir(&seen)?.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with(NAME) && name.ends_with(".sock"))
        else {
            continue;
        };
        // One that was left by a process that was killed refuses; that of another process is not meant.
        let Ok(stream) = UnixStream::connect(path(root, folder, &opened, name)) else { continue };
        #[cfg(target_os = "linux")]
        if corprof_in_process::peer_of(&stream)?.process != Some(process) {
            continue;
        }
        #[cfg(not(target_os = "linux"))]
        if !name[NAME.len()..].starts_with(&format!("{process}-")) {
            continue;
        }
        return Ok(Some(stream));
    }
    Ok(None)
}

/// Sends a request to an agent, and returns its reply.
///
/// # Errors
/// [`ErrorKind::ConnectionReset`]: the agent has gone. [`ErrorKind::TimedOut`]: it has not answered in time.
/// [`ErrorKind::InvalidData`]: what has come is no reply.
pub fn ask_agent(mut stream: UnixStream, request: &Request, timeout: Duration) -> io::Result<Reply> {
    let gone = || io::Error::new(ErrorKind::ConnectionReset, "the agent has gone");
    stream.set_write_timeout(Some(PATIENCE))?;
    let sent = stream.write_all(&request.encode()).and_then(|()| stream.shutdown(std::net::Shutdown::Write));
    sent.map_err(|_| gone())?;
    let until = Instant::now() + timeout;
    let mut reply = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if !wait(stream.as_fd(), PollFlags::IN, Some(until))? {
            return Err(io::Error::new(ErrorKind::TimedOut, "the agent has not answered in time"));
        }
        match stream.read(&mut buffer) {
            Ok(0) if reply.is_empty() => return Err(gone()),
            Ok(0) => {
                let reply = Reply::decode(&reply);
                return reply.map_err(|error| io::Error::new(ErrorKind::InvalidData, error));
            }
            Ok(count) if reply.len() + count <= MAX_REQUEST => reply.extend_from_slice(&buffer[..count]),
            Ok(_) => return Err(io::Error::new(ErrorKind::InvalidData, "the reply is too long")),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Err(gone()),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(30);

    #[test]
    fn an_agent_is_found_by_its_process_and_answers() {
        let folder = tempfile::tempdir().unwrap();
        let process = std::process::id();
        assert!(connect_agent(None, folder.path(), process).unwrap().is_none());
        let socket = AgentSocket::bind(folder.path()).unwrap();
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(folder.path().join(socket.name())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        #[cfg(target_os = "linux")]
        assert!(connect_agent(None, folder.path(), process + 1).unwrap().is_none());
        let stream = connect_agent(None, folder.path(), process).unwrap().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // The first may be the one of another process's client, from above.
                loop {
                    wait(socket.as_fd(), PollFlags::IN, Some(Instant::now() + SOON)).unwrap();
                    let Some(mut stream) = socket.accept().unwrap() else { continue };
                    stream.set_nonblocking(false).unwrap();
                    let mut request = Vec::new();
                    stream.read_to_end(&mut request).unwrap();
                    if request.is_empty() {
                        continue;
                    }
                    assert_eq!(Request::decode(&request), Ok(Request::Stop(4)));
                    stream.write_all(&Reply::Done.encode()).unwrap();
                    break;
                }
            });
            assert_eq!(ask_agent(stream, &Request::Stop(4), SOON).unwrap(), Reply::Done);
        });
        // The socket is there no more.
        let stream = connect_agent(None, folder.path(), process).unwrap().unwrap();
        drop(socket);
        assert_eq!(ask_agent(stream, &Request::List, SOON).unwrap_err().kind(), ErrorKind::ConnectionReset);
        assert!(connect_agent(None, folder.path(), process).unwrap().is_none());
    }
}
