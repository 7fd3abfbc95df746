//! Another target than this machine's, which `CORPROF_TARGET` names: what calltrace prints there is what it prints here; and
//! what only Windows has, named pipes and the last error.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{Runtime, RuntimeVersion, locate, runtime};
use corprof_testkit::example::find;
use corprof_testkit::launch::{Launch, scratch};
use corprof_testkit::machine::{self, Foreign};
use corprof_testkit::targets;
use e2e::app::{App, Build};
use e2e::balance;
use e2e::interactive::Interactive;
use e2e::on_each_runtime;
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::{Tracing, profiler, untraced};

/// The demo has so many lines.
const LINES: usize = 35;

/// The time for which an attached profiler stays.
const STAYS: Duration = Duration::from_secs(10);

fn target() -> Result<Foreign> {
    machine::of_tests()?.context("CORPROF_TARGET is not set; use `cargo xtask test --target`")
}

fn same_tree(version: RuntimeVersion) -> Result<()> {
    let target = target()?;
    let app = App::compile("demo", version, Build::Optimised)?;
    let calltrace = find("calltrace")?;
    let there = tree(&app, "there", &runtime(version)?, &calltrace.profiler_for(target)?)?;
    let here = tree(&app, "here", &locate::runtime(version)?, &calltrace.profiler_here()?)?;
    let lines = here.lines().count();
    println!("{target}, {version}: {lines} lines");
    ensure!(lines >= LINES, "only {lines} lines:\n{here}");
    for (number, (here, there)) in here.lines().zip(there.lines()).enumerate() {
        ensure!(here == there, "line {}: here\n{here}\nthere\n{there}", number + 1);
    }
    ensure!(there.lines().count() == lines, "there are {} lines there", there.lines().count());
    Ok(())
}

/// The text that calltrace writes, without the numbers of threads.
fn tree(app: &App, run: &str, runtime: &Runtime, calltrace: &Profiler) -> Result<String> {
    let launch = Launch::new(runtime, &app.dll).profiler(calltrace);
    let traced =
        Tracing::with_profiler(&format!("{}-{run}", app.label), &launch)?.set("FORMAT", "text").run()?;
    ensure!(traced.finished.code() == Some(0), "{}", traced.finished.report());
    let text = read(&traced.trace)?;
    let lines = text.lines().map(|line| line.split_once("] ").map_or(line, |(_, call)| call));
    Ok(lines.map(|line| format!("{line}\n")).collect())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("no trace {}", path.display()))
}

/// `GetLastError` and `Marshal.GetLastWin32Error` return what they return in an untraced run: the program's own error.
fn last_error(version: RuntimeVersion) -> Result<()> {
    target()?;
    let app = App::compile("lasterror", version, Build::Optimised)?;
    let plain = untraced(version, &app.dll, |launch| launch)?;
    ensure!(plain.stdout.trim_end() == "0 wrong, 0 changed", "untraced: {}", plain.report());
    for hooks in KINDS_OF_HOOKS {
        for format in ["jsonl", "binary"] {
            let tracing = Tracing::app(&app, &format!("{format}-{hooks}"))?.set("HOOKS", hooks);
            let traced = tracing.set("FORMAT", format).run()?;
            let (a, b) = (&plain, &traced.finished);
            let is_same = (a.code(), &a.stdout, &a.stderr) == (b.code(), &b.stdout, &b.stderr);
            ensure!(is_same, "untraced it printed {}\n{}", a.stdout, b.report());
            if format == "jsonl" {
                let counts = balance::check_file(&traced.trace)?;
                println!("{version} {hooks}: {counts}");
                // Four threads, 500 rounds, two calls or more in each that are not inlined.
                ensure!(counts.enters >= 4_000, "{counts}");
            }
        }
    }
    Ok(())
}

