//! `locks`, attached: the classes of locks that were loaded before.

use std::fs;
use std::time::Instant;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::traced::profiler;

use crate::subject::{PATIENCE, Subject, as_is};

/// The classes that the program has used before the tool is attached are named.
pub(crate) fn classes_from_before_are_named(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("locks", version, as_is)?;
    let contended = subject.program.request("contend 2")?;
    ensure!(contended == "contended 2 times", "{}", subject.program.report());
    let out = subject.folder.join("locks.txt");
    subject
        .attach_when_free(&profiler("locks")?, &format!("LOCKS_OUT={}\nLOCKS_EVERY=0.1", out.display()))?;
    let contended = subject.program.request("contend 5")?;
    ensure!(contended == "contended 5 times", "{}", subject.program.report());
    let begin = Instant::now();
    // The report is replaced as a whole, again and again.
    let report = loop {
        let report = fs::read_to_string(&out).unwrap_or_default();
        if report.contains(": 5 waits for locks in ") {
            break report;
        }
        ensure!(begin.elapsed() < PATIENCE, "{report}\n{}", subject.program.report());
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    let row = |lock: &str| {
        let end = format!("Monitor.Enter  {lock}");
        report.lines().find(|line| line.ends_with(&end)).and_then(|line| line.split_whitespace().next())
    };
    ensure!(row("Attached.Program.Gate") == Some("3"), "{report}");
    // The type argument is not looked for, and on .NET 8 no such class is.
    let generic =
        if version < RuntimeVersion::V9_0 { "[unknown lock]" } else { "Attached.Program.Gate<…>" };
    ensure!(row(generic) == Some("2"), "{report}");
    subject.quit()?;
    Ok(())
}
