//! Nothing that is loaded changes what a program does whose `async` methods the runtime itself suspends ("runtime async", 11.0).
//!
//! Such a method has two functions: one that returns the task of the signature, and the variant that the runtime awaits, which
//! returns the task's result, in other registers, and whose code returns it with `ret`. The program prints its results; the
//! expected output is that of the run without a profiler, and of the same source compiled to state machines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};
use coverage_report::{data, report};
use e2e::app::{App, Build};
use e2e::traced::{optimised_at_once, profiler};
use e2e::{is_long, on_each_runtime, stated};

const ROUNDS: &str = "20";
const EXIT_CODE: i32 = 3;
/// Of `profilers/counting`.
const COUNTING: &str = "{5D0C9B1E-3A64-4F0B-8E0D-7C2A9F41B6D3}";

/// What a tool prints of a method that it cannot instrument.
const COMPLAINTS: [&str; 2] = ["is not measured", "keeps its code"];

/// Methods that are instrumented alone: results in vector registers, in both kinds, in memory, of a type parameter, none; a method
/// that is not `async`; handlers; an override that the framework calls.
const SINGLE: [&str; 12] = [
    "Results.Nothing",
    "Results.ValueInt",
    "Results.Double",
    "Results.Two",
    "Results.Vector",
    "Results.ValueLarge",
    "Results.Both",
    "Flow.Caught",
    "Flow.NotAsync",
    "Generic.Same",
    "Box*.With",
    "Counted.ReadAsync",
];

/// Runs of a case: damage depends on when a method is compiled.
fn runs() -> usize {
    if is_long() { 20 } else { 2 }
}

fn launch(app: &App) -> Result<Launch> {
    Ok(Launch::new(&runtime(app.version)?, &app.dll).arg(ROUNDS))
}

/// The program, and what it prints.
fn program(version: RuntimeVersion) -> Result<(App, String)> {
    let app = App::compile("asyncvariants", version, Build::RuntimeAsync)?;
    let plain = launch(&app)?.run()?.ends_with(EXIT_CODE)?;
    let machines = App::compile("asyncvariants", version, Build::Optimised)?;
    let same = launch(&machines)?.run()?.ends_with(EXIT_CODE)?;
    ensure!(plain.stdout.ends_with("\nend\n") && plain.stdout == same.stdout, "{}", plain.report());
    Ok((app, plain.stdout))
}

/// Runs the program with a profiler, in tiers and optimised at once. `with` adds the profiler, with a file or folder for its output,
/// which `check` gets.
fn unharmed(
    (app, expected): &(App, String),
    case: &str,
    with: impl Fn(Launch, &Path) -> Result<Launch>,
    check: impl Fn(&Finished, &Path) -> Result<()>,
) -> Result<()> {
    for run in 0..runs() {
        let out = scratch(&format!("{}-{case}-{run}", app.label))?.join("out");
        let launch = with(launch(app)?, &out)?;
        let finished = if run % 2 == 0 { launch } else { optimised_at_once(launch) }.run()?;
        let judged = (|| {
            ensure!(finished.code() == Some(EXIT_CODE), "it ended with {:?}", finished.status);
            ensure!(finished.stdout == *expected, "without a profiler it printed\n{expected}");
            let complaint = COMPLAINTS.iter().find(|complaint| finished.stderr.contains(**complaint));
            ensure!(complaint.is_none(), "a method {}", complaint.unwrap_or(&""));
            check(&finished, &out)
        })();
        judged.with_context(|| format!("{case}, run {run}\n{}", finished.report()))?;
    }
    println!("{case}: {} runs", runs());
    Ok(())
}

fn calltrace(version: RuntimeVersion, hooks: &str) -> Result<()> {
    let with = |launch: Launch, out: &Path| {
        let launch = launch.profiler(&profiler("calltrace")?).env("CALLTRACE_HOOKS", hooks);
        Ok(launch.env("CALLTRACE_FORMAT", "jsonl").env("CALLTRACE_OUT", out))
    };
    unharmed(&program(version)?, &format!("calltrace-{hooks}"), with, |_, out| {
        let trace = fs::read_to_string(out)?;
        ensure!(trace.contains("\"AsyncVariants.Results.All\""), "the program was not traced");
        Ok(())
    })
}

/// Every method of the process is hooked, and no value is read.
fn counting(version: RuntimeVersion, hooks: &str) -> Result<()> {
    let with = |launch: Launch, out: &Path| {
        let launch = launch.profiler(&stated::profiler("counting", COUNTING)?);
        Ok(launch.env("COUNTING_HOOKS", hooks).env("COUNTING_OUT", out))
    };
    unharmed(&program(version)?, &format!("counting-{hooks}"), with, |_, out| {
        let counts = fs::read_to_string(out).context("the calls were not counted")?;
        let enters: u64 = counts.split(' ').next().context("no count")?.parse()?;
        ensure!(enters > 10_000, "only {enters} calls");
        Ok(())
    })
}

