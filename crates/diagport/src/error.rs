//! Errors.

use core::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use corprof_types::HResult;

use crate::Command;

/// The result of this crate's calls.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no process with this id.
    #[error("there is no process {pid}")]
    NoSuchProcess {
        /// The process id.
        pid: u32,
    },
    /// The process has no diagnostics port.
    #[error("process {pid} has no diagnostics port: {reason}")]
    NoPort {
        /// The process.
        pid: u32,
        /// The likely reason.
        reason: NoPort,
    },
    /// The process, or its port, may not be used by this user.
    #[error("process {pid} {}: only that user and root may use its diagnostics port", Owner(*.owner))]
    NotPermitted {
        /// The process.
        pid: u32,
        /// The user id of the process, if known.
        owner: Option<u32>,
    },
    /// The socket under the name of the process belongs to another user; nothing was sent.
    #[error(
        "the socket {} {}, and process {pid} {}; it is not used", corprof_in_process::printable::Printable(&.path.to_string_lossy()),
        OwnerOfSocket(*.found), Owner(*.owner)
    )]
    ForeignSocket {
        /// The process.
        pid: u32,
        /// The socket.
        path: PathBuf,
        /// The user id of its owner; `None` for a symbolic link.
        found: Option<u32>,
        /// The user id of the process.
        owner: Option<u32>,
    },
    /// Nothing listens at the socket: the process has ended without removing it.
    #[error("nothing listens at {}: the process has ended", .path.display())]
    Gone {
        /// The socket.
        path: PathBuf,
    },
    /// No response arrived in time. The command may still take effect.
    #[error("{command}: no response within {} s; the process may be stopped, or busy", .after.as_secs_f32())]
    TimedOut {
        /// The command.
        command: Command,
        /// The time limit.
        after: Duration,
    },
    /// The connection was closed within the response, as when the process ends.
    #[error("{command}: the connection was closed after {received} bytes of the response")]
    Closed {
        /// The command.
        command: Command,
        /// The number of bytes that had arrived.
        received: usize,
    },
    /// The response does not follow the protocol.
    #[error("{command}: malformed response at byte {at}: {what}")]
    Malformed {
        /// The command.
        command: Command,
        /// The fault.
        what: &'static str,
        /// The offset from the start of the response.
        at: usize,
    },
    /// The runtime, or the profiler, returned a failure code.
    #[error("{command}: the runtime returned {hresult}{}", Advice(*.hresult))]
    Refused {
        /// The command.
        command: Command,
        /// The code, which may be that of the profiler itself.
        hresult: HResult,
    },
    /// The runtime does not support the command.
    #[error("{command}: this runtime does not support the command, which needs {}", .command.since())]
    NotSupported {
        /// The command.
        command: Command,
    },
    /// The payload does not fit into a message.
    #[error("{command}: {size} bytes do not fit into a message of at most {limit}")]
    TooLong {
        /// The command.
        command: Command,
        /// The size of the message in bytes.
        size: usize,
        /// The largest size.
        limit: usize,
    },
    /// A string argument contains a NUL, which would end it.
    #[error("{text:?} contains a NUL")]
    Zero {
        /// The text.
        text: String,
    },
    /// A call of the operating system failed.
    #[error("{what}: {source}")]
    Io {
        /// The failed operation.
        what: String,
        /// The cause.
        source: io::Error,
    },
}

impl Error {
    /// Returns the code of the runtime or profiler, if the error has one.
    #[must_use]
    pub fn hresult(&self) -> Option<HResult> {
        match self {
            Self::Refused { hresult, .. } => Some(*hresult),
            _ => None,
        }
    }
}

/// The likely reason why a process has no port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPort {
    /// An environment variable turns diagnostics off.
    #[error("{variable} in its environment turns it off; start the process without that")]
    Disabled {
        /// The variable and its value.
        variable: String,
    },
    /// The process has not loaded a .NET runtime.
    #[error("no .NET runtime is loaded in it")]
    NoRuntime,
    /// The process has loaded a runtime, and the socket is missing.
    #[error(
        "its runtime has no socket {}; the runtime may still be starting, its settings may turn diagnostics off, \
         or the socket was deleted",
        .expected.display()
    )]
    NoSocket {
        /// The expected path of the socket.
        expected: PathBuf,
    },
    /// The process runs in another container, whose files cannot be read.
    #[error("it runs in a container whose files cannot be seen from here; run in that container, or as root")]
    OtherContainer,
    /// The kernel does not allow to inspect the process, although the user matches.
    #[error(
        "the kernel does not let this process look into it, although it runs as the same user or as root; \
         that takes CAP_SYS_PTRACE, or a process that is dumpable"
    )]
    Hidden,
    /// No port has its name.
    #[error("there is no {}", .expected.display())]
    NotFound {
        /// The expected path.
        expected: PathBuf,
    },
}

/// Formats the owner of a process.
struct Owner(Option<u32>);

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(owner) => write!(f, "belongs to user {owner}"),
            None => f.write_str("belongs to another user"),
        }
    }
}

/// Formats the owner of a socket.
struct OwnerOfSocket(Option<u32>);

impl fmt::Display for OwnerOfSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(owner) => write!(f, "belongs to user {owner}"),
            None => f.write_str("is a link"),
        }
    }
}

/// Appends the advice for a code, if there is any.
struct Advice(HResult);

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.advice().map_or(Ok(()), |advice| write!(f, ": {advice}"))
    }
}
