//! What can be asked for.

use core::fmt;

/// A command of the protocol. Displayed as the protocol's document calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Command {
    /// Load a profiler now.
    AttachProfiler,
    /// Load a profiler when the runtime, which is suspended at its start, goes on.
    SetStartupProfiler,
    /// What process this is.
    ProcessInfo,
    /// The same with entry assembly and runtime version.
    ProcessInfo2,
    /// The same with the runtime identifier.
    ProcessInfo3,
    /// Let a runtime that is suspended at its start go on.
    ResumeRuntime,
    /// The environment variables of the process.
    ProcessEnvironment,
    /// Set an environment variable of a runtime that is suspended at its start.
    SetEnvironmentVariable,
}

impl Command {
    /// Command set and command id, as the header has them.
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

    /// The first runtime that knows the command.
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
