//! Other systems: ports are found by listing the folder of the sockets or pipes.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, NoPort, Result};

/// The folder of the ports.
fn folder() -> PathBuf {
    if cfg!(windows) { PathBuf::from(r"\\.\pipe\") } else { std::env::temp_dir() }
}

/// The port of a process: the newest one with its id.
///
/// On Windows the id is the whole name, and a pipe is not examined: that would open it, and take the runtime's only waiting
/// instance. Where pipes cannot be listed, as by Wine, the connection shows whether there is one.
pub(crate) fn port_of(pid: u32) -> Result<PathBuf> {
    let listed = all();
    let (found, name) = if cfg!(windows) {
        let name = format!("dotnet-diagnostic-{pid}");
        let is_there = listed.is_err() || listed.is_ok_and(|all| all.iter().any(|(of, _)| *of == pid));
        (is_there.then(|| folder().join(&name)), name)
    } else {
        let of_process = listed?.into_iter().filter(|(of, _)| *of == pid).map(|(_, path)| path);
        let changed = |path: &PathBuf| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        (of_process.max_by_key(changed), format!("dotnet-diagnostic-{pid}-*"))
    };
    found.ok_or_else(|| Error::NoPort { pid, reason: NoPort::NotFound { expected: folder().join(name) } })
}

/// Lists every port, stale ones of ended processes included.
pub(crate) fn all() -> Result<Vec<(u32, PathBuf)>> {
    let folder = folder();
    let failed = |source| Error::Io { what: format!("cannot list {}", folder.display()), source };
    let entries = fs::read_dir(&folder).map_err(failed)?;
    let ports = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        Some((pid_in(&entry.file_name())?, entry.path()))
    });
    Ok(ports.collect())
}

/// Refuses a connection to another user's process. The owner is not known on this system.
#[allow(clippy::unnecessary_wraps, reason = "it may fail elsewhere")]
pub(crate) fn check_peer<S>(_: &S, _: u32, _: &Path) -> Result<()> {
    Ok(())
}

/// Returns the user of a process: not known on this system.
pub(crate) fn owner_of(_: u32) -> Option<u32> {
    None
}

/// The process id in the name of a port.
fn pid_in(name: &OsStr) -> Option<u32> {
    let rest = name.to_str()?.strip_prefix("dotnet-diagnostic-")?;
    if cfg!(windows) {
        return rest.parse().ok();
    }
    rest.strip_suffix("-socket")?.split_once('-')?.0.parse().ok()
}
