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

use self::tracers::Tracers;
use crate::dotnet::{self, RuntimeVersion};

/// Measures, and prints the tables.
pub(super) fn run(rounds: u32) -> Result<()> {
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
    loops::run(&runtime, &tracers, rounds)?;
    programs::run(&runtime, &tracers, rounds)
}
