//! `cpu`: shares of processor time, and of time off a processor.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use xtask::dotnet::RuntimeVersion;

use crate::run;

/// The folded stacks of a file, with their values.
fn folded(text: &str) -> Result<Vec<(Vec<&str>, f64)>> {
    let stacks = text.lines().map(|line| {
        let (stack, value) = line.rsplit_once(' ').context("a line without a value")?;
        Ok((stack.split(';').collect(), value.parse()?))
    });
    stacks.collect()
}

/// The sum of the stacks that contain all these frames.
fn with(stacks: &[(Vec<&str>, f64)], frames: &[&str]) -> f64 {
    let has = |stack: &[&str], frame: &&str| stack.iter().any(|own| own.starts_with(*frame));
    stacks
        .iter()
        .filter(|(stack, _)| frames.iter().all(|frame| has(stack, frame)))
        .map(|(_, value)| value)
        .sum()
}

/// The standard score of an interval that contains 99 % of the samples' means.
const SCORE: f64 = 2.576;

pub(crate) fn shares_of_time_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let seconds = if e2e::is_full() { 40 } else { 10 };
    for (wall, ending) in [("0", "folded"), ("1", "wall.folded"), ("0", "txt")] {
        let (launch, out) = run("cpu", "cpu", version, ending)?;
        let finished = launch
            .env("TOOLED_SECONDS", seconds.to_string())
            .env("CPU_HZ", "200")
            .env("CPU_WALL", wall)
            .timeout(Duration::from_secs(120))
            .run()?
            .ok()?;
        let text = fs::read_to_string(&out)?;
        let with_report = || finished.report();
        if ending == "txt" {
            ensure!(text.contains("sleeping (") && text.contains("waiting ("), "{}", with_report());
            // A thread may be where the runtime cannot begin a walk; more than a few would be an error of the tool.
            let number = |text: &str| text.split(' ').next_back().and_then(|word| word.parse::<u64>().ok());
            let rounds = text.split_once(" rounds in ").and_then(|(before, _)| number(before));
            let rounds = rounds.with_context(with_report)?;
            let failed = text.lines().find_map(|line| line.strip_suffix(" stacks could not be walked"));
            let failed = failed.and_then(number).unwrap_or(0);
            ensure!(failed * 100 <= rounds, "{failed} walks of {rounds} rounds failed\n{}", with_report());
            continue;
        }
        let stacks = folded(&text).with_context(with_report)?;
        let own = |method: &str| with(&stacks, &[method, "Burning.Spin"]);
        let three = ["Burning.Seventy", "Burning.Twenty", "Burning.Ten"];
        let burnt: f64 = three.iter().map(|method| own(method)).sum();
        if wall == "0" {
            // The number of samples of equal weight. There are 200 a second, but on a busy machine the processor time comes
            // in bursts, so that one in eight counts.
            let samples = f64::from(seconds) * 25.0;
            for (method, share) in three.iter().zip([0.7, 0.2, 0.1]) {
                let seen = own(method) / burnt;
                let bound = SCORE * f64::sqrt(share * (1.0 - share) / samples) + 0.01;
                println!(
                    "{method}: {:.2} % of {:.0} %, {:.2} points allowed",
                    seen * 100.0,
                    share * 100.0,
                    bound * 100.0
                );
                ensure!(
                    (seen - share).abs() <= bound,
                    "{method}: {seen} of {share} ± {bound}\n{}",
                    with_report()
                );
            }
            // Sleeping and waiting take no processor time.
            let idle = with(&stacks, &["Burning.Sleeps"]) + with(&stacks, &["Burning.Waits"]);
            ensure!(idle < 0.02 * burnt, "{idle} of {burnt}\n{}", with_report());
            // Lowered methods have the names of their sources.
            for method in ["Burning.Items", "Burning.Later"] {
                ensure!(own(method) > 0.0, "{method} {}\n{}", own(method), with_report());
            }
            continue;
        }
        // They take as much wall-clock time as the whole program.
        let program = with(&stacks, &["Burning.Run"]);
        for method in ["Burning.Sleeps", "Burning.Waits"] {
            let seen = with(&stacks, &[method]) / program;
            println!("{method}: {:.1} % of the wall-clock time", seen * 100.0);
            ensure!((0.9..1.1).contains(&seen), "{method}: {seen}\n{}", with_report());
        }
    }
    Ok(())
}
