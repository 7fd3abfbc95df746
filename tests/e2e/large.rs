//! Programs that were not written for these tests keep their output, with everything traced.

use std::fs;
use std::time::Duration;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, azmcp_program, runtime};
use corprof_testkit::launch::scratch;
use corprof_testkit::paths;
use e2e::balance;
use e2e::csharp::CSharp;
use e2e::traced::{Tracing, untraced};

const PATIENCE: Duration = Duration::from_secs(180);

/// `azmcp` with everything traced, with these settings; at least `calls` calls.
fn azmcp(run: &str, arguments: &[&str], settings: &[(&str, &str)], calls: u64) -> Result<()> {
    let version = RuntimeVersion::V9_0;
    let program = azmcp_program()?;
    let plain = untraced(version, &program, |launch| launch.args(arguments))?;
    let mut tracing = Tracing::new(run, &runtime(version)?, &program)?
        .with(|launch| launch.args(arguments).timeout(PATIENCE))
        .set("ALL", "1")
        .set("BUDGET", "none");
    for (setting, value) in settings {
        tracing = tracing.set(setting, value);
    }
    let traced = tracing.run()?;
    let judged = (|| {
        let (a, b) = (&plain, &traced.finished);
        ensure!(a.code() == b.code(), "untraced it ended with {:?}", a.status);
        ensure!(without_times(&a.stdout) == without_times(&b.stdout), "untraced it printed\n{}", a.stdout);
        let counts = balance::check_file(&traced.trace)?;
        println!("{}: {counts}, {:.1} s", arguments.join(" "), b.duration.as_secs_f64());
        ensure!(counts.enters >= calls, "{counts}");
        Ok(())
    })();
    traced.expect(judged)
}

/// The program prints its duration in milliseconds.
fn without_times(output: &str) -> Vec<&str> {
    output.lines().filter(|line| !line.trim_start().starts_with("\"duration\": ")).collect()
}

#[test]
fn azmcp_tools_list() -> Result<()> {
    // Values are limited, because there are so many.
    let settings = [("MAX_DEPTH", "1"), ("MAX_ITEMS", "8"), ("MAX_CHARS", "80")];
    azmcp("azmcp-tools-list", &["tools", "list"], &settings, 500_000)
}

/// The C# compiler, on 9.0, with its lexer and parser traced, writes the same assembly.
fn roslyn() -> Result<()> {
    let compiler = CSharp::find()?;
    let source = paths::workspace().join("tests/apps/demo/Program.cs");
    let folder = scratch("roslyn")?;
    let outputs = [folder.join("plain").join("demo.dll"), folder.join("traced").join("demo.dll")];
    for output in &outputs {
        fs::create_dir_all(output.parent().unwrap_or(output))?;
    }
    let arguments = |output| compiler.arguments(&source, output);
    untraced(RuntimeVersion::V9_0, &compiler.program, |launch| launch.args(arguments(&outputs[0])))?.ok()?;
    let traced = Tracing::new("roslyn-trace", &compiler.runtime, &compiler.program)?
        .with(|launch| launch.args(arguments(&outputs[1])).timeout(PATIENCE))
        .set("INCLUDE", "Microsoft.CodeAnalysis*!Microsoft.CodeAnalysis.CSharp.Syntax.InternalSyntax.*")
        .run()?;
    let judged = (|| {
        ensure!(traced.finished.code() == Some(0), "the compiler failed");
        ensure!(fs::read(&outputs[0])? == fs::read(&outputs[1])?, "the compiler wrote another assembly");
        let counts = balance::check_file(&traced.trace)?;
        println!("roslyn: {counts}, {:.1} s", traced.finished.duration.as_secs_f64());
        ensure!(counts.enters > 10_000, "{counts}");
        Ok(())
    })();
    traced.expect(judged)
}

#[test]
fn the_csharp_compiler() -> Result<()> {
    roslyn()
}
