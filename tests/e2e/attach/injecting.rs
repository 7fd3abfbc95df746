//! `inject` is attached to a running program: its code is in the selected methods from then on, and is reverted later.

use std::fs;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use e2e::traced::profiler;
use xtask::dotnet::RuntimeVersion;

use crate::subject::{PATIENCE, Subject, as_is};

/// How long the code stays.
const SECONDS: u32 = 4;

/// The lines of the log without their times.
fn lines(log: &str) -> Vec<&str> {
    log.lines().filter_map(|line| line.trim_start().split_once("  ")).map(|(_, text)| text.trim()).collect()
}

pub(crate) fn code_is_injected_into_a_running_program_and_reverted(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("inject", version, as_is)?;
    let out = subject.folder.join("calls");
    let log = || fs::read_to_string(&out).unwrap_or_default();
    // Compiled already, and run once without the code.
    subject.program.request("throw System.ArgumentException")?;
    let settings = format!(
        "INJECT_METHODS=*!Attached.Program.Throw;*!Attached.Program.Start\nINJECT_OUT={}\n\
         INJECT_SECONDS={SECONDS}\nINJECT_REDACT=name",
        out.display()
    );
    subject.attach_when_free(&profiler("inject")?, &settings)?;
    let begin = Instant::now();
    while !log().contains("> Attached.Program.Throw(") {
        ensure!(begin.elapsed() < PATIENCE, "no call was logged\n{}\n{}", log(), subject.program.report());
        subject.program.request("throw System.FormatException")?;
    }
    let answer = subject.program.request("throw System.NotSupportedException")?;
    ensure!(answer == "caught System.NotSupportedException in Attached.Program.Throw", "{answer}");
    let entry = "> Attached.Program.Throw(\"System.NotSupportedException\")";
    // The method responds before it ends.
    while lines(&log()).last().is_none_or(|line| line.starts_with('>')) && begin.elapsed() < PATIENCE {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let text = log();
    let seen = lines(&text);
    let at = seen.iter().position(|line| *line == entry).with_context(|| text.clone())?;
    ensure!(seen.get(at + 1).is_some_and(|line| line.starts_with("< Attached.Program.Throw  ")), "{text}");
    subject.program.request("thread confidential")?;
    let text = log();
    ensure!(lines(&text).contains(&"> Attached.Program.Start(redacted)"), "{text}");
    ensure!(!text.contains("confidential"), "{text}");
    while !log().contains("reverted 2 methods") {
        ensure!(begin.elapsed() < PATIENCE, "it was not taken away\n{}", log());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let before = log();
    subject.program.request("throw System.InvalidCastException")?;
    ensure!(log() == before, "a call was logged after the code was taken away\n{}", log());
    subject.quit().map(drop)
}
