//! Kills and faults at random moments: the trace up to then can be read to its end, and missing events are counted.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::is_long;

use crate::run::{Case, Fault, TRACINGS};
use crate::seeded::Seeded;
use crate::{differences, each, trace};

/// How long a program may run on after a signal: where its parent ignores INT and QUIT, it does so too, and runs to its end.
const PATIENCE: Duration = Duration::from_secs(120);

/// The programs that are killed: they call methods all the time.
const PROGRAMS: [&str; 4] = ["exceptions", "threads", "collections", "deep"];

/// Kills programs at random moments; `CHAOS_SEED` selects another series.
#[test]
fn traces_of_killed_programs_can_be_read() -> Result<()> {
    let runs: u64 = if is_long() { 500 } else { 12 };
    let seed: u64 = std::env::var("CHAOS_SEED").ok().map_or(Ok(1), |seed| seed.parse())?;
    let numbers: Vec<u64> = (0..runs).collect();
    let wrong = each(&numbers, |&number| {
        let mut random = Seeded::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let faults = [Fault::Nothing, Fault::FileLimit, Fault::TimeZone];
        let case = Case {
            program: PROGRAMS[random.below(PROGRAMS.len())],
            version: RuntimeVersion::PINNED[random.below(RuntimeVersion::PINNED.len())],
            tracing: Some(TRACINGS[random.below(TRACINGS.len())]),
            fault: faults[random.below(faults.len())],
        };
        let after = Duration::from_millis(30 + random.below(700) as u64);
        let signal = ["KILL", "TERM", "INT", "QUIT", "SEGV"][random.below(5)];
        one(number, &case, after, signal)
            .with_context(|| format!("run {number}: {case}, {signal} after {after:?}"))
    });
    println!("{runs} runs, seed {seed}");
    if !wrong.is_empty() {
        bail!("{} of {runs} runs:\n{}", wrong.len(), wrong.join("\n"));
    }
    Ok(())
}

fn one(number: u64, case: &Case, after: Duration, signal: &str) -> Result<()> {
    let folder = corprof_testkit::launch::scratch(&format!("hostile/chaos-{number}"))?;
    let (mut command, path) = case.command(&folder)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir(&folder);
    let mut child = command.spawn()?;
    std::thread::sleep(after);
    // The program may have ended.
    let _ = std::process::Command::new("kill")
        .args(["-s", signal, &child.id().to_string()])
        .stderr(Stdio::null())
        .status()?;
    let begin = Instant::now();
    while child.try_wait()?.is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("it has not ended {PATIENCE:?} after the signal");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    ensure!(!differences::is_refused(case), "there is no trace to be read");
    if !path.exists() || std::fs::metadata(&path)?.len() == 0 {
        // The program was killed before the profiler was loaded.
        return Ok(());
    }
    let format = case.tracing.map_or("", |tracing| tracing.format);
    trace::read(&path, format)?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
