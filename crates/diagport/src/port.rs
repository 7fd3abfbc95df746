//! The diagnostics port of a process, and its commands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use corprof_types::{Guid, HResult};

use crate::limits::MAX_ENVIRONMENT;
use crate::message::{self, HEADER};
use crate::payload::{Reader, Writer};
use crate::session::{CollectTracing, Session};
use crate::transport::Connection;
use crate::{Command, Error, ProcessInfo, Result, locate};

/// The size of the message that announces an environment.
const ENVIRONMENT_MESSAGE: usize = HEADER + 6;

/// The diagnostics port of a process: a Unix domain socket, or a named pipe on Windows.
///
/// Each command opens a connection of its own; a `Port` holds none, and may be used from several threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    pid: Option<u32>,
    path: PathBuf,
    timeout: Duration,
}

impl Port {
    /// The default time limit of a command; [`with_timeout`](Self::with_timeout) changes it.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

    /// Finds the port of a process by its id.
    ///
    /// On Linux the process may have another `TMPDIR`, or run in another container.
    ///
    /// # Errors
    /// [`Error::NoSuchProcess`]; [`Error::NotPermitted`] for another user's process; [`Error::NoPort`] with the likely
    /// reason.
    pub fn of(pid: u32) -> Result<Self> {
        Ok(Self { pid: Some(pid), ..Self::at(locate::port_of(pid)?) })
    }