fn inject(program: &(App, String), methods: &str) -> Result<()> {
    let with = |launch: Launch, out: &Path| {
        // The methods are compiled again when a thread of the profiler's has requested that.
        let launch = launch.profiler(&profiler("inject")?).env("INJECT_OUT", out).arg(out);
        Ok(launch.env("INJECT_METHODS", format!("asyncvariants.dll!AsyncVariants.{methods}")))
    };
    let name: String = methods.chars().filter(|c| c.is_alphanumeric()).collect();
    unharmed(program, &format!("inject-{name}"), with, |_, out| {
        let log = fs::read_to_string(out)?;
        let complaint = COMPLAINTS.iter().find(|complaint| log.contains(**complaint));
        ensure!(complaint.is_none(), "{log}");
        ensure!(log.contains("inserting into") && log.contains("> #"), "no call was logged:\n{log}");
        // The program waits for each call, also for those that the runtime resumes on another thread.
        let open = open_spans(&log);
        ensure!(open.is_empty(), "{} calls without an end, as {:?}", open.len(), open.first());
        Ok(())
    })
}

/// The spans of a log that begin and do not end.
fn open_spans(log: &str) -> BTreeSet<&str> {
    let ids = |signs: &'static [&str]| {
        log.lines().filter_map(move |line| {
            let mut words = line.split_whitespace().skip(1);
            words.next().filter(|sign| signs.contains(sign)).and_then(|_| words.next())
        })
    };
    let ended: BTreeSet<&str> = ids(&["<", "!"]).collect();
    ids(&[">"]).filter(|id| !ended.contains(id)).collect()
}

/// Whether each line of the sources was run.
type Lines = BTreeMap<(PathBuf, u32), bool>;

fn lines(out: &Path) -> Result<Lines> {
    let methods = report::methods(&data::read(out)?);
    let files = report::files(&methods);
    let lines = files.iter().flat_map(|(file, lines)| {
        lines.iter().map(move |(number, line)| ((PathBuf::from(&file), *number), line.hits > 0))
    });
    Ok(lines.collect())
}

/// Whether a line of a source is the end of a block.
fn is_end_of_block((file, number): &(PathBuf, u32)) -> bool {
    let source = fs::read_to_string(file).unwrap_or_default();
    let line = usize::try_from(*number).ok().and_then(|number| source.lines().nth(number - 1));
    line.is_some_and(|line| line.trim() == "}")
}

/// The lines that were run are those of the same source compiled to state machines.
fn coverage(version: RuntimeVersion) -> Result<()> {
    let with =
        |launch: Launch, out: &Path| Ok(launch.profiler(&profiler("coverage")?).env("COVERAGE_OUT", out));
    let machines = App::compile("asyncvariants", version, Build::Optimised)?;
    let out = scratch(&format!("{}-coverage", machines.label))?.join("out");
    with(launch(&machines)?, &out)?.run()?.ends_with(EXIT_CODE)?;
    let expected = lines(&out)?;
    let hit = expected.values().filter(|is_hit| **is_hit).count();
    ensure!(hit > 100 && hit < expected.len(), "{hit} of {} lines", expected.len());
    unharmed(&program(version)?, "coverage", with, |_, out| {
        let found = lines(out)?;
        let all = expected.keys().chain(found.keys());
        // The ends of blocks have sequence points in state machines alone.
        let differs = |line: &&(PathBuf, u32)| {
            expected.get(line) != found.get(line) && (found.contains_key(line) || !is_end_of_block(line))
        };
        let mut wrong: Vec<_> = all.filter(differs).collect();
        wrong.sort();
        wrong.dedup();
        let shown = |line| format!("{line:?}: {:?}, not {:?}", found.get(line), expected.get(line));
        ensure!(wrong.is_empty(), "{}", wrong.into_iter().map(shown).collect::<Vec<_>>().join("\n"));
        Ok(())
    })
}

on_each_runtime! {
    fast_hooks_of_calltrace_change_nothing on [on_11_0]: |version| calltrace(version, "fast");
    slow_path_hooks_of_calltrace_change_nothing on [on_11_0]: |version| calltrace(version, "with-info");
    the_best_hooks_of_calltrace_change_nothing on [on_11_0]: |version| calltrace(version, "best");
    fast_hooks_that_read_nothing_change_nothing on [on_11_0]: |version| counting(version, "fast");
    slow_path_hooks_that_read_nothing_change_nothing on [on_11_0]: |version| counting(version, "with-info");
    code_in_every_method_changes_nothing on [on_11_0]: |version| inject(&program(version)?, "*");
    code_in_single_methods_changes_nothing on [on_11_0]:
        |version| {
            let program = program(version)?;
            // One of each three in the short form.
            let (first, step) = if is_long() { (0, 1) } else { (2, 3) };
            SINGLE.iter().skip(first).step_by(step).try_for_each(|methods| inject(&program, methods))
        };
    measured_lines_are_those_of_state_machines on [on_11_0]: coverage;
}
