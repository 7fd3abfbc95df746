//! Another target than this machine's, which `CORPROF_TARGET` names: what calltrace prints there is what it prints here; and
//! the last error of Windows.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use e2e::app::{App, Build};
use e2e::balance;
use e2e::on_each_runtime;
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::{Tracing, untraced};
use xtask::dotnet::{Runtime, RuntimeVersion, locate, runtime};
use xtask::example::find;
use xtask::launch::Launch;
use xtask::machine::Foreign;
use xtask::profiler::Profiler;

/// The demo has so many lines.
const LINES: usize = 35;

fn target() -> Result<Foreign> {
    Foreign::of_tests()?.context("CORPROF_TARGET is not set; use `cargo xtask test --target`")
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

on_each_runtime! {
    the_demo_prints_the_same_tree on [] full [on_3_1 on_10_0]: same_tree;
    the_last_error_is_kept on [] full [on_3_1 on_10_0]: last_error;
}
