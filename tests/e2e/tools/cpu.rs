//! `cpu`: shares of processor time, and of time off a processor.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use xtask::dotnet::RuntimeVersion;
use xtask::launch::Finished;

use crate::{run, stated};

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

const BURNT: [(&str, f64); 3] = [("Burning.Seventy", 0.7), ("Burning.Twenty", 0.2), ("Burning.Ten", 0.1)];

/// Runs the program that burns and waits under the tool, and returns the run and the text of the report.
fn burning(
    version: RuntimeVersion,
    by: &str,
    wall: &str,
    ending: &str,
    seconds: u32,
) -> Result<(Finished, String)> {
    let (launch, out) = run("cpu", "cpu", version, &format!("{by}.{ending}"))?;
    let finished = launch
        .env("TOOLED_SECONDS", seconds.to_string())
        .env("CPU_HZ", if by == "signals" { "1000" } else { "200" })
        .env("CPU_WALL", wall)
        .env("CPU_BY", by)
        .timeout(Duration::from_secs(180))
        .run()?
        .ok()?;
    Ok((finished, fs::read_to_string(&out)?))
}

/// Compares the shares of processor time with those of the program; `samples` is the least number of independent ones.
fn are_the_programs(stacks: &[(Vec<&str>, f64)], samples: f64) -> Result<()> {
    let own = |method: &str| with(stacks, &[method, "Burning.Spin"]);
    let burnt: f64 = BURNT.iter().map(|(method, _)| own(method)).sum();
    for (method, share) in BURNT {
        let seen = own(method) / burnt;
        let bound = SCORE * f64::sqrt(share * (1.0 - share) / samples) + 0.01;
        println!(
            "{method}: {:.2} % of {:.0} %, {:.2} points allowed",
            seen * 100.0,
            share * 100.0,
            bound * 100.0
        );
        ensure!((seen - share).abs() <= bound, "{method}: {seen} of {share} ± {bound}");
    }
    // Sleeping and waiting take no processor time.
    let idle = with(stacks, &["Burning.Sleeps"]) + with(stacks, &["Burning.Waits"]);
    ensure!(idle < 0.02 * burnt, "{idle} of {burnt}");
    // Lowered methods have the names of their sources.
    for method in ["Burning.Items", "Burning.Later"] {
        ensure!(own(method) > 0.0, "{method} {}", own(method));
    }
    Ok(())
}

/// The number before some words of a report.
fn before(text: &str, words: &str) -> Option<u64> {
    text.split_once(words)?.0.rsplit([' ', '\n']).next()?.parse().ok()
}

/// On a busy machine the processor time comes in bursts, so that there are fewer samples than ticks.
pub(crate) fn shares_of_time_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let seconds = if e2e::is_full() { 40 } else { 8 };
    let (finished, text) = burning(version, "signals", "0", "folded", seconds)?;
    let stacks = folded(&text).with_context(|| finished.report())?;
    are_the_programs(&stacks, f64::from(seconds) * 40.0).with_context(|| finished.report())?;
    // A thread begins in native code, and the program's own methods are above it.
    let whole: f64 = stacks.iter().map(|(_, value)| value).sum();
    let rooted: f64 = stacks
        .iter()
        .filter(|(stack, _)| stack.get(1).is_some_and(|frame| !frame.contains("Burning.")))
        .map(|(_, value)| value)
        .sum();
    println!("{:.2} % of the time has its outermost frames", rooted / whole * 100.0);
    ensure!(rooted > 0.95 * whole, "{rooted} of {whole}\n{}", finished.report());

    let (finished, text) = burning(version, "signals", "0", "txt", 2)?;
    let judged = || {
        ensure!(text.contains("sleeping (") && text.contains("waiting ("), "{text}");
        let samples = before(&text, " samples by signal ").context("no samples")?;
        ensure!(samples > 30, "{samples} samples");
        // Stacks may end where the frame pointer is something else; more than a few would be an error of the tool.
        for lost in
            [" stacks are truncated where", " stacks are truncated at memory", " samples came too late"]
        {
            let count = before(&text, lost).unwrap_or(0);
            ensure!(count * 20 <= samples, "{count}{lost}, of {samples}");
        }
        Ok(())
    };
    judged().with_context(|| finished.report())
}

