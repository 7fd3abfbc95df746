//! Adverse programs with and without the tracer, while faults are injected: their output, their exit status and
//! the errors that they see stay the same.
#![cfg(target_os = "linux")]

mod blocked;
mod cases;
mod chaos;
mod covering;
mod depth;
mod differences;
mod examples;
mod figures;
mod limited;
mod memory;
mod pointers;
mod readers;
mod repeated;
mod run;
mod secrets;
mod seeded;
mod streams;
mod trace;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail, ensure};

use crate::run::{Case, Ended, Fault};

/// Calls a function for each item, on as many threads as there are processors, and returns all errors.
fn each<T: Sync>(all: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = work(one) {
                        let told = format!("{error:#}");
                        println!("{told}");
                        locked(&wrong).push(told);
                    }
                }
            });
        }
    });
    wrong.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn programs_keep_their_output_and_exit_status() -> Result<()> {
    let cases = cases::cases()?;
    ensure!(!cases.is_empty(), "HOSTILE_CASES and HOSTILE_PART select no case");
    compare(&cases)
}

/// Runs each case, and each of its programs untraced, and compares.
fn compare(cases: &[Case]) -> Result<()> {
    let untraced: Mutex<BTreeMap<String, Ended>> = Mutex::default();
    let wrong = each(cases, |case| {
        let bare = Case {
            tracing: None,
            fault: if case.fault.is_for_both() { case.fault } else { Fault::Nothing },
            ..*case
        };
        let known = locked(&untraced).get(&bare.to_string()).cloned();
        let plain = match known {
            Some(known) => known,
            None => {
                let (ended, _) = bare.run()?;
                locked(&untraced).insert(bare.to_string(), ended.clone());
                ended
            }
        };
        let (ended, trace) = case.run()?;
        let (expected, found) = (differences::compared(case, &plain), differences::compared(case, &ended));
        ensure!(expected == found, "{case}: untraced {expected:?}, traced {found:?}");
        if case.fault != Fault::FullDisk && !case.fault.is_stream() && !differences::is_refused(case) {
            let format = case.tracing.map_or("", |tracing| tracing.format);
            let read = trace::read(&trace, format)?;
            let ends_itself =
                expected.signal.is_none() && !["exit-at-once", "failfast"].contains(&case.program);
            // A process that is killed loses what it recorded in the last 100 ms: that may be everything.
            let may_be_empty = format == "binary" && !ends_itself;
            ensure!(read.events > 0 || may_be_empty, "{case}: nothing was traced");
            let is_limited = case.fault == Fault::FileLimit;
            ensure!(!read.is_cut || !ends_itself || is_limited, "{case}: the trace is cut");
            ensure!(read.missing == 0 || is_limited || case.program == "memory", "{case}: {read:?}");
        }
        if let Some(folder) = trace.parent() {
            std::fs::remove_dir_all(folder)?;
        }
        Ok(())
    });
    let wrong = wrong.iter().map(|error| error.lines().next().unwrap_or_default()).collect::<Vec<_>>();
    println!("{} runs with the tracer, {} without", cases.len(), locked(&untraced).len());
    if !wrong.is_empty() {
        bail!("{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    }
    Ok(())
}
