//! What the runtime's own tests of the profiling API assert, asserted with `corprof`: one row of
//! `docs/conformance.md`, one process, one C# program.
//!
//! The profiler (`tests/profilers/conformance`) says what it has seen, and the program (`tests/apps/conformance`) what it
//! did.

use anyhow::Result;
use e2e::app::{App, Build};
use e2e::{stated, traced};
use xtask::dotnet::{CSharp, RuntimeVersion, compile, runtime};
use xtask::launch::Launch;
use xtask::paths;

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
    let sources = paths::workspace().join("tests/apps/conformanceplugin/Plugin.cs");
    let output = app.dll.with_file_name("conformanceplugin.dll");
    let plugin = compile(&CSharp { library: true, ..CSharp::new(version, [sources], output) })?;
    let launch = Launch::new(&runtime(version)?, &app.dll)
        .profiler(&stated::profiler("conformance", CLSID)?)
        .env("CONFORMANCE_ROW", row)
        // What is optimised at once is what the runtime's tests call sensitive to optimisation; the others do not mind.
        .env(traced::UNTIERED.0, traced::UNTIERED.1)
        .env(traced::UNTIERED_OLD.0, traced::UNTIERED_OLD.1)
        .arg(row)
        .arg(plugin);
    let finished = change(launch).run()?.ok()?;
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
    loads_end_as_often_as_they_begin("moduleload", 8);
    each_transition_is_seen_once("transitions", 1);
}
