//! A standard error that is full, and that nobody reads: reports of a profiler do not stop the program.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::Launch;
use e2e::on_each_runtime;
use e2e::stated;
use e2e::traced::calltrace;

use crate::run::{app, inside, wait};

/// The class id of `profilers/panics`.
const PANICS: &str = "{A1D7C0E4-3B52-4E8F-9C66-7F0B1D2E8A35}";

/// The time that a run may take: the patience of two seconds, once, with a margin for a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// The capacity of a pipe on Linux is 64 KiB.
const FULL: &str = r#"head -c 65536 /dev/zero >&2; exec "$@""#;

/// Runs a program that prints nothing itself on standard error.
fn run(version: RuntimeVersion, profiler: &Profiler, settings: &[(&str, &str)]) -> Result<()> {
    let mut launch = Launch::new(&runtime(version)?, &app(version)?.dll).arg("exceptions");
    launch = launch.profiler(profiler);
    for (name, value) in settings {
        launch = launch.env(name, value);
    }
    let mut command = inside(Path::new("/bin/sh"), &["-c", FULL, "sh"], &launch.command()?);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let stderr = child.stderr.take();
    let status = wait(&mut child).with_context(|| format!("{settings:?}"))?;
    println!("{version} {settings:?}: {status} after {:?}", begin.elapsed());
    ensure!(status.success(), "{settings:?}: {status}");
    ensure!(begin.elapsed() < LIMIT, "{settings:?}: {:?}", begin.elapsed());
    // It was full until the end.
    let text = std::io::read_to_string(stderr.context("no standard error")?)?;
    ensure!(text.chars().all(|character| character == '\0'), "{settings:?}: {}", text.trim_matches('\0'));
    Ok(())
}

fn reports_do_not_wait(version: RuntimeVersion) -> Result<()> {
    let (panics, tracer) = (stated::profiler("panics", PANICS)?, calltrace()?);
    let mut runs = Vec::new();
    for callback in ["enter", "exception_thrown", "module_load_finished"] {
        let settings = [("PANICS_IN", callback), ("PANICS_HOOKS", "info"), ("PANICS_OUT", "/dev/null")];
        runs.push((&panics, settings.to_vec()));
    }
    for setting in
        [("CALLTRACE_FORMAT", "xml"), ("CALLTRACE_OUT", "/nowhere/trace"), ("CALLTRACE_OUT", "/dev/full")]
    {
        runs.push((&tracer, vec![setting]));
    }
    // All at once: they wait most of the time.
    std::thread::scope(|scope| {
        let begun: Vec<_> = runs
            .iter()
            .map(|(profiler, settings)| scope.spawn(|| run(version, profiler, settings)))
            .collect();
        begun.into_iter().try_for_each(|run| run.join().ok().context("a thread panicked")?)
    })
}

on_each_runtime! {
    reports_do_not_wait_for_a_reader on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]: reports_do_not_wait;
}
