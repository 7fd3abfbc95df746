//! Cargo, and other child processes.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

pub(crate) use corprof_cli::process::{PROFILER_VARIABLES, both, capture, output, quoted, shown};

use crate::paths;

/// A cargo command in the root of the workspace.
#[must_use]
pub fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    corprof_cli::process::cargo(&paths::workspace(), arguments)
}

/// Runs a command, and passes on its lines to standard error, each with a label.
pub(crate) fn with_label(command: &mut Command, label: &str) -> Result<()> {
    let shown = shown(command);
    let (lines, both) = io::pipe().context("cannot make a pipe")?;
    command.stdout(both.try_clone().context("cannot make a pipe")?).stderr(both);
    let mut running = command.spawn().with_context(|| format!("cannot start `{shown}`"))?;
    // It has the writing ends of the pipe, which must be closed here for the lines to end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    for line in BufReader::new(lines).split(b'\n') {
        let line = line.with_context(|| format!("cannot read the output of `{shown}`"))?;
        let text = format!("{label:9} | {}\n", String::from_utf8_lossy(&line));
        // A closed standard error stops no test.
        drop(io::stderr().write_all(text.as_bytes()));
    }
    let status = running.wait().with_context(|| format!("cannot wait for `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    Ok(())
}
