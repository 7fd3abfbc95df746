//! The client's end of the connection: a socket where the process finds it, for nobody else.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::event::PollFlags;
#[cfg(target_os = "linux")]
use rustix::fs::fchmod;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, accept, bind, listen, socket};
use rustix::process::{Gid, Uid};

use crate::limits::{HELLO, PATIENCE};
use crate::message::{MAJOR, MINOR, Message};
use crate::stream::{Receiver, Sender, pair, wait};

/// The number of connections that wait.
const BACKLOG: i32 = 4;

/// That of the processes of a program that is started: a build starts many at once.
const BACKLOG_OF_PROGRAM: i32 = 128;

/// The number of files in a folder that are looked at for sockets that were left.
#[cfg(target_os = "linux")]
const LEFT: usize = 10_000;

/// The process that may connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Its id here.
    pub process: u32,
    /// Its user here, if known.
    pub user: Option<u32>,
}

/// Who may connect.
#[derive(Clone, Copy, Debug)]
enum Who {
    Process(Expected),
    /// All processes of this user that know the nonce.
    Own,
}

/// A socket that a tool connects to. It is removed when this is dropped.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
    /// The folder of the socket: its path may mean another folder by now.
    folder: OwnedFd,
    name: String,
    nonce: String,
    who: Who,
}

/// A process that has connected.
#[derive(Debug)]
pub struct Connection {
    stream: UnixStream,
    nonce: String,
    /// The id of the process here; `None` if it is not known.
    pub process: Option<u32>,
}

impl Listener {
    /// Listens in a folder. With `root`, the folder is one below it, as a process sees it whose root folder that is; links that the
    /// process has made lead nowhere else.
    ///
    /// # Errors
    /// If the folder takes no socket, or the socket cannot be given to the user of the process.
    pub fn bind(root: Option<&Path>, folder: &Path, expected: Expected) -> io::Result<Self> {
        Self::bound(root, folder, Who::Process(expected))
    }

    /// Listens in a folder, for the processes of a program that this process starts: those of this user that know the nonce.
    ///
    /// # Errors
    /// If the folder takes no socket.
    pub fn for_program(folder: &Path) -> io::Result<Self> {
        Self::bound(None, folder, Who::Own)
    }

    fn bound(root: Option<&Path>, folder: &Path, who: Who) -> io::Result<Self> {
        let opened = open(root, folder)?;
        #[cfg(target_os = "linux")]
        remove_left(&opened);
        // Everybody sees the name.
        let (nonce, unique) = (random()?, random()?);
        let (process, backlog) = match who {
            Who::Process(expected) => (expected.process, BACKLOG),
            Who::Own => (std::process::id(), BACKLOG_OF_PROGRAM),
        };
        let name = format!("corprof-{process}-{}.sock", unique.get(..16).unwrap_or_default());
        let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
        rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
        // Before it has a name, so that nobody else can ever connect. macOS has no such modes.
        #[cfg(target_os = "linux")]
        fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
        bind(&socket, &SocketAddrUnix::new(path(root, folder, &opened, &name))?)?;
        let listener = Self { socket, folder: opened, name, nonce, who };
        #[cfg(not(target_os = "linux"))]
        rustix::fs::chmodat(&listener.folder, &listener.name, Mode::RUSR | Mode::WUSR, AtFlags::empty())?;
        if let Who::Process(Expected { user: Some(user), .. }) = who
            && user != rustix::process::geteuid().as_raw()
        {
            let (user, flags) = (Uid::from_raw(user), AtFlags::SYMLINK_NOFOLLOW);
            rustix::fs::chownat(&listener.folder, &listener.name, Some(user), None::<Gid>, flags)?;
        }
        listen(&listener.socket, backlog)?;
        Ok(listener)
    }

    /// The name of the socket in its folder.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the tool has to say first.
    #[must_use]
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// Waits for the tool. Others who connect are turned away.
    ///
    /// # Errors
    /// [`ErrorKind::TimedOut`]: it has not come. Otherwise it speaks another version of the protocol.
    pub fn accept(&self, deadline: Instant) -> io::Result<(Sender, Receiver)> {
        loop {
            let connection = self.connection(deadline)?;
            if let Some(greeted) = connection.greet()? {
                return Ok(greeted);
            }
        }
    }

