//! Linux: `/proc` has the folder for temporary files, the process id inside the container, and the start time of a
//! process, which make the path of its socket.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use corprof_in_process::peer_of;

use crate::{Error, NoPort, Result};

/// A process in `/proc`.
struct Process {
    /// Its folder in `/proc`.
    folder: PathBuf,
    pid: u32,
    /// The process id in the innermost PID namespace.
    own_pid: u32,
    /// The start time, in clock ticks since boot.
    started: u64,
}

impl Process {
    /// Opens a process; `None` if there is none with this id.
    fn read(pid: u32) -> Option<Self> {
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let started = start_time(&fs::read_to_string(folder.join("stat")).ok()?)?;
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let own_pid = innermost_pid(&status).unwrap_or(pid);
        Some(Self { folder, pid, own_pid, started })
    }

    fn socket_name(&self) -> String {
        format!("dotnet-diagnostic-{}-{}-socket", self.own_pid, self.started)
    }

    /// The expected path of the socket, as seen from here.
    fn socket(&self) -> io::Result<PathBuf> {
        let environment = fs::read(self.folder.join("environ"))?;
        let folder = variable(&environment, "TMPDIR").unwrap_or_else(|| "/tmp".to_owned());
        // The root directory of the process, which is the same as ours unless it is in a container.
        let root = self.folder.join("root");
        let here = fs::metadata("/")?;
        let there = fs::metadata(&root)?;
        let path = Path::new(&folder).join(self.socket_name());
        // A service may have the same root and a `/tmp` of its own.
        let mounts = |folder: &Path| fs::read_link(folder.join("ns/mnt")).ok();
        let has_our_mounts = mounts(&self.folder) == mounts(Path::new("/proc/self"));
        if has_our_mounts && (here.dev(), here.ino()) == (there.dev(), there.ino()) {
            return Ok(path);
        }
        Ok(root.join(path.strip_prefix("/").unwrap_or(&path)))
    }

    /// The environment variable that turns the port off, if it is set.
    fn disabled_by(&self) -> Option<String> {
        let environment = fs::read(self.folder.join("environ")).ok()?;
        ["DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics", "DOTNET_EnableDiagnostics_IPC"]
            .into_iter()
            .find_map(|name| {
                let value = variable(&environment, name)?;
                // The runtime reads hexadecimal digits.
                (u32::from_str_radix(&value, 16) == Ok(0)).then(|| format!("{name}={value}"))
            })
    }

    fn has_runtime(&self) -> bool {
        let maps = fs::read_to_string(self.folder.join("maps")).unwrap_or_default();
        // A single-file program has the runtime in itself, and the core library in itself or beside it.
        maps.contains("libcoreclr.so") || maps.contains("System.Private.CoreLib")
    }

    /// Returns whether the process has another mount or PID namespace than this one.
    fn is_in_another_container(&self) -> bool {
        self.own_pid != self.pid
    }
}

/// The socket of a process.
pub(crate) fn port_of(pid: u32) -> Result<PathBuf> {
    let process = Process::read(pid).ok_or(Error::NoSuchProcess { pid })?;
    let expected = match process.socket() {
        Ok(expected) => expected,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return hidden(&process);
        }
        Err(_) => return Err(Error::NoSuchProcess { pid }),
    };
    if is_socket(&expected) {
        return check_owner(pid, expected);
    }
    let reason = if let Some(variable) = process.disabled_by() {
        NoPort::Disabled { variable }
    } else if process.has_runtime() {
        NoPort::NoSocket { expected }
    } else {
        NoPort::NoRuntime
    };
    Err(Error::NoPort { pid, reason })
}

/// The socket of a process whose `/proc` entry may not be read: tries the default folder.
fn hidden(process: &Process) -> Result<PathBuf> {
    let pid = process.pid;
    let socket = std::env::temp_dir().join(process.socket_name());
    let owner = owner_of(pid);
    let ours = fs::metadata("/proc/self").ok().map(|ours| ours.uid());
    let may_use = owner == ours || ours == Some(0);
    if is_socket(&socket) && may_use {
        return check_owner(pid, socket);
    }
    if process.is_in_another_container() {
        return Err(Error::NoPort { pid, reason: NoPort::OtherContainer });
    }
    if may_use {
        return Err(Error::NoPort { pid, reason: NoPort::Hidden });
    }
    Err(Error::NotPermitted { pid, owner })
}

/// Refuses a socket that belongs to another user than the process: anybody may create one in `/tmp`.
fn check_owner(pid: u32, socket: PathBuf) -> Result<PathBuf> {
    let found = fs::symlink_metadata(&socket).ok().filter(|found| found.file_type().is_socket());
    match (found.map(|found| found.uid()), owner_of(pid)) {
        (Some(found), Some(owner)) if found == owner => Ok(socket),
        (found, owner) => Err(Error::ForeignSocket { pid, path: socket, found, owner }),
    }
}

