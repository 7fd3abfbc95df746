//! Unloaded entities are evicted, and no query is made about them: load contexts are created, used and unloaded on
//! four threads while every call is resolved, its values are decoded, and garbage is collected all the time.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::{CSharp, RuntimeVersion, compile, runtime};
use corprof_testkit::example::Example;
use corprof_testkit::launch::{Finished, Launch, scratch};
use corprof_testkit::paths;
use e2e::app::{App, Build};
use e2e::json::lines_of;
use e2e::traced::optimised_at_once;
use e2e::{is_long, on_each_runtime};
use serde_json::Value;

/// The duration of the storm in seconds, and of the run without a profiler that it is compared with.
fn seconds() -> (f64, f64) {
    if is_long() { (60.0, 20.0) } else { (8.0, 3.0) }
}

/// The accepted growth of each of the profiler's caches from the middle of the storm to its end: the
/// set of called framework methods varies slightly between runs. There are at least 50 generations in
/// between, and a leak would add one or more entries for each.
const MORE: f64 = 20.0;

/// The accepted growth of its memory, in bytes. It keeps up to 65,536 stale ids.
const MORE_HEAP: f64 = 4e6;

/// The accepted growth of the process beyond that of the program alone in as many generations, in bytes: the
/// above, and what the allocators reserve. A leaked plugin takes some 100 kB.
const MORE_RESIDENT: f64 = 5e6;

fn number(value: &Value, key: &str) -> Result<f64> {
    value[key].as_f64().with_context(|| format!("no {key} in {value}"))
}

/// The program, ready to run for some seconds; its own counts go to a file.
fn storm(app: &App, seconds: f64, facts: &Path) -> Result<Launch> {
    let sources = paths::workspace().join("tests/apps/stormplugin/Plugin.cs");
    let output = app.dll.with_file_name("stormplugin.dll");
    let plugin = CSharp {
        library: true,
        references: vec![app.dll.clone()],
        ..CSharp::new(app.version, [sources], output)
    };
    Ok(Launch::new(&runtime(app.version)?, &app.dll)
        .arg(compile(&plugin)?)
        .arg(seconds.to_string())
        .arg(facts)
        .timeout(Duration::from_secs_f64(60.0 + 3.0 * seconds)))
}

/// Checks the end of the program, with and without a profiler.
fn is_over(finished: Finished) -> Result<Finished> {
    let finished = finished.ends_with(42)?;
    ensure!(finished.stdout == "the storm is over\n" && finished.stderr.is_empty(), "{}", finished.report());
    Ok(finished)
}

/// The growth of the process in bytes since the middle of the storm, and the number of generations.
fn growth(facts: &[Value]) -> Result<(f64, f64)> {
    let [_, middle, end] = facts else { bail!("{} marks instead of 3", facts.len()) };
    Ok((
        number(end, "rss")? - number(middle, "rss")?,
        number(end, "generations")? - number(middle, "generations")?,
    ))
}

/// Compares the profiler's counts with those of the program.
fn judge(program: &[Value], profiler: &[Value]) -> Result<()> {
    let last = program.last().context("the program did nothing")?;
    let tally = profiler.last().context("the profiler found nothing")?;
    ensure!(tally["wrong"] == 0 && tally["failed"] == 0, "{tally:#}");
    ensure!(tally["compared"] == last["calls"], "the program made {last} calls");
    let generations = number(last, "generations")?;
    ensure!(generations >= 150.0, "only {generations} generations: this is no storm");
    // The runtime must have reused ids, and queries must have been refused: otherwise nothing was tested.
    ensure!(number(tally, "renamed")? > 0.0, "no id was used again");
    ensure!(number(tally, "answered")? > 0.0 && number(tally, "refused")? > 0.0, "nobody asked");
    let dynamic: Vec<&str> = profiler.iter().filter_map(|line| line["dynamic"].as_str()).collect();
    let expected: BTreeSet<String> = (1..=last["generations"].as_u64().context("no number")?)
        .map(|n| format!("DynamicClass.Dyn{n:08}"))
        .collect();
    let found: BTreeSet<String> = dynamic.iter().map(|name| (*name).to_owned()).collect();
    ensure!(dynamic.len() == found.len(), "a name twice");
    ensure!(
        found == expected,
        "dynamic methods: {:?}",
        found.symmetric_difference(&expected).take(20).collect::<Vec<_>>()
    );
    Ok(())
}

/// Checks that the profiler's caches do not grow with the number of generations.
fn is_flat(marks: &[&Value]) -> Result<()> {
    let [_, middle, end] = marks else { bail!("{} marks instead of 3", marks.len()) };
    for what in ["names", "loaded", "shapes", "kept"] {
        let (before, after) = (number(middle, what)?, number(end, what)?);
        ensure!(after <= before + MORE, "{what}: {before}, then {after}");
    }
    let (before, after) = (number(middle, "heap")?, number(end, "heap")?);
    ensure!(after <= before + MORE_HEAP, "the profiler's memory: {before} bytes, then {after}");
    Ok(())
}

/// Which hooks the profiler has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hooks {
    WithInfo,
    Fast,
}

fn check(version: RuntimeVersion, hooks: Hooks) -> Result<()> {
    let app = App::compile("storm", version, Build::Optimised)?;
    let scratch = scratch(&format!("{}-{hooks:?}", app.label))?;
    let [out, facts, plain_facts] = ["profiler", "program", "program-alone"].map(|name| scratch.join(name));
    let (seconds, plain_seconds) = seconds();
    is_over(storm(&app, plain_seconds, &plain_facts)?.run()?)?;
    let profiler = Example::unlisted("storm", "{5B8C2E0D-7A34-4F5B-9D61-0E7C4A9B3F12}")?;
    let mut launch = storm(&app, seconds, &facts)?.profiler(&profiler.profiler()?);
    if hooks == Hooks::Fast {
        // Otherwise methods of the framework are compiled again all the time, and cached again. With slow-path hooks
        // nothing is optimised anyway.
        launch = optimised_at_once(launch.env("STORM_HOOKS", "fast"));
    }
    let finished = is_over(launch.env("STORM_OUT", &out).attach(&out).attach(&facts).run()?)?;
    let (program, found) = (lines_of(&facts)?, lines_of(&out)?);
    let marks: Vec<&Value> = found.iter().filter(|line| line["mark"].is_u64()).collect();
    for line in program.iter().chain(marks.iter().copied()).chain(found.last()) {
        println!("{version}, {hooks:?}: {line}");
    }
    let judged = judge(&program, &found).and_then(|()| is_flat(&marks)).and_then(|()| {
        let (plain, plain_generations) = growth(&lines_of(&plain_facts)?)?;
        let (grown, generations) = growth(&program)?;
        println!("{version}, {hooks:?}: grown by {grown} bytes in {generations} generations; without profiler by {plain} in {plain_generations}");
        let allowed = (plain / plain_generations).max(0.0) * generations;
        ensure!(
            grown <= allowed + MORE_RESIDENT,
            "the process has grown by {grown} bytes in {generations} generations; without profiler it would have by {allowed}"
        );
        Ok(())
    });
    judged.with_context(|| finished.report())
}

on_each_runtime! {
    unloaded_entities_are_evicted on [on_3_1 on_8_0 on_10_0 on_11_0] long [on_9_0]:
        |version| check(version, Hooks::WithInfo);
    unloaded_entities_are_evicted_with_fast_hooks on [on_3_1 on_8_0 on_10_0 on_11_0] long [on_9_0]:
        |version| check(version, Hooks::Fast);
}
