//! Programs that were not written for tests: the C# compiler, `azmcp`, and libraries of the framework.
//!
//! The provisioned compiler needs .NET 7.0 or newer, `azmcp` 9.0 or newer; on 3.1 a
//! program that uses much of the framework takes their place.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{CSharp, RuntimeVersion, azmcp_program, compiler_program, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};
use corprof_testkit::paths;
use e2e::app::{App, Build};
use e2e::is_long;
use e2e::libraries::libraries;
use e2e::on_each_runtime;
use serde_json::json;

use crate::run::{MODES, PATIENCE, Report, alike, rewritten};

/// Calls that may be open when a program ends: `Main` and what it waits in, on all threads.
const OPEN: usize = 60;

fn modes() -> &'static [&'static str] {
    if is_long() { &MODES } else { &MODES[1..2] }
}

/// What is entered is left, except the calls that are open at the end.
fn balanced(mode: &str, report: &Report) -> Result<()> {
    let calls: u64 = report.calls.values().map(|(entered, _)| entered).sum();
    match mode {
        "nop" => ensure!(calls == 0, "{calls} calls were counted"),
        "call" => ensure!(calls > 10_000, "only {calls} calls"),
        _ => {
            ensure!(calls > 10_000, "only {calls} calls");
            let open = report.calls.iter().filter(|(_, (entered, left))| entered != left);
            let open: Vec<String> = open.map(|(name, calls)| format!("{name} {calls:?}")).collect();
            ensure!(open.len() <= OPEN, "{} methods are not balanced:\n{}", open.len(), open.join("\n"));
        }
    }
    println!("  {calls} calls of {} methods", report.calls.len());
    Ok(())
}

/// The C# compiler writes the same assembly, byte by byte.
fn compiler(version: RuntimeVersion) -> Result<()> {
    let source = paths::workspace().join("tests/apps/framework/Program.cs");
    let folder = scratch(&format!("rewrite-csc-{}", version.short()))?;
    let output = folder.join("framework.dll");
    let csharp = CSharp::new(RuntimeVersion::V9_0, [source], &output);
    let launch = compiler_program(&runtime(version)?, &csharp)?.timeout(PATIENCE);
    let unchanged = launch.clone().run()?.ok()?;
    let expected = fs::read(&output)?;
    let scopes: &[&str] = if is_long() { &["program", "all"] } else { &["program"] };
    for scope in scopes {
        for mode in modes() {
            fs::remove_file(&output)?;
            let name = format!("csc-{}", version.short());
            let (finished, report) = rewritten(&name, mode, scope, launch.clone())?;
            alike(&unchanged, &finished)?;
            ensure!(fs::read(&output)? == expected, "{mode}: the compiler wrote another assembly");
            balanced(mode, &report)?;
        }
    }
    Ok(())
}

/// The compiler reports the errors of a program that does not compile, and ends with 1.
fn compiler_with_errors(version: RuntimeVersion) -> Result<()> {
    let folder = scratch(&format!("rewrite-csc-errors-{}", version.short()))?;
    let source = folder.join("wrong.cs");
    fs::write(&source, "class P { static int Main() { string s = 3; return t; } async void A() { } }")?;
    let csharp = CSharp::new(RuntimeVersion::V9_0, [source], folder.join("wrong.dll"));
    let launch = compiler_program(&runtime(version)?, &csharp)?.timeout(PATIENCE);
    let unchanged = launch.clone().run()?;
    ensure!(unchanged.code() == Some(1) && unchanged.stdout.contains("CS0103"), "{}", unchanged.report());
    let name = format!("csc-errors-{}", version.short());
    for mode in modes() {
        let (finished, _) = rewritten(&name, mode, "program", launch.clone())?;
        alike(&unchanged, &finished)?;
    }
    Ok(())
}

