//! `cargo xtask bench`: benchmarks, each with a reference to compare with.

mod argvalues;
mod beside;
mod bodies;
mod hooks;
mod interval;
mod names;
mod rewriting;
mod side_by_side;
mod sigparse;
mod tools;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::{paths, process};
use xtask_cli::{BenchArgs, What};

use self::beside::Beside;

/// Measures, and prints a table.
pub(crate) fn main(arguments: &BenchArgs) -> Result<ExitCode> {
    let beside = arguments.beside.as_deref().map(Beside::new).transpose()?;
    ensure!(
        beside.is_none() || matches!(arguments.what, What::Hooks | What::Names),
        "--beside is for `hooks` and `names`"
    );
    let beside = beside.as_ref();
    match arguments.what {
        What::Argvalues => argvalues::run(arguments.rounds)?,
        What::Bodies => bodies::run(arguments.rounds)?,
        What::Hooks => hooks::run(arguments, beside)?,
        What::Names => names::run(arguments.rounds, beside)?,
        What::Rewriting => rewriting::run(arguments.rounds)?,
        What::Sigparse => sigparse::run(arguments.rounds, arguments.table)?,
        What::Tools => tools::run(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A cargo command for the workspace in a folder, with the target folder of its benchmark and without inherited flags.
fn cargo(verb: &str, folder: &Path, target: &Path) -> Command {
    let mut command = process::cargo([verb, "--quiet", "--locked", "--release"]);
    command.arg("--manifest-path").arg(folder.join("Cargo.toml")).arg("--target-dir").arg(target);
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    command
}

/// The target folder of a benchmark.
fn target_dir(name: &str) -> PathBuf {
    paths::workspace().join("target").join("benches").join(name)
}

/// The library of a package that was built in a benchmark's target folder.
fn library(target: &Path, package: &str) -> Result<PathBuf> {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    let file = format!("{DLL_PREFIX}{}{DLL_SUFFIX}", package.replace('-', "_"));
    let library = target.join("release").join(file);
    ensure!(library.is_file(), "{package} was built, but there is no {}", paths::shown(&library));
    Ok(library)
}

fn start(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", process::shown(command)))?;
    ensure!(status.success(), "failed ({status}); the command was: {}", process::shown(command));
    Ok(())
}
