//! Which processes of a program are measured: others are left alone, and say nothing.

use std::fs;
use std::process::Stdio;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use e2e::app::{App, Build};
use e2e::command::{corprof, words};
use e2e::traced::profiler;

use crate::running::{command, output};

/// The number of `FormatException`s in a report.
fn thrown(report: &str) -> Option<usize> {
    let mut rows = report.lines().filter(|line| line.contains("System.FormatException"));
    rows.find_map(|line| line.split_whitespace().next()?.parse().ok())
}

/// A child of the program runs without the tool, and its standard error is its own.
pub(crate) fn children_are_silent(version: RuntimeVersion) -> Result<()> {
    for tool in ["exceptions", "calltrace", "coverage", "watch", "inject", "methodnames"] {
        let (folder, file, out) = output("out")?;
        let options = ["--out", &out, "--methods", "*!Ends.*"];
        let options = if tool == "inject" { &options[..] } else { &options[..2] };
        let output = command(version, tool, options, &["parent", "3"])?.stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(0), "{tool}: {:?} {said}", output.status.code());
        ensure!(String::from_utf8_lossy(&output.stdout).ends_with("child 0 \n"), "{tool}: {output:?}");
        let count = fs::read_dir(folder.path())?.count();
        // Whether the methods of the parent are called once more after `inject` has changed them is a question of time.
        let reports = [usize::from(tool != "inject"), 1];
        ensure!(reports.contains(&count) && file.exists() == (count == 1), "{tool}: {count} files");
        if tool == "inject" && count == 1 {
            ensure!(!fs::read_to_string(&file)?.contains("Throw"), "the child was instrumented");
        }
        if tool == "exceptions" {
            ensure!(thrown(&fs::read_to_string(&file)?).is_none(), "the child was measured");
        }
    }
    Ok(())
}

/// By name or command line.
pub(crate) fn a_pattern_chooses(version: RuntimeVersion) -> Result<()> {
    let run = |patterns: &[&str]| -> Result<_> {
        let (folder, file, out) = output("exceptions.txt")?;
        let options = [&["--out", &out], patterns].concat();
        let output =
            command(version, "exceptions", &options, &["parent", "3"])?.stdin(Stdio::null()).output()?;
        ensure!(output.status.success(), "{output:?}");
        let report = fs::read_to_string(&file).ok();
        let second = fs::read_to_string(folder.path().join("exceptions.2.txt")).ok();
        Ok((report, second, String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let (report, second, said) = run(&["--process", "* 3"])?;
    ensure!(report.is_some_and(|report| thrown(&report).is_none()), "{said}");
    ensure!(second.is_some_and(|report| thrown(&report) == Some(3)), "{said}");
    ensure!(said.contains("is measured too; see") && said.contains("exceptions.2.txt"), "{said}");
    let (report, second, said) = run(&["--process", "*ends.dll 3", "--process", "*ends 3"])?;
    ensure!(report.is_some_and(|report| thrown(&report) == Some(3)) && second.is_none(), "{said}");
    let (report, _, said) = run(&["--process", "other"])?;
    ensure!(report.is_none() && said.contains("no --process names one of these: ends (2 times)"), "{said}");
    Ok(())
}

/// The first one has the plain name.
pub(crate) fn programs_of_a_script_are_numbered(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("ends", version, Build::Optimised)?;
    let (own, program) = words(&runtime(version)?, &app.dll)?;
    let start = match own.get(1) {
        Some(host) => format!("'{}' '{}'", host.display(), program.display()),
        None => format!("'{}'", program.display()),
    };
    let script = format!("{start} 3 </dev/null; {start} 5 </dev/null; exit 9");
    let (folder, file, out) = output("exceptions.txt")?;
    let library = profiler("exceptions")?.library;
    let mut command = corprof(&["run", "exceptions", "--out", &out, "--library"])?;
    let output = command.arg(library).args(["--", "sh", "-c", &script]).stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(9), "{output:?}");
    ensure!(thrown(&fs::read_to_string(&file)?) == Some(3), "{said}");
    ensure!(thrown(&fs::read_to_string(folder.path().join("exceptions.2.txt"))?) == Some(5), "{said}");
    ensure!(said.lines().count() == 1 && said.contains("exceptions.2.txt"), "{said}");
    Ok(())
}
