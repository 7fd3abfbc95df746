//! What strangers write with the published crates alone: their projects build against the packages that a release would publish,
//! their tests pass, and what they build runs on .NET.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{Launcher, RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use corprof_testkit::{Profiler, paths, process};
use e2e::app::{App, Build};
use e2e::command::corprof;
use e2e::interactive::Interactive;
use e2e::packaged::packages;

/// The runtime of the live parts.
const VERSION: RuntimeVersion = RuntimeVersion::V9_0;
/// The class id of the guide's first profiler.
const BY_HAND: &str = "{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A01}";
/// The class id of the two profilers in one library.
const COMPOSED: &str = "{7A1C7B0E-5D53-4E0B-9B3B-6F0C0D2E8A11}";

/// Copies `tests/strangers` to a folder, with the guide's first profiler and a project of `corprof new` in it.
fn workspace(folder: &Path) -> Result<PathBuf> {
    let strangers = folder.join("strangers");
    copy(&paths::workspace().join("tests/strangers"), &strangers)?;
    let guide = fs::read_to_string(paths::workspace().join("docs/writing-a-profiler.md"))?;
    let (_, code) = guide.split_once("```rust\n").context("the guide has no profiler")?;
    let (code, _) = code.split_once("```\n").context("the guide's first profiler does not end")?;
    ensure!(code.contains(BY_HAND), "the guide's first profiler has another class id:\n{code}");
    fs::write(strangers.join("byhand/src/lib.rs"), code)?;
    let made = corprof(&["new", "--registry"])?.arg(strangers.join("stranger-generated")).output()?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let packages = folder.join("packages");
    fs::create_dir_all(&packages)?;
    let manifest = strangers.join("Cargo.toml");
    let members =
        fs::read_to_string(&manifest)?.replace("\"byhand\",", "\"byhand\", \"stranger-generated\",");
    fs::write(&manifest, members + &self::packages(&packages)?)?;
    fs::copy(paths::workspace().join("Cargo.lock"), strangers.join("Cargo.lock"))?;
    Ok(strangers)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Runs cargo in their workspace, offline, with the compiled dependencies of the repository's; returns what it prints.
fn cargo(strangers: &Path, arguments: &[&str]) -> Result<String> {
    let app = App::compile("demo", VERSION, Build::Optimised)?;
    let Launcher::Muxer(dotnet) = runtime(VERSION)?.launcher else { anyhow::bail!("{VERSION} has no muxer") };
    let mut cargo = process::cargo(arguments);
    cargo
        .env("CARGO_NET_OFFLINE", "true")
        .current_dir(strangers)
        .env("CARGO_TARGET_DIR", paths::workspace().join("target"));
    // For the live test of the generated project.
    cargo
        .env("LIVE_PROGRAM", app.dll)
        .env("DOTNET_ROOT", dotnet.parent().context("no folder")?)
        .env("CI", "1");
    cargo.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    let output = cargo.output()?;
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "failed ({}): {}\n{said}", output.status, process::shown(&cargo));
    Ok(said)
}

/// A library that they have built.
fn library(name: &str, clsid: &str) -> Result<Profiler> {
    let library = paths::workspace().join(format!("target/debug/lib{name}.so"));
    Ok(Profiler::new(&library, clsid.parse()?))
}

/// A program runs with the profiler of the guide, which counts the compiled methods.
fn the_profiler_by_hand_runs() -> Result<()> {
    let app = App::compile("demo", VERSION, Build::Optimised)?;
    let plain = Launch::new(&runtime(VERSION)?, &app.dll).run()?.ok()?;
    let profiled = Launch::new(&runtime(VERSION)?, &app.dll).profiler(&library("stranger_byhand", BY_HAND)?);
    let profiled = profiled.run()?.ok()?;
    ensure!(profiled.stdout == plain.stdout, "{}", profiled.report());
    let count = profiled.stderr.lines().find_map(|line| line.strip_suffix(" methods compiled"));
    let count: u32 = count.with_context(|| profiled.report())?.parse()?;
    ensure!(count > 0, "{}", profiled.report());
    Ok(())
}

/// The two profilers are attached to a running program by the attacher, and see what it does from then on.
fn the_attacher_attaches() -> Result<()> {
    let app = App::compile("attached", VERSION, Build::Optimised)?;
    let mut program =
        Interactive::start(&Launch::new(&runtime(VERSION)?, &app.dll), &scratch("strangers-attached")?)?;
    program.next_line()?;
    program.request("throw System.ArgumentException")?;
    let library = library("stranger_composed", COMPOSED)?;
    let attacher = paths::workspace().join("target/debug/stranger-attacher");
    let pid = program.pid().to_string();
    let attached = Command::new(attacher).arg(&pid).arg(&library.library).arg(COMPOSED).output()?;
    let said = String::from_utf8_lossy(&attached.stdout);
    ensure!(attached.status.success() && said.contains("attached.dll"), "{attached:?}");
    for name in ["System.FormatException", "System.NotSupportedException"] {
        program.request(&format!("throw {name}"))?;
    }
    program.send("quit 7")?;
    ensure!(program.end()? == Some(7), "{}", program.report());
    ensure!(program.stderr().lines().any(|line| line == "thrown: 2"), "{}", program.report());
    Ok(())
}

#[test]
fn what_strangers_write_builds_against_the_packages_and_runs() -> Result<()> {
    let strangers = workspace(&scratch("strangers")?)?;
    let said = cargo(&strangers, &["test", "--workspace", "--", "--show-output"])?;
    for test in [
        "each_part_sees_what_it_has_asked_for",
        "tests::calls_and_rows_are_counted",
        "tests::a_signature_is_printed",
        "the_program_is_profiled_and_not_changed",
    ] {
        ensure!(said.contains(&format!("test {test} ... ok")), "{test} has not run:\n{said}");
    }
    cargo(&strangers, &["build", "--workspace"])?;
    the_profiler_by_hand_runs()?;
    the_attacher_attaches()
}