pub(crate) fn shares_by_suspension_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let seconds = if e2e::is_full() { 40 } else { 8 };
    let (finished, text) = burning(version, "suspension", "0", "folded", seconds)?;
    let stacks = folded(&text).with_context(|| finished.report())?;
    are_the_programs(&stacks, f64::from(seconds) * 25.0).with_context(|| finished.report())?;

    let (finished, text) = burning(version, "suspension", "1", "wall.folded", 3)?;
    let stacks = folded(&text).with_context(|| finished.report())?;
    // They take as much wall-clock time as the whole program.
    let program = with(&stacks, &["Burning.Run"]);
    for method in ["Burning.Sleeps", "Burning.Waits"] {
        let seen = with(&stacks, &[method]) / program;
        println!("{method}: {:.1} % of the wall-clock time", seen * 100.0);
        ensure!((0.9..1.1).contains(&seen), "{method}: {seen}\n{}", finished.report());
    }

    let (finished, text) = burning(version, "suspension", "1", "wall.txt", 2)?;
    let rounds = before(&text, " rounds by suspension").with_context(|| finished.report())?;
    // A thread may be where the runtime cannot begin a walk; more than a few would be an error of the tool.
    let failed = before(&text, " stacks could not be walked").unwrap_or(0);
    ensure!(failed * 100 <= rounds, "{failed} walks of {rounds} rounds failed\n{}", finished.report());
    Ok(())
}

/// 200 threads that begin and end, dynamic methods and assemblies that are unloaded, collections, child processes.
pub(crate) fn a_storm_of_signals_leaves_the_program_alone(version: RuntimeVersion) -> Result<()> {
    let seconds = if e2e::is_full() { 60 } else { 2 };
    for ending in ["txt", "folded"] {
        let (launch, out) = run("cpu", "signals", version, ending)?;
        let launch = launch.env("TOOLED_SECONDS", seconds.to_string()).timeout(Duration::from_secs(300));
        let finished = launch.env("CPU_HZ", "1000").env("CPU_BY", "signals").run()?.ok()?;
        let expected = [("errors", "0"), ("enough", "True"), ("sum", "True")];
        ensure!(stated(&finished.stdout).eq(expected), "{}", finished.report());
        match ending {
            "txt" => {
                let text = fs::read_to_string(&out)?;
                println!(
                    "{}",
                    text.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
                );
                let samples = before(&text, " samples by signal ").with_context(|| finished.report())?;
                ensure!(samples > 100, "{samples} samples\n{}", finished.report());
                for lost in
                    [" threads were not sampled", " samples came too late", " unloads of modules did not"]
                {
                    let count = before(&text, lost).unwrap_or(0);
                    ensure!(count == 0, "{count}{lost}\n{}", finished.report());
                }
            }
            "folded" => {
                let text = fs::read_to_string(&out)?;
                let stacks = folded(&text).with_context(|| finished.report())?;
                // Memory of unloaded code is used again. No sample has another method's name for it.
                let (mut right, mut wrong) = (0, Vec::new());
                for (stack, _) in &stacks {
                    for pair in stack.windows(2) {
                        let [outer, inner] = pair else { continue };
                        let is = |name: &str| inner.contains(&format!("DynamicClass.{name}"));
                        for (name, caller) in [("Left", "CallsLeft"), ("Right", "CallsRight")] {
                            if is(name) && outer.contains("Signalled.Calls") {
                                right += usize::from(outer.contains(caller));
                                if !outer.contains(caller) {
                                    wrong.push(stack.join(";"));
                                }
                            }
                        }
                    }
                }
                println!(
                    "{right} stacks with a dynamic method below its caller, {} below another",
                    wrong.len()
                );
                ensure!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), finished.report());
                ensure!(right > 10, "{right}\n{}", finished.report());
            }
            _ => {}
        }
    }
    Ok(())
}
