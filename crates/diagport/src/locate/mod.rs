//! Finds the port of a process, or the reason for its absence.
//!
//! On Unix it is a socket in the folder that `TMPDIR` names for the process, or `/tmp`, called
//! `dotnet-diagnostic-<pid>-<start time>-socket`; on Windows the pipe `dotnet-diagnostic-<pid>`.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(any(target_os = "linux", windows)))]
mod others;
#[cfg(windows)]
mod windows;

use std::io;
use std::path::Path;

#[cfg(target_os = "linux")]
use linux as os;
#[cfg(not(any(target_os = "linux", windows)))]
use others as os;
#[cfg(windows)]
use windows as os;

pub(crate) use os::{all, check_peer, owner_of, port_of};

use crate::Error;

/// Converts a failure to connect to an error.
pub(crate) fn explain(error: Error, pid: Option<u32>, path: &Path) -> Error {
    let Error::Io { source, .. } = &error else { return error };
    match (source.kind(), pid) {
        (io::ErrorKind::ConnectionRefused, _) => Error::Gone { path: path.to_path_buf() },
        (io::ErrorKind::PermissionDenied, Some(pid)) => Error::NotPermitted { pid, owner: os::owner_of(pid) },
        (io::ErrorKind::NotFound, Some(pid)) => match os::port_of(pid) {
            Err(reason) => reason,
            Ok(_) => error,
        },
        _ => error,
    }
}
