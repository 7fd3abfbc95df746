//! A recording has the same calls as calltrace's lines; and it survives the end of the program, a slow disk and
//! truncation.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_cli::trace::{self, Report};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::Launch;
use e2e::app::{App, Build};
use e2e::compare::compare;
use e2e::differential::{Addresses, Difference, Noise, Trace};
use e2e::on_each_runtime;
use e2e::record::{Event, Record};
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::{Traced, Tracing, self_report};
use serde_json::Value;

/// The time that a program sleeps before it kills itself: many times the interval of writes.
const SLEEP: &str = "2000";

/// Returns the output of a `corprof trace` command for a recording.
fn told(command: &str, recording: &Path, options: &[&str]) -> Result<(Vec<u8>, Report)> {
    let mut out = Vec::new();
    let words = [command].into_iter().map(Path::new).chain([recording]).chain(options.iter().map(Path::new));
    let report = trace::run(words, &mut out)?;
    Ok((out, report))
}

/// The events of a recording, in the format of calltrace's lines.
fn printed(traced: &Traced, options: &[&str]) -> Result<(Traced, Report)> {
    let options: Vec<&str> = ["--format", "jsonl"].into_iter().chain(options.iter().copied()).collect();
    let (lines, report) = told("print", &traced.trace, &options)?;
    let trace = traced.trace.with_extension("jsonl");
    fs::write(&trace, lines)?;
    Ok((Traced { finished: traced.finished.clone(), trace }, report))
}

fn is_finished(report: &Report) -> Result<()> {
    ensure!(report.ending == Some(recording::Ending::Finished { lost: 0 }), "{report:?}");
    ensure!(report.nameless.is_none(), "{report:?}");
    Ok(())
}

/// A program that reports itself, recorded: every call equals the program's report, and the names from the
/// assembly files equal those of the process.
fn self_reported(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("selfreport", version, Build::Optimised)?;
    let assemblies = [app.dll.parent().context("no folder")?.to_owned(), runtime(version)?.assemblies];
    for hooks in KINDS_OF_HOOKS {
        let tracing = Tracing::app(&app, &format!("recorded-{hooks}"))?;
        let tracing = tracing.set("EXCLUDE", "*!Report.*").set("HOOKS", hooks);
        let traced = tracing.set("FORMAT", "binary").run()?;
        traced.expect((|| {
            ensure!(traced.finished.code() == Some(0), "exit code {:?}", traced.finished.code());
            let said = self_report(&traced.finished.stdout)?;
            let (with_recorded_names, report) = printed(&traced, &[])?;
            is_finished(&report)?;
            let (records, counts) = with_recorded_names.records()?;
            let comparison = compare(&said, &records);
            println!("{} by {hooks}: {counts}\n{comparison}", app.label);
            ensure!(comparison.found == 0, "{comparison}");
            ensure!(counts.open == 0, "calls are open at the end: {counts}");
            ensure!(comparison.tally.exact_total() >= 3300, "{comparison}");

            let options: Vec<_> =
                assemblies.iter().flat_map(|path| [Path::new("-a"), path]).filter_map(Path::to_str).collect();
            let recorded = fs::read(&with_recorded_names.trace)?;
            let (with_found_names, report) = printed(&traced, &options)?;
            is_finished(&report)?;
            ensure!(fs::read(&with_found_names.trace)? == recorded, "names from the files are other ones");
            Ok(())
        })())?;
    }
    Ok(())
}

/// Programs whose runs differ in addresses only: the lines of a recording equal those of calltrace.
fn the_same_lines(version: RuntimeVersion) -> Result<()> {
    for (program, least) in [("passing", 400), ("demo", 20), ("values", 7000)] {
        let app = App::compile(program, version, Build::Optimised)?;
        for hooks in KINDS_OF_HOOKS {
            let run = |format: &str| {
                let tracing = Tracing::app(&app, &format!("{format}-{hooks}"))?;
                tracing.set("EXCLUDE", "*!Report.*").set("HOOKS", hooks).set("FORMAT", format).run()
            };
            let written = run("jsonl")?;
            let recorded = run("binary")?;
            let (printed, report) = printed(&recorded, &[])?;
            recorded.expect((|| {
                is_finished(&report)?;
                let read = |traced: &Traced| Trace::read(&traced.trace, Addresses::Alike);
                let difference = Difference::between(&read(&written)?, &read(&printed)?, &Noise::default());
                println!("{} by {hooks}: {difference}", app.label);
                ensure!(difference.equal >= least, "only {difference}");
                ensure!(difference.equal == difference.total(), "{difference}");
                Ok(())
            })())?;
        }
    }
    Ok(())
}

