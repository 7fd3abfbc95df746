//! `gc`: every collection with its generation, reason, pause and sizes.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::scratch;
use e2e::app::{App, Build};
use e2e::command::{corprof, words};
use e2e::traced::profiler;

use crate::{run, run_in, stated};

/// A listed collection.
#[derive(Debug)]
struct Row<'r> {
    generation: u32,
    kind: &'r str,
    reason: &'r str,
    paused: f64,
    suspending: f64,
    sizes: Vec<(u64, u64)>,
}

/// The listed collections by number.
fn rows(report: &str) -> Result<BTreeMap<u64, Row<'_>>> {
    let lines = report.lines().skip_while(|line| !line.trim_start().starts_with("number  ")).skip(1);
    let mut rows = BTreeMap::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        ensure!(words.len() > 9, "{line}");
        let sizes = words[9..].join(" ");
        let sizes = sizes.split(", ").filter_map(|pair| {
            let (before, after) = pair.split_once(" → ")?;
            Some((before.parse().ok()?, after.parse().ok()?))
        });
        let row = Row {
            generation: words[2].parse()?,
            kind: words[3],
            reason: words[4],
            paused: words[5].parse()?,
            suspending: words[6].parse()?,
            sizes: sizes.collect(),
        };
        rows.insert(words[0].parse()?, row);
    }
    Ok(rows)
}

pub(crate) fn collections_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    collections_are_those_of_the_program_in(&profiler("gc")?, version)
}

/// The same with a library that has the tool.
pub(crate) fn collections_are_those_of_the_program_in(
    library: &Profiler,
    version: RuntimeVersion,
) -> Result<()> {
    once_in_three(|| collections_of_a_run(library, version))
}

/// Runs a program again if its times differ from ours: between the readings of the two clocks a busy machine may run other
/// processes, and in each of three runs that is no chance. `run` returns the difference; all else that it finds is an error.
fn once_in_three(run: impl Fn() -> Result<Option<String>>) -> Result<()> {
    let mut differences = Vec::new();
    for _ in 0..3 {
        let Some(difference) = run()? else { return Ok(()) };
        differences.push(difference);
    }
    bail!("in three runs:\n{}", differences.join("\n"))
}

fn collections_of_a_run(library: &Profiler, version: RuntimeVersion) -> Result<Option<String>> {
    let (launch, out) = run_in(library, "gc", "gc", version, "txt")?;
    // A background collection ends at any time.
    let finished = launch
        .env("GC_LAST", "100000")
        .env("DOTNET_gcConcurrent", "0")
        .env("COMPlus_gcConcurrent", "0")
        .run()?
        .ok()?;
    let report = crate::report(&out)?;
    let with_report = || finished.report();
    let rows = rows(&report).with_context(with_report)?;
    ensure!(!report.contains("did not fit"), "{}", with_report());

    let facts: BTreeMap<&str, &str> = stated(&finished.stdout).collect();
    for generation in 0..=2 {
        let seen = rows.values().filter(|row| row.generation >= generation).count();
        let counted = facts.get(format!("collections of {generation}").as_str()).copied();
        ensure!(
            counted == Some(seen.to_string().as_str()),
            "{counted:?}, {seen} of {generation}\n{}",
            with_report()
        );
    }
    let induced = facts
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix("collection ")?.parse::<u64>().ok()?, *value)));
    let induced: BTreeMap<u64, &str> = induced.collect();
    ensure!(induced.len() == 11, "{induced:?}");
    // The callbacks of .NET Core 3.1 do not report that the program has induced a compacting collection, the last one.
    let compacting = induced.keys().next_back().filter(|_| version == RuntimeVersion::V3_1);
    for (number, row) in &rows {
        let is_induced = induced.contains_key(number) && Some(number) != compacting;
        ensure!(row.kind == "blocking", "{number} {row:?}");
        ensure!(row.reason.starts_with("Induced") == is_induced, "{number} {row:?}\n{}", with_report());
        ensure!(row.suspending <= row.paused, "{number} {row:?}");
    }
    let mut wrong = Vec::new();
    for (number, facts) in &induced {
        let row = rows.get(number).with_context(with_report)?;
        let words: Vec<&str> = facts.split(' ').collect();
        ensure!(words[0] == row.generation.to_string(), "{number} {facts} {row:?}");
        let [_, paused, before, after] = words[..] else { continue };
        // Each clock is read some microseconds from the other, more on a machine that is busy.
        let paused: f64 = paused.parse()?;
        if row.paused < 0.95 * paused - 0.1 {
            wrong.push(format!("{number}: paused {} ms, {paused} by the program", row.paused));
        }
        let numbers = |text: &str| text.split(',').map(str::parse).collect::<Result<Vec<u64>, _>>();
        let sizes: Vec<(u64, u64)> = numbers(before)?.into_iter().zip(numbers(after)?).collect();
        println!("{number}: paused {} ms, {paused}\n  {:?}\n  {sizes:?}", row.paused, row.sizes);
    }
    // The thread may lose its processor between the two measures; twice in a tenth of a second is no chance.
    if wrong.len() > 1 {
        return Ok(Some(format!("{wrong:#?}\n{}", with_report())));
    }
    let Some(paused) = facts.get("paused") else { return Ok(None) };
    let difference = difference_of_pauses(&rows, paused.parse()?, false);
    Ok(difference.map(|difference| format!("{difference}\n{}", with_report())))
}

