//! `cpu`: shares of processor time, and of time off a processor.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::launch::Finished;

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

/// The methods that burn processor time, and their shares by design.
const BURNT: [(&str, f64); 3] = [("Burning.Seventy", 0.7), ("Burning.Twenty", 0.2), ("Burning.Ten", 0.1)];

/// The largest difference between a share and the truth: two points.
const TOLERANCE: f64 = 0.02;

/// The largest difference between what the program burnt and the design. The lengths of its calls are random: with 300 rounds, the
/// standard deviation of 70 % is 0.8 points.
const SPREAD: f64 = 0.05;

/// Runs the program that burns and waits under the tool, and returns the run and the text of the report. `seconds` is the
/// processor time that the three methods burn.
fn burning(
    version: RuntimeVersion,
    by: &str,
    wall: &str,
    ending: &str,
    seconds: u32,
) -> Result<(Finished, String)> {
    burning_with(version, by, wall, ending, seconds, &[])
}

/// The same with further settings.
fn burning_with(
    version: RuntimeVersion,
    by: &str,
    wall: &str,
    ending: &str,
    seconds: u32,
    settings: &[(&str, &str)],
) -> Result<(Finished, String)> {
    let (launch, out) = run("cpu", "cpu", version, &format!("{by}.{ending}"))?;
    let mut launch = launch
        .env("TOOLED_SECONDS", seconds.to_string())
        .env("CPU_HZ", if by == "signals" { "1000" } else { "200" })
        .env("CPU_WALL", wall)
        .env("CPU_BY", by)
        .timeout(Duration::from_secs(900));
    for (name, value) in settings {
        launch = launch.env(name, value);
    }
    let finished = launch.run()?.ok()?;
    Ok((finished, fs::read_to_string(&out)?))
}

/// A time that the program states, in milliseconds.
fn fact(finished: &Finished, name: &str) -> Result<f64> {
    let mut facts = stated(&finished.stdout);
    let (_, time) = facts.find(|(fact, _)| *fact == name).with_context(|| format!("nothing of {name}"))?;
    Ok(time.parse()?)
}

/// The shares of some methods of their sum: by the samples, and by the program's own measures.
fn shares<'m>(
    stacks: &[(Vec<&str>, f64)],
    inner: &str,
    methods: &[&'m str],
    finished: &Finished,
) -> Result<Vec<(&'m str, f64, f64)>> {
    let seen: Vec<f64> = methods.iter().map(|method| with(stacks, &[method, inner])).collect();
    let truth = methods.iter().map(|method| fact(finished, method)).collect::<Result<Vec<f64>>>()?;
    let (all_seen, all): (f64, f64) = (seen.iter().sum(), truth.iter().sum());
    Ok(methods
        .iter()
        .zip(seen)
        .zip(truth)
        .map(|((m, seen), truth)| (*m, seen / all_seen, truth / all))
        .collect())
}

/// The shares of the three methods that burn processor time.
fn burnt(stacks: &[(Vec<&str>, f64)], finished: &Finished) -> Result<Vec<(&'static str, f64, f64)>> {
    let shares = shares(stacks, "Burning.Spin", &BURNT.map(|(method, _)| method), finished)?;
    for ((method, _, truth), (_, designed)) in shares.iter().zip(BURNT) {
        ensure!((truth - designed).abs() < SPREAD, "the program burnt {truth} in {method}");
    }
    // Sleeping and waiting take no processor time.
    let idle = with(stacks, &["Burning.Sleeps"]) + with(stacks, &["Burning.Waits"]);
    let whole = with(stacks, &["Burning.Spin"]);
    ensure!(idle < TOLERANCE * whole, "{idle} of {whole} by threads that sleep or wait");
    // Lowered methods have the names of their sources.
    for method in ["Burning.Items", "Burning.Later"] {
        ensure!(with(stacks, &[method, "Burning.Spin"]) > 0.0, "no sample of {method}");
    }
    Ok(shares)
}

/// Whether the shares are those of the program within four standard deviations of so many independent samples.
fn are_the_programs(shares: &[(&str, f64, f64)], samples: f64) -> Result<()> {
    for (method, seen, truth) in shares {
        let bound = 4.0 * f64::sqrt(truth * (1.0 - truth) / samples);
        println!(
            "{method}: {:.2} % of {:.2} %, {:.2} points allowed",
            seen * 100.0,
            truth * 100.0,
            bound * 100.0
        );
        ensure!((seen - truth).abs() <= bound, "{method}: {seen} of {truth} ± {bound}");
    }
    Ok(())
}

/// The number before some words of a report.
fn before(text: &str, words: &str) -> Option<u64> {
    text.split_once(words)?.0.rsplit([' ', '\n']).next()?.parse().ok()
}

