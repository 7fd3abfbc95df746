//! `corprof run --runtime`: a program that needs several frameworks of an older version runs on the chosen runtime, with all
//! frameworks of that version. Its configuration is the one that the SDK writes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{CSharp, RuntimeVersion, compile, runtime};
use corprof_testkit::launch::scratch;
use corprof_testkit::paths;
use e2e::app::{App, Build};
use e2e::command::{corprof, words};
use e2e::on_each_runtime;
use e2e::traced::calltrace;
use serde_json::json;

/// Copies a program to a folder of its own, with the configuration of a web program.
fn configured(dll: &Path, compiled_for: RuntimeVersion, name: &str) -> Result<PathBuf> {
    let folder = scratch(name)?;
    let program = folder.join(dll.file_name().context("a program without a name")?);
    fs::copy(dll, &program)?;
    let frameworks = ["Microsoft.NETCore.App", "Microsoft.AspNetCore.App"]
        .map(|name| json!({ "name": name, "version": format!("{compiled_for}.0") }));
    let config = json!({ "runtimeOptions": {
        "tfm": compiled_for.moniker(),
        "frameworks": frameworks,
        "configProperties": { "System.Globalization.Invariant": true },
    }});
    fs::write(program.with_extension("runtimeconfig.json"), config.to_string())?;
    Ok(program)
}

/// Runs the program on this runtime under calltrace, and returns its output.
fn output(version: RuntimeVersion, program: &Path, arguments: &[&str]) -> Result<String> {
    let (options, program) = words(&runtime(version)?, program)?;
    let trace = program.with_file_name("trace");
    let mut command = corprof(&["run"])?;
    command.args(options).arg("--library").arg(calltrace()?.library).arg("--").arg(program).args(arguments);
    let output = command.env("CALLTRACE_OUT", &trace).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {said}", output.status);
    ensure!(fs::metadata(&trace)?.len() > 0, "nothing was traced: {said}");
    Ok(String::from_utf8(output.stdout)?)
}

fn a_program_of_two_frameworks(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("demo", RuntimeVersion::V8_0, Build::Optimised)?;
    let program = configured(&app.dll, RuntimeVersion::V8_0, &format!("roll-forward-{version}"))?;
    let printed = output(version, &program, &[])?;
    ensure!(printed == "12.50 €, Gift, Insured\nalready sent\n", "{printed}");
    Ok(())
}

/// The server's clients check every response.
fn a_server(version: RuntimeVersion) -> Result<()> {
    let source = paths::workspace().join("tests/apps/served/Program.cs");
    let dll = paths::apps_dir().join("e2e/served-10.0/served.dll");
    let server = compile(&CSharp { aspnet: true, ..CSharp::new(RuntimeVersion::V10_0, [source], dll) })?;
    let program = configured(&server, RuntimeVersion::V10_0, &format!("roll-forward-server-{version}"))?;
    let printed = output(version, &program, &["20"])?;
    ensure!(printed.ends_with(", wrong 0\n"), "{printed}");
    Ok(())
}

on_each_runtime! {
    /// The other runtimes have no web framework, or no `dotnet`.
    a_program_that_needs_two_frameworks_of_8_0_runs on [on_9_0 on_11_0]: a_program_of_two_frameworks;
    a_web_server_of_10_0_runs on [on_11_0]: a_server;
}
