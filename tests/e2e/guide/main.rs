//! The profilers of the guide: the tracer prints what `calltrace` prints, and the others measure what the program states.

mod measured;

use std::fs;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::Launch;
use corprof_testkit::paths;
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::stated;
use e2e::traced::Tracing;

const CLSID: &str = "{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A02}";

/// The profilers of the guide, each with the limit of its lines of code and the texts that show it.
const SHOWN: [(&str, usize, &[&str]); 5] = [
    ("guide", 25, &["docs/writing-a-profiler.md", "crates/calls/README.md"]),
    ("guide-cpu", 40, &["docs/writing-a-profiler.md"]),
    ("guide-alloc", 40, &["docs/writing-a-profiler.md"]),
    ("guide-exceptions", 40, &["docs/writing-a-profiler.md", "crates/tools/README.md"]),
    ("guide-gc", 40, &["docs/writing-a-profiler.md"]),
];

#[test]
fn the_guide_has_the_text_of_the_profilers() -> Result<()> {
    for (name, most, texts) in SHOWN {
        let source = paths::workspace().join("tests/profilers").join(name).join("src/lib.rs");
        let source = fs::read_to_string(source)?;
        let (_, code) = source.split_once("\n\n").context("a comment, then the code")?;
        for text in texts {
            let guide = fs::read_to_string(paths::workspace().join(text))?;
            ensure!(guide.contains(code), "{text} has another profiler than tests/profilers/{name}:\n{code}");
        }
        let lines = code.lines().filter(|line| !line.trim().is_empty()).count();
        ensure!(lines <= most, "{name} has {lines} lines");
        println!("{name}: {lines} lines of code");
    }
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
    the_profilers_measure on [on_8_0 on_10_0 on_11_0]: measured::profilers_measure_what_the_program_states;
    the_tracer_prints_what_calltrace_prints: prints_what_calltrace_prints;
}