/// The milliseconds on and off a processor of a thread, by the table of threads.
fn times_of_thread(text: &str, name: &str) -> Option<(f64, f64)> {
    let row = text.lines().find(|line| line.contains(&format!("  {name} (")))?;
    let mut words = row.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

/// Measures up to three times, until a measurement passes: other load on the machine can make one fail.
fn one_of_three<R>(mut judge: impl FnMut() -> Result<R>) -> Result<R> {
    for _ in 0..2 {
        match judge() {
            Ok(right) => return Ok(right),
            Err(error) => println!("a run is wrong: {error:#}"),
        }
    }
    judge()
}

pub(crate) fn shares_of_time_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let period = one_of_three(|| {
        let (finished, text) = burning(version, "signals", "0", "txt", 1)?;
        times_of_threads(&finished, &text).with_context(|| finished.report())
    })?;
    if !e2e::is_long() {
        return one_of_three(|| worst_share(version, 3, period)).map(drop);
    }
    // 3,750 samples, if there are 250 ticks a second: the standard deviation of 70 % is 0.75 points if they are independent. The phases
    // of the program are longer than a tick, so that they are more even than that.
    let runs = 20;
    let mut right = 0;
    for _ in 0..runs {
        right += usize::from(worst_share(version, 15, period)? <= TOLERANCE);
    }
    println!("{version}: {right} of {runs} runs are within two points of the truth");
    ensure!(right + 1 >= runs, "{right} of {runs} runs are within two points");
    Ok(())
}

/// Methods that run for long are replaced by on-stack replacement while they run, and their callers are seen all the same.
pub(crate) fn callers_of_replaced_code_are_seen(version: RuntimeVersion) -> Result<()> {
    // No method is compiled again but by replacement: the delay before it is 100 minutes, hexadecimal.
    let delay = [("DOTNET_TC_CallCountingDelayMs", "5B8D80")];
    let (finished, text) = burning_with(version, "signals", "0", "replaced.folded", 2, &delay)?;
    let judged = || {
        let stacks = folded(&text)?;
        burnt(&stacks, &finished)?;
        let callers = ["Burning.Seventy", "Burning.Twenty", "Burning.Ten", "Burning.Items", "Burning.Later"];
        let whole = with(&stacks, &["Burning.Spin"]);
        let is_called = |stack: &[&str]| match stack.iter().rposition(|frame| *frame == "Burning.Spin") {
            Some(at) => at > 0 && callers.iter().any(|caller| stack[at - 1].starts_with(caller)),
            None => false,
        };
        let called: f64 = stacks.iter().filter(|(stack, _)| is_called(stack)).map(|(_, value)| value).sum();
        println!("{version}: {:.1} % of the samples have the caller", called / whole * 100.0);
        ensure!(called >= 0.97 * whole, "{called} of {whole} have the caller");
        Ok(())
    };
    judged().with_context(|| finished.report())
}

/// The times of the threads are those of the program, and few samples are lost. Returns the period of the samples in nanoseconds.
fn times_of_threads(finished: &Finished, text: &str) -> Result<f64> {
    for (thread, method) in [("sleeping", "Burning.Sleeps"), ("waiting", "Burning.Waits")] {
        let (on, off) = times_of_thread(text, thread).context("no row of the thread")?;
        let truth = fact(finished, method)?;
        println!("{thread}: {on} ms on a processor, {off} ms off it, {truth} ms by the program");
        ensure!(on < TOLERANCE * truth, "{thread}: {on} ms of {truth}");
        // The thread's life is a little longer than the method, and is compared at each second.
        ensure!(
            off > (1.0 - TOLERANCE) * truth - 50.0 && off < 1.1 * truth + 1500.0,
            "{thread}: {off} of {truth}"
        );
    }
    let samples = before(text, " samples by signal ").context("no samples")?;
    ensure!(samples > 30, "{samples} samples");
    // Stacks may end where the frame pointer is something else; more than a few would be an error of the tool.
    for lost in [" stacks are truncated where", " stacks are truncated at memory", " samples came too late"] {
        let count = before(text, lost).unwrap_or(0);
        ensure!(count * 20 <= samples, "{count}{lost}, of {samples}");
    }
    let period = text.split_once("one for ").and_then(|(_, rest)| rest.split_once(" ms "));
    Ok(period.context("no period")?.0.parse::<f64>()? * 1e6)
}

