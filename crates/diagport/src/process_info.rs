//! The description of a process.

use corprof_types::Guid;

use crate::payload::Reader;
use crate::{Command, Result};

/// The description of a process (`ProcessInfo`, `ProcessInfo2`, `ProcessInfo3`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessInfo {
    /// The process id in its own PID namespace.
    pub process_id: u64,
    /// The unique id of the runtime instance.
    pub runtime_cookie: Guid,
    /// The command line, its arguments separated by spaces. It comes from the process: escape it for display.
    pub command_line: String,
    /// `Linux`, `macOS`, `Windows`.
    pub os: String,
    /// `x64`, `arm64`, `x86`, `arm32`.
    pub arch: String,
    /// The simple name of the entry assembly; since .NET 6, and empty while the runtime starts.
    pub entry_assembly: Option<String>,
    /// The version of the runtime, with suffix if it has one: `9.0.1`. Since .NET 6.
    pub runtime_version: Option<String>,
    /// The runtime identifier: `linux-x64`. Since .NET 8.
    pub runtime_identifier: Option<String>,
}

impl ProcessInfo {
    /// Reads the response to any of the three commands; each extends the one before it.
    pub(crate) fn parse(command: Command, payload: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(command, payload);
        if command == Command::ProcessInfo3 {
            // The version of the rest. A later version appends fields.
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
