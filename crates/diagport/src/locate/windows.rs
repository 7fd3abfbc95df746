//! Windows: the port of a process is the named pipe `dotnet-diagnostic-<pid>`.
//!
//! A pipe is not opened to examine it: that would take the runtime's only waiting instance. The system returns whether there is
//! one. Ports are found by the processes and not by listing `\\.\pipe\`, which Wine does not support.

use std::path::{Path, PathBuf};

use crate::{Error, NoPort, Result, kernel32};

/// The name of the pipe of a process, whether or not there is one.
fn pipe_of(pid: u32) -> PathBuf {
    PathBuf::from(format!(r"\\.\pipe\dotnet-diagnostic-{pid}"))
}

/// The pipe of a process.
pub(crate) fn port_of(pid: u32) -> Result<PathBuf> {
    let pipe = pipe_of(pid);
    if kernel32::has_pipe(pipe.as_os_str()) {
        return Ok(pipe);
    }
    if !process_ids()?.contains(&pid) {
        return Err(Error::NoSuchProcess { pid });
    }
    Err(Error::NoPort { pid, reason: NoPort::NotFound { expected: pipe } })
}

/// Lists the pipe of every process that has one.
pub(crate) fn all() -> Result<Vec<(u32, PathBuf)>> {
    let pipes = process_ids()?.into_iter().map(|pid| (pid, pipe_of(pid)));
    Ok(pipes.filter(|(_, pipe)| kernel32::has_pipe(pipe.as_os_str())).collect())
}

fn process_ids() -> Result<Vec<u32>> {
    kernel32::process_ids()
        .map_err(|source| Error::Io { what: "cannot list the processes".to_owned(), source })
}

/// Accepts every connection. The owner of a pipe is not known on this system.
#[allow(clippy::unnecessary_wraps, reason = "it may fail elsewhere")]
pub(crate) fn check_peer<S>(_: &S, _: u32, _: &Path) -> Result<()> {
    Ok(())
}

/// Returns the user of a process: not known on this system.
pub(crate) fn owner_of(_: u32) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn this_process_is_listed_and_has_no_port() {
        let own = std::process::id();
        assert!(kernel32::process_ids().unwrap().contains(&own));
        assert!(all().unwrap().iter().all(|(pid, _)| *pid != own));
        assert!(matches!(port_of(own), Err(Error::NoPort { pid, .. }) if pid == own));
        // Ids of processes are multiples of four.
        assert!(matches!(port_of(u32::MAX), Err(Error::NoSuchProcess { .. })));
        assert!(!kernel32::has_pipe(OsStr::new(r"\\.\pipe\corprof-no-such-pipe")));
    }
}
