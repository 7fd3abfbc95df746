//! Everything is traced with all values, and the programs are not affected: their output and exit code are
//! the same, and every value of the trace that could not be read has a reason.
//!
//! By default programs of a few seconds; `cargo xtask test --long` has more programs, of minutes. A trace is checked while it
//! is written, through a pipe: it may have many gigabytes.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use corprof_testkit::dotnet::{Runtime, RuntimeVersion, azmcp_program, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};
use e2e::app::{App, Build};
use e2e::balance::{Balance, Counts};
use e2e::csharp::CSharp;
use e2e::errors::Errors;
use e2e::traced::{calltrace, untraced};
use e2e::{is_long, on_each_runtime};

const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// Runs a program with everything traced. Returns its outcome, unless it timed out, and its trace, if that is correct.
fn soak(
    name: &str,
    runtime: &Runtime,
    program: &Path,
    with: impl Fn(Launch) -> Launch,
) -> Result<(Finished, Counts)> {
    let pipe = scratch(name)?.join("pipe");
    ensure!(Command::new("mkfifo").arg(&pipe).status()?.success(), "cannot make {}", pipe.display());
    let judge = thread::spawn({
        let pipe = pipe.clone();
        move || judge(&pipe)
    });
    let launch = Launch::new(runtime, program)
        .profiler(&calltrace()?)
        .env("CALLTRACE_FORMAT", "jsonl")
        .env("CALLTRACE_OUT", &pipe)
        .env("CALLTRACE_ALL", "1")
        .env("CALLTRACE_BUDGET", "none")
        .timeout(PATIENCE);
    let finished = with(launch).run();
    // If nothing was written, the reader still waits for a writer. A pipe that is opened for both blocks nobody.
    drop(File::options().read(true).write(true).open(&pipe));
    let judged = judge.join().map_err(|_| anyhow!("the judge has panicked"))?;
    let finished = finished?;
    let check = judged.and_then(|(counts, errors)| {
        println!("{name}: {counts}; {:.1} s\n{errors}", finished.duration.as_secs_f64());
        ensure!(finished.profiler_started == Some(true) && !finished.timed_out, "it did not run to its end");
        errors.finish()?;
        Ok(counts)
    });
    match check {
        Ok(counts) => Ok((finished, counts)),
        Err(error) => Err(anyhow!("{error:#}\n{}", finished.report())),
    }
}

/// Reads a trace to its end, even if it is wrong: the program must not lose its reader.
fn judge(pipe: &Path) -> Result<(Counts, Errors)> {
    let mut input = BufReader::with_capacity(1 << 20, File::open(pipe)?);
    let (mut balance, mut errors) = (Balance::default(), Errors::default());
    let mut judged = Ok(());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        if judged.is_ok() {
            judged = balance
                .feed_line(&line)
                .and_then(|()| errors.feed_line(&line))
                .with_context(|| line.chars().take(2_000).collect::<String>());
        }
        line.clear();
    }
    judged.and_then(|()| Ok((balance.finish()?, errors)))
}

/// Runs the same program, with these arguments, untraced and traced; at least `calls` calls.
fn azmcp(name: &str, calls: u64, with: impl Fn(Launch) -> Launch) -> Result<()> {
    let program = azmcp_program()?;
    let plain = untraced(RuntimeVersion::V9_0, &program, &with)?;
    let (traced, counts) = soak(name, &runtime(RuntimeVersion::V9_0)?, &program, &with)?;
    let said = (without_times(&plain.stdout), without_times(&traced.stdout));
    ensure!(plain.code() == Some(0) && traced.code() == Some(0), "{}\n{}", plain.report(), traced.report());
    ensure!(said.0 == said.1, "untraced it printed\n{}\n{}", plain.stdout, traced.report());
    ensure!(counts.enters >= calls, "{counts}");
    Ok(())
}

/// The program prints its duration in milliseconds.
fn without_times(output: &str) -> Vec<&str> {
    output.lines().filter(|line| !line.trim_start().starts_with("\"duration\": ")).collect()
}

