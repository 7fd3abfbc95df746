//! Handlers get the exceptions that were thrown, while profilers are notified of exceptions and collections move them.
//!
//! .NET 9 and 10 pass a stale reference where the library does not keep the exception in its place (dotnet/runtime#132462).

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::traced::profiler;

/// The rounds of each of the program's threads: some seconds.
const ROUNDS: &str = "30000";

fn check(version: RuntimeVersion, tool: &str, settings: &[(&str, &str)]) -> Result<()> {
    let app = App::compile("caught", version, Build::Optimised)?;
    let prefix = tool.to_uppercase();
    let mut launch = Launch::new(&runtime(version)?, &app.dll).arg(ROUNDS).profiler(&profiler(tool)?);
    for (name, value) in settings {
        launch = launch.env(format!("{prefix}_{name}"), value);
    }
    // `exceptions` records.
    let name = if tool == "exceptions" { "out.clrec" } else { "out" };
    let out = scratch(&format!("{}-{tool}{}", app.label, settings.len()))?.join(name);
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

// The runtimes that read an exception again after a collection, in the short form.
on_each_runtime! {
    exceptions_are_watched on [on_9_0 on_10_0 on_11_0] long [on_3_1 on_8_0]: |version| check(version, "watch", &[("EVENTS", "exceptions")]);
    exceptions_are_counted on [on_9_0 on_10_0 on_11_0] long [on_3_1 on_8_0]: |version| check(version, "exceptions", &[]);
    calls_that_throw_are_traced_by_fast_hooks on [on_9_0 on_10_0 on_11_0] long [on_3_1 on_8_0]: |version| check(version, "calltrace", &[("FORMAT", "binary")]);
    calls_that_throw_are_traced_by_slow_path_hooks on [on_9_0 on_10_0 on_11_0] long [on_3_1 on_8_0]:
        |version| check(version, "calltrace", &[("FORMAT", "binary"), ("HOOKS", "with-info")]);
}
