//! Handlers get the exceptions that were thrown, while profilers are notified of exceptions and collections move them.
//!
//! .NET 9 and 10 pass a stale reference where the library does not keep the exception in its place (dotnet/runtime#132462).

use anyhow::{Context as _, Result, ensure};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::traced::profiler;
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::{Launch, scratch};

/// The rounds of each of the program's threads: some seconds.
const ROUNDS: &str = "30000";

fn check(version: RuntimeVersion, tool: &str, settings: &[(&str, &str)]) -> Result<()> {
    let app = App::compile("caught", version, Build::Optimised)?;
    let prefix = tool.to_uppercase();
    let mut launch = Launch::new(&runtime(version)?, &app.dll).arg(ROUNDS).profiler(&profiler(tool)?);
    for (name, value) in settings {
        launch = launch.env(format!("{prefix}_{name}"), value);
    }
    let out = scratch(&format!("{}-{tool}{}", app.label, settings.len()))?.join("out");
    let finished = launch.env(format!("{prefix}_OUT"), &out).run()?;
    let judged = (|| {
        ensure!(finished.code() == Some(42), "it ended with {:?}", finished.status);
        let (caught, rest) = finished.stdout.split_once(", ").context("no counts")?;
        ensure!(caught.starts_with("caught ") && rest == "0 wrong\nfew are alive\n");
        ensure!(std::fs::metadata(&out)?.len() > 0, "{tool} has seen nothing");
        println!("{version} {tool}: {caught}");
        Ok(())
    })();
    judged.with_context(|| finished.report())
}

on_each_runtime! {
    exceptions_are_watched: |version| check(version, "watch", &[("EVENTS", "exceptions")]);
    exceptions_are_counted: |version| check(version, "exceptions", &[]);
    calls_that_throw_are_traced_by_fast_hooks: |version| check(version, "calltrace", &[("FORMAT", "binary")]);
    calls_that_throw_are_traced_by_slow_path_hooks:
        |version| check(version, "calltrace", &[("FORMAT", "binary"), ("HOOKS", "with-info")]);
}
