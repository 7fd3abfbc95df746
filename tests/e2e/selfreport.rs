//! The trace equals the program's own report: every call, in order, with the same names, arguments,
//! return values, ref and out values and exceptions.

use std::path::Path;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::compare::compare;
use e2e::on_each_runtime;
use e2e::runtimes::KINDS_FOR_SELECTED;
use e2e::schema;
use e2e::traced::{Tracing, enters, report_as_trace, self_report, untraced};

/// The minimum number of reported values that are compared in full.
const EXACT_VALUES: usize = 3300;
/// The minimum number of methods whose code is replaced while they run.
const REPLACED: usize = 13;
/// The minimum number of methods and instantiations.
const METHODS: usize = 250;

fn check(version: RuntimeVersion, build: Build, tiered: bool) -> Result<()> {
    traced(&App::compile("selfreport", version, build)?, build, tiered)
}

fn traced(app: &App, build: Build, tiered: bool) -> Result<()> {
    let version = app.version;
    for hooks in KINDS_FOR_SELECTED {
        let run = format!("{}-{hooks}", if tiered { "tiered" } else { "untiered" });
        let tracing = Tracing::app(app, &run)?.set("EXCLUDE", "*!Report.*").set("HOOKS", hooks);
        let listing = scratch(&format!("{}-{run}-code", app.label))?.join("methods");
        let is_listed =
            tiered && build == Build::Optimised && hooks == "fast" && version >= RuntimeVersion::V8_0;
        let list =
            |launch: Launch| launch.env("DOTNET_JitStdOutFile", &listing).env("DOTNET_JitDisasmSummary", "1");
        let tracing = tracing.tiered(tiered);
        let traced = if is_listed { tracing.with(list) } else { tracing }.run()?;
        traced.expect(judge(&traced))?;
        if is_listed {
            traced.expect(is_replaced(&listing))?;
        }
    }
    Ok(())
}

/// Checks that code was replaced on the stack, by the compiler's own list: methods of `Cases.Loops`.
fn is_replaced(listing: &Path) -> Result<()> {
    let listing = std::fs::read_to_string(listing)?;
    let replaced = |line: &&str| line.contains("Cases.Loops:") && line.contains("[Tier1-OSR");
    let count = listing.lines().filter(replaced).count();
    ensure!(count >= REPLACED, "the code of {count} methods was replaced on the stack:\n{listing}");
    Ok(())
}

fn judge(traced: &e2e::traced::Traced) -> Result<()> {
    let code = traced.finished.code();
    ensure!(code == Some(0), "exit code {code:?}");
    let report = self_report(&traced.finished.stdout)?;
    let (trace, counts) = traced.records()?;
    let comparison = compare(&report, &trace);
    println!("{counts}\n{comparison}");
    ensure!(comparison.found == 0, "{comparison}");
    ensure!(counts.open == 0, "calls are open at the end: {counts}");
    let exact = comparison.tally.exact_total();
    ensure!(exact >= EXACT_VALUES, "only {exact} values were compared in full: {comparison}");
    Ok(())
}

/// Checks the report itself, without a tracer: complete, balanced, and in the documented format.
fn check_report(version: RuntimeVersion, build: Build) -> Result<()> {
    let app = App::compile("selfreport", version, build)?;
    let finished = untraced(version, &app.dll, |launch| launch)?.ok()?;
    let report = self_report(&finished.stdout)?;
    let methods = enters(&report);
    ensure!(methods.len() >= METHODS, "only {} methods", methods.len());
    for method in methods.keys() {
        schema::method_name(method)?;
    }
    let comparison = compare(&report, &report_as_trace(&finished.stdout)?);
    println!("{comparison}");
    ensure!(comparison.found == 0 && comparison.events == report.len(), "{comparison}");
    ensure!(comparison.tally.exact_total() >= EXACT_VALUES, "{comparison}");
    Ok(())
}

on_each_runtime! {
    the_report_is_complete: |version| check_report(version, Build::Optimised);
    selfreport: |version| check(version, Build::Optimised, true);
    /// In a program of an older version every task is a state machine's, on which the newest runtime has functions of its own.
    selfreport_of_10_0_on_a_newer_runtime on [on_11_0]: |version| {
        let build = Build::Optimised;
        traced(&App::compile("selfreport", RuntimeVersion::V10_0, build)?.on(version), build, true)
    };
    selfreport_untiered: |version| check(version, Build::Optimised, false);
    selfreport_debug on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]: |version| check(version, Build::Debug, true);
    selfreport_debug_untiered on [on_3_1 on_8_0] long [on_9_0 on_10_0 on_11_0]: |version| check(version, Build::Debug, false);
}
