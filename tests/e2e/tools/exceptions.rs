//! `exceptions`: every exception once, with its handler.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::traced::profiler;

use crate::{run, run_in, stated};

/// A throw site of the report.
#[derive(Debug)]
pub(crate) struct Site<'r> {
    pub(crate) count: u64,
    pub(crate) type_name: &'r str,
    pub(crate) message: &'r str,
    pub(crate) caught_in: &'r str,
    pub(crate) stack: Vec<&'r str>,
}

pub(crate) fn sites(report: &str) -> Result<Vec<Site<'_>>> {
    let mut sites = Vec::new();
    for part in report.split("\n\n").filter(|part| part.contains(" × ")) {
        let mut lines = part.lines();
        let (count, what) = lines.next().and_then(|line| line.split_once(" × ")).context("no count")?;
        let (type_name, message) = what.split_once(": ").unwrap_or((what, ""));
        let caught_in =
            lines.next().and_then(|line| line.strip_prefix("    caught in ")).context("no handler")?;
        // Since 11.0 managed code calls the program's entry point.
        let frames = lines.filter_map(|line| line.strip_prefix("    at "));
        let stack = frames.filter(|frame| *frame != "System.Environment.CallEntryPoint").collect();
        sites.push(Site { count: count.parse()?, type_name, message, caught_in, stack });
    }
    Ok(sites)
}

/// The table of types: thrown by type.
fn types(report: &str) -> BTreeMap<&str, u64> {
    let rows = report.lines().skip_while(|line| !line.contains("thrown  caught  type")).skip(1);
    let rows = rows.take_while(|line| !line.is_empty()).filter_map(|line| {
        let mut words = line.split_whitespace();
        let thrown = words.next()?.parse().ok()?;
        Some((words.nth(1)?, thrown))
    });
    rows.collect()
}

pub(crate) fn exceptions_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    exceptions_are_those_of_the_program_in(&profiler("exceptions")?, version)
}

/// The same with a library that has the tool.
pub(crate) fn exceptions_are_those_of_the_program_in(
    library: &Profiler,
    version: RuntimeVersion,
) -> Result<()> {
    let (launch, out) = run_in(library, "exceptions", "exceptions", version, "txt")?;
    let finished = launch.env("EXCEPTIONS_TOP", "1000").run()?.ok()?;
    let report = crate::report(&out)?;
    let with_report = || finished.report();

    let thrown: BTreeMap<&str, u64> = stated(&finished.stdout)
        .filter_map(|(name, value)| Some((name.strip_prefix("thrown ")?, value.parse().ok()?)))
        .collect();
    ensure!(thrown.len() >= 11, "{thrown:?}");
    ensure!(types(&report) == thrown, "{:?}\n{thrown:?}\n{}", types(&report), with_report());
    let total: u64 = thrown.values().sum();
    ensure!(report.contains(&format!(": {total} exceptions in ")), "{total}\n{}", with_report());

    let sites = sites(&report).with_context(with_report)?;
    let mut caught = BTreeMap::new();
    for site in &sites {
        *caught.entry(format!("{} in {}", site.type_name, site.caught_in)).or_insert(0) += site.count;
    }
    for (name, value) in stated(&finished.stdout) {
        let Some(name) = name.strip_prefix("caught ") else { continue };
        let seen = caught.get(name).copied().unwrap_or(0);
        ensure!(seen.to_string() == value, "{name}: {seen} instead of {value}\n{}", with_report());
    }
    ensure!(!report.contains("[not caught]"), "{}", with_report());

    // The message at a throw site is the first one.
    let of = |name: &str| sites.iter().filter(|site| site.type_name == name).collect::<Vec<_>>();
    let failures = of("Failure");
    ensure!(
        failures.len() == 1 && failures[0].count == 100 && failures[0].message == "item 0",
        "{failures:?}\n{}",
        with_report()
    );
    // What a type initialiser throws is caught by the runtime: since .NET 11 in its managed code.
    let initialised = of("System.NotImplementedException");
    ensure!(
        initialised.len() == 1
            && ["[the runtime]", "System.Runtime.CompilerServices.InitHelpers.CallClassConstructor"]
                .contains(&initialised[0].caught_in),
        "{initialised:?}"
    );
    let parsed = of("System.FormatException");
    ensure!(parsed.len() == 1 && parsed[0].message == "not a number", "{parsed:?}");
    ensure!(
        parsed[0].stack == ["Thrown.Parse", "Thrown.TryParse", "Thrown.Run", "Program.Main"],
        "{parsed:?}"
    );
    // Lowered methods have the names of their sources.
    let iterated = of("System.InvalidCastException");
    ensure!(iterated.iter().all(|site| site.stack.first() == Some(&"Thrown.Items")), "{iterated:?}");
    let awaited = of("System.InsufficientMemoryException");
    let is_later = |site: &&&Site<'_>| site.stack.first() == Some(&"Thrown.Later");
    ensure!(awaited.iter().filter(is_later).map(|site| site.count).sum::<u64>() == 10, "{awaited:?}");
    // `await` throws it again, and that is the same one.
    let is_caught = |site: &&&Site<'_>| site.caught_in == "Thrown.Awaited";
    ensure!(awaited.iter().any(|site| is_caught(&site)), "{awaited:?}");
    ensure!(version == RuntimeVersion::V3_1 || awaited.iter().all(|site| is_caught(&site)), "{awaited:?}");

    // The same in a file of stacks.
    let (launch, out) = run_in(library, "exceptions", "exceptions", version, "folded")?;
    let finished = launch.run()?.ok()?;
    let counts = crate::report(&out)?;
    let counts = counts.lines().filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok());
    ensure!(counts.sum::<u64>() == total, "{}", finished.report());
    Ok(())
}

pub(crate) fn the_exception_that_ends_the_program_is_reported(version: RuntimeVersion) -> Result<()> {
    for subject in ["unhandled", "unhandled-main"] {
        the_uncaught_exception_is_reported(subject, version)?;
    }
    Ok(())
}

fn the_uncaught_exception_is_reported(subject: &str, version: RuntimeVersion) -> Result<()> {
    let (launch, out) = run("exceptions", subject, version, "txt")?;
    let finished = launch.run()?;
    ensure!(finished.code() != Some(0) && !finished.timed_out, "{}", finished.report());
    let report = crate::report(&out)?;
    let sites = sites(&report).with_context(|| finished.report())?;
    let uncaught: Vec<_> = sites.iter().filter(|site| site.caught_in == "[not caught]").collect();
    ensure!(uncaught.len() == 1 && uncaught[0].count == 1, "{}", finished.report());
    // On .NET Core 3.1 the framework catches what a thread throws, and throws it again.
    let (site, all) = match version {
        RuntimeVersion::V3_1 if subject == "unhandled" => {
            ("System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw", 3)
        }
        _ => ("Thrown.Parse", 2),
    };
    ensure!(uncaught[0].stack.first() == Some(&site), "{}", finished.report());
    ensure!(sites.len() == all, "{}", finished.report());
    Ok(())
}
