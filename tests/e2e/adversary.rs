//! Whatever a profiler calls in safe code, wherever and with which arguments: the program's output is unchanged.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};
use e2e::app::{App, Build};
use e2e::public_functions;
use e2e::{on_each_runtime, stated};
use serde_json::Value;

const CLSID: &str = "{5E0B7A2C-94D3-4C1E-8F67-3A1D0C9B42E8}";

/// How long the program works, in milliseconds; the profiler's own threads make calls for a shorter time.
const WORK: &str = "2000";
/// How long the whole run may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many calls a run makes at least.
const CALLS: u64 = 10_000;

/// The functions that are not called, each with the reason, and after `#` the arguments that are not passed.
const LEFT_OUT: &str = include_str!("../profilers/adversary/left-out.txt");

/// The seed of the arguments: the same in each run, another one in each long run, or that of `ADVERSARY_SEED`.
fn seed() -> Result<u64> {
    match std::env::var("ADVERSARY_SEED") {
        Ok(seed) => seed.parse().context("ADVERSARY_SEED is no number"),
        Err(_) if e2e::is_long() => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
            Ok(u64::from(now.subsec_nanos()) % 1_000_000)
        }
        Err(_) => Ok(1),
    }
}

/// The last calls of each thread, from the journal: those in progress first.
fn last_calls(journal: &Path) -> String {
    let bytes = fs::read(journal).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut lines: Vec<&str> = text.lines().map(|line| line.trim_matches(['\0', ' '])).collect();
    lines.retain(|line| !line.is_empty());
    let number = |line: &&str| line.get(2..8).and_then(|number| number.trim().parse::<u64>().ok());
    lines.sort_by_key(|line| (line.starts_with('.'), std::cmp::Reverse(number(line))));
    let in_progress = lines.iter().filter(|line| line.starts_with('>')).count();
    format!(
        "calls in progress:\n{}\nlast calls that have ended:\n{}",
        lines[..in_progress].join("\n"),
        lines[in_progress..].iter().take(12).copied().collect::<Vec<_>>().join("\n")
    )
}

/// Checks the end of the program, and the profiler's report.
fn judge(finished: &Finished, plain: &Finished, out: &Path) -> Result<u64> {
    let is_as_alone = finished.code() == Some(42) && finished.stdout == plain.stdout;
    ensure!(is_as_alone, "the program ends or prints something else than alone, which is:\n{}", plain.stdout);
    ensure!(finished.stderr.is_empty(), "there is something on standard error");
    let report: Value = serde_json::from_str(&fs::read_to_string(out).context("there is no report")?)?;
    ensure!(report["wrong"] == serde_json::json!([]), "wrong: {:#}", report["wrong"]);
    ensure!(report["unfinished"] == 0, "threads of the profiler hang: {}", report["unfinished"]);
    let calls = report["calls"].as_u64().context("no number of calls")?;
    ensure!(calls >= CALLS, "only {calls} calls");
    Ok(calls)
}

fn check(version: RuntimeVersion, hooks: &str) -> Result<()> {
    let app = App::compile("adversary", version, Build::Optimised)?;
    let plain = Launch::new(&runtime(version)?, &app.dll).arg("1").run()?.ends_with(42)?;
    let seed = seed()?;
    let out = scratch(&format!("{}-{hooks}", app.label))?.join("report");
    let launch = Launch::new(&runtime(version)?, &app.dll)
        .arg(WORK)
        .profiler(&stated::profiler("adversary", CLSID)?)
        .env("ADVERSARY_HOOKS", hooks)
        .env("ADVERSARY_SEED", seed.to_string())
        .env("ADVERSARY_OUT", &out)
        .timeout(PATIENCE)
        .attach(&out);
    let finished = launch.run()?;
    let judged = judge(&finished, &plain, &out)
        .with_context(|| format!("{version}, {hooks}, ADVERSARY_SEED={seed}"))
        .with_context(|| last_calls(&out.with_extension("calls")))
        .with_context(|| finished.report())?;
    println!("{version}, {hooks}, ADVERSARY_SEED={seed}: {judged} calls in {:?}", finished.duration);
    Ok(())
}

on_each_runtime! {
    nothing_breaks_with_slow_path_hooks: |version| check(version, "info");
    nothing_breaks_with_fast_path_hooks: |version| check(version, "fast");
}

/// The list of calls is complete, and has nothing that is not there.
#[test]
fn every_public_function_is_called_or_left_out_for_a_reason() -> Result<()> {
    let public = public_functions::of("corprof")?;
    let called: BTreeSet<String> = adversary::called_functions().map(str::to_owned).collect();
    ensure!(called.len() == adversary::called_functions().count(), "a function is in the table twice");
    let mut left_out = BTreeSet::new();
    for line in LEFT_OUT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, reason) = line.split_once(": ").with_context(|| format!("no reason: {line}"))?;
        ensure!(!reason.trim().is_empty(), "no reason: {line}");
        match name.split_once(" (") {
            // It is called elsewhere, or on other versions.
            Some((name, _)) => ensure!(called.contains(name), "not there: {line}"),
            None => ensure!(left_out.insert(name.to_owned()), "twice: {line}"),
        }
    }
    let listed: BTreeSet<&String> = called.iter().chain(&left_out).collect();
    ensure!(listed.len() == called.len() + left_out.len(), "a function is called and left out");
    let missing: Vec<&String> = public.iter().filter(|name| !listed.contains(name)).collect();
    ensure!(
        missing.is_empty(),
        "add calls of these functions to tests/profilers/adversary/src/calls: {missing:#?}"
    );
    let gone: Vec<&&String> = listed.iter().filter(|name| !public.contains(**name)).collect();
    ensure!(gone.is_empty(), "these functions are not there: {gone:#?}");
    Ok(())
}
