//! `cargo xtask bench hooks`: what enter and leave hooks cost, beside a profiler in C that does the same.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the order of things |
//! | `tracers` | the profilers that are compared, built |
//! | `loops` | what a call costs: `benches/hooks/Loop.cs` |
//! | `programs` | what a whole program costs |

mod loops;
mod programs;
mod tracers;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use self::tracers::Tracers;
use crate::dotnet::{self, RuntimeVersion};

/// A part of what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Part {
    /// What a call costs, in a loop: a minute for each round
    Calls,
    /// What whole programs cost, every method of them traced
    Programs,
}

/// Measures, and prints the tables; of one part, or all.
pub(super) fn run(rounds: u32, only: Option<Part>) -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "hooks are measured on Linux on x86-64: the profiler in C has stubs for nothing else"
    );
    let tracers = Tracers::build()?;
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    println!(
        ".NET {}, {}, rustc as the workspace has it, fat LTO, one codegen unit",
        runtime.version, tracers.compiler
    );
    let has = |part| only.is_none_or(|only| only == part);
    if has(Part::Calls) {
        loops::run(&runtime, &tracers, rounds)?;
    }
    if has(Part::Programs) {
        programs::run(&runtime, &tracers, rounds)?;
    }
    Ok(())
}