on_each_runtime! {
    a_program_is_recorded_as_it_reports_itself: self_reported;
    the_lines_of_a_recording_are_those_of_calltrace on [on_3_1 on_8_0 on_10_0 on_11_0] long [on_9_0]: the_same_lines;
    all_versions_of_a_functions_code_are_one_function: versions_of_code;
    records_survive_a_kill: |version| killed(version, "kill");
    records_survive_a_fail_fast: |version| killed(version, "failfast");
}

/// A run of the program with so many calls of `Work.Add`.
fn calls(version: RuntimeVersion, run: &str, hooks: &str, words: &[&str]) -> Result<(Tracing, App)> {
    let app = App::compile("recorded", version, Build::Optimised)?;
    let tracing = Tracing::app(&app, run)?.set("FORMAT", "binary").set("HOOKS", hooks);
    Ok((tracing.with(|launch| launch.args(words)), app))
}

/// Checks that the calls of `Work.Add` have the values 0, 1, … in order. Returns how many have ended.
fn counted(records: &[Record]) -> Result<u64> {
    let (mut entered, mut left) = (0_i64, 0);
    for record in records.iter().filter(|record| record.method == "Recorded.Work.Add") {
        match &record.event {
            Event::Enter { args, .. } => {
                let values: Vec<_> = args.iter().filter_map(|slot| slot.value.as_ref()?.as_i64()).collect();
                ensure!(values == [entered, -entered], "call {entered} has {values:?}");
                entered += 1;
            }
            Event::Leave { result, .. } => {
                let value = result.as_ref().and_then(|(_, value)| value.as_i64());
                ensure!(value == Some(-(left * left)), "call {left} has returned {value:?}");
                left += 1;
            }
            other => anyhow::bail!("call {entered} has {other:?}"),
        }
    }
    ensure!(entered - left <= 1, "{entered} calls have begun and {left} ended");
    Ok(left.unsigned_abs())
}

fn records(lines: &[u8]) -> Result<Vec<Record>> {
    str::from_utf8(lines)?.lines().map(Record::parse).collect()
}

/// A program that kills itself: everything is present that was recorded some time before.
fn killed(version: RuntimeVersion, how: &str) -> Result<()> {
    const CALLS: u64 = 4_000;
    for hooks in KINDS_OF_HOOKS {
        let run = format!("{how}-{hooks}");
        let (tracing, _) = calls(version, &run, hooks, &[how, &CALLS.to_string(), SLEEP])?;
        let traced = tracing.run()?;
        traced.expect((|| {
            ensure!(traced.finished.signal().is_some(), "it was not killed");
            let (printed, report) = printed(&traced, &[])?;
            ensure!(matches!(report.ending, Some(recording::Ending::Cut { .. })), "{report:?}");
            let found = records(&fs::read(&printed.trace)?)?;
            let count = counted(&found)?;
            println!("{version}, {how}, {hooks}: {count} calls, {report:?}");
            ensure!(count == CALLS, "only {count} calls are recorded");
            Ok(())
        })())?;
    }
    Ok(())
}

/// A method that is compiled again after some calls, with a tier or two more.
fn versions_of_code(version: RuntimeVersion) -> Result<()> {
    const CALLS: &str = "300000";
    let at_once = |launch: Launch| {
        launch.env("DOTNET_TC_CallCountingDelayMs", "0").env("COMPlus_TC_CallCountingDelayMs", "0")
    };
    let (tracing, _) = calls(version, "versions", "fast", &["return", CALLS])?;
    let traced = tracing.tiered(true).with(at_once).run()?;
    traced.expect((|| {
        let (table, report) = told("top", &traced.trace, &[])?;
        is_finished(&report)?;
        let rows = str::from_utf8(&table)?.lines().filter(|line| line.ends_with(" Recorded.Work.Add"));
        let calls: Vec<_> = rows.filter_map(|line| line.split_whitespace().next()).collect();
        ensure!(calls == [CALLS], "{calls:?}");
        Ok(())
    })())
}

