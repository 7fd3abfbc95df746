//! `cargo xtask bench tools`: what each tool adds to the processor time and the memory of a program under load, on .NET 9.0.
//!
//! The program is `tests/apps/loaded`. In each round it runs without a profiler and under each tool.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::dotnet::{self, CSharp, RuntimeVersion};
use crate::example;
use crate::launch::{Launch, scratch};
use crate::paths;
use crate::profiler::Profiler;

/// The number of requests of each of the program's workers, after its warm-up.
const REQUESTS: u32 = 60_000;

/// The tools with their settings, beside `OUT`.
const TOOLS: [(&str, Settings); 6] = [
    ("cpu", &[("CPU_HZ", "100")]),
    ("gc", &[]),
    ("locks", &[]),
    ("exceptions", &[]),
    ("alloc", &[]),
    ("startup", &[]),
];

/// Environment variables.
type Settings = &'static [(&'static str, &'static str)];

/// Figures of one way to run the program, one of each round.
struct Way {
    name: String,
    profiler: Option<(Profiler, &'static str, Settings)>,
    /// Milliseconds of processor time after the warm-up.
    times: Vec<f64>,
    /// Megabytes.
    peaks: Vec<f64>,
}

impl Way {
    fn untraced(name: &str) -> Self {
        Self { name: name.to_owned(), profiler: None, times: Vec::new(), peaks: Vec::new() }
    }
}

/// Measures, everyone in turn, and prints a table.
pub(super) fn run(rounds: u32) -> Result<()> {
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    let source = paths::workspace().join("tests/apps/loaded/Program.cs");
    let output = paths::apps_dir().join("loaded").join("loaded.dll");
    let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, [source], output))?;
    let launch = Launch::new(&runtime, &program).arg(REQUESTS.to_string()).timeout(Duration::from_secs(600));
    // The second one shows what the figures are worth.
    let mut ways = vec![Way::untraced("no profiler"), Way::untraced("no profiler, again")];
    for (name, settings) in TOOLS {
        let profiler = Some((example::find(name)?.profiler()?, name, settings));
        let shown = settings.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>();
        ways.push(Way { profiler, ..Way::untraced(&format!("{name}{shown}")) });
    }
    for _ in 0..rounds {
        for way in &mut ways {
            let (time, peak) = measure(&launch, way)?;
            way.times.push(time);
            way.peaks.push(peak);
        }
    }
    println!(".NET {}, 2 workers of {REQUESTS} requests each, {rounds} rounds", runtime.version);
    println!(
        "processor time of the process after its warm-up, and that of the same round without a profiler\n"
    );
    println!("{:<22} {:>9} {:>9} {:>18} {:>8}", "", "ms", "ratio", "middle half", "peak MB");
    let untraced = ways.first().map(|way| way.times.clone()).unwrap_or_default();
    for Way { name, times, peaks, .. } in &ways {
        let ratios: Vec<f64> = times.iter().zip(&untraced).map(|(time, untraced)| time / untraced).collect();
        println!(
            "{name:<22} {:>9.0} {:>9.3} {:>8.3} – {:>7.3} {:>8.1}",
            quantile(times, 0.5),
            quantile(&ratios, 0.5),
            quantile(&ratios, 0.25),
            quantile(&ratios, 0.75),
            quantile(peaks, 0.5)
        );
    }
    Ok(())
}

/// One run: milliseconds of processor time, and the peak of the memory in megabytes.
fn measure(launch: &Launch, way: &Way) -> Result<(f64, f64)> {
    let mut launch = launch.clone();
    if let Some((profiler, name, settings)) = &way.profiler {
        let out = scratch("bench-tools")?.join("report.txt");
        launch = launch.profiler(profiler).env(format!("{}_OUT", name.to_uppercase()), out);
        for (name, value) in *settings {
            launch = launch.env(name, value);
        }
    }
    let finished = launch.run()?.ok()?;
    if way.profiler.is_some() {
        let report = fs::read_to_string(scratch_report())?;
        anyhow::ensure!(!report.is_empty(), "{}: the report is empty", way.name);
    }
    let figure = |what: &str| -> Result<f64> {
        let figure = finished.stdout.lines().find_map(|line| line.strip_prefix(what));
        Ok(figure.with_context(|| finished.report())?.trim().parse()?)
    };
    Ok((figure("milliseconds ")?, figure("peak ")? / 1024.0))
}

fn scratch_report() -> std::path::PathBuf {
    paths::scratch_dir().join("bench-tools").join("report.txt")
}

fn quantile(figures: &[f64], part: f64) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of a short list")]
    #[allow(clippy::cast_precision_loss, reason = "a short list")]
    let index = ((sorted.len().saturating_sub(1)) as f64 * part).round() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}
