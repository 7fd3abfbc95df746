//! What the runtime's own tests of the profiling API assert, asserted with `corprof`: one row of
//! `docs/conformance.md`, one process, one C# program.
//!
//! The profiler (`tests/profilers/conformance`) says what it has seen, and the program (`tests/apps/conformance`) what it
//! did.

use anyhow::Result;
use e2e::app::{App, Build};
use e2e::traced::optimised_at_once;
use e2e::{on_each_runtime, stated};
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

/// A row as it is.
fn row(row: &str, version: RuntimeVersion, facts: usize) -> Result<()> {
    check(row, version, facts, |launch| launch)
}

on_each_runtime! {
    assemblies_are_unloaded_as_often_as_the_program_does: |version| row("ALCTest", version, 1);
    classes_come_and_go_with_their_context: |version| row("classload", version, 9);
    loads_end_as_often_as_they_begin: |version| row("moduleload", version, 8);
    inlining_is_allowed_and_forbidden_by_turns: |version| row("dynamicoptimization", version, 3);
    native_functions_have_transitions_and_managed_ones_calls: |version| row("elttransitions", version, 2);
    exceptions_are_told_step_by_step: |version| row("exception", version, 1);
    threads_are_listed_while_all_stand_still: |version| row("enumthreads", version, 5);
    what_may_not_be_inlined_is_entered: |version| row("inlining", version, 3);
    other_code_reaches_chains_and_delegates: |version| row("rejit", version, 7);
    each_transition_is_seen_once: |version| row("transitions", version, 1);

    /// .NET 9 has a new way to handle exceptions, and the old one besides. That reports them as other runtimes do.
    exceptions_handled_as_before_are_told_step_by_step on [on_9_0 on_10_0]: |version| {
        check("exception", version, 1, |launch| launch.env("DOTNET_LegacyExceptionHandling", "1"))
    };

    /// The hooks that compiled code calls directly.
    fast_hooks_leave_native_functions_out: |version| {
        check("elttransitions", version, 2, |launch| launch.env("CONFORMANCE_ROW", "elttransitions-fast"))
    };

    /// EventPipe for profilers came with .NET 5, and the callback of a provider with .NET 6.
    ten_thousand_events_arrive on [on_8_0 on_9_0 on_10_0]: |version| row("eventpipe", version, 5);
}
