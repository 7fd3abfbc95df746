//! Programs whose every method is rewritten before it is compiled do what they did: output, exit code, lines of stack traces.
//!
//! Three ways of rewriting: an added `nop`; the whole body in `try`/`finally`, with counters of entries and exits; a call of
//! `Interlocked.Increment` at the entry. The counts are those that the programs report of themselves.

mod large;
mod rejit;
mod run;

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::stated;
use e2e::traced::{self_report, untraced};

use crate::run::{CLSID, MODES, alike, plain, rewritten, run};

fn program(name: &str, version: RuntimeVersion, build: Build, scope: &str, modes: &[&str]) -> Result<()> {
    let app = App::compile(name, version, build)?;
    let launch = Launch::new(&runtime(version)?, &app.dll);
    let unchanged = launch.clone().run()?;
    for mode in modes {
        let (finished, _) = rewritten(&app.label, mode, scope, launch.clone())?;
        alike(&unchanged, &finished)?;
    }
    Ok(())
}

fn lines_of_stack_traces(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("rewritten", version, Build::Debug)?;
    let lines = untraced(version, &app.dll, |launch| launch)?.stdout;
    ensure!(lines.matches("Program.cs:line ").count() > 10, "the program shows no lines\n{lines}");
    program("rewritten", version, Build::Debug, "program", &MODES)
}

fn optimised_code(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("rewritten", version, Build::Optimised)?;
    let launch = Launch::new(&runtime(version)?, &app.dll);
    let unchanged = launch.clone().run()?;
    for mode in MODES {
        let (finished, _) = rewritten(&app.label, mode, "program", launch.clone())?;
        // Inlined calls have no frame otherwise.
        let values = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line.starts_with("   at ")).map(str::to_owned).collect()
        };
        ensure!(unchanged.status == finished.status, "{}", finished.report());
        ensure!(values(&unchanged.stdout) == values(&finished.stdout), "{}", finished.report());
    }
    Ok(())
}

/// Every call that the program reports of itself was counted, on the way in and on the way out.
fn counts_of_calls(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("selfreport", version, Build::Optimised)?;
    let launch = Launch::new(&runtime(version)?, &app.dll);
    for mode in ["finally", "call", "twice"] {
        let (finished, report) = rewritten(&app.label, mode, "program", launch.clone())?;
        ensure!(finished.code() == Some(0), "{}", finished.report());
        let mut expected: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for record in self_report(&finished.stdout)? {
            let calls = expected.entry(plain(&record.method)).or_default();
            match record.event.name() {
                "enter" => calls.0 += 1,
                _ => calls.1 += 1,
            }
        }
        let (mut compared, mut wrong) = (0, Vec::new());
        for (name, calls) in &expected {
            let Some(counted) = report.calls.get(name) else {
                wrong.push(format!("{name} was not rewritten"));
                continue;
            };
            compared += 1;
            let same = match mode {
                "finally" => counted == calls,
                // What another tool has inserted before is kept.
                "twice" => *counted == (calls.0, calls.0),
                _ => counted.0 == calls.0,
            };
            if !same {
                wrong.push(format!("{name}: reported {calls:?}, counted {counted:?}"));
            }
        }
        ensure!(
            wrong.is_empty(),
            "{mode} on {version}: {} of {compared}:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
        ensure!(compared > 100, "only {compared} methods");
        println!("{mode} on {version}: {compared} methods have the same counts");
    }
    Ok(())
}

/// What does not verify is not submitted, and the reason has the place.
#[test]
fn bodies_that_do_not_verify_are_reported_and_the_program_runs_as_it_is() -> Result<()> {
    let app = App::compile("rewritten", RuntimeVersion::V9_0, Build::Debug)?;
    let launch = Launch::new(&runtime(RuntimeVersion::V9_0)?, &app.dll);
    let unchanged = launch.clone().run()?;
    let (finished, report) = run("broken", "broken", "program", launch)?;
    alike(&unchanged, &finished)?;
    ensure!(report.submitted == 0 && report.refused.len() > 30, "{report:?}");
    let reason = |line: &String| line.contains("IL_0000") && line.contains("stack");
    ensure!(report.refused.iter().all(reason), "{:#?}", report.refused);
    Ok(())
}

fn ends_below_open_calls(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("exitcode", version, Build::Debug)?;
    for arguments in [["exit", "3"].as_slice(), &["throw"]] {
        let launch = Launch::new(&runtime(version)?, &app.dll).args(arguments);
        let unchanged = launch.clone().run()?;
        let out = scratch(&format!("rewrite-{}-{}", app.label, arguments[0]))?.join("report");
        let finished = launch
            .profiler(&stated::profiler("rewrite", CLSID)?)
            .env("REWRITE_MODE", "finally")
            .env("REWRITE_SCOPE", "program")
            .env("REWRITE_OUT", &out)
            .run()?;
        alike(&unchanged, &finished)?;
    }
    Ok(())
}

on_each_runtime! {
    stack_traces_keep_their_lines on [on_3_1 on_9_0 on_10_0 on_11_0]: lines_of_stack_traces;
    optimised_code_of_every_shape_runs_as_before on [on_3_1 on_9_0 on_10_0 on_11_0]: optimised_code;
    /// The framework's methods too, the core library's among them; precompiled code is not used.
    programs_run_with_every_method_of_the_framework_rewritten on [on_3_1 on_11_0] long [on_9_0 on_10_0]:
        |version| program("rewritten", version, Build::Debug, "all", &MODES);
    calls_are_counted_as_the_program_reports_them on [on_3_1 on_9_0 on_10_0 on_11_0]: counts_of_calls;
    unhandled_exceptions_and_exits_below_open_calls_stay_what_they_are on [on_3_1 on_9_0 on_10_0 on_11_0]:
        ends_below_open_calls;
}
