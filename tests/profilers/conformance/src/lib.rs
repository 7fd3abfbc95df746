//! The profiler of the conformance tests.
//!
//! dotnet/runtime tests the profiling API with profilers of its own. Each `Row` here is one of them: it enables the
//! same events, and prints its observations at the end of the program, as lines `profiler: name = value`
//! of standard output. The program `tests/apps/conformance` prints what it did, and `tests/e2e/conformance` compares.
//! `CONFORMANCE_ROW` names the row.

mod assemblies;
mod classes;
mod event_pipe;
mod exceptions;
mod forward;
mod inlining;
mod program;
mod rejit;
mod row;
mod threads;
mod transitions;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use corprof::{Error, ProfilerInfo, Result, export_profiler};

use crate::row::{HooksOf, Row};

export_profiler!("{B7C1D64E-2A0F-4E57-9C3B-6F0D1E8A7250}", [Conformance]);

/// The profiler: one row.
struct Conformance {
    row: Arc<dyn Row>,
}

/// The row, and the `ProfilerInfo` for commands of the program.
static RUNNING: OnceLock<(ProfilerInfo, Arc<dyn Row>)> = OnceLock::new();

/// Creates the row of this name, which sets the event mask.
fn row(name: &str, info: &ProfilerInfo) -> Result<Arc<dyn Row>> {
    Ok(match name {
        "ALCTest" => Arc::new(assemblies::Unloads::new(info)?),
        "classload" => Arc::new(classes::Classes::new(info)?),
        "moduleload" => Arc::new(assemblies::Loads::new(info)?),
        "dynamicoptimization" => Arc::new(inlining::Switched::new(info)?),
        "elttransitions" => Arc::new(transitions::Transitions::with_calls(info, HooksOf::WithInfo)?),
        "elttransitions-fast" => Arc::new(transitions::Transitions::with_calls(info, HooksOf::Fast)?),
        "eventpipe" => Arc::new(event_pipe::Events::new(info)?),
        "exception" => Arc::new(exceptions::Exceptions::new(info)?),
        "enumthreads" => Arc::new(threads::Threads::new(info)?),
        "inlining" => Arc::new(inlining::Inlining::new(info)?),
        "rejit" => Arc::new(rejit::Recompiled::new(info)?),
        "transitions" => Arc::new(transitions::Transitions::new(info)?),
        _ => return Err(Error::other(format!("CONFORMANCE_ROW names no row: {name:?}"))),
    })
}

/// Calls a row. A row that panics prints a message; the callbacks continue.
fn locked<T>(seen: &Mutex<T>) -> MutexGuard<'_, T> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints a fact. One write, because the program writes to standard output as well.
fn say(name: impl std::fmt::Display, value: impl std::fmt::Display) {
    use std::io::Write as _;
    let line = format!("profiler: {name} = {value}\n");
    // If it cannot be written, the test reports it as missing.
    let _ = std::io::stdout().lock().write_all(line.as_bytes());
}
