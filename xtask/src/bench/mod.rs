//! `cargo xtask bench`: benchmarks, each with a reference to compare with.

mod argvalues;
mod beside;
mod bodies;
mod hooks;
mod names;
mod rewriting;
mod sigparse;
mod tools;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};

use self::beside::Beside;
use crate::{paths, process};

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// What to measure
    #[arg(value_name = "WHAT")]
    what: What,
    /// The number of turns of each candidate
    #[arg(long, value_name = "N", default_value_t = 40)]
    rounds: u32,
    /// Leave out the statistics of divan, which come before the table (sigparse only)
    #[arg(long)]
    table: bool,
    /// Measure one part only (hooks only): the cost of a call, or of whole programs
    #[arg(long, value_name = "PART")]
    only: Option<hooks::Part>,
    /// Measure the profilers of another checkout of this repository in turn with these (hooks and names only)
    #[arg(long, value_name = "FOLDER")]
    beside: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// Values of a call, against a decoder in C++ and in a program on .NET 9.0
    Argvalues,
    /// Method bodies, against other crates and System.Reflection.Metadata, which decode and encode them
    Bodies,
    /// Enter and leave hooks, against a profiler in C: loops and whole programs on .NET 9.0
    Hooks,
    /// Names of functions, in a program on .NET 9.0: the first lookup, and cached
    Names,
    /// Methods rewritten at the JIT: what that adds to compilation and to a call, on .NET 9.0
    Rewriting,
    /// Signatures, against other crates that decode them
    Sigparse,
    /// What each tool adds to the processor time and the memory of a program under load, on .NET 9.0
    Tools,
}

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
        What::Hooks => hooks::run(arguments.rounds, arguments.only, beside)?,
        What::Names => names::run(arguments.rounds, beside)?,
        What::Rewriting => rewriting::run(arguments.rounds)?,
        What::Sigparse => sigparse::run(arguments.rounds, arguments.table)?,
        What::Tools => tools::run(arguments.rounds)?,
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
