//! `cargo xtask bench tools`: what each tool adds to the processor time and the memory of a program under load, on .NET 9.0.
//!
//! The program is `tests/apps/loaded`. Runs under a tool and runs without a profiler alternate, so that each of the former is between two
//! of the latter and is compared with their mean: a machine that becomes slower or faster changes both.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use xtask_cli::BenchArgs;

use super::interval::{Median, median};
use crate::dotnet::{self, CSharp, RuntimeVersion};
use crate::example;
use crate::launch::{Launch, scratch};
use crate::paths;
use crate::profiler::Profiler;

/// The number of requests of each of the program's workers, after its warm-up.
const REQUESTS: u32 = 60_000;

/// The tools with their settings, beside `OUT`, and what they may add to the processor time, in percent.
const TOOLS: [(&str, Settings, f64); 7] = [
    ("cpu", &[("CPU_HZ", "100")], 1.0),
    ("gc", &[], 1.0),
    ("locks", &[], 1.0),
    ("exceptions", &[], 1.0),
    ("alloc", &[], 3.0),
    ("alloc", &[("ALLOC_RATE", "0")], f64::NAN),
    ("startup", &[], f64::NAN),
];

/// Environment variables.
type Settings = &'static [(&'static str, &'static str)];

/// A way to run the program, and its figures, one of each round.
struct Way {
    name: String,
    profiler: Option<(Profiler, &'static str, Settings)>,
    /// The aim in percent; none if it is no number.
    aim: f64,
    /// Processor time in percent of that without a profiler.
    percents: Vec<f64>,
    /// Megabytes more than without a profiler.
    peaks: Vec<f64>,
}

impl Way {
    fn untraced(name: &str) -> Self {
        let (percents, peaks) = Default::default();
        Self { name: name.to_owned(), profiler: None, aim: f64::NAN, percents, peaks }
    }
}

/// Milliseconds of processor time after the warm-up, and the peak of the memory in megabytes.
type Figures = (f64, f64);

/// Measures, and prints a table.
pub(super) fn run(arguments: &BenchArgs) -> Result<()> {
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    let source = paths::workspace().join("tests/apps/loaded/Program.cs");
    let output = paths::apps_dir().join("loaded").join("loaded.dll");
    let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, [source], output))?;
    let launch = Launch::new(&runtime, &program).arg(REQUESTS.to_string()).timeout(Duration::from_secs(600));
    // This one shows what the figures are worth.
    let mut ways = vec![Way::untraced("no profiler")];
    for (name, settings, aim) in TOOLS {
        let shown = settings.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>();
        let shown = format!("{name}{shown}");
        if arguments.line.as_ref().is_none_or(|line| shown.contains(line)) {
            let profiler = Some((example::find(name)?.profiler()?, name, settings));
            ways.push(Way { profiler, aim, ..Way::untraced(&shown) });
        }
    }
    ensure!(ways.len() > 1, "no tool has this text in its line");
    let mut times = Vec::new();
    let mut before = untraced(&launch, &mut times)?;
    for _ in 0..arguments.rounds {
        for way in &mut ways {
            let (time, peak) = measure(&launch, way)?;
            let after = untraced(&launch, &mut times)?;
            way.percents.push(100.0 * time / f64::midpoint(before.0, after.0) - 100.0);
            way.peaks.push(peak - f64::midpoint(before.1, after.1));
            before = after;
        }
    }
    let rounds = arguments.rounds;
    println!(".NET {}, 2 workers of {REQUESTS} requests each, {rounds} rounds", runtime.version);
    println!(
        "without a profiler: {:.0} ms of processor time after the warm-up (median)",
        median(&times).median
    );
    println!(
        "processor time that is added, the median of the rounds and its interval of 95 %; peak memory that is added\n"
    );
    println!("{:<22} {:>8} {:>20} {:>8} {:<10} {:>8}", "", "%", "95 %", "aim %", "", "MB");
    for Way { name, aim, percents, peaks, .. } in &ways {
        let added = median(percents);
        let (interval, aim) = (interval(added), judged(added, *aim));
        println!("{name:<22} {:>8.2} {interval:>20} {aim} {:>8.1}", added.median, median(peaks).median);
    }
    Ok(())
}

fn interval(added: Median) -> String {
    added.interval.map_or_else(String::new, |(least, most)| format!("{least:.2} to {most:.2}"))
}

/// The aim, and whether it is met.
fn judged(added: Median, aim: f64) -> String {
    if aim.is_nan() {
        return format!("{:>8} {:<10}", "", "");
    }
    let verdict = match added.interval {
        Some((_, most)) if most <= aim => "met",
        Some((least, _)) if least > aim => "not met",
        _ => "undecided",
    };
    format!("{aim:>8} {verdict:<10}")
}

fn untraced(launch: &Launch, times: &mut Vec<f64>) -> Result<Figures> {
    let figures = measure(launch, &Way::untraced(""))?;
    times.push(figures.0);
    Ok(figures)
}

fn measure(launch: &Launch, way: &Way) -> Result<Figures> {
    let mut launch = launch.clone();
    let report: PathBuf = scratch("bench-tools")?.join("report.txt");
    if let Some((profiler, name, settings)) = &way.profiler {
        launch = launch.profiler(profiler).env(format!("{}_OUT", name.to_uppercase()), &report);
        for (name, value) in *settings {
            launch = launch.env(name, value);
        }
    }
    let finished = launch.run()?.ok()?;
    if way.profiler.is_some() {
        ensure!(!fs::read_to_string(&report)?.is_empty(), "{}: the report is empty", way.name);
    }
    let figure = |what: &str| -> Result<f64> {
        let figure = finished.stdout.lines().find_map(|line| line.strip_prefix(what));
        Ok(figure.with_context(|| finished.report())?.trim().parse()?)
    };
    Ok((figure("milliseconds ")?, figure("peak ")? / 1024.0))
}
