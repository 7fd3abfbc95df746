//! `cargo xtask bench tools`: what each tool adds to the processor time and the memory of a program under load, on .NET 9.0.
//!
//! The program is `tests/apps/loaded`. A run under a tool and one without a profiler take place at the same time, each on a processor of
//! its own, and then again with the processors exchanged: whatever makes the machine slower or faster meanwhile changes both.
//!
//! What is compared is the time after all methods have their last code, since before that the time depends on when the runtime compiles
//! them: it waits until no new method was called for 100 milliseconds, and counts calls only then. So a run may go on for seconds with
//! code that takes five times as long. `DOTNET_TC_CallCountingDelayMs=0` leaves out the waiting. The start is measured in runs without
//! work and without this setting.
//!
//! The size of generation 0 is fixed (`DOTNET_GCgen0size`), which makes as many collections as without. Otherwise the runtime
//! changes it by what collections have found, and two runs of the same program differ by twice as much.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{self, CSharp, RuntimeVersion};
use corprof_testkit::example;
use corprof_testkit::launch::{Finished, Launch, scratch};
use corprof_testkit::paths;
use corprof_testkit::ui::Work;
use xtask_cli::BenchArgs;

use super::interval::{Middle, middle};
use super::side_by_side;

/// The number of requests of each of the program's workers that are measured, and of those before.
const REQUESTS: [u32; 2] = [60_000, 40_000];

/// The size of generation 0, as the runtime reads it: in hexadecimal.
const GENERATION_0: &str = "1000000";

/// The tools with their settings, beside `OUT`, and what they may add to the processor time, in percent.
const TOOLS: [(&str, Settings, f64); 6] = [
    ("cpu", &[("CPU_HZ", "100")], 1.0),
    ("gc", &[], 1.0),
    ("locks", &[], 1.0),
    ("exceptions", &[], 1.0),
    ("alloc", &[], 3.0),
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
    /// Processor time that is added, in percent of that without a profiler.
    percents: Vec<f64>,
    /// Milliseconds of processor time that are added to a run without work.
    starts: Vec<f64>,
    /// Megabytes more than without a profiler.
    peaks: Vec<f64>,
}

impl Way {
    fn untraced(name: &str) -> Self {
        let (percents, starts, peaks) = Default::default();
        Self { name: name.to_owned(), profiler: None, aim: f64::NAN, percents, starts, peaks }
    }

    /// Whether its figure decides something. The others are measured in each fourth round.
    fn is_judged(&self) -> bool {
        self.profiler.is_none() || !self.aim.is_nan()
    }
}

/// The figures of a run.
struct Figures {
    /// Milliseconds of processor time of the measured requests.
    time: f64,
    /// Those of the whole process.
    all: f64,
    /// Methods that were compiled during the measured requests.
    compiled: f64,
    /// Collections during the measured requests.
    collections: f64,
    /// The peak of the memory in megabytes.
    peak: f64,
}

impl Figures {
    fn of(finished: &Finished) -> Result<Self> {
        let figure = |what: &str| -> Result<f64> {
            let figure = finished.stdout.lines().find_map(|line| line.strip_prefix(what));
            Ok(figure.with_context(|| finished.report())?.trim().parse()?)
        };
        let (time, all) = (figure("milliseconds ")?, figure("all milliseconds ")?);
        let (compiled, collections) = (figure("compiled ")?, figure("collections ")?);
        Ok(Self { time, all, compiled, collections, peak: figure("peak ")? / 1024.0 })
    }
}

