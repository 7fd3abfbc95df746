//! `corprof ps`: lists the processes that a profiler can be attached to.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use corprof_printable::Printable;
use diagport::{Error, Port};

/// The time limit for the description of a process.
const LISTED_WITHIN: Duration = Duration::from_secs(2);

/// Writes the processes with a port: id, runtime, command line.
///
/// # Errors
///
/// If the processes cannot be listed, or the output cannot be written.
pub(crate) fn main(out: &mut dyn Write) -> Result<ExitCode> {
    let ports = Port::list()?;
    if ports.is_empty() {
        eprintln!(
            "there is no .NET process that a profiler can be attached to; `corprof doctor PID` examines a process"
        );
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{:>7}  {:8}  COMMAND", "PID", "RUNTIME")?;
    for port in ports {
        let pid = port.pid().unwrap_or_default();
        let (version, command_line) = match port.with_timeout(LISTED_WITHIN).process_info() {
            Ok(info) => (info.runtime_version.unwrap_or_else(|| "5".to_owned()), info.command_line),
            // The diagnostics port of 3.0 and 3.1 does not report it.
            Err(Error::NotSupported { .. }) => ("3.x".to_owned(), command_line(pid)),
            Err(error) => ("?".to_owned(), format!("{} ({error})", command_line(pid))),
        };
        let (version, command_line) = (Printable(&version).to_string(), Printable(&command_line));
        writeln!(out, "{pid:>7}  {version:8}  {command_line}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the command line of a process, where the system provides it.
fn command_line(pid: u32) -> String {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ")
}