    /// Waits for a process to connect. Strangers are turned away.
    ///
    /// # Errors
    /// [`ErrorKind::TimedOut`]: none has come.
    pub fn connection(&self, deadline: Instant) -> io::Result<Connection> {
        loop {
            if !wait(self.socket.as_fd(), PollFlags::IN, Some(deadline))? {
                return Err(io::Error::new(ErrorKind::TimedOut, "the tool has not connected"));
            }
            let stream = match accept(&self.socket) {
                Ok(stream) => UnixStream::from(stream),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::CONNABORTED) => continue,
                Err(error) => return Err(error.into()),
            };
            rustix::io::fcntl_setfd(&stream, rustix::io::FdFlags::CLOEXEC)?;
            if let Some(process) = self.admitted(&stream) {
                return Ok(Connection { stream, nonce: self.nonce.clone(), process });
            }
        }
    }

    /// Removes the socket: nobody connects any more.
    pub fn remove(&self) {
        // The process may have removed it.
        let _ = rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
    }

    /// Returns the id of a process that may connect, if it is known; `None` for a stranger.
    fn admitted(&self, stream: &UnixStream) -> Option<Option<u32>> {
        #[cfg(target_os = "linux")]
        {
            let peer = corprof_in_process::peer_of(stream).ok()?;
            let is_admitted = match self.who {
                Who::Process(Expected { process, user }) => {
                    peer.process == Some(process) && user.is_none_or(|user| user == peer.user)
                }
                Who::Own => peer.user == rustix::process::geteuid().as_raw(),
            };
            is_admitted.then_some(peer.process)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = stream;
            Some(None)
        }
    }
}

impl Connection {
    /// Exchanges the first messages; `None` if the process is none that was invited. It may take as long as the process does, up to
    /// five seconds.
    ///
    /// # Errors
    /// If the tool speaks another version of the protocol.
    pub fn greet(self) -> io::Result<Option<(Sender, Receiver)>> {
        let (mut sender, mut receiver) = pair(self.stream);
        let hello = receiver.receive(Some(Instant::now() + HELLO));
        let Ok(Some(Message::Hello { major, nonce, .. })) = hello else { return Ok(None) };
        if nonce != self.nonce {
            return Ok(None);
        }
        let (nonce, tool) = (String::new(), String::new());
        sender.send(&Message::Hello { major: MAJOR, minor: MINOR, nonce, tool }, PATIENCE)?;
        if major != MAJOR {
            return Err(io::Error::other(format!(
                "the tool speaks version {major} of the protocol, and this command version {MAJOR}: use those of one release"
            )));
        }
        Ok(Some((sender, receiver)))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Removes the sockets of commands and agents that were killed: nobody listens at them any more.
#[cfg(target_os = "linux")]
pub(crate) fn remove_left(folder: &OwnedFd) {
    use rustix::fs::{Dir, FileType, statat};

    // What cannot be read or removed stays.
    let Ok(entries) = Dir::read_from(folder) else { return };
    for entry in entries.flatten().take(LEFT) {
        let name = entry.file_name();
        if !name.to_str().is_ok_and(is_ours) {
            continue;
        }
        let is_socket = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Socket);
        let path = path(None, Path::new(""), folder, name.to_str().unwrap_or_default());
        if is_socket && refuses(&path) {
            let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
        }
    }
}

/// Whether nobody listens at a socket. It does not wait for one who listens, and takes no connection.
#[cfg(target_os = "linux")]
fn refuses(path: &Path) -> bool {
    use rustix::net::{SocketFlags, connect, socket_with};

    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let connected = SocketAddrUnix::new(path).and_then(|address| {
        connect(socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?, &address)
    });
    connected == Err(rustix::io::Errno::CONNREFUSED)
}

/// Whether a file has a name that [`Listener::bind`] gives, or the socket of an agent.
#[cfg(target_os = "linux")]
fn is_ours(name: &str) -> bool {
    let rest = name.strip_prefix("corprof-").and_then(|rest| rest.strip_suffix(".sock"));
    let parts = rest.and_then(|rest| rest.strip_prefix("agent-").unwrap_or(rest).split_once('-'));
    parts.is_some_and(|(process, unique)| {
        process.bytes().all(|byte| byte.is_ascii_digit())
            && unique.len() == 16
            && unique.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

pub(crate) fn open(root: Option<&Path>, folder: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let Some(root) = root else { return Ok(rustix::fs::open(folder, flags, Mode::empty())?) };
    let root = rustix::fs::open(root, flags, Mode::empty())?;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};

        Ok(openat2(&root, folder, flags, Mode::empty(), ResolveFlags::IN_ROOT)?)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let folder = folder.strip_prefix("/").unwrap_or(folder);
        Ok(rustix::fs::openat(&root, folder, flags, Mode::empty())?)
    }
}

/// The path by which the socket is bound. An address has room for about a hundred bytes: on Linux it fits whatever the folder's is.
#[cfg(target_os = "linux")]
pub(crate) fn path(_: Option<&Path>, _: &Path, open: &OwnedFd, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd())).join(name)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn path(root: Option<&Path>, folder: &Path, _: &OwnedFd, name: &str) -> PathBuf {
    match root {
        Some(root) => root.join(folder.strip_prefix("/").unwrap_or(folder)).join(name),
        None => folder.join(name),
    }
}

/// 32 hexadecimal digits that nobody can guess.
pub(crate) fn random() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::{Asked, Client, Documents, Invitation, Invited, clock};