/// The command `corprof` of Windows lists a running program, and attaches `watch`, which detaches itself, to it by its named pipe, twice.
fn attached(version: RuntimeVersion) -> Result<()> {
    let target = target()?;
    let runtime = runtime(version)?;
    let app = App::compile("attached", version, Build::Optimised)?;
    let folder = scratch(&format!("{}-elsewhere", app.label))?;
    let library = runtime.machine.path(&profiler("watch")?.library);
    let corprof = targets::program_for(target, "corprof-cli", "corprof")?;
    let corprof = |words: &[&str]| {
        let launch = Launch::new(&runtime, &corprof).args(words).timeout(Duration::from_secs(6));
        launch.run().map(|finished| (finished.code() == Some(0) && !finished.timed_out, finished.report()))
    };

    let mut program = Interactive::start(&Launch::new(&runtime, &app.dll), &folder)?;
    let ready = program.next_line()?;
    let pid = ready.strip_prefix("ready ").with_context(|| program.report())?.to_owned();
    let (is_listed, said) = corprof(&["ps"])?;
    let row = said.lines().find(|line| line.split_whitespace().next() == Some(&pid));
    let row = row.filter(|_| is_listed).with_context(|| format!("process {pid} is not listed: {said}"))?;
    println!("{version}: {row}");
    // The diagnostics port of 3.1 reports neither its version nor the command line.
    let is_described = match version {
        RuntimeVersion::V3_1 => row.contains(" 3.x "),
        _ => row.contains(&format!(" {version}.")) && row.contains("attached"),
    };
    ensure!(is_described, "{row}");
    for round in ["first", "second"] {
        let unseen = program.request("throw System.NotSupportedException")?;
        ensure!(unseen.starts_with("caught System.NotSupportedException"), "{}", program.report());
        let out = folder.join(round);
        let settings = format!(
            "WATCH_OUT={}\nWATCH_EVENTS=exceptions,gc,threads\nWATCH_SECONDS={}",
            runtime.machine.path(&out).to_string_lossy(),
            STAYS.as_secs()
        );
        let words = ["attach", &pid, "--library", &library.to_string_lossy(), "--data", &settings];
        let (is_attached, said) = corprof(&words)?;
        ensure!(is_attached, "{said}\n{}", program.report());
        let mut expected = Vec::new();
        for (command, answer, seen) in [
            (
                "throw System.InvalidOperationException",
                "caught System.InvalidOperationException in Attached.Program.Throw",
                ["exception  System.InvalidOperationException", "caught     in Attached.Program.Throw"],
            ),
            ("collect 1", "collected 1, 1 times", ["gc         collection of generation 1, induced", ""]),
            ("thread worker", "thread worker ended", ["thread     is called \"worker\"", "thread     ends"]),
        ] {
            let answered = program.request(command)?;
            ensure!(answered == answer, "{answered:?} is not {answer:?}\n{}", program.report());
            expected.extend(seen.into_iter().filter(|line| !line.is_empty()));
        }
        let seen = until_detached(&out).with_context(|| program.report())?;
        let mut rest = seen.iter();
        for line in expected {
            ensure!(rest.any(|seen| seen.starts_with(line)), "{line:?} is not in its place: {seen:#?}");
        }
        let exceptions = seen.iter().filter(|line| line.starts_with("exception")).count();
        ensure!(exceptions == 1, "{exceptions} exceptions were seen, 1 thrown: {seen:#?}");
        println!("{version}, {round}: {} lines", seen.len());
    }
    program.send("quit 7")?;
    let code = program.end()?;
    ensure!(code == Some(7) && program.said().last() == Some(&"quitting"), "{}", program.report());
    ensure!(!program.stderr().contains("corprof:"), "{}", program.report());
    Ok(())
}

/// The lines of `watch` without their times, when it has been detached.
fn until_detached(out: &Path) -> Result<Vec<String>> {
    let begin = Instant::now();
    loop {
        let text = read(out)?;
        let lines = text.lines().filter_map(|line| Some(line.trim_start().split_once("  ")?.1.to_owned()));
        let lines: Vec<String> = lines.collect();
        if lines.last().is_some_and(|line| line == "detached") {
            return Ok(lines);
        }
        ensure!(begin.elapsed() < STAYS * 5, "it has not been detached: {lines:#?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

on_each_runtime! {
    the_demo_prints_the_same_tree on [] long [on_3_1 on_10_0 on_11_0]: same_tree;
    the_last_error_is_kept on [] long [on_3_1 on_10_0]: last_error;
    a_profiler_is_attached_over_a_named_pipe on [] long [on_3_1 on_10_0]: attached;
}