/// Runs the program for so many seconds. The shares of its methods are the program's; returns the largest difference.
fn worst_share(version: RuntimeVersion, seconds: u32, period: f64) -> Result<f64> {
    let (finished, text) = burning(version, "signals", "0", "folded", seconds)?;
    let judged = || {
        let stacks = folded(&text)?;
        let shares = burnt(&stacks, &finished)?;
        let samples =
            BURNT.iter().map(|(method, _)| with(&stacks, &[method, "Burning.Spin"])).sum::<f64>() / period;
        let worst = shares.iter().map(|(_, seen, truth)| (seen - truth).abs()).fold(0.0, f64::max);
        println!("{version}: {samples:.0} samples, at most {:.2} points off", worst * 100.0);
        // A thread begins in native code, and the program's own methods are above it.
        let whole: f64 = stacks.iter().map(|(_, value)| value).sum();
        let is_rooted = |stack: &[&str]| stack.get(1).is_some_and(|frame| !frame.contains("Burning."));
        let rooted: f64 = stacks.iter().filter(|(stack, _)| is_rooted(stack)).map(|(_, value)| value).sum();
        ensure!(rooted > 0.95 * whole, "{rooted} of {whole} have their outermost frames");
        are_the_programs(&shares, samples)?;
        Ok(worst)
    };
    judged().with_context(|| finished.report())
}

/// By signals, with stacks by suspension for the wall-clock time: a thread that works and sleeps in turn has its processor time where it works,
/// although most samples find it asleep.
fn a_thread_that_naps_uses_nothing_meanwhile(version: RuntimeVersion) -> Result<()> {
    let (finished, text) =
        burning_with(version, "signals", "1", "both.txt", 2, &[("CPU_HZ", "100"), ("CPU_TOP", "1000")])?;
    let judged = || -> Result<()> {
        let milliseconds = |method: &str, column: usize| -> Result<f64> {
            let row = text.lines().find(|line| line.trim_end().ends_with(method));
            let cell = row.with_context(|| format!("no row of {method}"))?.split_whitespace().nth(column);
            Ok(cell.context("a short row")?.parse::<f64>()?)
        };
        // With callees: the third column of three for the method alone.
        let [worked, napped] = [milliseconds("Burning.Works", 3)?, milliseconds("Burning.Naps", 3)?];
        let asleep = milliseconds("Burning.Naps", 4)?;
        println!("{worked} ms at work, {napped} ms of processor time in {asleep} ms of sleep");
        ensure!(worked > 100.0 && asleep > worked, "the thread did not alternate");
        ensure!(napped < TOLERANCE * worked, "{napped} ms of processor time by a method that sleeps");
        Ok(())
    };
    judged().with_context(|| format!("{text}\n{}", finished.report()))
}

pub(crate) fn shares_by_suspension_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let seconds = if e2e::is_long() { 20 } else { 3 };
    one_of_three(|| {
        let (finished, text) = burning(version, "suspension", "0", "folded", seconds)?;
        let judged = || are_the_programs(&burnt(&folded(&text)?, &finished)?, f64::from(seconds) * 40.0);
        judged().with_context(|| finished.report())
    })?;
    one_of_three(|| {
        let (finished, text) = burning(version, "suspension", "1", "wall.folded", 2)?;
        let judged = || {
            let methods = ["Burning.Run", "Burning.Sleeps", "Burning.Waits"];
            for (method, seen, truth) in shares(&folded(&text)?, "", &methods, &finished)? {
                println!(
                    "{method}: {:.2} % of the wall-clock time, {:.2} % by the program",
                    seen * 100.0,
                    truth * 100.0
                );
                ensure!((seen - truth).abs() <= TOLERANCE, "{method}: {seen}, {truth} by the program");
            }
            Ok(())
        };
        judged().with_context(|| finished.report())
    })?;

    a_thread_that_naps_uses_nothing_meanwhile(version)?;
    let (finished, text) = burning(version, "suspension", "1", "wall.txt", 1)?;
    let rounds = before(&text, " rounds by suspension").with_context(|| finished.report())?;
    // A thread may be where the runtime cannot begin a walk; more than a few would be an error of the tool.
    let failed = before(&text, " stacks could not be walked").unwrap_or(0);
    ensure!(failed * 100 <= rounds, "{failed} walks of {rounds} rounds failed\n{}", finished.report());
    Ok(())
}

/// 200 threads that begin and end, dynamic methods and assemblies that are unloaded, collections, child processes.
pub(crate) fn a_storm_of_signals_leaves_the_program_alone(version: RuntimeVersion) -> Result<()> {
    let seconds = if e2e::is_long() { 60 } else { 2 };
    for ending in ["txt", "folded"] {
        let (launch, out) = run("cpu", "signals", version, ending)?;
        let launch = launch.env("TOOLED_SECONDS", seconds.to_string()).timeout(Duration::from_secs(900));
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
