//! `cargo xtask bench argvalues`: against a decoder in C++, and in a traced process.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{self, CSharp, RuntimeVersion};
use corprof_testkit::launch::{Finished, Launch};
use corprof_testkit::paths;

use super::{cargo, library, start, target_dir};

/// The benchmark's target folder.
const NAME: &str = "argvalues";

/// The class of the profiler in `benches/argvalues/live`.
const CLSID: &str = include!("../../../benches/argvalues/live/src/clsid.rs");

/// The names of the methods in `Loop.cs`, and the work of the profiler at each call.
const WAYS: [(&str, &str); 5] = [
    ("Alone", "not hooked"),
    ("Hooked", "hooks with info that do nothing"),
    ("Asked", "the same and `GetFunctionEnter3Info`"),
    ("Recorded", "the same, decoded to a record"),
    ("Written", "the same, decoded to text"),
];

/// Measures, and prints two tables.
pub(super) fn run(rounds: u32) -> Result<()> {
    let folder = paths::workspace().join("benches").join("argvalues");
    start(cargo("run", &folder, &target_dir(NAME)).env("ROUNDS", rounds.to_string()))?;
    // A round is short there.
    live(&folder.join("live"), 10 * rounds)
}

/// What decoding costs in a hook.
fn live(folder: &Path, rounds: u32) -> Result<()> {
    start(&mut cargo("build", folder, &target_dir(NAME)))?;
    let profiler = Profiler::new(
        &library(&target_dir(NAME), "argvalues-live")?,
        CLSID.parse().map_err(anyhow::Error::msg)?,
    );
    let version = RuntimeVersion::V9_0;
    let output = paths::apps_dir().join("bench-loop").join("Loop.dll");
    let program = dotnet::compile(&CSharp::new(version, [folder.join("Loop.cs")], output))?;
    let launch = Launch::new(&dotnet::runtime(version)?, program)
        .arg(rounds.to_string())
        .profiler(&profiler)
        .env("DOTNET_TieredCompilation", "0")
        .timeout(Duration::from_secs(300));
    let finished = launch.run()?.ok()?;
    print(&finished, rounds).with_context(|| finished.report())
}

fn print(finished: &Finished, rounds: u32) -> Result<()> {
    let told = |name: &str| -> Result<&str> {
        let line = finished.stdout.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.with_context(|| format!("the line `{name}` is missing"))
    };
    // Hundredths of a nanosecond: the minimum and the median of all rounds.
    let numbers = |name: &str| -> Result<[f64; 2]> {
        let (least, middle) = told(name)?.split_once(' ').context("two numbers are expected")?;
        Ok([least.parse::<f64>()? / 100.0, middle.parse::<f64>()? / 100.0])
    };
    let said = finished.stderr.lines().find(|line| line.starts_with("recorded "));
    let said = said.context("the profiler does not say what it has recorded")?;
    ensure!(!said.starts_with("recorded 0 "), "nothing was recorded");
    let calls: u64 = told("Calls")?.parse()?;
    let clock = match told("Clock")? {
        "thread" => "CPU time of the thread",
        _ => "wall-clock time",
    };
    println!(
        "\n`static int M(int, int)` of a traced program, .NET 9.0, {rounds} rounds of {calls} calls of each, {clock}\n"
    );
    println!("| work at each call | ns, best round | ns, middle round |");
    println!("|---|--:|--:|");
    for (name, what) in WAYS {
        let [least, middle] = numbers(name)?;
        println!("| {what} | {least:.1} | {middle:.1} |");
    }
    for (name, what) in [("Recorded-Asked", "a record"), ("Written-Asked", "text")] {
        let [least, middle] = numbers(name)?;
        println!("| **{what}, over `GetFunctionEnter3Info`** | {least:.1} | {middle:.1} |");
    }
    println!("\nThe profiler: {said}");
    Ok(())
}
