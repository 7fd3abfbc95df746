//! The cost for a whole program when every method of the program and of the framework is traced.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{self, CSharp, Runtime, RuntimeVersion, azmcp_program};
use corprof_testkit::launch::Launch;
use corprof_testkit::paths;

use super::loops::{least, middle};
use super::tracers::{Tracer, Tracers, Whose};

/// The profilers that trace every program.
const ROWS: [(&str, Tracer); 8] = [
    ("no profiler", Tracer::None),
    ("C: fast hooks, counted", Tracer::C("counted")),
    ("C: fast hooks, counted, methods named", Tracer::C("named")),
    ("corprof: fast hooks, empty", Tracer::Rust("empty")),
    ("corprof: fast hooks, counted", Tracer::Rust("counted")),
    ("corprof: fast hooks, up to two raw arguments and result", Tracer::Rust("timed")),
    ("C: hooks with info, counted", Tracer::C("info-counted")),
    ("corprof: hooks with info, counted", Tracer::Rust("info-counted")),
];

/// A recording of the C# compiler has several gigabytes, and text would have more.
const COMPILER: [(&str, Tracer); 1] =
    [("calltrace to a recording (`/dev/null`), fast hooks", Tracer::Discarded("fast"))];

const AZMCP: [(&str, Tracer); 2] = [
    ("calltrace to a recording, fast hooks", Tracer::Calltrace("fast", "binary")),
    ("calltrace to jsonl, fast hooks", Tracer::Calltrace("fast", "jsonl")),
];

/// The limit of turns: each takes seconds.
const MOST_TURNS: u32 = 3;

/// Runs all rows in turn, and prints the tables.
pub(super) fn run(runtime: &Runtime, tracers: &Tracers, turns: u32) -> Result<()> {
    let turns = turns.min(MOST_TURNS);
    let (compiler, azmcp) = (compiler(runtime)?, azmcp(runtime)?);
    program("the C# compiler compiles a file", &compiler, tracers, turns, &[&ROWS[..], &COMPILER].concat())?;
    program("azmcp tools list", &azmcp, tracers, turns, &[&ROWS[..], &AZMCP].concat())
}

/// The C# compiler, which compiles `Loop.cs`.
pub(super) fn compiler(runtime: &Runtime) -> Result<Launch> {
    let folder = paths::apps_dir().join("bench-hooks");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let output = folder.join("compiled.dll");
    let source = paths::workspace().join("benches/hooks/Loop.cs");
    dotnet::compiler_program(runtime, &CSharp::new(RuntimeVersion::V9_0, [source], output))
}

/// `azmcp`, which lists its tools.
pub(super) fn azmcp(runtime: &Runtime) -> Result<Launch> {
    let launch = Launch::new(runtime, azmcp_program()?).args(["tools", "list"]);
    Ok(launch.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"))
}

fn program(
    name: &str,
    launch: &Launch,
    tracers: &Tracers,
    turns: u32,
    rows: &[(&'static str, Tracer)],
) -> Result<()> {
    let mut times = vec![Vec::new(); rows.len()];
    let mut calls = vec![None; rows.len()];
    for turn in 0..turns {
        for ((times, calls), &(label, tracer)) in times.iter_mut().zip(&mut calls).zip(rows) {
            // It takes minutes.
            let is_slow = matches!(tracer, Tracer::Calltrace(..) | Tracer::Discarded(_));
            if is_slow && turn > 0 {
                continue;
            }
            eprint!("\r\x1b[K{name}: turn {} of {turns}, {label}", turn + 1);
            let launch =
                tracers.put(tracer, Whose::Ours, launch.clone().timeout(Duration::from_secs(900)), true)?;
            // Every call.
            let launch = launch.env("CALLTRACE_BUDGET", "none");
            let before = children_seconds()?;
            let finished = launch.run()?.ok().with_context(|| label)?;
            times.push(children_seconds()? - before);
            // calltrace reports when it can no longer write.
            ensure!(!finished.stderr.contains("calltrace: "), "{label}: {}", finished.report());
            *calls = match tracer {
                Tracer::Calltrace(_, "jsonl") => Some(tracers.lines()? / 2),
                Tracer::Calltrace(..) => {
                    tracers.bytes()?;
                    None
                }
                _ => Tracers::seen(&finished.stderr).map(|[enters, _]| enters).filter(|enters| *enters > 0),
            };
        }
    }
    eprintln!();
    let without = least(&times[0]);
    println!(
        "\n{name}: seconds of CPU time of all threads, best and median of {turns} turns; calltrace once\n"
    );
    println!("| | s, best | s, middle | times | calls |");
    println!("|---|--:|--:|--:|--:|");
    for (((label, _), times), calls) in rows.iter().zip(times).zip(calls) {
        let (best, calls) = (least(&times), calls.map_or_else(String::new, |calls| calls.to_string()));
        println!("| {label} | {best:.2} | {:.2} | {:.1} | {calls} |", middle(times), best / without);
    }
    Ok(())
}

/// The CPU time of the ended children of this process, in seconds (`proc(5)`).
pub(super) fn children_seconds() -> Result<f64> {
    // The unit of these numbers on every Linux.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    // The second field, a name in parentheses, may contain blanks.
    let (_, fields) = stat.rsplit_once(") ").context("/proc/self/stat is not what it was")?;
    let times = fields.split(' ').skip(13).take(2).map(str::parse::<f64>);
    let ticks: f64 = times.sum::<Result<f64, _>>().context("/proc/self/stat is not what it was")?;
    Ok(ticks / TICKS_PER_SECOND)
}