#[test]
fn a_cut_recording_is_read_up_to_the_cut() -> Result<()> {
    let (tracing, _) = calls(RuntimeVersion::V10_0, "cut", "fast", &["return", "5000"])?;
    let traced = tracing.run()?;
    let (whole, report) = told("print", &traced.trace, &["--format", "jsonl"])?;
    is_finished(&report)?;
    ensure!(counted(&records(&whole)?)? == 5000);
    let bytes = fs::read(&traced.trace)?;
    let file = traced.trace.with_extension("cut");
    let mut before = 0;
    for part in 1..20 {
        fs::write(&file, &bytes[..bytes.len() * part / 20])?;
        let (lines, report) = told("print", &file, &["--format", "jsonl"])?;
        ensure!(matches!(report.ending, Some(recording::Ending::Cut { .. })), "{report:?}");
        ensure!(whole.starts_with(&lines) && lines.len() > before, "cut to {part} of 20: other lines");
        before = lines.len();
    }
    Ok(())
}

/// Records into a pipe that is read slowly. Returns the bytes that were read.
fn through_a_slow_pipe(when_full: &str) -> Result<(PathBuf, Traced)> {
    const CALLS: &str = "60000";
    let (tracing, _) = calls(RuntimeVersion::V10_0, when_full, "fast", &["return", CALLS])?;
    let tracing = tracing.set("WHEN_FULL", when_full);
    let (_, file) = tracing.clone().command()?;
    let pipe = file.with_extension("pipe");
    ensure!(Command::new("mkfifo").arg(&pipe).status()?.success(), "cannot make {}", pipe.display());
    let from = pipe.clone();
    let reader = std::thread::spawn(move || -> Result<Vec<u8>> {
        let (mut input, mut all, mut piece) = (fs::File::open(from)?, Vec::new(), vec![0; 64 << 10]);
        loop {
            // As slow as a bad disk at first, so that the thread's buffer is full; then at full speed.
            if all.len() < 512 << 10 {
                std::thread::sleep(Duration::from_millis(40));
            }
            match input.read(&mut piece)? {
                0 => return Ok(all),
                read => all.extend_from_slice(&piece[..read]),
            }
        }
    });
    let out = pipe.to_str().context("the path is not UTF-8")?;
    let traced = tracing.set("OUT", out).run()?;
    let bytes = reader.join().map_err(|_| anyhow::anyhow!("the reader panicked"))??;
    fs::write(&file, bytes)?;
    Ok((file, traced))
}

#[test]
fn records_beyond_the_buffer_are_dropped_and_counted() -> Result<()> {
    let (file, traced) = through_a_slow_pipe("drop")?;
    traced.expect((|| {
        ensure!(traced.finished.code() == Some(0));
        let (lines, report) = told("print", &file, &["--format", "jsonl"])?;
        let Some(recording::Ending::Finished { lost: lost @ 1.. }) = report.ending else {
            anyhow::bail!("nothing was dropped: {report:?}");
        };
        let (mut calls, mut missing) = (0, 0);
        for line in str::from_utf8(&lines)?.lines() {
            let line: Value = serde_json::from_str(line)?;
            match line["event"].as_str() {
                Some("lost") => missing += line["records"].as_u64().context("no count")?,
                _ => calls += u64::from(line["method"] == "Recorded.Work.Add"),
            }
        }
        println!("{calls} events, {missing} of {lost} missing ones in between");
        // `Main` begins, and its end may be missing.
        let others = calls + lost - 120_000;
        ensure!(others <= 2 && missing <= lost, "{calls} events of 120000 and {lost} missing");
        Ok(())
    })())
}

#[test]
fn a_program_waits_for_a_slow_disk_and_loses_no_records() -> Result<()> {
    let (file, traced) = through_a_slow_pipe("wait")?;
    traced.expect((|| {
        ensure!(traced.finished.code() == Some(0));
        let (lines, report) = told("print", &file, &["--format", "jsonl"])?;
        is_finished(&report)?;
        ensure!(counted(&records(&lines)?)? == 60_000);
        Ok(())
    })())
}