/// `azmcp` prints what it printed, except how long it took.
fn azmcp(name: &str, launch: &Launch) -> Result<()> {
    let unchanged = launch.clone().timeout(PATIENCE).run()?.ok()?;
    ensure!(unchanged.stdout.len() > 10_000, "{}", unchanged.report());
    let lines = |finished: &Finished| -> Vec<String> {
        let lines = finished.stdout.lines().filter(|line| !line.contains("\"duration\": "));
        lines.map(str::to_owned).collect()
    };
    for mode in modes() {
        let (finished, report) = rewritten(name, mode, "all", launch.clone())?;
        ensure!(finished.status == unchanged.status, "{}", finished.report());
        ensure!(finished.stderr == unchanged.stderr, "{mode}\n{}", finished.report());
        ensure!(lines(&finished) == lines(&unchanged), "{mode}\n{}", finished.report());
        balanced(mode, &report)?;
    }
    Ok(())
}

/// With the framework that it brings.
#[test]
fn azmcp_prints_the_same_on_9_0() -> Result<()> {
    let launch = Launch::new(&runtime(RuntimeVersion::V9_0)?, azmcp_program()?);
    azmcp("azmcp-9.0", &launch.args(["tools", "list"]))
}

/// Its own assemblies on the framework of a newer runtime.
fn azmcp_on_a_newer_runtime(version: RuntimeVersion) -> Result<()> {
    let runtime = runtime(version)?;
    let dist = azmcp_program()?.parent().map(Path::to_path_buf).context("azmcp is in no folder")?;
    let folder = scratch(&format!("rewrite-azmcp-on-{version}"))?;
    let shared = runtime.assemblies.ancestors().nth(2).context("the runtime is in no folder")?;
    let mut framework = Vec::new();
    for name in ["Microsoft.NETCore.App", "Microsoft.AspNetCore.App"] {
        libraries(&shared.join(name), &mut framework)?;
    }
    let is_framework = |file: &PathBuf| framework.iter().any(|own| own.file_name() == file.file_name());
    let mut files = Vec::new();
    libraries(&dist, &mut files)?;
    for file in files.iter().filter(|file| file.parent() == Some(&dist) && !is_framework(file)) {
        fs::copy(file, folder.join(file.file_name().context("a file without a name")?))?;
    }
    let frameworks = ["Microsoft.NETCore.App", "Microsoft.AspNetCore.App"]
        .map(|name| json!({ "name": name, "version": format!("{version}.0") }));
    let mut config: serde_json::Value =
        serde_json::from_slice(&fs::read(dist.join("azmcp.runtimeconfig.json"))?)?;
    let options = config["runtimeOptions"].as_object_mut().context("no options")?;
    options.remove("includedFrameworks");
    options.insert("frameworks".to_owned(), json!(frameworks));
    fs::write(folder.join("azmcp.runtimeconfig.json"), config.to_string())?;
    azmcp(
        &format!("azmcp-{version}"),
        &Launch::new(&runtime, folder.join("azmcp.dll")).args(["tools", "list"]),
    )
}

/// A program that uses much of the framework.
fn libraries_of_the_framework(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("framework", version, Build::Optimised)?;
    let launch = Launch::new(&runtime(version)?, &app.dll).timeout(PATIENCE);
    let unchanged = launch.clone().run()?.ok()?;
    for mode in modes() {
        let (finished, report) = rewritten(&app.label, mode, "all", launch.clone())?;
        alike(&unchanged, &finished)?;
        balanced(mode, &report)?;
    }
    Ok(())
}

on_each_runtime! {
    the_csharp_compiler_writes_the_same_assembly on [on_9_0 on_11_0] long [on_10_0]: compiler;
    the_csharp_compiler_reports_the_same_errors on [on_11_0] long [on_9_0 on_10_0]: compiler_with_errors;
    azmcp_prints_the_same on [on_10_0 on_11_0]: azmcp_on_a_newer_runtime;
    libraries_of_the_framework_work_as_before on [on_3_1 on_11_0] long [on_9_0 on_10_0]: libraries_of_the_framework;
}
