//! `corprof new`: the project builds, and its tests pass, on the fake runtime and on .NET. `corprof pack`: the script of the
//! package runs a program with the profiler.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{CSharp, RuntimeVersion, compile, runtime, with_muxer};
use corprof_testkit::launch::{Launch, scratch};
use corprof_testkit::{paths, process};
use e2e::app::{App, Build};
use e2e::command::{corprof, refused};
use e2e::on_each_runtime;
use e2e::packaged::packages;
use e2e::traced::calltrace;

/// The runtime of the live test. Its `dotnet` starts assemblies by itself.
const VERSION: RuntimeVersion = RuntimeVersion::V9_0;

/// Makes a project of this variant that depends on the clone, and runs its tests.
fn works(variant: &str) -> Result<()> {
    let folder = scratch(&format!("template-{variant}"))?.join(format!("made-{variant}"));
    let clone = paths::workspace();
    made(corprof(&["new", "--variant", variant, "--path"])?.arg(&clone).arg(&folder))?;
    passes(&folder, "")
}

fn made(command: &mut Command) -> Result<()> {
    let made = command.output()?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Ok(())
}

/// Runs the tests of a project. Dependencies are compiled as the workspace's are, and offline; `patch` are lines of its manifest.
fn passes(folder: &Path, patch: &str) -> Result<()> {
    let clone = paths::workspace();
    let again = corprof(&["new"])?.arg(folder).output()?;
    refused(&again, &["exists already"])?;
    // The folder is below that of the workspace, whose member it is not.
    let manifest = folder.join("Cargo.toml");
    fs::write(&manifest, fs::read_to_string(&manifest)? + "\n[workspace]\n" + patch)?;
    fs::copy(clone.join("Cargo.lock"), folder.join("Cargo.lock"))?;

    let app = folder.join("app/bin/app.dll");
    let program = compile(&CSharp::new(VERSION, [folder.join("app/Program.cs")], &app))?;
    let (_, dotnet) = with_muxer(VERSION)?;
    let root = dotnet.parent().context("the muxer has no folder")?;
    let mut cargo = process::cargo(["test", "--offline", "--", "--show-output"]);
    cargo.current_dir(folder).env("CARGO_TARGET_DIR", clone.join("target"));
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    cargo.env("LIVE_PROGRAM", program).env("DOTNET_ROOT", root).env("CI", "1");
    cargo.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    let tested = cargo.output()?;
    let said =
        format!("{}{}", String::from_utf8_lossy(&tested.stdout), String::from_utf8_lossy(&tested.stderr));
    ensure!(tested.status.success(), "{said}");
    ensure!(said.contains("test the_program_is_profiled_and_not_changed ... ok"), "{said}");
    // The unit test, the live test, and no warning.
    ensure!(said.matches("test result: ok. 1 passed").count() == 2, "{said}");
    let mut warnings = said.lines().filter(|line| line.starts_with("warning:"));
    // Packages that this variant does not depend on.
    ensure!(warnings.all(|line| line.contains("was not used in the crate graph")), "{said}");
    Ok(())
}

#[test]
fn the_template_for_calls_works() -> Result<()> {
    works("calls")
}

#[test]
fn the_template_for_sampling_works() -> Result<()> {
    works("sampling")
}

#[test]
fn the_template_for_il_works() -> Result<()> {
    works("il")
}

#[test]
fn the_template_for_attach_works() -> Result<()> {
    works("attach")
}

#[test]
#[ignore = "all crates are compiled from their packages: cargo xtask test --long"]
fn the_templates_work_with_published_crates() -> Result<()> {
    let folder = scratch("template-packages")?;
    let patch = packages(&folder)?;
    for variant in ["calls", "il"] {
        let project = folder.join(format!("packaged-{variant}"));
        made(corprof(&["new", "--registry", "--variant", variant])?.arg(&project))?;
        passes(&project, &patch)?;
    }
    Ok(())
}

/// Packs `calltrace`, unpacks the package, and runs a program by its script.
fn packed(version: RuntimeVersion) -> Result<()> {
    let folder = scratch(&format!("template-pack-{version}"))?;
    let mut command = corprof(&["pack"])?;
    command.arg(&calltrace()?.library).args(["--id", "Traced", "--package-version", "1.2.0", "--output"]);
    let made = command.arg(&folder).output()?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let unpacked = folder.join("unpacked");
    zip::ZipArchive::new(fs::File::open(folder.join("Traced.1.2.0.nupkg"))?)?.extract(&unpacked)?;

    let app = App::compile("demo", version, Build::Optimised)?;
    let program = Launch::new(&runtime(version)?, &app.dll).command()?;
    // NuGet may have unpacked the script without its permissions.
    let mut script = Command::new("sh");
    script.arg(unpacked.join("tools/profile.sh")).arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let run = script.output()?;
    let said = String::from_utf8_lossy(&run.stderr);
    ensure!(run.status.success(), "{}\n{said}", run.status);
    ensure!(String::from_utf8_lossy(&run.stdout) == "12.50 €, Gift, Insured\nalready sent\n", "{said}");
    ensure!(said.contains("Shop.Cart<string>.Add("), "{said}");
    Ok(())
}

on_each_runtime! {
    the_script_of_a_package_runs_a_program: packed;
}

#[test]
fn a_name_that_cargo_refuses_is_refused() -> Result<()> {
    refused(&corprof(&["new", "7up"])?.output()?, &["\"7up\"", "a letter first"])?;
    refused(&corprof(&["new", "x", "--path", "/nowhere"])?.output()?, &["/nowhere is no clone"])
}
