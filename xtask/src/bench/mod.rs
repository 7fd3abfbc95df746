//! `cargo xtask bench`: what is measured, each beside something to compare it with.

mod argvalues;
mod bodies;
mod hooks;
mod names;
mod sigparse;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};

use crate::{paths, process};

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// What to measure
    #[arg(value_name = "WHAT")]
    what: What,
    /// How often everyone takes a turn
    #[arg(long, value_name = "N", default_value_t = 40)]
    rounds: u32,
    /// Leave out the statistics of divan, which come before the table (sigparse only)
    #[arg(long)]
    table: bool,
    /// Measure one part only (hooks only): what a call costs, or whole programs
    #[arg(long, value_name = "PART")]
    only: Option<hooks::Part>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// Values of a call, beside a decoder in C++ and in a program on .NET 9.0
    Argvalues,
    /// Method bodies, beside other crates that decode and encode them
    Bodies,
    /// Enter and leave hooks, beside a profiler in C: loops and whole programs on .NET 9.0
    Hooks,
    /// Names of functions, in a program on .NET 9.0: when asked for the first time, and when known
    Names,
    /// Signatures, beside other crates that decode them
    Sigparse,
}

/// Measures, and prints a table.
pub(crate) fn main(arguments: &BenchArgs) -> Result<ExitCode> {
    match arguments.what {
        What::Argvalues => argvalues::run(arguments.rounds)?,
        What::Bodies => bodies::run(arguments.rounds)?,
        What::Hooks => hooks::run(arguments.rounds, arguments.only)?,
        What::Names => names::run(arguments.rounds)?,
        What::Sigparse => sigparse::run(arguments.rounds, arguments.table)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A cargo for the workspace in a folder, with a target folder of its benchmark and no flags from outside.
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

fn start(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", process::shown(command)))?;
    ensure!(status.success(), "failed ({status}); the command was: {}", process::shown(command));
    Ok(())
}
