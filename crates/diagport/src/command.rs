//! The commands of the protocol.

use core::fmt;

/// A command of the protocol. Its `Display` is the name in the protocol's specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Command {
    /// Loads a profiler into the running process.
    AttachProfiler,
    /// Loads a profiler when a runtime that is suspended at startup resumes.
    SetStartupProfiler,
    /// Describes the process.
    ProcessInfo,
    /// Describes the process, with entry assembly and runtime version.
    ProcessInfo2,
    /// Describes the process, with the runtime identifier too.
    ProcessInfo3,
    /// Resumes a runtime that is suspended at startup.
    ResumeRuntime,
    /// Returns the environment variables of the process.
    ProcessEnvironment,
    /// Sets an environment variable of a runtime that is suspended at startup.
    SetEnvironmentVariable,
    /// Starts an EventPipe session.
    CollectTracing2,
    /// Starts an EventPipe session, with or without stacks.
    CollectTracing3,
    /// Starts an EventPipe session with chosen rundown events.
    CollectTracing4,
    /// Starts an EventPipe session with chosen events.
    CollectTracing5,
    /// Starts an EventPipe session for which the program waits.
    CollectTracing6,
    /// Stops an EventPipe session.
    StopTracing,
    /// Writes a dump.
    GenerateCoreDump,
    /// Writes a dump, with options.
    GenerateCoreDump2,
    /// Writes a dump, with options; a failure has a message.
    GenerateCoreDump3,
}

impl Command {
    /// Command set and command id of the header.
    #[must_use]
    pub const fn code(self) -> (u8, u8) {
        match self {
            Self::GenerateCoreDump => (1, 1),
            Self::GenerateCoreDump2 => (1, 2),
            Self::GenerateCoreDump3 => (1, 3),
            Self::StopTracing => (2, 1),
            Self::CollectTracing2 => (2, 3),
            Self::CollectTracing3 => (2, 4),
            Self::CollectTracing4 => (2, 5),
            Self::CollectTracing5 => (2, 6),
            Self::CollectTracing6 => (2, 7),
            Self::AttachProfiler => (3, 1),
            Self::SetStartupProfiler => (3, 2),
            Self::ProcessInfo => (4, 0),
            Self::ResumeRuntime => (4, 1),
            Self::ProcessEnvironment => (4, 2),
            Self::SetEnvironmentVariable => (4, 3),
            Self::ProcessInfo2 => (4, 4),
            Self::ProcessInfo3 => (4, 8),
        }
    }

    /// The first runtime version with the command.
    #[must_use]
    pub const fn since(self) -> &'static str {
        match self {
            Self::AttachProfiler | Self::StopTracing => ".NET Core 3.0",
            Self::CollectTracing2 | Self::GenerateCoreDump => ".NET Core 3.1",
            Self::GenerateCoreDump2 => ".NET 6",
            Self::GenerateCoreDump3 => ".NET 7",
            // 8.0.4 does not know the third.
            Self::CollectTracing3 | Self::CollectTracing4 => ".NET 9",
            Self::CollectTracing5 => ".NET 10",
            Self::CollectTracing6 => ".NET 11",
            Self::ProcessInfo | Self::ResumeRuntime | Self::ProcessEnvironment => ".NET 5",
            Self::SetStartupProfiler | Self::ProcessInfo2 | Self::SetEnvironmentVariable => ".NET 6",
            Self::ProcessInfo3 => ".NET 8",
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
