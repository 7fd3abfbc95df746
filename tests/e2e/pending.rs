//! No call that a hook can make lets a collection run: the collector waits until the hook has ended.

use anyhow::{Context as _, Result, ensure};
use e2e::app::{App, Build};
use e2e::json::lines_of;
use e2e::traced::optimised_at_once;
use e2e::{on_each_runtime, stated};
use serde_json::Value;
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::{Launch, scratch};

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
        judge_callbacks(version, &lines)
    })();
    judged.with_context(|| finished.report())
}

on_each_runtime! {
    no_collection_runs_in_a_hook_with_info: |version| check(version, "info");
    no_collection_runs_in_a_fast_hook: |version| check(version, "fast");
}
