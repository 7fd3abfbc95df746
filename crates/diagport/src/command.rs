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
}

impl Command {
    /// Command set and command id of the header.
    #[must_use]
    pub const fn code(self) -> (u8, u8) {
        match self {
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
            Self::AttachProfiler => ".NET Core 3.0",
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
