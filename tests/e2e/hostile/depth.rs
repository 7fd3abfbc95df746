//! Calls that are deeper than a format can indent: lines stay short, and ends of calls belong to their beginnings.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use e2e::balance;
use e2e::on_each_runtime;
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::calltrace;
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::{Launch, scratch};
use xtask::trace;

use crate::run::app;

/// Two spaces for each of so many calls are more than 16 bits can count.
const DEPTH: usize = 40_000;

/// The maximum length of a line, on average, in bytes: 100 levels are indented.
const LINE: usize = 400;

/// Runs the program, and returns the path of its trace.
fn traced(version: RuntimeVersion, hooks: &str, format: &str) -> Result<PathBuf> {
    let out = scratch(&format!("hostile/depth-{}-{hooks}-{format}", version.short()))?.join("trace");
    let launch = Launch::new(&runtime(version)?, &app(version)?.dll).args(["deep", &DEPTH.to_string()]);
    let launch = launch.profiler(&calltrace()?).env("CALLTRACE_HOOKS", hooks);
    let finished = launch.env("CALLTRACE_FORMAT", format).env("CALLTRACE_OUT", &out).run()?.ok()?;
    ensure!(finished.stderr.is_empty(), "{}", finished.report());
    Ok(out)
}

/// Prints a recording to a file beside it.
fn printed(recording: &Path, format: &str) -> Result<PathBuf> {
    let mut text = Vec::new();
    let name = recording.to_str().context("the path is not UTF-8")?;
    trace::run(["print", name, "--format", format], &mut text)?;
    let path = recording.with_file_name(format);
    std::fs::write(&path, text)?;
    Ok(path)
}

fn deep(version: RuntimeVersion) -> Result<()> {
    for hooks in KINDS_OF_HOOKS {
        let recording = traced(version, hooks, "binary")?;
        for is_printed in [false, true] {
            let file = |format| match is_printed {
                true => printed(&recording, format),
                false => traced(version, hooks, format),
            };
            let counts = balance::check_file(&file("jsonl")?)?;
            ensure!(counts.enters > DEPTH as u64 && counts.open == 0, "{version} {hooks}: {counts}");
            let text = std::fs::read_to_string(file("text")?)?;
            let [begins, ends] =
                ["→", "←"].map(|arrow| text.lines().filter(|line| line.contains(arrow)).count());
            let average = text.len() / text.lines().count();
            println!("{version} {hooks}, printed: {is_printed}: {counts}, {average} bytes a line");
            ensure!(
                (begins as u64, ends as u64) == (counts.enters, counts.leaves),
                "{begins} begin, {ends} end: {counts}"
            );
            ensure!(average <= LINE, "{average} bytes a line");
        }
    }
    Ok(())
}

on_each_runtime! {
    calls_deeper_than_indentation_are_matched: deep;
}
