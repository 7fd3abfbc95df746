//! `inject` from the start of a program: methods are selected before their types are loaded.

use anyhow::{Result, ensure};
use e2e::app::{App, Build};
use e2e::traced::profiler;
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::{Launch, scratch};

use crate::run::{alike, run};

/// The number of runs of a program: requests of the profiler's thread meet different states of the runtime.
const RUNS: usize = 5;

/// On .NET Core 3.1, where early requests have crashed the runtime, `inject` refuses to start, and the program runs.
#[test]
fn methods_are_recompiled_from_the_start_of_a_program() -> Result<()> {
    for version in RuntimeVersion::ALL {
        let app = App::compile("rewritten", version, Build::Optimised)?;
        let launch = Launch::new(&runtime(version)?, &app.dll);
        let unchanged = launch.clone().run()?;
        let values = |text: &str| -> Vec<String> {
            // Inlined calls have no frame otherwise.
            text.lines().filter(|line| !line.starts_with("   at ")).map(str::to_owned).collect()
        };
        let is_refused = version == RuntimeVersion::V3_1;
        let mut inserted = 0;
        for run in 0..RUNS {
            let out = scratch(&format!("rejit-{}-{run}", app.label))?.join("calls");
            let injected = launch.clone().profiler(&profiler("inject")?);
            let finished = injected.env("INJECT_METHODS", "rewritten.dll!*").env("INJECT_OUT", &out).run()?;
            ensure!(finished.status == unchanged.status, "{}", finished.report());
            ensure!(values(&finished.stdout) == values(&unchanged.stdout), "{}", finished.report());
            if is_refused {
                ensure!(finished.stderr.contains("corprof attach PID inject"), "{}", finished.report());
                continue;
            }
            let log = std::fs::read_to_string(&out)?;
            ensure!(!log.contains("keeps its code"), "{log}");
            inserted += usize::from(log.contains("> #"));
        }
        ensure!(is_refused || inserted > 0, "no run on {version} logged a call");
        println!("{version}: calls were logged in {inserted} of {RUNS} runs");
    }
    Ok(())
}

/// A request in a callback could deadlock (dd-trace-dotnet#1203): the library refuses it.
#[test]
fn requests_in_callbacks_are_refused_1203() -> Result<()> {
    for version in RuntimeVersion::ALL {
        let app = App::compile("rewritten", version, Build::Debug)?;
        let launch = Launch::new(&runtime(version)?, &app.dll);
        let unchanged = launch.clone().run()?;
        let (finished, report) = run(&app.label, "request", "program", launch)?;
        alike(&unchanged, &finished)?;
        let refused = |line: &String| line.contains("on a thread of the profiler's own");
        ensure!(!report.refused.is_empty() && report.refused.iter().all(refused), "{report:?}");
    }
    Ok(())
}
