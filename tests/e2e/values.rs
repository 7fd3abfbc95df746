//! Every kind of value, passed in every way into and out of a method, equals the program's report.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::app::{App, Build};
use e2e::compare::compare_but;
use e2e::on_each_runtime;
use e2e::record::{Event, Record};
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::{Traced, Tracing, self_report, silent};

/// The options of a run.
#[derive(Clone, Copy)]
struct Run {
    name: &'static str,
    build: Build,
    tiered: bool,
    ready_to_run: bool,
    raw: bool,
    hooks: &'static str,
}

const DEFAULT: Run = Run {
    name: "default",
    build: Build::Optimised,
    tiered: true,
    ready_to_run: true,
    raw: false,
    hooks: "with-info",
};

/// The minimum number of cases: methods with their type arguments and the values that are passed.
const CASES: usize = 2_300;
/// The minimum number of types among them.
const TYPES: usize = 350;

fn check(version: RuntimeVersion, run: Run) -> Result<()> {
    traced(&App::compile("values", version, run.build)?, run)
}

fn traced(app: &App, run: Run) -> Result<()> {
    let version = app.version;
    let switch = |on: bool| if on { "1" } else { "0" };
    let traced = Tracing::app(app, run.name)?
        .set("EXCLUDE", "*!Report.*")
        .set("MAX_ITEMS", "100")
        .set("SHOW_SECRETS", "1")
        .set("MAX_CHARS", "1000")
        .set("MAX_BYTES", "1000000")
        .set("RAW", switch(run.raw))
        .set("HOOKS", run.hooks)
        .tiered(run.tiered)
        .with(|launch| {
            let launch = launch
                // With a clock time that comes twice.
                .env("TZ", "Europe/Berlin")
                .env("DOTNET_ReadyToRun", switch(run.ready_to_run))
                .env("COMPlus_ReadyToRun", switch(run.ready_to_run));
            if run.raw { launch.arg("raw") } else { launch }
        })
        .run()?;
    traced.expect(judge(&traced, &format!("{version} {}", run.name)))
}

/// A program that is compiled for 10.0, with both kinds of hooks.
fn of_an_older_version(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("values", RuntimeVersion::V10_0, DEFAULT.build)?.on(version);
    for hooks in KINDS_OF_HOOKS {
        traced(&app, Run { name: hooks, hooks, ..DEFAULT })?;
    }
    Ok(())
}

fn judge(traced: &Traced, run: &str) -> Result<()> {
    let code = traced.finished.code();
    ensure!(code == Some(0), "exit code {code:?}");
    let report = self_report(&traced.finished.stdout)?;
    let (trace, counts) = traced.records()?;
    let comparison = compare_but(&report, &trace, &silent(&traced.finished.stdout)?);
    let (cases, types) = (cases(&report), types(&report));
    println!("{run}: {cases} cases, {types} types; {counts}; {}", comparison.tally);
    ensure!(comparison.found == 0, "{comparison}");
    ensure!(counts.open == 0, "calls are open at the end: {counts}");
    ensure!(cases >= CASES, "only {cases} cases");
    ensure!(types >= TYPES, "only {types} types");
    Ok(())
}

/// The number of different signatures with different values; repeated calls count once.
fn cases(report: &[Record]) -> usize {
    let entered = report.iter().filter_map(|record| match &record.event {
        Event::Enter { signature, this, args, .. } if this.is_some() || !args.is_empty() => {
            let values: Vec<_> = args.iter().map(|arg| arg.value.as_ref().map(ToString::to_string)).collect();
            Some((signature.as_str(), this.as_ref().map(ToString::to_string), values))
        }
        _ => None,
    });
    entered.collect::<BTreeSet<_>>().len()
}

/// The number of different parameter types.
fn types(report: &[Record]) -> usize {
    let parameters = report.iter().flat_map(|record| match &record.event {
        Event::Enter { args, .. } => args.iter().map(|arg| arg.ty.as_str()).collect(),
        _ => Vec::new(),
    });
    parameters.collect::<BTreeSet<_>>().len()
}

on_each_runtime! {
    values: |version| check(version, DEFAULT);
    values_of_10_0_on_a_newer_runtime on [on_11_0]: of_an_older_version;
    optimised on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]:
        |version| check(version, Run { name: "optimised", tiered: false, ..DEFAULT });
    without_ready_to_run on [on_3_1 on_8_0] long [on_9_0 on_10_0 on_11_0]:
        |version| check(version, Run { name: "jitted", ready_to_run: false, ..DEFAULT });
    debug on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]:
        |version| check(version, Run { name: "debug", build: Build::Debug, ..DEFAULT });
    fast: |version| check(version, Run { name: "fast", hooks: "fast", ..DEFAULT });
    fast_optimised: |version| check(version, Run { name: "fast-optimised", hooks: "fast", tiered: false, ..DEFAULT });
    inserted on [on_10_0 on_11_0] long [on_8_0 on_9_0]:
        |version| check(version, Run { name: "inserted", hooks: "inserted", ..DEFAULT });
    raw on [on_10_0 on_11_0] long [on_3_1 on_8_0 on_9_0]: |version| check(version, Run { name: "raw", raw: true, ..DEFAULT });
}
