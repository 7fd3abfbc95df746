//! Watchers that do not read, and processes whose command line is forged.

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::command::corprof;

use crate::subject::{PATIENCE, Subject, as_is};

/// The exceptions that are thrown: more lines than a socket's buffer and the profiler's queue hold.
const MANY: usize = 4000;

/// A watcher that is stopped keeps its connection open and reads nothing.
pub(crate) fn a_stopped_watcher(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("stopped", version, as_is)?;
    let watching = subject.watch("WATCH_EVENTS=exceptions,gc,modules,threads")?;
    for _ in 0..MANY {
        let answer = subject.program.request("throw System.FormatException")?;
        ensure!(answer == "caught System.FormatException in Attached.Program.Throw", "{answer}");
    }
    let begin = Instant::now();
    subject.quit()?;
    println!("{version}: it ended {:?} after its last command", begin.elapsed());
    ensure!(begin.elapsed() < PATIENCE / 2, "it took {:?} to end", begin.elapsed());
    drop(watching);
    Ok(())
}

/// A process may have any command line: another user's can forge rows of the list, and commands for its terminal.
pub(crate) fn a_forged_command_line(version: RuntimeVersion) -> Result<()> {
    const ROW: &str = "      1  9.0       /usr/bin/harmless";
    let forged = format!("\n{ROW}\n\u{1b}[2J\u{202e}");
    let subject = Subject::new("forged", version, |launch| launch.arg(forged))?;
    let table = String::from_utf8(corprof(&["ps"])?.output()?.stdout)?;
    let pid = subject.program.pid().to_string();
    let row = table.lines().find(|line| line.trim_start().starts_with(&pid)).context(table.clone())?;
    println!("{row}");
    ensure!(row.ends_with(&format!(r"\n{ROW}\n\u001b[2J\u202e")), "{row:?}");
    ensure!(
        table
            .lines()
            .all(|line| line != ROW && line.chars().all(corprof_in_process::printable::is_printable)),
        "{table:?}"
    );
    subject.quit()?;
    Ok(())
}
