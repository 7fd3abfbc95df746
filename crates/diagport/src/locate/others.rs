//! Other systems: ports are found by listing the folder of the sockets.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, NoPort, Result};

/// The port of a process: the newest socket with its id.
pub(crate) fn port_of(pid: u32) -> Result<PathBuf> {
    let of_process = all()?.into_iter().filter(|(of, _)| *of == pid).map(|(_, path)| path);
    let changed = |path: &PathBuf| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    of_process.max_by_key(changed).ok_or_else(|| {
        let expected = std::env::temp_dir().join(format!("dotnet-diagnostic-{pid}-*"));
        Error::NoPort { pid, reason: NoPort::NotFound { expected } }
    })
}

/// Lists every port, stale ones of ended processes included.
pub(crate) fn all() -> Result<Vec<(u32, PathBuf)>> {
    let folder = std::env::temp_dir();
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
    rest.strip_suffix("-socket")?.split_once('-')?.0.parse().ok()
}
