//! Another target than this machine's, which `CORPROF_TARGET` names: what calltrace prints there is what it prints here.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::traced::Tracing;
use xtask::dotnet::{Runtime, RuntimeVersion, locate, runtime};
use xtask::example::find;
use xtask::launch::Launch;
use xtask::machine::Foreign;
use xtask::profiler::Profiler;

/// The demo has so many lines.
const LINES: usize = 35;

fn same_tree(version: RuntimeVersion) -> Result<()> {
    let target =
        Foreign::of_tests()?.context("CORPROF_TARGET is not set; use `cargo xtask test --target`")?;
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

on_each_runtime! {
    the_demo_prints_the_same_tree on [] full [on_3_1 on_10_0]: same_tree;
}
