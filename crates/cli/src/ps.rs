//! `corprof ps`: lists the processes that a profiler can be attached to.

use std::borrow::Cow;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use corprof_in_process::printable::Printable;
use diagport::{Error, Port};

/// The time limit for the description of a process.
const LISTED_WITHIN: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub(crate) struct PsArgs {
    /// Do not cut command lines
    #[arg(short, long)]
    full: bool,
}

/// Writes the processes with a port: id, runtime, command line.
///
/// # Errors
///
/// If the processes cannot be listed, or the output cannot be written.
pub(crate) fn main(arguments: &PsArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let ports = Port::list()?;
    if ports.is_empty() {
        eprintln!(
            "there is no .NET process that a profiler can be attached to; `corprof doctor PID` examines a process"
        );
        return Ok(ExitCode::SUCCESS);
    }
    let width = if arguments.full { None } else { terminal_width() };
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
        let line = format!("{pid:>7}  {version:8}  {command_line}");
        writeln!(out, "{}", cut(&line, width))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the command line of a process, where the system provides it.
fn command_line(pid: u32) -> String {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ")
}

/// Returns the number of columns of the terminal that standard output is; `None` if it is something else.
fn terminal_width() -> Option<usize> {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(std::io::stdout()) {
        return (size.ws_col > 0).then_some(size.ws_col.into());
    }
    None
}

/// Cuts a line to a width, with a mark at its end.
fn cut(line: &str, width: Option<usize>) -> Cow<'_, str> {
    match width {
        Some(width) if line.chars().count() > width => {
            let kept: String = line.chars().take(width.saturating_sub(1)).collect();
            Cow::Owned(kept + "…")
        }
        _ => Cow::Borrowed(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_to_the_width() {
        assert_eq!(cut("4711  dotnet shop.dll", Some(10)), "4711  dot…");
        assert_eq!(cut("4711  küche", Some(11)), "4711  küche");
        assert_eq!(cut("4711  dotnet shop.dll", None), "4711  dotnet shop.dll");
        assert_eq!(cut("ab", Some(1)), "…");
    }
}
