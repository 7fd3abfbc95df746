//! Calls that are deeper than a format can indent: lines stay short, and ends of calls belong to their beginnings. Calls near the
//! end of a stack: they are counted, and those before them are matched.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_cli::trace;
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::balance;
use e2e::on_each_runtime;
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::{calltrace, optimised_at_once};

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

/// The program counts its calls: each is in the trace, or among those that the profiler says are missing.
fn near_the_end(version: RuntimeVersion) -> Result<()> {
    for hooks in KINDS_OF_HOOKS {
        for format in ["jsonl", "binary"] {
            let out = scratch(&format!("hostile/brink-{}-{hooks}-{format}", version.short()))?.join("trace");
            let launch = Launch::new(&runtime(version)?, &app(version)?.dll).arg("brink");
            let launch = optimised_at_once(launch).profiler(&calltrace()?).env("CALLTRACE_HOOKS", hooks);
            let finished = launch.env("CALLTRACE_FORMAT", format).env("CALLTRACE_OUT", &out).run()?.ok()?;
            let judged = || {
                let numbers = finished.stdout.lines().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
                let [calls, caught] = *numbers else { bail!("the program has no two numbers") };
                ensure!(caught == 3, "{caught} exceptions were caught");
                let missing =
                    finished.stderr.split_once(" calls are missing, which were near the end of a stack");
                let missing = missing.and_then(|(before, _)| before.rsplit(' ').next());
                let missing: u64 = missing.context("no call is said to be missing")?.parse()?;
                let lines = if format == "binary" { printed(&out, "jsonl")? } else { out };
                let counts = balance::check_file(&lines)?;
                ensure!(counts.open == 0, "{counts}");
                let text = std::fs::read_to_string(&lines)?;
                let begun = |method: &str| {
                    let is_begin = |line: &&str| line.contains("\"enter\"") && line.contains(method);
                    text.lines().filter(is_begin).count() as u64
                };
                println!("{version} {hooks} {format}: {counts}, {missing} of {calls} missing");
                ensure!(
                    begun("Depths.Fall(") + missing == calls,
                    "{} calls and {missing} missing of {calls}",
                    begun("Depths.Fall(")
                );
                ensure!(begun("Depths.Mark(") == 6, "{} of 6 other calls", begun("Depths.Mark("));
                Ok(())
            };
            judged().with_context(|| finished.report())?;
        }
    }
    Ok(())
}

on_each_runtime! {
    calls_near_the_end_of_a_stack_are_counted: near_the_end;
    calls_deeper_than_indentation_are_matched on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]: deep;
}
