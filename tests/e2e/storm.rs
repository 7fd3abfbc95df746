//! What is unloaded is forgotten, and nothing is asked of what is gone: load contexts are created, used and unloaded on
//! four threads while every call is resolved, its values are decoded, and garbage is collected all the time.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use e2e::app::{App, Build};
use e2e::json::lines_of;
use e2e::traced::optimised_at_once;
use e2e::{is_full, on_each_runtime};
use serde_json::Value;
use xtask::dotnet::{CSharp, RuntimeVersion, compile, runtime};
use xtask::example::Example;
use xtask::launch::{Finished, Launch, scratch};
use xtask::paths;

/// How many seconds the storm lasts, and that of the program alone which it is compared with.
fn seconds() -> (f64, f64) {
    if is_full() { (60.0, 20.0) } else { (8.0, 3.0) }
}

/// How many of each thing that it remembers the profiler may have more at the end than after half of the storm: which
/// methods of the framework have been called until then depends a little on chance. There are at least 50 generations in
/// between, and each would leave one or more.
const MORE: f64 = 20.0;

/// The same of its memory, in bytes. It remembers up to 65,536 ids as gone.
const MORE_HEAP: f64 = 4e6;

/// By how much more the process may grow in that time than the program alone would in as many generations, in bytes: the
/// above, and what the allocators keep for use. A plugin that is not let go takes some 100 kB.
const MORE_RESIDENT: f64 = 5e6;

fn number(value: &Value, key: &str) -> Result<f64> {
    value[key].as_f64().with_context(|| format!("no {key} in {value}"))
}

/// The program, ready to run for some seconds; what it did goes to a file.
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

/// How the program ends, with a profiler and without.
fn is_over(finished: Finished) -> Result<Finished> {
    let finished = finished.ends_with(42)?;
    ensure!(finished.stdout == "the storm is over\n" && finished.stderr.is_empty(), "{}", finished.report());
    Ok(finished)
}

/// By how many bytes the process has grown since the middle of the storm, and in how many generations.
fn growth(facts: &[Value]) -> Result<(f64, f64)> {
    let [_, middle, end] = facts else { bail!("{} marks instead of 3", facts.len()) };
    Ok((
        number(end, "rss")? - number(middle, "rss")?,
        number(end, "generations")? - number(middle, "generations")?,
    ))
}

/// What the profiler found, held against what the program did.
fn judge(program: &[Value], profiler: &[Value]) -> Result<()> {
    let last = program.last().context("the program did nothing")?;
    let tally = profiler.last().context("the profiler found nothing")?;
    ensure!(tally["wrong"] == 0 && tally["failed"] == 0, "{tally:#}");
    ensure!(tally["compared"] == last["calls"], "the program made {last} calls");
    let generations = number(last, "generations")?;
    ensure!(generations >= 150.0, "only {generations} generations: this is no storm");
    // The runtime gave out the same ids again, and the profiler's threads came too late: otherwise nothing was shown.
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

/// What the profiler remembers does not grow with the number of generations.
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
        // Otherwise methods of the framework are compiled again all the time, and kept once more. With hooks with info
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
    what_is_unloaded_is_forgotten on [on_3_1 on_8_0 on_10_0] full [on_9_0]:
        |version| check(version, Hooks::WithInfo);
    what_is_unloaded_is_forgotten_with_fast_hooks on [on_3_1 on_8_0 on_10_0] full [on_9_0]:
        |version| check(version, Hooks::Fast);
}
