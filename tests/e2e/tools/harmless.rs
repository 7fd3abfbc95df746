//! Each tool leaves programs alone that were not written to be measured: a command-line program, the C# compiler, a web server
//! under load.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{
    CSharp, Runtime, RuntimeVersion, azmcp_program, compile, compiler_program, runtime,
};
use corprof_testkit::launch::{Finished, Launch, scratch};
use corprof_testkit::paths;
use e2e::traced::profiler;

use crate::{report, written};

/// The tools, each with settings beside the default, in most cases those under which it does the most.
const TOOLS: [(&str, &[(&str, &str)]); 8] = [
    ("cpu", &[("CPU_HZ", "1000")]),
    ("alloc", &[("ALLOC_MODE", "exact")]),
    ("heap", &[("HEAP_EVERY", "0.5")]),
    ("gc", &[("GC_LAST", "100")]),
    ("exceptions", &[("EXCEPTIONS_TOP", "100")]),
    ("locks", &[("LOCKS_EVERY", "0.2")]),
    ("startup", &[("STARTUP_EVERY", "0.2")]),
    ("watch", &[("WATCH_EVENTS", "exceptions,gc")]),
];

/// Runs a program alone and under each tool, or under the named ones unless all tests run. `said` returns what must be the same.
fn unchanged(
    name: &str,
    launch: &Launch,
    short: &[&str],
    said: impl Fn(&Finished) -> Result<String>,
) -> Result<()> {
    let launch = launch.clone().timeout(Duration::from_secs(600));
    let alone = launch.clone().run()?.ok()?;
    let expected = said(&alone)?;
    ensure!(!expected.is_empty() && alone.stderr.is_empty(), "{}", alone.report());
    for (tool, most) in TOOLS {
        if !e2e::is_long() && !short.contains(&tool) {
            continue;
        }
        let ways: &[&[(&str, &str)]] = if e2e::is_long() { &[&[], most] } else { &[&[]] };
        for (number, settings) in ways.iter().enumerate() {
            let out = scratch(&format!("harmless-{name}-{tool}-{number}"))?.join("out.txt");
            let mut launch = launch
                .clone()
                .profiler(&profiler(tool)?)
                .env(format!("{}_OUT", tool.to_uppercase()), written(tool, &out));
            for (setting, value) in *settings {
                launch = launch.env(setting, value);
            }
            let finished = launch.run()?.ok().with_context(|| format!("{name} under {tool} {settings:?}"))?;
            let judged = || {
                ensure!(said(&finished)? == expected, "alone it printed\n{expected}");
                ensure!(finished.stderr.is_empty(), "it printed on standard error");
                let report = report(&out).context("no report")?;
                ensure!(!report.is_empty(), "the report is empty");
                println!(
                    "{name}, {tool} {settings:?}: {:.1} s, {}",
                    finished.duration.as_secs_f64(),
                    first(&report)
                );
                Ok(())
            };
            judged().with_context(|| finished.report())?;
        }
    }
    Ok(())
}

fn first(report: &str) -> &str {
    report.lines().next().unwrap_or_default()
}

/// Prints its duration in milliseconds, too.
#[test]
fn a_command_line_program_is_unchanged() -> Result<()> {
    let launch = Launch::new(&runtime(RuntimeVersion::V9_0)?, azmcp_program()?)
        .args(["tools", "list"])
        .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    let without_times = |finished: &Finished| {
        let lines = finished.stdout.lines().filter(|line| !line.trim_start().starts_with("\"duration\": "));
        Ok(lines.collect::<Vec<_>>().join("\n"))
    };
    unchanged("azmcp", &launch, &TOOLS.map(|(tool, _)| tool), without_times)
}

/// The assembly that it writes has the same bytes.
fn the_compiler_writes_the_same(version: RuntimeVersion) -> Result<()> {
    let runtime: Runtime = runtime(version)?;
    let folder = scratch(&format!("harmless-compiler-{}", version.short()))?;
    let output = folder.join("compiled.dll");
    let source = paths::workspace().join("tests/apps/loaded/Program.cs");
    let launch = compiler_program(&runtime, &CSharp::new(RuntimeVersion::V9_0, [source], &output))?;
    let bytes = |finished: &Finished| {
        let assembly = fs::read(&output).with_context(|| finished.report())?;
        fs::remove_file(&output)?;
        ensure!(assembly.len() > 4000, "{} bytes", assembly.len());
        Ok(format!("{}{assembly:?}", finished.stdout))
    };
    unchanged(&format!("compiler-{}", version.short()), &launch, &["cpu"], bytes)
}

/// Its clients check every response.
fn a_server_under_load_is_unchanged(version: RuntimeVersion) -> Result<()> {
    let source = paths::workspace().join("tests/apps/served/Program.cs");
    let output = paths::apps_dir().join("e2e").join(format!("served-{}", version.short())).join("served.dll");
    let server = compile(&CSharp { aspnet: true, ..CSharp::new(version, [source], output) })?;
    let requests = if e2e::is_long() { "5000" } else { "200" };
    let launch = Launch::new(&runtime(version)?, &server)
        .arg(requests)
        .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    let printed = |finished: &Finished| {
        ensure!(finished.stdout.ends_with(", wrong 0\n"), "{}", finished.report());
        Ok(finished.stdout.clone())
    };
    unchanged(&format!("server-{}", version.short()), &launch, &["cpu", "locks", "alloc"], printed)
}

e2e::on_each_runtime! {
    the_compiler on [on_9_0]: the_compiler_writes_the_same;
    /// The others have no web framework.
    a_server on [on_9_0] long [on_10_0 on_11_0]: a_server_under_load_is_unchanged;
}
