//! A traced program does what it does untraced: output, exit code, signals, arithmetic, under garbage
//! collections on several threads.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use e2e::app::{App, Build};
use e2e::balance;
use e2e::traced::{Tracing, enters, optimised_at_once, untraced};
use xtask::dotnet::RuntimeVersion;
use xtask::launch::Launch;

const HOOKS: [&str; 2] = ["with-info", "fast"];

/// Both runs, with the same arguments and input, must end alike.
fn same(program: &str, run: &str, settings: &[(&str, &str)], with: impl Fn(Launch) -> Launch) -> Result<()> {
    for (version, hooks) in RuntimeVersion::ALL.into_iter().flat_map(|v| HOOKS.map(|hooks| (v, hooks))) {
        let app = App::compile(program, version, Build::Optimised)?;
        let plain = untraced(version, &app.dll, &with)?;
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

#[test]
fn input_output_and_exit_code_pass_through() -> Result<()> {
    let input = "ein Gruß\0\n".repeat(5000);
    same("exitcode", "echo", &[], |launch| launch.args(["echo", "57"]).stdin(input.clone()))
}

#[test]
fn an_exit_below_open_calls_is_an_exit() -> Result<()> {
    same("exitcode", "exit", &[], |launch| launch.args(["exit", "3"]))
}

#[test]
fn an_unhandled_exception_aborts_with_its_message() -> Result<()> {
    same("exitcode", "throw", &[], |launch| launch.arg("throw"))
}

#[test]
fn fail_fast_fails_fast() -> Result<()> {
    same("exitcode", "failfast", &[], |launch| launch.arg("failfast"))
}

#[test]
fn floating_point_arguments_keep_their_values() -> Result<()> {
    same("floats31", "own", &[], |launch| launch)
}

#[test]
fn floating_point_arguments_of_the_runtimes_own_methods_keep_their_values() -> Result<()> {
    same("floats31", "all", &[("ALL", "1")], |launch| launch)
}

#[test]
fn vectors_keep_their_values() -> Result<()> {
    same("vectors", "own", &[], |launch| launch)?;
    same("vectors", "own-optimised", &[], optimised_at_once)
}

#[test]
fn vectors_of_the_runtimes_own_methods_keep_their_values() -> Result<()> {
    same("vectors", "all", &[("ALL", "1"), ("MAX_DEPTH", "1")], |launch| launch)?;
    same("vectors", "all-optimised", &[("ALL", "1"), ("MAX_DEPTH", "1")], optimised_at_once)
}

#[test]
fn objects_may_move_under_four_threads() -> Result<()> {
    same("alloc", "own", &[], |launch| launch.arg("2000"))
}

#[test]
fn a_termination_signal_ends_it_and_the_trace_is_whole() -> Result<()> {
    for version in RuntimeVersion::ALL {
        terminate(version)?;
    }
    Ok(())
}

fn terminate(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("exitcode", version, Build::Optimised)?;
    let tracing = Tracing::app(&app, "wait")?.with(|launch| launch.arg("wait"));
    let (mut command, trace) = tracing.command();
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut output = BufReader::new(child.stdout.take().context("no output")?);
    let mut first = String::new();
    output.read_line(&mut first)?;
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
    let mut rest = String::new();
    output.read_to_string(&mut rest)?;
    let status = child.wait()?;
    ensure!(sent.success() && first == "ready\n" && rest == "ending\n", "{sent} {first:?} {rest:?}");
    ensure!(status.code() == Some(143), "{status}");
    let counts = balance::check_file(&trace)?;
    ensure!(counts.enters == 3 && counts.leaves == 1 && counts.open == 2, "{counts}");
    Ok(())
}

#[test]
fn calls_in_tail_position_are_counted_right() -> Result<()> {
    for version in RuntimeVersion::ALL {
        for tiered in [true, false] {
            tails(version, tiered)?;
        }
    }
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