/// Measures, and prints a table.
pub(super) fn run(arguments: &BenchArgs) -> Result<()> {
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    let source = paths::workspace().join("tests/apps/loaded/Program.cs");
    let output = paths::apps_dir().join("loaded").join("loaded.dll");
    let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, [source], output))?;
    let launch = Launch::new(&runtime, &program).timeout(Duration::from_secs(600));
    let work = REQUESTS.map(|requests| requests.to_string());
    let work = launch.clone().args(work).env("DOTNET_TC_CallCountingDelayMs", "0");
    let work = work.env("DOTNET_GCgen0size", GENERATION_0);
    let idle = launch.args(["0", "0"]);
    let mut ways = ways(arguments)?;
    let (mut times, mut compiled, mut collections) = (Vec::new(), Vec::new(), Vec::new());
    let rounds = 0..arguments.rounds as usize;
    let is_due = |way: &Way, round: usize| way.is_judged() || round.is_multiple_of(4);
    let count = rounds.clone().map(|round| ways.iter().filter(|way| is_due(way, round)).count() as u64).sum();
    let mut done = 0;
    let progress = Work::counted("comparisons", count);
    for round in rounds {
        // Each round begins with another way.
        let first = round % ways.len();
        ways.rotate_left(first);
        for way in ways.iter_mut().filter(|way| is_due(way, round)) {
            let [base, with] = exchanged(&work, way)?;
            let product = |runs: &[Figures; 2]| runs.iter().map(|run| run.time).product::<f64>();
            way.percents.push(100.0 * (product(&with) / product(&base)).sqrt() - 100.0);
            way.peaks.push(mean(&with, |run| run.peak) - mean(&base, |run| run.peak));
            times.extend(base.each_ref().map(|run| run.time));
            compiled.extend(base.iter().chain(&with).map(|run| run.compiled));
            collections.extend(base.iter().chain(&with).map(|run| run.collections));
            let [base, with] = exchanged(&idle, way)?;
            way.starts.push(mean(&with, |run| run.all) - mean(&base, |run| run.all));
            done += 1;
            progress.counts(done, count, &way.name);
        }
        ways.rotate_right(first);
    }
    drop(progress);
    let [measured, before] = REQUESTS;
    println!(
        ".NET {}, 2 workers of {measured} requests each, after {before}; {} rounds",
        runtime.version, arguments.rounds
    );
    println!(
        "without a profiler: {:.0} ms of processor time; {:.0} collections and {:.0} compiled methods meanwhile, under a tool or not",
        middle(&times).middle,
        middle(&collections).middle,
        middle(&compiled).middle
    );
    println!(
        "what is added: processor time, the middle of the rounds (Hodges-Lehmann) and its interval of 95 %; that of a run without work; peak memory\n"
    );
    println!("{:<20} {:>7} {:>16} {:>7} {:<10} {:>9} {:>6}", "", "%", "95 %", "aim %", "", "start, ms", "MB");
    for Way { name, aim, percents, starts, peaks, .. } in &ways {
        let added = middle(percents);
        let (interval, aim) = (interval(added), judged(added, *aim));
        let [start, peak] = [starts, peaks].map(|figures| middle(figures).middle);
        println!("{name:<20} {:>7.2} {interval:>16} {aim} {start:>9.1} {peak:>6.1}", added.middle);
    }
    Ok(())
}

/// The ways to run the program. The first one shows what the figures are worth.
fn ways(arguments: &BenchArgs) -> Result<Vec<Way>> {
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
    Ok(ways)
}

/// Runs without a profiler and in a way, at the same time on two processors, and again with these exchanged.
///
/// Returns the figures without a profiler, and those of the way.
fn exchanged(launch: &Launch, way: &Way) -> Result<[[Figures; 2]; 2]> {
    let untraced = Way::untraced("untraced");
    let base = || measure(launch, &untraced, "bench-tools-untraced");
    let with = || measure(launch, way, "bench-tools");
    let (base_first, with_second) = side_by_side::run(base, with)?;
    let (with_first, base_second) = side_by_side::run(with, base)?;
    Ok([[base_first, base_second], [with_first, with_second]])
}

fn mean(runs: &[Figures; 2], figure: impl Fn(&Figures) -> f64) -> f64 {
    let [first, second] = runs;
    f64::midpoint(figure(first), figure(second))
}

fn interval(added: Middle) -> String {
    added.interval.map_or_else(String::new, |(least, most)| format!("{least:.2} to {most:.2}"))
}

/// The aim, and whether it is met.
fn judged(added: Middle, aim: f64) -> String {
    if aim.is_nan() {
        return format!("{:>7} {:<10}", "", "");
    }
    let verdict = match added.interval {
        Some((_, most)) if most <= aim => "met",
        Some((least, _)) if least > aim => "not met",
        _ => "undecided",
    };
    format!("{aim:>7} {verdict:<10}")
}

fn measure(launch: &Launch, way: &Way, folder: &str) -> Result<Figures> {
    let mut launch = launch.clone();
    // A tool that records takes no other ending, and others write text whatever the ending.
    let report: PathBuf = scratch(folder)?.join("report.clrec");
    if let Some((profiler, name, settings)) = &way.profiler {
        launch = launch.profiler(profiler).env(format!("{}_OUT", name.to_uppercase()), &report);
        for (name, value) in *settings {
            launch = launch.env(name, value);
        }
    }
    let finished = launch.run()?.ok()?;
    if way.profiler.is_some() {
        ensure!(!fs::read(&report)?.is_empty(), "{}: the report is empty", way.name);
    }
    Figures::of(&finished)
}
