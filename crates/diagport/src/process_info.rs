//! What a process says of itself.

use corprof::Guid;

use crate::payload::Reader;
use crate::{Command, Result};

/// What a process says of itself (`ProcessInfo`, `ProcessInfo2`, `ProcessInfo3`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessInfo {
    /// Its id, in its own container.
    pub process_id: u64,
    /// A number that no other runtime has.
    pub runtime_cookie: Guid,
    /// The command line that it was started with, its words separated by spaces.
    pub command_line: String,
    /// `Linux`, `macOS`, `Windows`.
    pub os: String,
    /// `x64`, `arm64`, `x86`, `arm32`.
    pub arch: String,
    /// The simple name of the assembly that has `Main`; since .NET 6, and empty while the runtime starts.
    pub entry_assembly: Option<String>,
    /// The runtime's version with what follows a `+` or `-`, as in `9.0.1`; since .NET 6.
    pub runtime_version: Option<String>,
    /// What the runtime was built for, as in `linux-x64`; since .NET 8.
    pub runtime_identifier: Option<String>,
}

impl ProcessInfo {
    /// Reads the answer to any of the three commands; each has what the one before it has, and more.
    pub(crate) fn parse(command: Command, payload: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(command, payload);
        if command == Command::ProcessInfo3 {
            // The version of what follows. A later one adds to it.
            reader.u32()?;
        }
        let process_id = reader.u64()?;
        let runtime_cookie = reader.guid()?;
        let [command_line, os, arch] = [reader.text()?, reader.text()?, reader.text()?];
        let (mut entry_assembly, mut runtime_version, mut runtime_identifier) = (None, None, None);
        if command != Command::ProcessInfo {
            entry_assembly = Some(reader.text()?);
            runtime_version = Some(reader.text()?);
        }
        if command == Command::ProcessInfo3 {
            runtime_identifier = Some(reader.text()?);
        }
        Ok(Self {
            process_id,
            runtime_cookie,
            command_line,
            os,
            arch,
            entry_assembly,
            runtime_version,
            runtime_identifier,
        })
    }
}
