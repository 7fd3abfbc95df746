//! What can go wrong.

use core::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use corprof::HResult;

use crate::Command;

/// The result of this crate's calls.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a process could not be reached, or what its runtime answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no process with this id.
    #[error("there is no process {pid}")]
    NoSuchProcess {
        /// The id that was asked for.
        pid: u32,
    },
    /// The process has no diagnostics port.
    #[error("process {pid} has no diagnostics port: {reason}")]
    NoPort {
        /// The process.
        pid: u32,
        /// As far as can be seen from outside.
        reason: NoPort,
    },
    /// The process, or its port, is not ours to use.
    #[error("process {pid} {}: only that user and root may use its diagnostics port", Owner(*.owner))]
    NotPermitted {
        /// The process.
        pid: u32,
        /// The id of the user that it runs as, where that is known.
        owner: Option<u32>,
    },
    /// There is a socket and nobody listens: the process has ended without removing it.
    #[error("nobody listens at {}: the process has ended", .path.display())]
    Gone {
        /// The socket.
        path: PathBuf,
    },
    /// There was no answer in time. What was asked for may still happen.
    #[error("{command}: no answer within {} s; the process may be stopped, or busy", .after.as_secs_f32())]
    TimedOut {
        /// What was asked for.
        command: Command,
        /// How long was waited.
        after: Duration,
    },
    /// The connection was closed in the middle of the answer, as when the process ends.
    #[error("{command}: the connection was closed after {received} bytes of the answer")]
    Closed {
        /// What was asked for.
        command: Command,
        /// How much of the answer had come.
        received: usize,
    },
    /// The answer is none that the protocol has.
    #[error("{command}: malformed answer at byte {at}: {what}")]
    Malformed {
        /// What was asked for.
        command: Command,
        /// What is wrong.
        what: &'static str,
        /// Where, counted from the beginning of the answer.
        at: usize,
    },
    /// The runtime refused.
    #[error("{command}: the runtime answered {hresult}{}", Advice(*.hresult))]
    Refused {
        /// What was asked for.
        command: Command,
        /// Its answer, which may be that of the profiler itself.
        hresult: HResult,
    },
    /// The runtime does not know the command.
    #[error("{command}: this runtime does not know the command, which exists since {}", .command.since())]
    NotSupported {
        /// What was asked for.
        command: Command,
    },
    /// What is to be sent does not fit into a message.
    #[error("{command}: {size} bytes do not fit into a message of at most {limit}")]
    TooLong {
        /// What was asked for.
        command: Command,
        /// The size of the whole message.
        size: usize,
        /// The most there can be.
        limit: usize,
    },
    /// A text that is to be sent has a zero in it, which would end it.
    #[error("{text:?} has a zero in it")]
    Zero {
        /// The text.
        text: String,
    },
    /// The operating system reports a failure.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: String,
        /// The failure.
        source: io::Error,
    },
}

impl Error {
    /// The runtime's or the profiler's code, when this is one.
    #[must_use]
    pub fn hresult(&self) -> Option<HResult> {
        match self {
            Self::Refused { hresult, .. } => Some(*hresult),
            _ => None,
        }
    }
}

/// Why a process has no port, as far as can be seen from outside.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPort {
    /// A variable in its environment turns diagnostics off.
    #[error("{variable} in its environment turns it off; start the process without that")]
    Disabled {
        /// The variable with its value.
        variable: String,
    },
    /// It has no .NET runtime loaded.
    #[error("no .NET runtime is loaded in it")]
    NoRuntime,
    /// It has a runtime, and the socket is not where it should be.
    #[error(
        "its runtime has no socket {}; the runtime may still be starting, its settings may turn diagnostics off, \
         or the socket was deleted",
        .expected.display()
    )]
    NoSocket {
        /// Where the socket should be.
        expected: PathBuf,
    },
    /// It lives in another container, into whose files we cannot look.
    #[error("it runs in a container whose files cannot be seen from here; run in that container, or as root")]
    OtherContainer,
    /// There is none under its name.
    #[error("there is no {}", .expected.display())]
    NotFound {
        /// Where it should be.
        expected: PathBuf,
    },
}

/// Says whose process it is.
struct Owner(Option<u32>);

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(owner) => write!(f, "belongs to user {owner}"),
            None => f.write_str("belongs to another user"),
        }
    }
}

/// Appends the advice that belongs to a code, when there is any.
struct Advice(HResult);

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.advice().map_or(Ok(()), |advice| write!(f, ": {advice}"))
    }
}
