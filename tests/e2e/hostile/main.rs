//! Adverse programs with and without the tracer, while faults are injected: their output, their exit status and
//! the errors that they see stay the same.
#![cfg(target_os = "linux")]

mod chaos;
mod differences;
mod examples;
mod figures;
mod memory;
mod pointers;
mod readers;
mod run;
mod secrets;
mod trace;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail, ensure};
use e2e::is_full;
use xtask::dotnet::RuntimeVersion;

use crate::run::{Case, Ended, Fault, TRACINGS};

const PROGRAMS: [&str; 31] = [
    "return",
    "return-calling",
    "exit",
    "exit-calling",
    "exit-elsewhere",
    "exit-at-once",
    "term-calling",
    "kill",
    "abort",
    "failfast",
    "throw",
    "overflow",
    "errno",
    "files",
    "descriptors",
    "signals",
    "deep",
    "small-stack",
    "frames",
    "wide",
    "memory",
    "managed-memory",
    "exceptions",
    "threads",
    "collections",
    "children",
    "callbacks",
    "native-threads",
    "unload",
    "emit",
    "names",
];

/// The programs that faults are tested with, where not all are.
const WITH_FAULTS: [&str; 3] = ["errno", "exceptions", "deep"];

/// The programs that run on every runtime by default: those that newer runtimes handle differently.
const EVERYWHERE: [&str; 4] = ["return-calling", "exit-calling", "errno", "files"];

/// By default each program runs on every other runtime with one of the tracing modes in turn, and each fault once; with
/// `--full` all combinations.
/// `HOSTILE_CASES` selects among all: those whose text, such as `files 9.0 fast text Nothing`, has each of its words.
fn cases() -> Vec<Case> {
    let Ok(words) = std::env::var("HOSTILE_CASES") else { return cases_of(is_full()) };
    let matches = |case: &Case| {
        let text = case.to_string();
        words.split_whitespace().all(|word| text.split(' ').any(|part| part == word))
    };
    cases_of(true).into_iter().filter(matches).collect()
}

fn cases_of(all: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for (v, version) in RuntimeVersion::ALL.into_iter().enumerate() {
        for (p, program) in
            PROGRAMS.into_iter().enumerate().filter(|(_, program)| differences::runs(program, version))
        {
            let case = |tracing, fault| Case { program, version, tracing: Some(tracing), fault };
            if all {
                for tracing in TRACINGS {
                    cases.push(case(tracing, Fault::Nothing));
                    cases.extend(Fault::ALL.map(|fault| case(tracing, fault)));
                }
            } else {
                if (p + v) % 2 == 0 || EVERYWHERE.contains(&program) {
                    cases.push(case(TRACINGS[(p + v) % TRACINGS.len()], Fault::Nothing));
                }
                if WITH_FAULTS[v % WITH_FAULTS.len()] == program {
                    cases.extend(
                        Fault::ALL
                            .into_iter()
                            .enumerate()
                            .map(|(f, fault)| case(TRACINGS[(f + v) % TRACINGS.len()], fault)),
                    );
                }
            }
        }
    }
    cases
}

/// Calls a function for each item, on as many threads as there are processors, and returns all errors.
fn each<T: Sync>(all: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = work(one) {
                        wrong.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{error:#}"));
                    }
                }
            });
        }
    });
    wrong.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn programs_keep_their_output_and_exit_status() -> Result<()> {
    let cases = cases();
    ensure!(!cases.is_empty(), "HOSTILE_CASES matches no case");
    let untraced: Mutex<BTreeMap<String, Ended>> = Mutex::default();
    let wrong = each(&cases, |case| {
        let bare = Case {
            tracing: None,
            fault: if case.fault == Fault::FileLimit { case.fault } else { Fault::Nothing },
            ..*case
        };
        let known = untraced.lock().unwrap().get(&bare.to_string()).cloned();
        let plain = match known {
            Some(known) => known,
            None => {
                let (ended, _) = bare.run()?;
                untraced.lock().unwrap().insert(bare.to_string(), ended.clone());
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
        Ok(())
    });
    let wrong = wrong.iter().map(|error| error.lines().next().unwrap_or_default()).collect::<Vec<_>>();
    println!("{} runs with the tracer, {} without", cases.len(), untraced.lock().unwrap().len());
    if !wrong.is_empty() {
        bail!("{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    }
    Ok(())
}