    /// Uses the port at a path: that of a socket, or of a pipe on Windows.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { pid: None, path: path.into(), timeout: Self::DEFAULT_TIMEOUT }
    }

    /// Lists the ports of all visible processes, by process id.
    ///
    /// A listed process may still be stopped, and not respond.
    ///
    /// # Errors
    /// [`Error::Io`] if the processes, or the folder of the sockets, cannot be listed.
    pub fn list() -> Result<Vec<Self>> {
        let mut ports = locate::all()?;
        ports.sort();
        Ok(ports.into_iter().map(|(pid, path)| Self { pid: Some(pid), ..Self::at(path) }).collect())
    }

    /// Returns the port with another time limit for commands.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The time limit of a command.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The process id in this PID namespace; `None` for a port from [`Port::at`].
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// The user id of the process, if it can be found.
    #[must_use]
    pub fn owner(&self) -> Option<u32> {
        locate::owner_of(self.pid?)
    }

    /// The path of the socket or pipe.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Describes the process, with the newest command that the runtime supports.
    ///
    /// # Errors
    /// [`Error::NotSupported`] on .NET Core 3.0 and 3.1, whose port has no such command; any failure of the connection.
    #[doc(alias = "ProcessInfo2")]
    #[doc(alias = "ProcessInfo3")]
    pub fn process_info(&self) -> Result<ProcessInfo> {
        let newest_first = [Command::ProcessInfo3, Command::ProcessInfo2];
        for command in newest_first {
            match self.request(command, &[]) {
                Ok(payload) => return ProcessInfo::parse(command, &payload),
                Err(Error::NotSupported { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        ProcessInfo::parse(Command::ProcessInfo, &self.request(Command::ProcessInfo, &[])?)
    }

    /// Loads a profiler into the running process; returns after its `InitializeForAttach`.
    ///
    /// # Errors
    /// [`Error::Refused`] with the code of the runtime or of the profiler. The common ones:
    ///
    /// | code | |
    /// |---|---|
    /// | `CORPROF_E_PROFILER_ALREADY_ACTIVE` | the process has a profiler, which may still be detaching |
    /// | `CORPROF_E_PROFILER_NOT_ATTACHABLE` | the profiler can be loaded at the start only |
    /// | `CORPROF_E_PROFILER_CANCEL_ACTIVATION` | the profiler has declined to run in this process |
    /// | `CORPROF_E_NOT_YET_AVAILABLE` | the runtime is still starting |
    /// | `CLASS_E_CLASSNOTAVAILABLE` | the library has no profiler with this class id |
    ///
    /// After [`Error::TimedOut`] the runtime may still attach the profiler later.
    #[doc(alias = "AttachProfiler")]
    pub fn attach_profiler(&self, profiler: &AttachProfiler<'_>) -> Result<()> {
        const COMMAND: Command = Command::AttachProfiler;
        // The maximum time that the runtime waits for a concurrent collection to end. Its response must arrive in time.
        let patience = u32::try_from((self.timeout / 2).as_millis()).unwrap_or(u32::MAX);
        let payload = Writer::default()
            .u32(patience)
            .guid(profiler.clsid)
            .text(&text_of(profiler.library)?)?
            .bytes(profiler.client_data)
            .finish();
        self.execute(COMMAND, &payload)
    }

    /// Sets the startup profiler of a runtime that is suspended at startup.
    ///
    /// The runtime loads it on resume, as if `CORECLR_PROFILER` had named it. `DOTNET_DefaultDiagnosticPortSuspend=1`
    /// starts a process suspended.
    ///
    /// # Errors
    /// [`Error::Refused`] with `E_INVALIDARG` if the runtime is not suspended, which includes the moment between the creation of
    /// its port and its suspension; [`Error::NotSupported`] before .NET 6.
    #[doc(alias = "StartupProfiler")]
    pub fn set_startup_profiler(&self, clsid: Guid, library: &Path) -> Result<()> {
        let payload = Writer::default().guid(clsid).text(&text_of(library)?)?.finish();
        self.execute(Command::SetStartupProfiler, &payload)
    }

    /// Resumes a runtime that is suspended at startup; has no effect on a running one.
    ///
    /// # Errors
    /// [`Error::NotSupported`] before .NET 5; any failure of the connection.
    pub fn resume_runtime(&self) -> Result<()> {
        self.execute(Command::ResumeRuntime, &[])
    }

    /// Sets an environment variable of a runtime that is suspended at startup.
    ///
    /// # Errors
    /// [`Error::Refused`] if the runtime is not suspended; [`Error::NotSupported`] before .NET 6.
    pub fn set_environment_variable(&self, name: &str, value: &str) -> Result<()> {
        let payload = Writer::default().text(name)?.text(value)?.finish();
        self.execute(Command::SetEnvironmentVariable, &payload)
    }

    /// Returns the environment variables of the process, names and values.
    ///
    /// These are the runtime's copies, which the program may have changed since its start.
    ///
    /// # Errors
    /// [`Error::NotSupported`] before .NET 5; any failure of the connection.
    #[doc(alias = "ProcessEnvironment")]
    #[doc(alias = "GetProcessEnvironment")]
    pub fn environment(&self) -> Result<Vec<(String, String)>> {
        const COMMAND: Command = Command::ProcessEnvironment;
        let mut connection = self.send(COMMAND, &[])?;
        let payload = message::answer(&mut connection, COMMAND)?;
        // The continuation after the message, of the size in the message.
        let mut head = Reader::new(COMMAND, &payload);
        let length = head.u32()?;
        if length > MAX_ENVIRONMENT {
            return Err(head.malformed("an environment that is larger than any"));
        }
        let block = connection.read(COMMAND, usize::try_from(length).unwrap_or(0), ENVIRONMENT_MESSAGE)?;
        let mut reader = Reader::after(COMMAND, ENVIRONMENT_MESSAGE, &block);
        let count = reader.u32()?;
        let mut variables = Vec::new();
        for _ in 0..count {
            let variable = reader.text()?;
            // A name may begin with `=` on Windows.
            let at = variable.char_indices().skip(1).find(|(_, c)| *c == '=').map(|(at, _)| at);
            let Some((name, value)) = at.and_then(|at| Some((variable.get(..at)?, variable.get(at + 1..)?)))
            else {
                continue;
            };
            variables.push((name.to_owned(), value.to_owned()));
        }
        Ok(variables)
    }

    /// Starts an EventPipe session, with the oldest command that can express it. Its trace is read from the result.
    ///
    /// .NET 11 answers before the session has its events (observed: what the program did within some milliseconds of the answer was missing at
    /// times); older runtimes answer afterwards.
    ///
    /// # Errors
    /// [`Error::NotSupported`]: a choice needs a newer runtime; [`CollectTracing`] says which. Any failure of the connection.
    #[doc(alias = "CollectTracing2")]
    pub fn collect_tracing(&self, collect: &CollectTracing<'_>) -> Result<Session> {
        Session::start(self, collect)
    }

    /// Sends a command; returns the payload of the response.
    pub(crate) fn request(&self, command: Command, payload: &[u8]) -> Result<Vec<u8>> {
        message::answer(&mut self.send(command, payload)?, command)
    }

    /// Sends a command whose successful response carries a code: .NET Core 3.1 reports a failed attach that way.
    pub(crate) fn execute(&self, command: Command, payload: &[u8]) -> Result<()> {
        let answer = self.request(command, payload)?;
        let code = answer.first_chunk().map_or(HResult::S_OK, |code| HResult(i32::from_le_bytes(*code)));
        if code.is_err() { Err(message::refusal(command, code)) } else { Ok(()) }
    }

    pub(crate) fn send(&self, command: Command, payload: &[u8]) -> Result<Connection> {
        let message = message::encode(command, payload)?;
        let mut connection = Connection::open(&self.path, command, self.timeout, self.pid)
            .map_err(|error| locate::explain(error, self.pid, &self.path))?;
        connection.write(command, &message)?;
        Ok(connection)
    }
}

/// The profiler for [`Port::attach_profiler`].
#[derive(Clone, Copy, Debug)]
pub struct AttachProfiler<'a> {
    /// The class id of the profiler.
    pub clsid: Guid,
    /// The absolute path of the library as the process sees it: inside its container.
    pub library: &'a Path,
    /// The data for `InitializeForAttach`.
    pub client_data: &'a [u8],
}

/// Converts a path to the string of the protocol.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| Error::Io {
        what: format!("the path {} cannot be sent", path.display()),
        source: std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not UTF-8"),
    })
}
