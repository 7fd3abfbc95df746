//! No call that a hook can make lets a collection run: the collector waits until the hook has ended. Nor does a call from a
//! callback inside of one, and no call waits for ever: those that would are refused.

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::json::lines_of;
use e2e::traced::optimised_at_once;
use e2e::{on_each_runtime, stated};
use serde_json::Value;

const CLSID: &str = "{C7E8A94B-50D1-4B7A-9F0E-2D1B6A3C8F54}";

/// How many calls the program makes; the profiler has fewer to try.
const CALLS: usize = 120;
/// How many the profiler tries at least.
const TRIED: usize = 60;

/// Judges the line of a call.
fn judge(line: &Value) -> Result<()> {
    ensure!(line["error"].is_null(), "it was not tried: {line}");
    ensure!(line["collections"] == 0, "a collection ran: {line}");
    Ok(())
}

/// Checks that what may collect was allowed in a callback without objects, and refused in an event that a hook wrote.
fn judge_callbacks(version: RuntimeVersion, lines: &[Value]) -> Result<()> {
    let of = |name: &str| lines.iter().filter_map(|line| line[name].as_bool()).collect::<Vec<_>>();
    let allowed = of("threads without an object");
    ensure!(!allowed.is_empty() && allowed.iter().all(|is| *is), "in a callback: {allowed:?}");
    let in_events = of("threads in an event");
    let has_events = version != RuntimeVersion::V3_1;
    ensure!(in_events.is_empty() != has_events && in_events.iter().all(|is| !is), "in events: {in_events:?}");
    Ok(())
}

/// The callbacks in which nothing that waits for a collection or suspension may be called.
const STOPPED: [&str; 5] = [
    "runtime_suspend_started",
    "runtime_suspend_finished",
    "runtime_resume_started",
    "garbage_collection_started",
    "garbage_collection_finished",
];

/// Checks that each call was refused where it would never return or let a collection run, by what the library knows and with
/// its error, and was allowed on a thread of the profiler's own.
fn judge_sites(version: RuntimeVersion, lines: &[Value]) -> Result<()> {
    let refusals = |site: &str| -> Vec<&str> {
        let of = lines.iter().filter(|line| line["site"] == site);
        of.map(|line| line["refusal"].as_str().unwrap_or("it was made")).collect()
    };
    let waiting: &[&str] = match version {
        RuntimeVersion::V3_1 => &["force_gc", "suspend_runtime"],
        _ => &["force_gc", "suspend_runtime", "start_session", "create_provider"],
    };
    let mut sites: Vec<String> =
        STOPPED.iter().flat_map(|name| waiting.iter().map(move |call| format!("{call} in {name}"))).collect();
    if version != RuntimeVersion::V3_1 {
        sites.extend(
            [
                "threads in handle_destroyed inside of a hook",
                "modules in handle_destroyed inside of a hook",
                "threads in a hook on an own thread",
                "suspend_runtime while suspended",
                "force_gc while suspended",
            ]
            .map(str::to_owned),
        );
        let own: Vec<bool> = lines.iter().filter_map(|line| line["own"].as_bool()).collect();
        ensure!(own == [true; 3], "on a thread of the profiler's own: {own:?}");
    }
    for site in &sites {
        let refusals = refusals(site);
        let is_refused = |refusal: &&str| refusal.contains(" is not called ");
        ensure!(!refusals.is_empty() && refusals.iter().all(is_refused), "{site}: {refusals:?}");
    }
    Ok(())
}

fn check(version: RuntimeVersion, hooks: &str) -> Result<()> {
    let app = App::compile("pending", version, Build::Optimised)?;
    let out = scratch(&format!("{}-{hooks}", app.label))?.join("calls");
    let launch = Launch::new(&runtime(version)?, &app.dll)
        .arg(CALLS.to_string())
        .profiler(&stated::profiler("pending", CLSID)?)
        .env("PENDING_HOOKS", hooks)
        .env("PENDING_OUT", &out)
        .attach(&out);
    let finished = optimised_at_once(launch).run()?.ends_with(42)?;
    let lines = lines_of(&out)?;
    let judged = (|| {
        ensure!(finished.stdout == format!("{CALLS} of {CALLS}\n"), "an argument has changed");
        let begun: Vec<_> = lines.iter().filter(|line| line["begins"].is_string()).collect();
        let made: Vec<_> = lines.iter().filter(|line| line["call"].is_string()).collect();
        ensure!(made.len() == begun.len() && made.len() >= TRIED, "{} of {} calls", made.len(), begun.len());
        let wrong: Vec<String> =
            made.iter().filter_map(|line| judge(line).err()).map(|error| error.to_string()).collect();
        ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        judge_callbacks(version, &lines)?;
        judge_sites(version, &lines)
    })();
    judged.with_context(|| finished.report())
}

on_each_runtime! {
    no_collection_runs_in_a_hook_with_info: |version| check(version, "info");
    no_collection_runs_in_a_fast_hook: |version| check(version, "fast");
}