/// Exported files conform to the specifications of their formats.
#[test]
fn exported_files_conform_to_their_formats() -> Result<()> {
    const CALLS: u64 = 3000;
    let (tracing, _) = calls(RuntimeVersion::V10_0, "formats", "fast", &["return", &CALLS.to_string()])?;
    let traced = tracing.run()?;
    let json = |command: &str| -> Result<Value> {
        Ok(serde_json::from_slice(&told(command, &traced.trace, &[])?.0)?)
    };
    speedscope(&json("speedscope")?, CALLS)?;
    chrome(&json("chrome")?, CALLS)?;

    let text = |command: &str, options: &[&str]| -> Result<String> {
        Ok(String::from_utf8(told(command, &traced.trace, options)?.0)?)
    };
    let top = text("top", &["--by", "calls"])?;
    let row = top.lines().find(|line| line.ends_with(" Recorded.Work.Add")).context("no row")?;
    ensure!(row.split_whitespace().next() == Some("3000"), "{top}");
    let tree = text("tree", &["--least", "0"])?;
    let row = tree.lines().find(|line| line.ends_with("  Recorded.Work.Add")).context("no row")?;
    ensure!(row.split_whitespace().nth(2) == Some("3000"), "{tree}");
    let folded = text("flame", &["--folded"])?;
    ensure!(folded.contains(";Recorded.Program.Main;Recorded.Work.Add "), "{folded}");
    let drawn = text("flame", &[])?;
    ensure!(drawn.contains("<svg") && drawn.contains("Recorded.Work.Add"), "no flame graph");
    Ok(())
}

/// <https://www.speedscope.app/file-format-schema.json>
fn speedscope(file: &Value, calls: u64) -> Result<()> {
    ensure!(file["$schema"] == "https://www.speedscope.app/file-format-schema.json");
    let frames = file["shared"]["frames"].as_array().context("no frames")?;
    let add = frames.iter().position(|frame| frame["name"] == "Recorded.Work.Add").context("no frame")?;
    ensure!(frames.iter().all(|frame| frame["name"].is_string() && frame["file"].is_string()));
    let mut added = 0;
    for profile in file["profiles"].as_array().context("no profiles")? {
        ensure!(
            profile["type"] == "evented" && profile["unit"] == "nanoseconds" && profile["name"].is_string()
        );
        let (mut at, mut stack) = (profile["startValue"].as_u64().context("no start")?, Vec::new());
        for event in profile["events"].as_array().context("no events")? {
            let (time, frame) = (event["at"].as_u64().context("no time")?, event["frame"].as_u64());
            let frame = usize::try_from(frame.context("no frame")?)?;
            ensure!(time >= at && frame < frames.len(), "{event}");
            at = time;
            match event["type"].as_str() {
                Some("O") => stack.push(frame),
                Some("C") => {
                    ensure!(stack.pop() == Some(frame), "{event} ends another call");
                    added += u64::from(frame == add);
                }
                _ => anyhow::bail!("{event}"),
            }
        }
        ensure!(stack.is_empty() && profile["endValue"].as_u64() == Some(at), "calls are open");
    }
    ensure!(added == calls, "{added} calls");
    Ok(())
}

/// Chrome's "Trace Event Format", the JSON object form.
fn chrome(file: &Value, calls: u64) -> Result<()> {
    let mut open: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    let mut added = 0;
    for event in file["traceEvents"].as_array().context("no events")? {
        let thread = event["tid"].as_u64().context("no thread")?;
        ensure!(event["pid"].is_u64());
        let stack = open.entry(thread).or_default();
        match event["ph"].as_str() {
            Some("M") => ensure!(event["args"]["name"].is_string(), "{event}"),
            Some("B") => {
                ensure!(event["ts"].is_f64());
                stack.push(event["name"].as_str().context("no name")?);
            }
            Some("E") => {
                ensure!(event["ts"].is_f64());
                let ended = stack.pop().with_context(|| format!("{event} ends nothing"))?;
                added += u64::from(ended == "Recorded.Work.Add");
            }
            _ => anyhow::bail!("{event}"),
        }
    }
    ensure!(open.values().all(Vec::is_empty), "calls are open");
    ensure!(added == calls, "{added} calls");
    Ok(())
}
