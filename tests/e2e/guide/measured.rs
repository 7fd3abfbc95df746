//! The profilers of the guide that measure, each on a subject of `apps/tooled` that states the truth.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};
use e2e::app::{App, Build};
use e2e::stated;

/// A subject under a profiler of the guide: the finished program, and the report.
fn measured(
    name: &str,
    clsid: &str,
    subject: &str,
    ending: &str,
    version: RuntimeVersion,
) -> Result<(Finished, String)> {
    let app = App::compile("tooled", version, Build::Optimised)?;
    let out = scratch(&format!("{}-guide-{name}", app.label))?.join(format!("out.{ending}"));
    let finished = Launch::new(&runtime(version)?, &app.dll)
        .arg(subject)
        .env("TOOLED_SECONDS", "2")
        // A background collection comes between those that the program counts.
        .env("DOTNET_gcConcurrent", "0")
        .env("COMPlus_gcConcurrent", "0")
        .profiler(&stated::profiler(&format!("guide-{name}"), clsid)?)
        .env(format!("{}_OUT", name.to_uppercase()), &out)
        .attach(&out)
        .run()?
        .ok()?;
    let report = fs::read_to_string(&out)?;
    Ok((finished, report))
}

/// The facts of a program whose names begin so, by the rest of their names.
fn facts<'o>(output: &'o str, beginning: &str) -> Result<BTreeMap<&'o str, f64>> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("program: ")?.strip_prefix(beginning));
    lines
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, value)| Ok((name, value.parse().with_context(|| value.to_owned())?)))
        .collect()
}

/// The sum of the folded stacks whose frames `selects`.
fn folded(report: &str, selects: impl Fn(&[&str]) -> bool) -> f64 {
    let stacks = report.lines().filter_map(|line| line.rsplit_once(' '));
    let selected = stacks.filter(|(stack, _)| selects(&stack.split(';').collect::<Vec<_>>()));
    selected.filter_map(|(_, value)| value.parse::<f64>().ok()).sum()
}

pub(crate) fn profilers_measure_what_the_program_states(version: RuntimeVersion) -> Result<()> {
    exceptions(version)?;
    collections(version)?;
    allocations(version)?;
    processor_time(version)
}

fn exceptions(version: RuntimeVersion) -> Result<()> {
    let clsid = "{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A07}";
    let (finished, report) = measured("exceptions", clsid, "exceptions", "folded", version)?;
    let thrown = facts(&finished.stdout, "thrown ")?;
    ensure!(thrown.len() >= 11, "{}", finished.report());
    for (name, count) in thrown {
        let seen = folded(&report, |stack| stack.last() == Some(&name));
        ensure!(seen == count, "{name}: {seen} of {count}\n{}", finished.report());
    }
    Ok(())
}

fn collections(version: RuntimeVersion) -> Result<()> {
    let clsid = "{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A08}";
    let (finished, report) = measured("gc", clsid, "gc", "txt", version)?;
    let mut seen = [0.0; 3];
    for part in report.split("\n\n").skip(1) {
        let (values, frame) = part.split_once("\n    at generation ").with_context(|| finished.report())?;
        let count = values.strip_prefix("collections: ").and_then(|rest| rest.split(' ').next());
        let count: f64 = count.with_context(|| finished.report())?.parse()?;
        let generation: usize = frame.get(..1).unwrap_or_default().parse()?;
        // A collection of a generation collects the younger ones too.
        seen.iter_mut().take(generation + 1).for_each(|sum| *sum += count);
    }
    for (generation, count) in facts(&finished.stdout, "collections of ")? {
        let seen = seen[generation.parse::<usize>()?];
        ensure!(seen == count, "generation {generation}: {seen} of {count}\n{}", finished.report());
    }
    Ok(())
}

fn allocations(version: RuntimeVersion) -> Result<()> {
    let clsid = "{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A06}";
    let (finished, report) = measured("alloc", clsid, "much", "folded", version)?;
    // Some 2,000 and 500 samples: more than four standard deviations.
    for (fact, method, bound) in [("most", "Allocated.Most", 0.1), ("rest", "Allocated.Rest", 0.2)] {
        let truth = facts(&finished.stdout, fact)?.into_values().next().with_context(|| finished.report())?;
        let seen = folded(&report, |stack| stack.contains(&method));
        println!("{version}: {method}: {seen} bytes, {truth} by the program");
        ensure!((seen / truth - 1.0).abs() <= bound, "{method}: {seen}, {truth}\n{}", finished.report());
    }
    Ok(())
}

fn processor_time(version: RuntimeVersion) -> Result<()> {
    let clsid = "{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A05}";
    let (finished, report) = measured("cpu", clsid, "cpu", "folded", version)?;
    let all = folded(&report, |stack| stack.contains(&"Burning.Spin"));
    for (method, least, most) in [("Burning.Seventy", 0.5, 0.9), ("Burning.Twenty", 0.02, 0.5)] {
        let share = folded(&report, |stack| stack.contains(&method)) / all;
        println!("{version}: {method}: {:.1} %", share * 100.0);
        // The program's last sixth is in other methods.
        ensure!((least * 0.8..=most).contains(&share), "{method}: {share}\n{}", finished.report());
    }
    Ok(())
}
