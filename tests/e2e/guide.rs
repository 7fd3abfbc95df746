//! The tracer of the guide prints what `calltrace` prints.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::stated;
use e2e::traced::Tracing;
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::Launch;
use xtask::paths;

const CLSID: &str = "{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A02}";

/// The limit of lines of code of the guide's tracer.
const MOST_LINES: usize = 25;

#[test]
fn the_guide_has_the_text_of_the_tracer() -> Result<()> {
    let source = fs::read_to_string(paths::workspace().join("tests/profilers/guide/src/lib.rs"))?;
    let (_, code) = source.split_once("\n\n").context("a comment, then the code")?;
    for text in ["docs/writing-a-profiler.md", "crates/calls/README.md"] {
        let guide = fs::read_to_string(paths::workspace().join(text))?;
        ensure!(guide.contains(code), "{text} has another tracer than tests/profilers/guide:\n{code}");
    }
    let lines = code.lines().filter(|line| !line.is_empty()).count();
    ensure!(lines <= MOST_LINES, "{lines} lines");
    println!("{lines} lines of code");
    Ok(())
}

/// The lines without the thread's id, which differs from run to run.
fn lines(trace: &str) -> Vec<&str> {
    trace.lines().filter_map(|line| Some(line.strip_prefix('[')?.split_once(']')?.1)).collect()
}

fn prints_what_calltrace_prints(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("demo", version, Build::Optimised)?;
    let traced = Tracing::app(&app, "guide")?
        .set("FORMAT", "text")
        .set("HOOKS", "fast")
        .set("INCLUDE", "Shop.*")
        .run()?;
    let expected = fs::read_to_string(&traced.trace)?;
    let printed =
        Launch::new(&runtime(version)?, &app.dll).profiler(&stated::profiler("guide", CLSID)?).run()?.ok()?;
    let (expected, seen) = (lines(&expected), lines(&printed.stderr));
    ensure!(seen.len() > 30, "{}", printed.report());
    ensure!(seen == expected, "printed\n{}\nexpected\n{}", seen.join("\n"), expected.join("\n"));
    println!("{version}: {} lines", seen.len());
    Ok(())
}

on_each_runtime! {
    the_tracer_prints_what_calltrace_prints: prints_what_calltrace_prints;
}
