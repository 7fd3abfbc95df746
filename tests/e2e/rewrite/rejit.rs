//! `inject` from the start of a program: methods are selected before their types are loaded.

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::is_long;
use e2e::on_each_runtime;
use e2e::traced::profiler;

use crate::run::{alike, run};

/// The number of runs of a program: requests of the profiler's thread meet different states of the runtime.
const RUNS: usize = 5;
const LONG_RUNS: usize = 200;

/// The lines without stack traces: inlined calls have no frame in them otherwise.
fn values(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.starts_with("   at ")).map(str::to_owned).collect()
}

/// Before .NET 9 the JIT crashes when it has inlined a requested method (dotnet/runtime#95653), which early requests met.
fn recompiled_from_the_start(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("framework", version, Build::Optimised)?;
    let launch = Launch::new(&runtime(version)?, &app.dll);
    let unchanged = launch.clone().run()?;
    let mut inserted = 0;
    let runs = if is_long() { LONG_RUNS } else { RUNS };
    for run in 0..runs {
        let out = scratch(&format!("rejit-{}-{run}", app.label))?.join("calls");
        let injected = launch.clone().profiler(&profiler("inject")?);
        let finished = injected.env("INJECT_METHODS", "framework.dll!*").env("INJECT_OUT", &out).run()?;
        ensure!(finished.status == unchanged.status, "{}", finished.report());
        ensure!(values(&finished.stdout) == values(&unchanged.stdout), "{}", finished.report());
        let log = std::fs::read_to_string(&out)?;
        ensure!(!log.contains("keeps its code"), "{log}");
        inserted += usize::from(log.contains("> #"));
    }
    ensure!(inserted > 0, "no run on {version} logged a call");
    println!("{version}: calls were logged in {inserted} of {runs} runs");
    Ok(())
}

/// ReJIT is requested while the method is inlined. Before .NET 9 the runtime crashes when such an inlining is reported
/// (dotnet/runtime#95653), so the request waits for the compilation, or the method is not inlined.
fn requested_while_inlined(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("framework", version, Build::Optimised)?;
    // Everything is compiled with optimisations at once, so methods are inlined.
    let launch = Launch::new(&runtime(version)?, &app.dll)
        .env("DOTNET_TieredCompilation", "0")
        .env("COMPlus_TieredCompilation", "0");
    let unchanged = launch.clone().run()?;
    let (finished, report) = run(&format!("{}-inlining", app.label), "inlining", "program", launch)?;
    ensure!(finished.status == unchanged.status, "{}", finished.report());
    ensure!(values(&finished.stdout) == values(&unchanged.stdout), "{}", finished.report());
    ensure!(report.refused.is_empty(), "{report:?}");
    ensure!(report.submitted > 5, "only {} requests on {version}", report.submitted);
    println!("{version}: {} requests ended at once, {} waited", report.submitted, report.unchanged);
    // Where inlining is refused, the compilation that has accepted it is waited for.
    ensure!(version >= RuntimeVersion::V9_0 || report.unchanged > 0, "no request waited on {version}");
    Ok(())
}

/// Requests ReJIT of methods of the core library again and again, while programs run that use it, except of those whose request
/// crashes the runtime (dotnet/runtime#112636).
fn request_core(version: RuntimeVersion, mode: &str, tiered: &[&str], at_least: u64) -> Result<()> {
    for (name, arguments) in
        [("framework", &[][..]), ("chatty", &["json", "12"]), ("chatty", &["linq", "12"])]
    {
        let app = App::compile(name, version, Build::Optimised)?;
        for tiered in tiered {
            let launch = Launch::new(&runtime(version)?, &app.dll)
                .args(arguments)
                .env("DOTNET_TieredCompilation", tiered)
                .env("COMPlus_TieredCompilation", tiered);
            let unchanged = launch.clone().run()?;
            let (finished, report) = run(&format!("{}-{tiered}", app.label), mode, "program", launch)?;
            ensure!(finished.status == unchanged.status, "{}", finished.report());
            ensure!(values(&finished.stdout) == values(&unchanged.stdout), "{}", finished.report());
            println!("{version}, {name}: {} requests, {} refused", report.submitted, report.unchanged);
            ensure!(report.submitted >= at_least, "{report:?}");
            ensure!(report.unchanged < report.submitted / 5, "{report:?}");
        }
    }
    Ok(())
}

/// A request in a callback could deadlock (dd-trace-dotnet#1203): the library refuses it.
fn requests_in_callbacks_are_refused_1203(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("rewritten", version, Build::Debug)?;
    let launch = Launch::new(&runtime(version)?, &app.dll);
    let unchanged = launch.clone().run()?;
    let (finished, report) = run(&app.label, "request", "program", launch)?;
    alike(&unchanged, &finished)?;
    let refused = |line: &String| line.contains("on a thread of the profiler's own");
    ensure!(!report.refused.is_empty() && report.refused.iter().all(refused), "{report:?}");
    Ok(())
}

on_each_runtime! {
    methods_are_recompiled_from_the_start_of_a_program: recompiled_from_the_start;
    methods_that_are_being_inlined_are_requested_without_a_crash: requested_while_inlined;
    the_core_library_is_requested_without_a_crash: |version| request_core(version, "core", &["0", "1"], 1000);
    the_core_library_is_requested_with_inliners_without_a_crash:
        |version| request_core(version, "core-inliners", &["1"], 10);
    requests_in_callbacks_are_refused: requests_in_callbacks_are_refused_1203;
}
