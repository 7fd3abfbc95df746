//! What `calltrace --all` takes of whole programs, with its budget for calls and without one.

use std::time::Duration;

use anyhow::{Context as _, Result};
use corprof_testkit::dotnet::{self, CSharp, RuntimeVersion};
use corprof_testkit::launch::Launch;
use corprof_testkit::paths;

use super::loops::middle;
use super::programs::{azmcp, children_seconds, compiler};
use super::tracers::{Tracer, Tracers, Whose};

/// The value of `CALLTRACE_BUDGET` for every call; the default is empty.
const NONE: &str = "none";

/// A program.
struct Program {
    name: String,
    launch: Launch,
    /// Whether its recordings go to `/dev/null`, because they have gigabytes.
    is_large: bool,
    /// Whether it has so many calls that they are measured with the budget only.
    has_budget_only: bool,
    /// The number of runs in each turn, because one takes little of the unit of time.
    runs: u16,
}

/// A profiler with its settings.
#[derive(Clone, Copy)]
struct Row {
    label: &'static str,
    whose: Whose,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    Counted,
    Calltrace(&'static str),
}

/// Runs all programs, each under all profilers in turn, and prints a table.
pub(super) fn run(tracers: &Tracers, turns: u32, line: Option<&str>) -> Result<()> {
    let ours = |label, kind| Row { label, whose: Whose::Ours, kind };
    let mut rows = vec![
        ours("no profiler", Kind::None),
        ours("C: fast hooks, counted", Kind::Counted),
        ours("`calltrace --all`", Kind::Calltrace("")),
        ours("`calltrace --all --budget none`", Kind::Calltrace(NONE)),
    ];
    if tracers.has_others() {
        let kind = Kind::Calltrace("");
        rows.push(Row { label: "the other checkout, `--all`", whose: Whose::Others, kind });
    }
    println!(
        "\nWhole programs, a recording: seconds of CPU time of all threads, the median of {turns} turns; times: the median of the turns' \
         ratios to no profiler\n"
    );
    println!("| program | | s | times | MB | calls |");
    println!("|---|---|--:|--:|--:|--:|");
    let is_meant = |program: &Program| line.is_none_or(|line| program.name.contains(line));
    for program in programs()?.into_iter().filter(is_meant) {
        measure(&program, &rows, tracers, turns)?;
    }
    Ok(())
}

fn programs() -> Result<Vec<Program>> {
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    let mut programs = vec![
        Program {
            name: "`azmcp tools list`".to_owned(),
            launch: azmcp(&runtime)?,
            is_large: false,
            has_budget_only: false,
            runs: 3,
        },
        Program {
            name: "the C# compiler".to_owned(),
            launch: compiler(&runtime)?,
            is_large: true,
            has_budget_only: false,
            runs: 1,
        },
    ];
    let source = paths::workspace().join("tests/apps/chatty/Program.cs");
    for version in [RuntimeVersion::V8_0, RuntimeVersion::V9_0] {
        let runtime = dotnet::runtime(version)?;
        let output = paths::apps_dir().join(format!("bench-chatty-{}", version.short())).join("chatty.dll");
        let program = dotnet::compile(&CSharp::new(version, [&source], output))?;
        for (word, rounds) in [
            ("json", "12"),
            ("json", "120"),
            ("linq", "1"),
            ("recursion", "1"),
            ("loop", "30000"),
            ("casts", "30000"),
            ("compiled", "30000"),
        ] {
            let is_long = matches!(rounds, "120" | "30000");
            programs.push(Program {
                name: format!("`chatty {word} {rounds}`, {version}"),
                launch: Launch::new(&runtime, &program).args([word, rounds]),
                is_large: is_long,
                has_budget_only: is_long,
                runs: if is_long { 1 } else { 3 },
            });
        }
    }
    Ok(programs)
}

fn measure(program: &Program, rows: &[Row], tracers: &Tracers, turns: u32) -> Result<()> {
    let is_measured = |row: &&Row| {
        !program.has_budget_only || row.whose == Whose::Ours && row.kind != Kind::Calltrace(NONE)
    };
    let rows: Vec<&Row> = rows.iter().filter(is_measured).collect();
    let mut times = vec![Vec::new(); rows.len()];
    let mut facts = vec![(String::new(), String::new()); rows.len()];
    for turn in 0..turns {
        for ((times, facts), row) in times.iter_mut().zip(&mut facts).zip(&rows) {
            eprint!("\r\x1b[K{}: turn {} of {turns}, {}", program.name, turn + 1, row.label);
            let launch = prepared(program, **row, tracers)?;
            let before = children_seconds()?;
            for _ in 0..program.runs {
                tracers.clear();
                let finished = launch.clone().run()?.ok().with_context(|| row.label)?;
                let omitted = finished.stderr.lines().find_map(|line| line.strip_prefix("calltrace: "));
                let seen = Tracers::seen(&finished.stderr).map(|[enters, _]| enters.to_string());
                let omitted = omitted.and_then(|line| line.split_once(" calls of "));
                facts.1 = seen.or(omitted.map(|(calls, _)| format!("−{calls}"))).unwrap_or_default();
            }
            times.push((children_seconds()? - before) / f64::from(program.runs));
            if matches!(row.kind, Kind::Calltrace(_)) && !program.is_large {
                facts.0 = format!("{:.1}", tracers.bytes()? as f64 / 1e6);
            }
        }
    }
    eprint!("\r\x1b[K");
    let without = times.first().cloned().unwrap_or_default();
    for ((row, times), (bytes, calls)) in rows.iter().zip(times).zip(facts) {
        let ratios = times.iter().zip(&without).map(|(with, without)| with / without).collect();
        let (name, middle, times) = (&program.name, middle(times), middle(ratios));
        println!("| {name} | {} | {middle:.2} | {times:.1} | {bytes} | {calls} |", row.label);
    }
    Ok(())
}

fn prepared(program: &Program, row: Row, tracers: &Tracers) -> Result<Launch> {
    let (tracer, budget) = match row.kind {
        Kind::None => (Tracer::None, ""),
        Kind::Counted => (Tracer::C("counted"), ""),
        Kind::Calltrace(budget) if program.is_large => (Tracer::Discarded("best"), budget),
        Kind::Calltrace(budget) => (Tracer::Calltrace("best", "binary"), budget),
    };
    let launch = program.launch.clone().timeout(Duration::from_secs(900));
    let launch = tracers.put(tracer, row.whose, launch, true)?;
    // A checkout from before there was a budget refuses a setting that it does not know.
    Ok(match (row.whose, row.kind) {
        (Whose::Ours, Kind::Calltrace(_)) => launch.env("CALLTRACE_BUDGET", budget),
        (Whose::Others, Kind::Calltrace(_)) => launch.env_remove("CALLTRACE_BUDGET"),
        _ => launch,
    })
}
