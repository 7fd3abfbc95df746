//! `cargo xtask bench hooks`: the cost of enter and leave hooks, against a profiler in C that does the same work.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the parts and the header of the report |
//! | `tracers` | builds the profilers that are compared |
//! | `loops` | the cost of a call: `benches/hooks/Loop.cs` |
//! | `programs` | the cost for a whole program |
//! | `traced` | the cost of `calltrace --all` for whole programs, and for those that do little but call |

mod loops;
mod programs;
mod traced;
mod tracers;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::{self, RuntimeVersion};
use xtask_cli::{BenchArgs, Part};

use self::tracers::Tracers;
use super::beside::Beside;

/// Measures one part, or all, and prints the tables.
pub(super) fn run(arguments: &BenchArgs, beside: Option<&Beside>) -> Result<()> {
    let (rounds, only) = (arguments.rounds, arguments.only);
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "hooks are measured on Linux on x86-64: the profiler in C has stubs for nothing else"
    );
    ensure!(
        beside.is_none() || matches!(only, Some(Part::Calls | Part::Traced)),
        "another checkout is measured in the cost of a call and under calltrace: add --only calls or --only traced"
    );
    let tracers = Tracers::build(beside)?;
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    println!(
        ".NET {}, {}, rustc as the workspace has it, fat LTO, one codegen unit",
        runtime.version, tracers.compiler
    );
    let has = |part| only.is_none_or(|only| only == part);
    if has(Part::Calls) {
        loops::run(&runtime, &tracers, rounds, arguments.line.as_deref())?;
    }
    if has(Part::Programs) && arguments.line.is_none() {
        programs::run(&runtime, &tracers, rounds)?;
    }
    if only == Some(Part::Traced) || only.is_none() && arguments.line.is_none() {
        traced::run(&tracers, rounds, arguments.line.as_deref())?;
    }
    Ok(())
}
