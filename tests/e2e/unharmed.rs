//! A traced program behaves as untraced: output, exit code, signals, arithmetic, under garbage
//! collections on several threads.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::launch::Launch;
use e2e::app::{App, Build};
use e2e::balance;
use e2e::on_each_runtime;
use e2e::runtimes::KINDS_FOR_SELECTED;
use e2e::traced::{Tracing, enters, optimised_at_once, untraced};

/// Both runs, with the same arguments and input, must end alike, with either kind of hooks.
fn same(
    version: RuntimeVersion,
    program: &str,
    run: &str,
    settings: &[(&str, &str)],
    with: impl Fn(Launch) -> Launch,
) -> Result<()> {
    let app = App::compile(program, version, Build::Optimised)?;
    let plain = untraced(version, &app.dll, &with)?;
    let is_all = settings.contains(&("ALL", "1"));
    // Code is inserted into selected methods only.
    for hooks in KINDS_FOR_SELECTED.into_iter().filter(|hooks| !(is_all && *hooks == "inserted")) {
        let mut tracing = Tracing::app(&app, &format!("{run}-{hooks}"))?.with(&with).set("HOOKS", hooks);
        for (setting, value) in settings {
            tracing = tracing.set(setting, value);
        }
        let traced = tracing.run()?;
        let judged = (|| {
            let (a, b) = (&plain, &traced.finished);
            ensure!(
                (a.code(), a.signal()) == (b.code(), b.signal()),
                "untraced it ended with {:?}",
                a.status
            );
            ensure!(a.stdout == b.stdout, "untraced it printed\n{}", a.stdout);
            let said = (without_stubs(&a.stderr), without_stubs(&b.stderr));
            ensure!(said.0 == said.1, "untraced it printed on standard error\n{}", a.stderr);
            let counts = balance::check_file(&traced.trace)?;
            ensure!(counts.enters > 0, "nothing was traced");
            println!("{version} {hooks}: {counts}");
            Ok(())
        })();
        traced.expect(judged)?;
    }
    Ok(())
}

/// A stack trace has a frame for the stub of a native call where that is not inlined, as when calls are traced.
fn without_stubs(said: &str) -> Vec<&str> {
    said.lines().filter(|line| !line.contains(">g____PInvoke|")).collect()
}

/// The suffix that the program adds to its input.
const PASSED: [&str; 2] = ["echo", "57"];

/// Programs that compute with floating-point numbers and vectors; of the framework too, when `all`.
fn computes(version: RuntimeVersion, program: &str, all: bool) -> Result<()> {
    let run = if all { "all" } else { "own" };
    let settings: &[_] = if all { &[("ALL", "1"), ("MAX_DEPTH", "1")] } else { &[] };
    same(version, program, run, settings, |launch| launch)?;
    same(version, program, &format!("{run}-optimised"), settings, optimised_at_once)
}

on_each_runtime! {
    input_output_and_exit_code_pass_through: |version| {
        let input = "ein Gruß\0\n".repeat(5000);
        same(version, "exitcode", "echo", &[], |launch| launch.args(PASSED).stdin(input.clone()))
    };
    an_exit_below_open_calls_keeps_its_code:
        |version| same(version, "exitcode", "exit", &[], |launch| launch.args(["exit", "3"]));
    an_unhandled_exception_aborts_with_its_message:
        |version| same(version, "exitcode", "throw", &[], |launch| launch.arg("throw"));
    fail_fast_keeps_its_signal:
        |version| same(version, "exitcode", "failfast", &[], |launch| launch.arg("failfast"));
    floating_point_arguments_keep_their_values:
        |version| same(version, "floats31", "own", &[], |launch| launch);
    floating_point_arguments_of_the_runtimes_own_methods_keep_their_values:
        |version| same(version, "floats31", "all", &[("ALL", "1")], |launch| launch);
    vectors_keep_their_values: |version| computes(version, "vectors", false);
    vectors_of_the_runtimes_own_methods_keep_their_values: |version| computes(version, "vectors", true);
    objects_may_move_under_four_threads: |version| same(version, "alloc", "own", &[], |launch| launch.arg("2000"));
    a_termination_signal_leaves_a_complete_trace: terminate;
    calls_in_tail_position_are_counted: |version| {
        tails(version, true)?;
        tails(version, false)
    };
}

fn terminate(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("exitcode", version, Build::Optimised)?;
    let tracing = Tracing::app(&app, "wait")?.with(|launch| launch.arg("wait"));
    let (mut command, trace) = tracing.command()?;
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut output = BufReader::new(child.stdout.take().context("no output")?);
    let mut first = String::new();
    output.read_line(&mut first)?;
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
    let mut rest = String::new();
    output.read_to_string(&mut rest)?;
    let status = child.wait()?;
    // Since 10.0 the runtime does not handle the signal, and it ends the program at once.
    let (said, enters) = if version < RuntimeVersion::V10_0 { ("ending\n", 3) } else { ("", 2) };
    ensure!(sent.success() && first == "ready\n" && rest == said, "{version}: {sent} {first:?} {rest:?}");
    match enters {
        3 => ensure!(status.code() == Some(143), "{version}: {status}"),
        _ => ensure!(status.signal() == Some(15), "{version}: {status}"),
    }
    recording::complete(&trace)?;
    let counts = balance::check_file(&trace)?;
    ensure!(
        // In optimised code the method that has ended ends by a tail call.
        counts.enters == enters && counts.leaves + counts.tailcalls == enters - 2 && counts.open == 2,
        "{version}: {counts}"
    );
    Ok(())
}

/// The program prints how often it calls each method.
fn tails(version: RuntimeVersion, tiered: bool) -> Result<()> {
    let app = App::compile("tails", version, Build::Optimised)?;
    let run = if tiered { "tiered" } else { "untiered" };
    let traced = Tracing::app(&app, run)?.tiered(tiered).run()?;
    let judged = (|| {
        let (records, counts) = traced.records()?;
        println!("{version} {run}: {counts}");
        let enters = enters(&records);
        let mut lines = 0;
        for line in traced.finished.stdout.lines() {
            let (name, count) = line.split_once(' ').context("no count")?;
            let count: usize = count.parse()?;
            let method = format!("Tails.Program.{name}");
            let found = enters.get(method.as_str()).copied().unwrap_or_default();
            ensure!(found == count, "{method} was entered {found} times, not {count}");
            lines += 1;
        }
        ensure!(lines == 5 && counts.open == 0, "{lines} methods, {counts}");
        Ok(())
    })();
    traced.expect(judged)
}
