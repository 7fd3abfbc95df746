//! Fast hooks and hooks with info say the same, from the stubs to the trace: a program is run with each, and the lines of
//! calltrace are compared.
//!
//! That each value is where fast hooks look for it, `e2e/differential.rs` shows for many more calls. Here it is about what
//! cannot be seen within one call: the stubs of fast hooks, what is asked there by another thread, and what is read of
//! objects without the runtime.

use std::time::Duration;

use anyhow::{Result, ensure};
use e2e::app::{App, Build};
use e2e::differential::{Addresses, Difference, Noise, Trace};
use e2e::on_each_runtime;
use e2e::traced::{Traced, Tracing};
use xtask::dotnet::{RuntimeVersion, azmcp_program, runtime};
use xtask::launch::Launch;

const KINDS: [&str; 2] = ["with-info", "fast"];
const PATIENCE: Duration = Duration::from_secs(300);

/// Hooks with info have code compiled without optimisations. This does it for fast hooks too, so that the same
/// methods are called.
fn not_optimised(launch: Launch) -> Launch {
    launch.env("DOTNET_JITMinOpts", "1").env("COMPlus_JITMinOpts", "1")
}

/// The traces of a program of `tests/apps` are the same to the last digit.
fn same(program: &str, version: RuntimeVersion, build: Build, least: usize) -> Result<()> {
    let app = App::compile(program, version, build)?;
    let run = |kind| Tracing::app(&app, kind)?.with(not_optimised).set("HOOKS", kind).run();
    let [with_info, fast] = [run(KINDS[0])?, run(KINDS[1])?];
    fast.expect((|| {
        ensure!(fast.finished.stdout == with_info.finished.stdout, "the program printed something else");
        let difference = difference(&with_info, None, &fast, Addresses::Compared)?;
        println!("{program} on {version}, {build:?}: {difference}");
        ensure!(difference.equal >= least, "only {difference}");
        ensure!(difference.equal == difference.total(), "{difference}");
        Ok(())
    })())
}

fn difference(
    with_info: &Traced,
    again: Option<&Traced>,
    fast: &Traced,
    addresses: Addresses,
) -> Result<Difference> {
    let read = |traced: &Traced| Trace::read(&traced.trace, addresses);
    let first = read(with_info)?;
    let noise = match again {
        Some(again) => Noise::between(&first, &read(again)?),
        None => Noise::default(),
    };
    Ok(Difference::between(&first, &read(fast)?, &noise))
}

on_each_runtime! {
    structs_of_every_kind_are_found_where_they_are: |version| same("passing", version, Build::Optimised, 400);
    structs_of_every_kind_are_found_in_a_debug_build: |version| same("passing", version, Build::Debug, 400);
    a_program_with_objects_and_exceptions_is_traced_alike: |version| {
        same("demo", version, Build::Optimised, 20)?;
        same("demo", version, Build::Debug, 20)
    };
}

/// What is traced of `azmcp`. With everything traced, a few methods in a thousand are handed memory that nobody has written
/// yet (`stackalloc`, the `this` of a struct's constructor), and each kind of hook leaves something else there; so there is
/// a choice here.
const SOME_OF_AZMCP: &str = "System.Collections*.dll!*;System.CommandLine.dll!*;System.Private.CoreLib.dll!System.Collections.*;Microsoft.*!*";

/// A program that nobody wrote for a comparison: its runs differ a little from each other. Of each thread, the lines are
/// compared in their order, threads in the order in which they began.
///
/// What is allowed for:
///
/// - numbers that may be addresses count as the same;
/// - lines of methods whose lines differ between two runs with the same hooks as well, some two in a thousand: hash codes
///   of strings, which each process has its own of, what holds them, and a struct that its constructor has yet to fill;
/// - a call more or less on one side: how a table is searched depends on the hash codes;
/// - values that could not be located, at the first calls of a function at most.
#[test]
fn azmcp_is_traced_alike() -> Result<()> {
    let launch = Launch::new(&runtime(RuntimeVersion::V9_0)?, azmcp_program()?).arg("--help");
    let run = |run: &str, kind: &str| {
        Tracing::launching(&format!("hooks-azmcp-{run}"), &launch)?
            .with(|launch| not_optimised(launch.timeout(PATIENCE)))
            .set("HOOKS", kind)
            .set("INCLUDE", SOME_OF_AZMCP)
            .set("MAX_DEPTH", "1")
            .set("MAX_ITEMS", "4")
            .set("MAX_CHARS", "60")
            .run()
    };
    let with_info = run("with-info", KINDS[0])?;
    let again = run("again", KINDS[0])?;
    let fast = run("fast", KINDS[1])?;
    fast.expect((|| {
        ensure!(fast.finished.stdout == with_info.finished.stdout, "the program printed something else");
        let difference = difference(&with_info, Some(&again), &fast, Addresses::Alike)?;
        println!("azmcp: {difference}");
        let total = difference.total();
        ensure!(difference.found == 0, "{difference}");
        ensure!(difference.equal >= 100_000, "only {difference}");
        ensure!(difference.noisy <= total / 100, "too little can be compared: {difference}");
        ensure!(difference.alone <= total / 500, "the calls are not the same: {difference}");
        ensure!(difference.more_exact <= total / 500, "too much has another type: {difference}");
        ensure!(difference.not_located <= total / 10_000, "too much is not located: {difference}");
        Ok(())
    })())
}
