//! Faults that only some runs show: threads that call while the process ends, and errors of system calls that another
//! thread's hooks may overwrite.

use anyhow::Result;
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::is_long;

use crate::compare;
use crate::run::{Case, Fault, Methods, TRACINGS, Tracing};

/// The number of runs of each fault; with `--long` the second.
const RUNS: [usize; 2] = [4, 200];

/// Runs these programs in turn, each with the next of some tracing modes.
fn repeat(programs: &[&'static str], version: RuntimeVersion, tracings: &[Tracing]) -> Result<()> {
    let runs = RUNS[usize::from(is_long())];
    let cases: Vec<_> = (0..runs)
        .map(|run| Case {
            program: programs[run % programs.len()],
            version,
            tracing: Some(tracings[run / programs.len() % tracings.len()]),
            fault: Fault::Nothing,
        })
        .collect();
    compare(&cases)
}

/// On .NET Core 3.1 the runtime's part of slow-path hooks reads a cleared interface after `Shutdown`.
#[test]
fn processes_end_while_their_threads_call() -> Result<()> {
    let slow: Vec<_> = TRACINGS.into_iter().filter(|tracing| tracing.hooks == "with-info").collect();
    repeat(&["exit-calling", "return-calling", "term-calling"], RuntimeVersion::V3_1, &slow)
}

/// Hooks run between a system call and the query of its error, and wait for the hooks of other threads. Of the 1,600
/// missing files in a run some were other errors.
#[test]
fn errors_of_system_calls_are_those_of_the_untraced_program() -> Result<()> {
    let text = TRACINGS.into_iter().filter(|tracing| tracing.format == "text");
    let text: Vec<_> = text.map(|tracing| Tracing { methods: Methods::Interop, ..tracing }).collect();
    repeat(&["files"], RuntimeVersion::V9_0, &text)
}
