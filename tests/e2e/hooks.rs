//! Fast-path and slow-path hooks give the same trace: a program is run with each, and the lines of
//! calltrace are compared.
//!
//! `e2e/differential.rs` tests the locations of values for many more calls. This test covers the parts that
//! cannot be compared within one call: the stubs of fast-path hooks, queries through the helper thread, and reads of
//! objects without the runtime.

use std::time::Duration;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, azmcp_program, runtime};
use corprof_testkit::launch::Launch;
use e2e::app::{App, Build};
use e2e::differential::{Addresses, Difference, Noise, Trace};
use e2e::on_each_runtime;
use e2e::traced::{Traced, Tracing};

const KINDS: [&str; 2] = ["with-info", "fast"];
const PATIENCE: Duration = Duration::from_secs(300);

/// With slow-path hooks the program's code is not optimised. This does the same with fast-path hooks, so that the same
/// methods are called.
fn not_optimised(launch: Launch) -> Launch {
    launch.env("DOTNET_JITMinOpts", "1").env("COMPlus_JITMinOpts", "1")
}

/// The traces of a program of `tests/apps` are equal in every digit.
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
    structs_of_every_kind_are_traced_alike: |version| same("passing", version, Build::Optimised, 400);
    structs_of_every_kind_are_traced_alike_in_a_debug_build: |version| same("passing", version, Build::Debug, 400);
    a_program_with_objects_and_exceptions_is_traced_alike: |version| {
        same("demo", version, Build::Optimised, 20)?;
        same("demo", version, Build::Debug, 20)
    };
}

/// The traced part of `azmcp`. With everything traced, a few methods in a thousand get uninitialised memory
/// (`stackalloc`, the `this` of a struct's constructor), whose contents differ with the kind of hook; so only a part is
/// traced.
const SOME_OF_AZMCP: &str = "System.Collections*.dll!*;System.CommandLine.dll!*;System.Private.CoreLib.dll!System.Collections.*;Microsoft.*!*";

/// A program that was not written for a comparison: its runs differ slightly. The lines of each thread are
/// compared in their order, threads in the order in which they began.
///
/// Accepted differences:
///
/// - numbers that may be addresses count as the same;
/// - lines of methods whose lines differ between two runs with the same hooks as well, some two in a thousand: hash codes
///   of strings, which are seeded per process, objects that hold them, and a struct before its constructor has run;
/// - an extra call on one side: the search in a table depends on the hash codes;
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
