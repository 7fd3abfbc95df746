//! The outcome of a program that has ended, and the report about it.

use std::fmt::Write as _;
use std::fs;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Result, bail};
use corprof_cli::diagnose;

use super::Launch;

/// The number of lines of each output in a report.
const REPORTED_LINES: usize = 200;

/// A program that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Whether it was killed because it took too long.
    pub timed_out: bool,
    /// How long it took.
    pub duration: Duration,
    /// Whether the runtime opened the library of the profiler; `None` without a profiler.
    pub profiler_started: Option<bool>,
    /// The command line that runs it again.
    pub repeat: String,
    pub(super) launch: Launch,
}

impl Finished {
    /// Its exit code; `None` when a signal ended it.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The signal that ended it.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        #[cfg(unix)]
        return std::os::unix::process::ExitStatusExt::signal(&self.status);
        #[cfg(not(unix))]
        None
    }

    /// Fails with the [report](Self::report) unless it ended in time, with exit code 0, and with its
    /// profiler started.
    ///
    /// # Errors
    ///
    /// When one of these conditions does not hold.
    pub fn ok(self) -> Result<Self> {
        self.ends_with(0)
    }

    /// As [`ok`](Self::ok), for a program that ends with another exit code.
    ///
    /// # Errors
    ///
    /// When one of these conditions does not hold.
    pub fn ends_with(self, code: i32) -> Result<Self> {
        if self.timed_out || self.code() != Some(code) || self.profiler_started == Some(false) {
            bail!("the program should have ended with exit code {code}\n{}", self.report());
        }
        Ok(self)
    }

    /// The output of the program and its profiler, and the command that repeats the run: for a failed test.
    #[must_use]
    pub fn report(&self) -> String {
        let mut report = format!("==== command\n{}\n==== end\n", self.repeat);
        let seconds = self.duration.as_secs_f64();
        let _ = if self.timed_out {
            writeln!(report, "killed after {seconds:.1} s: it took too long")
        } else {
            writeln!(report, "{} after {seconds:.1} s", self.status)
        };
        if let (Some(false), Some(profiler)) = (self.profiler_started, &self.launch.profiler) {
            let program = &self.launch.program;
            report += &diagnose::explain(profiler, &self.launch.runtime.host(program));
        }
        section(&mut report, "standard output", &self.stdout);
        section(&mut report, "standard error", &self.stderr);
        for file in &self.launch.attached {
            let name = file.display().to_string();
            match fs::read(file) {
                Ok(bytes) => section(&mut report, &name, &text(&bytes)),
                Err(error) => section(&mut report, &name, &error.to_string()),
            }
        }
        report
    }
}

fn section(report: &mut String, title: &str, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let skipped = lines.len().saturating_sub(REPORTED_LINES);
    let _ = writeln!(report, "==== {title}, {} lines", lines.len());
    if skipped > 0 {
        let _ = writeln!(report, "({skipped} lines before these)");
    }
    for line in &lines[skipped..] {
        let _ = writeln!(report, "{line}");
    }
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
