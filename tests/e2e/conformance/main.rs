//! What the runtime's own tests of the profiling API assert, asserted with `corprof`: one row of
//! `docs/conformance.md`, one process, one C# program.
//!
//! The profiler (`tests/profilers/conformance`) says what it has seen, and the program (`tests/apps/conformance`) what it
//! did.

use anyhow::Result;
use e2e::app::{App, Build};
use e2e::stated;
use e2e::traced::optimised_at_once;
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::Launch;

/// The class of the profiler.
const CLSID: &str = "{B7C1D64E-2A0F-4E57-9C3B-6F0D1E8A7250}";

/// Runs a row, and compares. There have to be at least `facts`.
fn check(
    row: &str,
    version: RuntimeVersion,
    facts: usize,
    change: impl FnOnce(Launch) -> Launch,
) -> Result<()> {
    let app = App::compile("conformance", version, Build::Optimised)?;
    let launch = Launch::new(&runtime(version)?, &app.dll)
        .profiler(&stated::profiler("conformance", CLSID)?)
        .env("CONFORMANCE_ROW", row)
        .arg(row)
        .arg(app.plugin()?);
    // What is optimised at once is what the runtime's tests call sensitive to optimisation; the others do not mind.
    let finished = change(optimised_at_once(launch)).run()?.ok()?;
    let count = stated::agree(&finished, facts)?;
    println!("{row} on {version}: {count} facts agree");
    Ok(())
}

macro_rules! rows {
    ($($name:ident($row:literal, $facts:literal);)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn on_3_1() -> Result<()> {
                check($row, RuntimeVersion::V3_1, $facts, |launch| launch)
            }

            #[test]
            fn on_9_0() -> Result<()> {
                check($row, RuntimeVersion::V9_0, $facts, |launch| launch)
            }
        }
    )*};
}

rows! {
    assemblies_are_unloaded_as_often_as_the_program_does("ALCTest", 1);
    classes_come_and_go_with_their_context("classload", 9);
    loads_end_as_often_as_they_begin("moduleload", 8);
    inlining_is_allowed_and_forbidden_by_turns("dynamicoptimization", 3);
    native_functions_have_transitions_and_managed_ones_calls("elttransitions", 2);
    exceptions_are_told_step_by_step("exception", 1);
    threads_are_listed_while_all_stand_still("enumthreads", 5);
    what_may_not_be_inlined_is_entered("inlining", 3);
    other_code_reaches_chains_and_delegates("rejit", 7);
    each_transition_is_seen_once("transitions", 1);
}

/// .NET 9 has two ways to handle exceptions. The older one tells of them as other runtimes do.
#[test]
fn exceptions_handled_as_before_are_told_step_by_step_on_9_0() -> Result<()> {
    check("exception", RuntimeVersion::V9_0, 1, |launch| launch.env("DOTNET_LegacyExceptionHandling", "1"))
}

/// The hooks that compiled code calls directly.
#[test]
fn fast_hooks_leave_native_functions_out_on_9_0() -> Result<()> {
    check("elttransitions", RuntimeVersion::V9_0, 2, |launch| {
        launch.env("CONFORMANCE_ROW", "elttransitions-fast")
    })
}

#[test]
fn fast_hooks_leave_native_functions_out_on_3_1() -> Result<()> {
    check("elttransitions", RuntimeVersion::V3_1, 2, |launch| {
        launch.env("CONFORMANCE_ROW", "elttransitions-fast")
    })
}

/// EventPipe for profilers came with .NET 5, and the callback of a provider with .NET 6.
#[test]
fn ten_thousand_events_arrive_on_9_0() -> Result<()> {
    check("eventpipe", RuntimeVersion::V9_0, 5, |launch| launch)
}
