//! A process's port, and what it can be asked for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use corprof::{Guid, HResult};

use crate::message::{self, HEADER};
use crate::payload::{Reader, Writer};
use crate::transport::Connection;
use crate::{Command, Error, ProcessInfo, Result, locate};

/// An environment of more bytes is not read.
const MAX_ENVIRONMENT: u32 = 1 << 26;

/// The size of the message that announces an environment.
const ENVIRONMENT_MESSAGE: usize = HEADER + 6;

/// The diagnostics port of one process: a socket, or on Windows a pipe, at which its runtime listens.
///
/// Each command makes a connection of its own; a `Port` holds none, and may be used from several threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    pid: Option<u32>,
    path: PathBuf,
    timeout: Duration,
}

impl Port {
    /// How long an answer is waited for, unless [`with_timeout`](Self::with_timeout) says otherwise.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

    /// The port of a process. On Linux it is found wherever the process has its temporary files, in another container
    /// too.
    ///
    /// # Errors
    /// [`Error::NoSuchProcess`]; [`Error::NotPermitted`] for another user's process; [`Error::NoPort`] with what can
    /// be seen of the reason.
    pub fn of(pid: u32) -> Result<Self> {
        Ok(Self { pid: Some(pid), ..Self::at(locate::port_of(pid)?) })
    }

