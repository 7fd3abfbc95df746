//! The facts of the runtime's own tests of the profiling API, asserted with `corprof`: each row of
//! `docs/conformance.md` is one process and one C# program.
//!
//! The profiler (`tests/profilers/conformance`) states what it has observed, and the program (`tests/apps/conformance`)
//! states what it did.

use anyhow::Result;
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::Launch;
use e2e::app::{App, Build};
use e2e::traced::optimised_at_once;
use e2e::{on_each_runtime, stated};

/// The class id of the profiler.
const CLSID: &str = "{B7C1D64E-2A0F-4E57-9C3B-6F0D1E8A7250}";

/// Runs a row, and compares the facts. At least `facts` are required.
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
    // The runtime's tests mark some rows as sensitive to optimisation; code is optimised at once for all of them.
    let finished = change(optimised_at_once(launch)).run()?.ok()?;
    let count = stated::agree(&finished, facts)?;
    println!("{row} on {version}: {count} facts agree");
    Ok(())
}

/// Runs a row without further settings.
fn row(row: &str, version: RuntimeVersion, facts: usize) -> Result<()> {
    check(row, version, facts, |launch| launch)
}

on_each_runtime! {
    assemblies_are_unloaded_as_often_as_the_program_does: |version| row("ALCTest", version, 1);
    classes_are_loaded_and_unloaded_with_their_context: |version| row("classload", version, 9);
    each_load_started_has_a_load_finished: |version| row("moduleload", version, 8);
    inlining_is_allowed_and_forbidden_alternately: |version| row("dynamicoptimization", version, 3);
    native_functions_have_transitions_and_managed_ones_elt_callbacks: |version| row("elttransitions", version, 2);
    exception_callbacks_come_in_order: |version| row("exception", version, 1);
    threads_are_listed_during_a_suspension: |version| {
        // On .NET 9 the call is refused there.
        row("enumthreads", version, if version == RuntimeVersion::V9_0 { 4 } else { 5 })
    };
    methods_that_must_not_be_inlined_are_entered: |version| row("inlining", version, 3);
    rejitted_code_is_called_by_inliners_and_delegates: |version| row("rejit", version, 7);
    each_transition_is_reported_once: |version| row("transitions", version, 1);

    /// .NET 9 has a new way to handle exceptions, and the old one besides. That reports them as other runtimes do.
    exception_callbacks_come_in_order_with_legacy_handling on [on_9_0 on_10_0 on_11_0]: |version| {
        check("exception", version, 1, |launch| launch.env("DOTNET_LegacyExceptionHandling", "1"))
    };

    /// Fast-path hooks, which compiled code calls directly.
    fast_hooks_skip_native_functions: |version| {
        check("elttransitions", version, 2, |launch| launch.env("CONFORMANCE_ROW", "elttransitions-fast"))
    };

    /// EventPipe for profilers came with .NET 5, and the callback of a provider with .NET 6.
    ten_thousand_events_are_delivered on [on_8_0 on_9_0 on_10_0 on_11_0]: |version| row("eventpipe", version, 5);
}