/// Refuses a connection whose peer is another user's process.
pub(crate) fn check_peer(stream: &impl AsFd, pid: u32, path: &Path) -> Result<()> {
    let found = peer_of(stream).map(|peer| peer.user).map_err(|source| Error::Io {
        what: format!("cannot find out who listens at {}", path.display()),
        source,
    })?;
    let owner = owner_of(pid).ok_or(Error::NoSuchProcess { pid })?;
    if found == owner {
        return Ok(());
    }
    Err(Error::ForeignSocket { pid, path: path.to_owned(), found: Some(found), owner: Some(owner) })
}

/// Lists the sockets of running processes.
pub(crate) fn all() -> Result<Vec<(u32, PathBuf)>> {
    let failed = |source| Error::Io { what: "cannot list /proc".to_owned(), source };
    let entries = fs::read_dir("/proc").map_err(failed)?;
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let sockets = pids.filter_map(|pid| {
        let socket = Process::read(pid)?.socket().ok().filter(|socket| is_socket(socket))?;
        Some((pid, check_owner(pid, socket).ok()?))
    });
    Ok(sockets.collect())
}

/// Returns the user of a process.
pub(crate) fn owner_of(pid: u32) -> Option<u32> {
    Some(fs::metadata(format!("/proc/{pid}")).ok()?.uid())
}

fn is_socket(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket())
}

/// The start time in `/proc/<pid>/stat`: the 22nd field. The second is a name in parentheses, which may have spaces
/// and parentheses itself.
fn start_time(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// Returns the last of the ids in the `NSpid` line of `/proc/<pid>/status`.
fn innermost_pid(status: &str) -> Option<u32> {
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    ids.split_ascii_whitespace().next_back()?.parse().ok()
}

/// Returns a variable of a NUL-separated environment; `None` if it is empty.
fn variable(environment: &[u8], name: &str) -> Option<String> {
    let mut variables = environment.split(|byte| *byte == 0);
    let value = variables.find_map(|variable| {
        let (found, value) = variable.split_at_checked(name.len())?;
        (found == name.as_bytes()).then(|| value.strip_prefix(b"="))?
    })?;
    (!value.is_empty()).then(|| String::from_utf8_lossy(value).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_found_behind_any_name() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1234567 20 21";
        assert_eq!(start_time(&format!("42 (dotnet) {rest}")), Some(1_234_567));
        assert_eq!(start_time(&format!("42 (a) b (c)) {rest}")), Some(1_234_567));
        assert_eq!(start_time("42 (dotnet) S 1"), None);
    }

    #[test]
    fn the_innermost_id_is_the_last() {
        assert_eq!(innermost_pid("Name:\tdotnet\nNSpid:\t4711\t12\t1\n"), Some(1));
        assert_eq!(innermost_pid("Name:\tdotnet\n"), None);
    }

    #[test]
    fn variables_are_found_by_their_whole_name() {
        let environment = b"TMPDIRS=/no\0TMPDIR=/var/tmp=x\0EMPTY=\0";
        assert_eq!(variable(environment, "TMPDIR").as_deref(), Some("/var/tmp=x"));
        assert_eq!(variable(environment, "EMPTY"), None);
        assert_eq!(variable(environment, "TMP"), None);
    }

    #[test]
    fn a_process_without_a_runtime_says_so() {
        let own = std::process::id();
        let error = port_of(own).unwrap_err();
        assert!(matches!(error, Error::NoPort { pid, reason: NoPort::NoRuntime } if pid == own), "{error}");
    }

    #[test]
    fn what_is_not_there_says_so() {
        // Larger than the kernel gives out.
        let pid = 1 << 30;
        assert!(matches!(port_of(pid), Err(Error::NoSuchProcess { pid: said }) if said == pid));
    }

    #[test]
    fn a_socket_that_is_a_link_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [socket, link] = ["socket", "link"].map(|name| folder.path().join(name));
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&socket, &link).unwrap();
        let own = std::process::id();
        assert_eq!(check_owner(own, socket.clone()).unwrap(), socket);
        let error = check_owner(own, link).unwrap_err();
        assert!(matches!(error, Error::ForeignSocket { found: None, .. }), "{error}");
    }

    #[test]
    fn a_socket_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        // Only root can give it away.
        if std::os::unix::fs::chown(&socket, Some(12345), None).is_err() {
            return;
        }
        let error = check_owner(std::process::id(), socket).unwrap_err().to_string();
        assert!(error.contains("belongs to user 12345"), "{error}");
    }

    #[test]
    fn who_listens_is_known_by_the_connection() {
        let (one, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(check_peer(&one, std::process::id(), Path::new("socket")).is_ok());
    }
}
