//! `cargo xtask bench rewriting`: what rewriting at the JIT adds to compilation and to a call, on .NET 9.0.
//!
//! The profiler `tests/profilers/rewrite` rewrites the program `tests/apps/rewritebench` and the C# compiler's library, whose
//! methods the program has compiled.

use std::time::Duration;

use anyhow::{Context as _, Result};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{self, CSharp, Runtime, RuntimeVersion};
use corprof_testkit::example::Example;
use corprof_testkit::launch::{Launch, scratch};
use corprof_testkit::paths;

/// How many methods are compiled, and how many calls are made.
const METHODS: u32 = 4_000;
const CALLS: u32 = 20_000_000;

/// What is measured: a name, and the settings of the profiler, if there is one.
struct Way {
    name: &'static str,
    settings: Option<&'static [(&'static str, &'static str)]>,
    /// Nanoseconds for a method and for a call, of each round.
    compile: Vec<f64>,
    call: Vec<f64>,
}

const fn way(name: &'static str, settings: Option<&'static [(&'static str, &'static str)]>) -> Way {
    Way { name, settings, compile: Vec::new(), call: Vec::new() }
}

/// Measures, everyone in turn, and prints a table.
pub(super) fn run(rounds: u32) -> Result<()> {
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    let source = paths::workspace().join("tests/apps/rewritebench/Program.cs");
    let output = paths::apps_dir().join("rewritebench").join("rewritebench.dll");
    let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, [source], output))?;
    let profiler = Example::unlisted("rewrite", "{3F1C2D4E-7A5B-4C6D-9E8F-0A1B2C3D4E5F}")?.profiler()?;
    let launch = Launch::new(&runtime, &program)
        .arg(dotnet::compiler_library()?)
        .args([METHODS.to_string(), CALLS.to_string()])
        // Everything is compiled once, with optimisations, and nothing is precompiled.
        .env("DOTNET_TieredCompilation", "0")
        .env("DOTNET_ReadyToRun", "0")
        .timeout(Duration::from_secs(300));
    let mut ways = [
        way("no profiler", None),
        way("callbacks alone", Some(&[("REWRITE_MODE", "off")])),
        way("a nop at the entry", Some(&[("REWRITE_MODE", "nop")])),
        way("try/finally, two counters", Some(&[("REWRITE_MODE", "finally"), ("REWRITE_ATOMIC", "0")])),
        way("try/finally, two counters by Interlocked", Some(&[("REWRITE_MODE", "finally")])),
    ];
    for _ in 0..rounds {
        for way in &mut ways {
            let (compile, call) = measure(&launch, &profiler, way.settings)?;
            way.compile.push(compile);
            way.call.push(call);
        }
    }
    print(&ways, &runtime, rounds);
    Ok(())
}

/// One run: nanoseconds for a method, and for a call.
fn measure(launch: &Launch, profiler: &Profiler, settings: Option<&[(&str, &str)]>) -> Result<(f64, f64)> {
    let mut launch = launch.clone();
    if let Some(settings) = settings {
        let out = scratch("rewritebench")?.join("report");
        launch = launch.profiler(profiler).env("REWRITE_OUT", out);
        // Names are for reports, and would be measured too.
        launch = launch.env("REWRITE_SCOPE", "program").env("REWRITE_NAMES", "0");
        for (name, value) in settings {
            launch = launch.env(name, value);
        }
    }
    let finished = launch.run()?.ok()?;
    let figure = |what: &str| -> Result<f64> {
        let line = finished.stdout.lines().find_map(|line| line.strip_prefix(what));
        let (count, nanoseconds) =
            line.and_then(|line| line.trim().split_once(' ')).with_context(|| finished.report())?;
        Ok(nanoseconds.parse::<f64>()? / count.parse::<f64>()?)
    };
    Ok((figure("compile ")?, figure("call ")?))
}

fn print(ways: &[Way], runtime: &Runtime, rounds: u32) {
    println!(
        ".NET {}, {METHODS} methods of the C# compiler, {CALLS} calls, {rounds} rounds",
        runtime.version
    );
    println!("processor time of the process: the best round, and the middle one\n");
    println!("{:<42} {:>12} {:>8} {:>10} {:>8}", "", "µs a method", "middle", "ns a call", "middle");
    for Way { name, compile, call, .. } in ways {
        let (compile, call) = (sorted(compile), sorted(call));
        let best = |figures: &[f64]| figures.first().copied().unwrap_or(f64::NAN);
        let middle = |figures: &[f64]| figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN);
        println!(
            "{name:<42} {:>12.1} {:>8.1} {:>10.2} {:>8.2}",
            best(&compile) / 1e3,
            middle(&compile) / 1e3,
            best(&call),
            middle(&call)
        );
    }
}

fn sorted(figures: &[f64]) -> Vec<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}
