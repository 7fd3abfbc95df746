//! `cargo xtask bench names`: the time of looking up the name of a function, in a program on .NET 9.0.
//!
//! The profiler `tests/profilers/names-bench` measures inside of the program `tests/apps/namesbench`.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{self, CSharp, RuntimeVersion};
use corprof_testkit::example::Example;
use corprof_testkit::launch::{Launch, scratch};
use corprof_testkit::paths;
use serde_json::Value;

use super::beside::Beside;

/// The processes of each checkout that are measured in turn: single ones differ by half.
const PROCESSES: usize = 15;

/// Measures, and prints the tables; beside another checkout, the ratios of both.
pub(super) fn run(rounds: u32, beside: Option<&Beside>) -> Result<()> {
    let source = paths::workspace().join("tests/apps/namesbench/Program.cs");
    let output = paths::apps_dir().join("namesbench").join("namesbench.dll");
    let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, [source], output))?;
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    let out = scratch("namesbench")?.join("figures");
    let ours = Example::unlisted("names-bench", "{E2C7A9D4-1B35-4C8E-A6F0-93D5728B4E61}")?.profiler()?;
    let measure = |profiler: &Profiler| -> Result<Value> {
        let finished = Launch::new(&runtime, &program)
            .profiler(profiler)
            .env("NAMES_BENCH_OUT", &out)
            .env("NAMES_BENCH_ROUNDS", rounds.to_string())
            .timeout(Duration::from_secs(60 + 10 * u64::from(rounds)))
            .run()?
            .ok()?;
        let figures = fs::read_to_string(&out).with_context(|| finished.report())?;
        Ok(serde_json::from_str(&figures)?)
    };
    let Some(beside) = beside else {
        print(&measure(&ours)?, &runtime.version);
        return Ok(());
    };
    let theirs = Profiler::new(&beside.library("", "names-bench")?, ours.clsid);
    let mut pairs = Vec::new();
    for turn in 1..=PROCESSES {
        eprintln!("turn {turn} of {PROCESSES} …");
        pairs.push((measure(&ours)?, measure(&theirs)?));
    }
    compare(&pairs, &runtime.version);
    Ok(())
}

/// Prints each figure of both checkouts: the median of the processes' medians, and that of the ratios of each turn.
fn compare(pairs: &[(Value, Value)], version: &str) {
    println!(".NET {version}, {PROCESSES} processes of each checkout in turn");
    println!("nanoseconds of CPU time for a name, the median of the processes' medians\n");
    println!("{:<34} {:>9} {:>9} {:>9} {:>9}", "", "here", "beside", "times", "by turn");
    let figures = [
        ("first time, not generic", "/first/ordinary/median"),
        ("first time, generic", "/first/generic/median"),
        ("known, threads: 1", "/known/0/names/median"),
        ("known, threads: 2", "/known/1/names/median"),
    ];
    for (what, path) in figures {
        let figure = |figures: &Value| figures.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let here = median(pairs.iter().map(|(here, _)| figure(here)));
        let there = median(pairs.iter().map(|(_, there)| figure(there)));
        let by_turn = median(pairs.iter().map(|(here, there)| figure(here) / figure(there)));
        println!("{what:<34} {here:>9.1} {there:>9.1} {:>9.2} {by_turn:>9.2}", here / there);
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A row: its label, and a figure for each column.
fn row(what: &str, figures: &Value) {
    let number = |key: &str| figures[key].as_f64().unwrap_or(f64::NAN);
    let [least, median, mean, p99] = ["least", "median", "mean", "p99"].map(number);
    println!("{what:<34} {least:>9.1} {median:>9.1} {mean:>9.1} {p99:>9.1}");
}

fn print(figures: &Value, version: &str) {
    println!(".NET {version}, {} methods, {} of them not generic", figures["methods"], figures["ordinary"]);
    println!("nanoseconds of CPU time for a name\n");
    println!("{:<34} {:>9} {:>9} {:>9} {:>9}", "", "least", "median", "mean", "p99");
    row("first time, not generic", &figures["first"]["ordinary"]);
    row("first time, generic", &figures["first"]["generic"]);
    for known in figures["known"].as_array().into_iter().flatten() {
        let threads = &known["threads"];
        row(&format!("known, threads: {threads}"), &known["names"]);
        row(&format!("  RwLock<HashMap>, threads: {threads}"), &known["locked"]);
    }
    println!();
    for known in figures["known"].as_array().into_iter().flatten() {
        println!(
            "allocations in {} known names on {} threads: {}",
            known["asked"], known["threads"], known["allocations"]
        );
    }
    let bytes = |key: &str| figures["memory"][key].as_f64().unwrap_or(f64::NAN);
    println!(
        "memory for each method: {:.0} bytes, and {:.0} for each further thread that looks it up",
        bytes("first_thread"),
        bytes("another_thread")
    );
}