    const SOON: Duration = Duration::from_secs(30);

    fn listener(folder: &Path) -> (Listener, Invitation) {
        let expected = Expected { process: std::process::id(), user: None };
        let listener = Listener::bind(None, folder, expected).unwrap();
        let path = folder.join(listener.name()).display().to_string();
        let deadline = clock() + 30_000_000_000;
        let invitation = Invitation { path, nonce: listener.nonce().to_owned(), deadline };
        (listener, invitation)
    }

    fn connect(invitation: &Invitation) -> io::Result<Client> {
        Ok(Client::of_client_data("cpu", invitation.line().as_bytes())?.unwrap())
    }

    #[test]
    fn a_tool_sends_and_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let (listener, invitation) = listener(folder.path());
        let socket = folder.path().join(listener.name());
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let report: Vec<u8> = (0..3_000_000_u32).map(|index| index.to_le_bytes()[0]).collect();
        std::thread::scope(|scope| {
            let tool = scope.spawn(|| {
                let client = connect(&invitation).unwrap();
                let (sender, asked) = channel();
                client.watch(move |what| sender.send(what).unwrap()).unwrap();
                // Nothing is sent before the client knows that the tool measures.
                client.document("cpu", b"early").unwrap();
                client.end("early", None);
                client.accept();
                assert_eq!(asked.recv_timeout(SOON), Ok(Asked::Stop));
                client.document("cpu", &report).unwrap();
                client.lines("one\n").unwrap();
                client.end("detached", None);
                client.close();
                assert_eq!(asked.recv_timeout(SOON), Ok(Asked::Gone));
            });
            let (mut sender, mut receiver) = listener.accept(Instant::now() + SOON).unwrap();
            let mut documents = Documents::default();
            let mut next = || receiver.receive(Some(Instant::now() + SOON)).unwrap();
            assert_eq!(next(), Some(Message::Accepted));
            sender.send(&Message::Stop, SOON).unwrap();
            let whole = loop {
                let Some(Message::Document(part)) = next() else { panic!("no document") };
                if let Some((name, bytes)) = documents.add(part) {
                    assert_eq!(name, "cpu");
                    break bytes;
                }
            };
            assert!(whole == report, "{} bytes", whole.len());
            assert_eq!(next(), Some(Message::Lines { text: "one\n".to_owned() }));
            assert_eq!(next(), Some(Message::End { why: "detached".to_owned(), stays: None, lost: 0 }));
            assert_eq!(next(), None);
            tool.join().unwrap();
        });
        drop(listener);
        assert!(!socket.exists());
    }

    #[test]
    fn who_comes_too_late_or_does_not_know_the_nonce_is_turned_away() {
        let folder = tempfile::tempdir().unwrap();
        let (listener, invitation) = listener(folder.path());
        let late = Invitation { deadline: clock().saturating_sub(1), ..invitation.clone() };
        assert_eq!(connect(&late).unwrap_err().kind(), ErrorKind::TimedOut);
        std::thread::scope(|scope| {
            let accepted = scope.spawn(|| listener.accept(Instant::now() + SOON).map(drop));
            let stranger = Invitation { nonce: "0".repeat(32), ..invitation.clone() };
            assert!(connect(&stranger).is_err());
            let client = connect(&invitation).unwrap();
            accepted.join().unwrap().unwrap();
            // The client has gone.
            let (sender, asked) = channel();
            client.watch(move |what| sender.send(what).unwrap()).unwrap();
            assert_eq!(asked.recv_timeout(SOON), Ok(Asked::Gone));
        });
        drop(listener);
        assert_eq!(connect(&invitation).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn another_process_is_not_listened_to() {
        let folder = tempfile::tempdir().unwrap();
        let other = Expected { process: std::process::id() + 1, user: None };
        let listener = Listener::bind(None, folder.path(), other).unwrap();
        let path = folder.path().join(listener.name()).display().to_string();
        let invitation = Invitation { path, nonce: listener.nonce().to_owned(), deadline: u64::MAX };
        std::thread::scope(|scope| {
            let accepted = scope.spawn(|| listener.accept(Instant::now() + Duration::from_millis(300)));
            let connected = connect(&invitation);
            let is_known = cfg!(target_os = "linux");
            assert_eq!(connected.is_err(), is_known);
            assert_eq!(accepted.join().unwrap().is_err(), is_known);
        });
    }

    /// The processes of a program, as its command answers them.
    #[test]
    fn a_program_that_starts_is_answered() {
        let folder = tempfile::tempdir().unwrap();
        let listener = Listener::for_program(folder.path()).unwrap();
        let path = folder.path().join(listener.name()).display().to_string();
        let invitation = Invitation { path, nonce: listener.nonce().to_owned(), deadline: u64::MAX };
        let settings = "CPU_HZ=10\nCPU_TOP=a=b\n";
        std::thread::scope(|scope| {
            let answered = |answer: Message| {
                let value = invitation.value();
                let tool = scope.spawn(move || Client::invited("cpu", &value).unwrap());
                let connection = listener.connection(Instant::now() + SOON).unwrap();
                let process = connection.process;
                assert!(process.is_none_or(|process| process == std::process::id()));
                let (mut sender, mut receiver) = connection.greet().unwrap().unwrap();
                let first = receiver.receive(Some(Instant::now() + SOON)).unwrap();
                let Some(Message::Process { id, command }) = first else { panic!("{first:?}") };
                let words: Vec<_> = std::env::args().collect();
                assert_eq!((id, command), (std::process::id().into(), words));
                sender.send(&answer, SOON).unwrap();
                (tool.join().unwrap(), receiver)
            };
            let (invited, _) = answered(Message::Unwanted);
            assert_eq!(invited, Invited::Unwanted);
            let (invited, mut receiver) = answered(Message::Start { settings: settings.to_owned() });
            let Invited::Wanted { client, settings: sent } = invited else { panic!("{invited:?}") };
            assert!(crate::settings(&sent).eq([("CPU_HZ", "10"), ("CPU_TOP", "a=b")]), "{sent}");
            client.accept();
            client.accept();
            client.close();
            let mut next = || receiver.receive(Some(Instant::now() + SOON)).unwrap();
            assert_eq!((next(), next()), (Some(Message::Accepted), None));
            // A stranger, who does not know the nonce.
            let stranger = Invitation { nonce: "0".repeat(32), ..invitation.clone() };
            let stranger = scope.spawn(move || Client::invited("cpu", &stranger.value()).is_err());
            assert!(listener.connection(Instant::now() + SOON).unwrap().greet().unwrap().is_none());
            assert!(stranger.join().unwrap());
        });
    }

    /// A command that does not answer keeps a program for two seconds, and one that has gone does not keep it.
    #[test]
    fn a_silent_client_does_not_keep_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let listener = Listener::for_program(folder.path()).unwrap();
        let path = folder.path().join(listener.name()).display().to_string();
        let invitation = Invitation { path, nonce: listener.nonce().to_owned(), deadline: u64::MAX };
        // Also when as many wait as can.
        let waiting: Vec<_> = (0..300)
            .map_while(|_| crate::stream::connect(invitation.path.as_ref(), Instant::now()).ok())
            .collect();
        assert!(!cfg!(target_os = "linux") || waiting.len() < 300);
        for waiting in [waiting, Vec::new()] {
            let begin = Instant::now();
            assert!(Client::invited("cpu", &invitation.value()).is_err());
            let took = begin.elapsed();
            assert!(took >= Duration::from_millis(1900) && took < SOON, "{took:?}");
            drop(waiting);
        }
        drop(listener);
        assert_eq!(Client::invited("cpu", &invitation.value()).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_socket_in_a_long_folder_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let long = folder.path().join("a".repeat(200));
        std::fs::create_dir(&long).unwrap();
        let listener = Listener::for_program(&long).unwrap();
        let path = long.join(listener.name());
        assert!(crate::stream::connect(&path, Instant::now() + SOON).is_ok());
        drop(listener);
        assert!(crate::stream::connect(&path, Instant::now() + SOON).is_err());
    }

    /// A client that reads nothing keeps nobody waiting for longer than the patience, and gets no half messages.
    #[test]
    fn a_slow_client_loses_whole_messages() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let ((mut sender, _here), (_there, mut receiver)) = (pair(ours), pair(theirs));
        let line = |number: usize| Message::Lines { text: format!("{number:060000}\n") };
        let sent: Vec<usize> =
            (0..100).filter(|number| sender.send(&line(*number), Duration::ZERO).is_ok()).collect();
        assert!(!sent.is_empty() && sent.len() < 100, "{sent:?}");
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let mut read = Vec::new();
                while let Some(message) = receiver.receive(Some(Instant::now() + SOON)).unwrap() {
                    read.push(message);
                }
                read
            });
            sender.flush(SOON).unwrap();
            sender.close();
            let expected: Vec<Message> = sent.iter().map(|number| line(*number)).collect();
            assert!(reader.join().unwrap() == expected);
        });
    }

    #[test]
    fn a_recording_arrives_in_order_from_a_slow_client_s_first_byte_on() {
        use std::io::Write as _;

        let folder = tempfile::tempdir().unwrap();
        let (listener, invitation) = listener(folder.path());
        let sent: Vec<u8> = (0..5_000_000_u32).map(|index| (index / 251).to_le_bytes()[0]).collect();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let client = connect(&invitation).unwrap();
                let mut recording = client.recording();
                // It begins before the client knows that the tool measures.
                recording.write_all(&sent[..100]).unwrap();
                recording.flush().unwrap();
                client.accept();
                // More than the socket takes: this waits for the client.
                for piece in sent[100..].chunks(70_000) {
                    recording.write_all(piece).unwrap();
                    recording.flush().unwrap();
                }
                client.end("detached", None);
                client.close();
                assert!(recording.write_all(&sent[..100_000]).is_err(), "nobody takes it any more");
            });
            let (_sender, mut receiver) = listener.accept(Instant::now() + SOON).unwrap();
            let mut next = || receiver.receive(Some(Instant::now() + SOON)).unwrap();
            assert_eq!(next(), Some(Message::Accepted));
            let mut arrived = Vec::new();
            while let Some(Message::Recording { bytes }) = next() {
                arrived.extend_from_slice(&bytes);
            }
            assert!(arrived == sent, "{} bytes", arrived.len());
        });
    }

    #[test]
    fn the_end_does_not_wait_long_for_a_client_that_takes_nothing() {
        use std::io::Write as _;

        let folder = tempfile::tempdir().unwrap();
        let (listener, invitation) = listener(folder.path());
        std::thread::scope(|scope| {
            let tool = scope.spawn(|| {
                let client = connect(&invitation).unwrap();
                client.accept();
                client.hurry();
                let begin = Instant::now();
                let mut recording = client.recording();
                let written = (0..1000).try_for_each(|_| recording.write_all(&[7; 100_000]));
                assert_eq!(written.unwrap_err().kind(), ErrorKind::TimedOut);
                assert!(begin.elapsed() < SOON / 2);
            });
            let connected = listener.accept(Instant::now() + SOON).unwrap();
            tool.join().unwrap();
            drop(connected);
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_socket_of_a_killed_command_is_removed_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join("corprof-7-0123456789abcdef.sock");
        // As after a kill: the file stays, and nobody listens.
        drop(std::os::unix::net::UnixListener::bind(&left).unwrap());
        let others = ["corprof-7-0123456789abcdef.txt", "corprof-x-0123456789abcdef.sock", "other.sock"];
        let others = others.map(|name| folder.path().join(name));
        others.iter().for_each(|path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()));
        let file = folder.path().join("corprof-8-0123456789abcdef.sock");
        std::fs::write(&file, "no socket").unwrap();
        let (first, _) = listener(folder.path());
        assert!(!left.exists() && file.exists() && others.iter().all(|path| path.exists()));
        let (second, _) = listener(folder.path());
        assert!([&first, &second].iter().all(|one| folder.path().join(one.name()).exists()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_in_a_process_s_root_leads_nowhere_else() {
        let root = tempfile::tempdir().unwrap();
        let expected = Expected { process: std::process::id(), user: None };
        std::fs::create_dir_all(root.path().join("var/tmp")).unwrap();
        std::os::unix::fs::symlink("/var/tmp", root.path().join("tmp")).unwrap();
        let listener = Listener::bind(Some(root.path()), Path::new("/tmp"), expected).unwrap();
        assert!(root.path().join("var/tmp").join(listener.name()).exists());
    }
}
