//! What `cargo xtask bench` measures.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The arguments of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// What to measure
    #[arg(value_name = "WHAT")]
    pub what: What,
    /// The number of turns of each candidate
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub rounds: u32,
    /// Leave out the statistics of divan, which come before the table (sigparse only)
    #[arg(long)]
    pub table: bool,
    /// Measure one part only (hooks only): the cost of a call, or of whole programs
    #[arg(long, value_name = "PART")]
    pub only: Option<Part>,
    /// Measure only what has this text in its line of the table (hooks and tools only)
    #[arg(long, value_name = "TEXT")]
    pub line: Option<String>,
    /// Measure the profilers of another checkout of this repository in turn with these (hooks and names only)
    #[arg(long, value_name = "FOLDER")]
    pub beside: Option<PathBuf>,
}

/// What is measured.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum What {
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

/// A part of the benchmark of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The cost of a call, in a loop: a minute for each round
    Calls,
    /// The cost for whole programs, with all methods traced
    Programs,
    /// The cost of `calltrace --all` for whole programs, with its budget and without one
    Traced,
}