    /// A port at a known address: a socket's path, or on Windows that of a pipe.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { pid: None, path: path.into(), timeout: Self::DEFAULT_TIMEOUT }
    }

    /// The ports of all processes that let us see theirs, by process id. That there is a port does not mean that its
    /// process answers: it may be stopped.
    ///
    /// # Errors
    /// When the processes, or the folder of the sockets, cannot be listed.
    pub fn list() -> Result<Vec<Self>> {
        let mut ports = locate::all()?;
        ports.sort();
        Ok(ports.into_iter().map(|(pid, path)| Self { pid: Some(pid), ..Self::at(path) }).collect())
    }

    /// The same port, with another limit to how long an answer is waited for.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The process, as it is called here; not known for a port made by [`Port::at`].
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// The socket or pipe.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What process this is. Asks for the most that the runtime can tell.
    ///
    /// # Errors
    /// [`Error::NotSupported`] on .NET Core 3.0 and 3.1, whose port can attach a profiler but does not know who it is;
    /// otherwise why there is no answer.
    #[doc(alias = "ProcessInfo2")]
    #[doc(alias = "ProcessInfo3")]
    pub fn process_info(&self) -> Result<ProcessInfo> {
        let newest_first = [Command::ProcessInfo3, Command::ProcessInfo2];
        for command in newest_first {
            match self.ask(command, &[]) {
                Ok(payload) => return ProcessInfo::parse(command, &payload),
                Err(Error::NotSupported { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        ProcessInfo::parse(Command::ProcessInfo, &self.ask(Command::ProcessInfo, &[])?)
    }

    /// Loads a profiler into the running process, and returns when its `InitializeForAttach` has succeeded.
    ///
    /// # Errors
    /// [`Error::Refused`] with the runtime's code, or with that which the profiler itself returned. The common ones:
    ///
    /// | code | |
    /// |---|---|
    /// | `CORPROF_E_PROFILER_ALREADY_ACTIVE` | the process has a profiler, which may still be detaching |
    /// | `CORPROF_E_PROFILER_NOT_ATTACHABLE` | the profiler can be loaded at the start only |
    /// | `CORPROF_E_PROFILER_CANCEL_ACTIVATION` | the profiler does not want to run in this process |
    /// | `CORPROF_E_NOT_YET_AVAILABLE` | the runtime is still starting |
    /// | `CLASS_E_CLASSNOTAVAILABLE` | the library has no profiler with this class id |
    ///
    /// [`Error::TimedOut`] does not mean that the profiler will not be attached: the runtime may get to it later.
    #[doc(alias = "AttachProfiler")]
    pub fn attach_profiler(&self, profiler: &AttachProfiler<'_>) -> Result<()> {
        const COMMAND: Command = Command::AttachProfiler;
        // The runtime waits so long at most for a concurrent collection to end. Its answer has to arrive in time.
        let patience = u32::try_from((self.timeout / 2).as_millis()).unwrap_or(u32::MAX);
        let payload = Writer::default()
            .u32(patience)
            .guid(profiler.clsid)
            .text(&text_of(profiler.library)?)?
            .bytes(profiler.client_data)
            .finish();
        self.ask_for_code(COMMAND, &payload)
    }

    /// Has a runtime that is suspended at its start load a profiler when it goes on, as if `CORECLR_PROFILER` had
    /// named it. A process is started suspended with `DOTNET_DefaultDiagnosticPortSuspend=1`.
    ///
    /// # Errors
    /// [`Error::Refused`] with `E_INVALIDARG` when the runtime is not suspended; [`Error::NotSupported`] before .NET 6.
    #[doc(alias = "StartupProfiler")]
    pub fn set_startup_profiler(&self, clsid: Guid, library: &Path) -> Result<()> {
        let payload = Writer::default().guid(clsid).text(&text_of(library)?)?.finish();
        self.ask_for_code(Command::SetStartupProfiler, &payload)
    }

    /// Lets a runtime go on that is suspended at its start. One that runs is left alone.
    ///
    /// # Errors
    /// [`Error::NotSupported`] before .NET 5; otherwise why there is no answer.
    pub fn resume_runtime(&self) -> Result<()> {
        self.ask_for_code(Command::ResumeRuntime, &[])
    }

    /// Sets an environment variable of a runtime that is suspended at its start.
    ///
    /// # Errors
    /// [`Error::Refused`] when the runtime is not suspended; [`Error::NotSupported`] before .NET 6.
    pub fn set_environment_variable(&self, name: &str, value: &str) -> Result<()> {
        let payload = Writer::default().text(name)?.text(value)?.finish();
        self.ask_for_code(Command::SetEnvironmentVariable, &payload)
    }

    /// The environment of the process as the runtime has it, by which it may have been changed since the start: names
    /// and values.
    ///
    /// # Errors
    /// [`Error::NotSupported`] before .NET 5; otherwise why there is no answer.
    #[doc(alias = "ProcessEnvironment")]
    #[doc(alias = "GetProcessEnvironment")]
    pub fn environment(&self) -> Result<Vec<(String, String)>> {
        const COMMAND: Command = Command::ProcessEnvironment;
        let mut connection = self.send(COMMAND, &[])?;
        let payload = message::answer(&mut connection, COMMAND)?;
        // What follows the message: as many bytes as it says.
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

    /// Sends a command and reads the payload of its answer.
    fn ask(&self, command: Command, payload: &[u8]) -> Result<Vec<u8>> {
        message::answer(&mut self.send(command, payload)?, command)
    }

    /// Sends a command whose success is a code too: .NET Core 3.1 reports that attaching failed so.
    fn ask_for_code(&self, command: Command, payload: &[u8]) -> Result<()> {
        let answer = self.ask(command, payload)?;
        let code = answer.first_chunk().map_or(HResult::S_OK, |code| HResult(i32::from_le_bytes(*code)));
        if code.is_err() { Err(message::refusal(command, code)) } else { Ok(()) }
    }

    fn send(&self, command: Command, payload: &[u8]) -> Result<Connection> {
        let message = message::encode(command, payload)?;
        let mut connection = Connection::open(&self.path, command, self.timeout)
            .map_err(|error| locate::explain(error, self.pid, &self.path))?;
        connection.write(command, &message)?;
        Ok(connection)
    }
}

/// A profiler that is to be attached.
#[derive(Clone, Copy, Debug)]
pub struct AttachProfiler<'a> {
    /// The class that its library is asked for.
    pub clsid: Guid,
    /// Its library: an absolute path, as the process sees it, which in a container is not as we do.
    pub library: &'a Path,
    /// What its `InitializeForAttach` receives.
    pub client_data: &'a [u8],
}

/// A path as the protocol has it.
fn text_of(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| Error::Io {
        what: format!("the path {} cannot be sent", path.display()),
        source: std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not UTF-8"),
    })
}