#[test]
fn azmcp_help() -> Result<()> {
    azmcp("soak-azmcp-help", 20_000, |launch| launch.arg("--help"))
}

#[test]
#[ignore = "takes minutes: cargo xtask test --long"]
fn azmcp_tools_list() -> Result<()> {
    azmcp("soak-azmcp-tools", 500_000, |launch| launch.args(["tools", "list"]))
}

#[test]
#[ignore = "takes minutes: cargo xtask test --long"]
fn azmcp_server() -> Result<()> {
    let requests = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","#,
        r#""capabilities":{},"clientInfo":{"name":"soak","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        "\n",
    );
    azmcp("soak-azmcp-server", 500_000, |launch| launch.args(["server", "start"]).stdin(requests).answers(2))
}

/// The C# compiler, with everything traced, on a file with this many classes, writes the same assembly.
fn roslyn(name: &str, classes: usize, calls: u64) -> Result<()> {
    let compiler = CSharp::find()?;
    let folder = scratch(&format!("{name}-files"))?;
    let source = folder.join("Large.cs");
    fs::write(&source, large_source(classes))?;
    let outputs = [folder.join("plain").join("large.dll"), folder.join("traced").join("large.dll")];
    for output in &outputs {
        fs::create_dir_all(output.parent().unwrap_or(output))?;
    }
    let arguments = |output| compiler.arguments(&source, output);
    untraced(RuntimeVersion::V9_0, &compiler.program, |launch| launch.args(arguments(&outputs[0])))?.ok()?;
    let (traced, counts) = soak(name, &compiler.runtime, &compiler.program, |launch| {
        // Its syntax trees contain the whole program: with deeper values, most calls would write a part of it.
        let launch = launch.env("CALLTRACE_MAX_DEPTH", "1").env("CALLTRACE_MAX_ITEMS", "8");
        launch.env("CALLTRACE_MAX_CHARS", "80").args(arguments(&outputs[1]))
    })?;
    ensure!(traced.code() == Some(0), "the compiler failed\n{}", traced.report());
    ensure!(fs::read(&outputs[0])? == fs::read(&outputs[1])?, "the compiler wrote another assembly");
    ensure!(counts.enters >= calls, "{counts}");
    Ok(())
}

/// A file of 30 lines for each class, which uses the one before.
fn large_source(classes: usize) -> String {
    let mut source = String::from("using System;\nusing System.Collections.Generic;\n\n");
    for number in 0..classes {
        let base = number.checked_sub(1).map_or("object".to_owned(), |before| format!("Class{before}"));
        source +=
            &include_str!("soak/class.cs").replace("NUMBER", &number.to_string()).replace("BASE", &base);
    }
    source + "public static class Program\n{\n    public static void Main() { }\n}\n"
}

/// Some 900 lines, for which the compiler makes 50 million calls. On two busy processors, 27
/// minutes and 100 million lines of trace.
#[test]
#[ignore = "takes half an hour: cargo xtask test --long"]
fn the_csharp_compiler_on_a_large_file() -> Result<()> {
    roslyn("soak-roslyn", 30, 10_000_000)
}

/// Four threads that allocate while collections move their objects, with each kind of server GC.
fn collections(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("alloc", version, Build::Optimised)?;
    let time = if is_long() { "120000" } else { "3000" };
    let name = format!("soak-alloc-{version}");
    let (traced, counts) = soak(&name, &runtime(version)?, &app.dll, |launch| {
        let launch = launch.arg(time);
        ["DOTNET_", "COMPlus_"].into_iter().fold(launch, |launch, prefix| {
            launch.env(format!("{prefix}gcServer"), "1").env(format!("{prefix}gcConcurrent"), "1")
        })
    })?;
    ensure!(traced.code() == Some(0), "{}", traced.report());
    ensure!(traced.stdout == "0 wrong sums, server, Interactive\n", "{}", traced.report());
    ensure!(counts.enters > 1_000 && counts.threads >= 5, "{counts}");
    Ok(())
}

on_each_runtime! {
    server_collections on [on_3_1 on_9_0] long [on_8_0 on_10_0 on_11_0]: collections;
}