/// The pauses of all collections are `GC.GetTotalPauseDuration`: returns how they differ.
fn difference_of_pauses(rows: &BTreeMap<u64, Row<'_>>, paused: f64, is_server: bool) -> Option<String> {
    let ours: f64 = rows.values().map(|row| row.paused).sum();
    println!("paused {ours:.3} ms in {} collections, {paused} ms by the program", rows.len());
    // Between the readings of the two clocks a busy machine may run other processes.
    let between = 0.1 * rows.len() as f64;
    // The heaps of a server wait for each other after the collector has read its clock, and before the collection ends.
    let joins = if is_server { 0.25 * paused } else { 0.0 };
    let expected = 0.99 * paused - between..=1.01 * paused + between + joins;
    (!expected.contains(&ours)).then(|| format!("paused {ours} ms, {paused} ms by the program"))
}

/// Younger collections run at the start of background ones and beside them, in each mode of the collector.
pub(crate) fn collections_beside_background_ones_are_counted(version: RuntimeVersion) -> Result<()> {
    [("0", "1"), ("1", "1"), ("0", "0"), ("1", "0")].into_iter().try_for_each(|(server, concurrent)| {
        once_in_three(|| background_of_a_run(version, server, concurrent))
    })
}

fn background_of_a_run(version: RuntimeVersion, server: &str, concurrent: &str) -> Result<Option<String>> {
    let (launch, out) = run("gc", "background", version, &format!("{server}{concurrent}.txt"))?;
    let launch = launch.env("DOTNET_gcServer", server).env("DOTNET_gcConcurrent", concurrent);
    // Two heaps, so that a server collects younger generations often on any machine.
    let finished = launch.env("DOTNET_GCHeapCount", "2").env("GC_LAST", "100000").run()?.ok()?;
    let report = crate::report(&out)?;
    let with_report = || format!("server {server}, concurrent {concurrent}\n{}", finished.report());
    let rows = rows(&report).with_context(with_report)?;
    ensure!(!report.contains("did not fit"), "{}", with_report());
    let facts: BTreeMap<&str, &str> = stated(&finished.stdout).collect();
    for generation in 0..=2 {
        let seen = rows.values().filter(|row| row.generation >= generation).count().to_string();
        let counted = facts.get(format!("collections of {generation}").as_str()).copied();
        ensure!(counted == Some(seen.as_str()), "{counted:?}, {seen} of {generation}\n{}", with_report());
    }
    // The numbers are the collector's own, without a gap.
    ensure!(rows.keys().copied().eq(1..=rows.len() as u64), "{}", with_report());
    let background: Vec<u64> =
        rows.iter().filter(|(_, row)| row.kind == "background").map(|(number, _)| *number).collect();
    ensure!(background.is_empty() == (concurrent == "0"), "{background:?}\n{}", with_report());
    let newest = facts.get("background").with_context(with_report)?;
    ensure!(
        background.last().copied().unwrap_or(0).to_string() == *newest,
        "{background:?}, {newest}\n{}",
        with_report()
    );
    ensure!(rows.values().all(|row| row.reason != "other"), "{}", with_report());
    let paused = facts.get("paused").with_context(with_report)?.parse()?;
    let difference = difference_of_pauses(&rows, paused, server == "1");
    Ok(difference.map(|difference| format!("{difference}\n{}", with_report())))
}

/// `corprof run` makes the report at the end, and others meanwhile, of which it keeps the newest.
pub(crate) fn the_command_makes_reports(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("tooled", version, Build::Optimised)?;
    let folder = scratch(&format!("{}-gc-command", app.label))?;
    let library = profiler("gc")?.library.display().to_string();
    let (options, program) = words(&runtime(version)?, &app.dll)?;
    let run = |out: &str, more: &[&str]| {
        let out = folder.join(out).display().to_string();
        let mut command = corprof(&["run"])?;
        command.args(&options).args(["gc", "--library", &library, "--out", &out]).args(more);
        let output = command.arg("--").arg(&program).arg("gc").env("DOTNET_gcConcurrent", "0").output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success() && said.is_empty(), "{} {said}", output.status);
        Ok(String::from_utf8(output.stdout)?)
    };
    let collected = |stdout: &str| -> Result<usize> {
        let (_, count) =
            stated(stdout).find(|(name, _)| *name == "collections of 0").context("not stated")?;
        Ok(count.parse()?)
    };
    let stdout = run("out.txt", &["--last", "100000"])?;
    let report = fs::read_to_string(folder.join("out.txt"))?;
    ensure!(rows(&report)?.len() == collected(&stdout)?, "{stdout}\n{report}");
    let names = || -> Result<Vec<String>> {
        let names = fs::read_dir(&folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect()
    };
    ensure!(names()? == ["out.txt"], "{:?}", names()?);

    // So often that even a program which ends at once has several.
    run("kept.folded", &["--every", "0.01", "--keep", "2"])?;
    let kept: Vec<String> = names()?.into_iter().filter(|name| name.starts_with("kept.")).collect();
    ensure!(
        kept.len() == 2 && kept.iter().all(|name| name.ends_with(".folded") && name.len() == 25),
        "{kept:?}"
    );

    let stdout = run("out.clrec", &[])?;
    let output = corprof(&[
        "report",
        &folder.join("out.clrec").display().to_string(),
        "--metric",
        "collections.rows.count",
    ])?
    .output()?;
    let counted = String::from_utf8(output.stdout)?;
    ensure!(counted == format!("collections.rows.count {}\n", collected(&stdout)?), "{counted}{stdout}");
    Ok(())
}
