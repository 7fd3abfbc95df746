//! `startup`: the methods, types, modules and assemblies that reflection lists.

use std::collections::BTreeSet;
use std::fs::{self, File};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::traced::optimised_at_once;
use nettrace::Reader;
use nettrace::runtime_events::{PROVIDER, RuntimeEvent, keywords, levels};

use crate::{run, stated};

/// The names in the table of a kind of work.
fn listed<'r>(report: &'r str, kind: &str) -> BTreeSet<&'r str> {
    let heading = format!("  time  {kind}");
    let rows = report.lines().skip_while(|line| !line.ends_with(&heading)).skip(1);
    let rows = rows.take_while(|line| !line.is_empty());
    rows.filter_map(|row| row.rsplit("  ").next()).collect()
}

/// The runtime's events and the callbacks are about the same compilations, if one run has both. A run of its own for the events has more:
/// the providers of events are read by stubs, which are compiled.
pub(crate) fn compilations_are_those_of_the_events(version: RuntimeVersion) -> Result<()> {
    let (launch, out) = run("startup", "startup", version, "events.txt")?;
    let trace = out.with_file_name("out.nettrace");
    let finished = optimised_at_once(launch)
        .env("DOTNET_EnableEventPipe", "1")
        .env("DOTNET_EventPipeOutputPath", &trace)
        .env("DOTNET_EventPipeConfig", format!("{PROVIDER}:{:x}:{}", keywords::JIT, levels::VERBOSE))
        .run()?
        .ok()?;
    let mut compiled = Vec::new();
    let mut reader = Reader::new(File::open(&trace)?)?;
    while let Some(event) = reader.next_event()? {
        if event.metadata.provider == PROVIDER
            && let Some(RuntimeEvent::JittingStarted(of)) = event.runtime_event()?
        {
            compiled.push(format!("{}.{}", of.namespace, of.name));
        }
    }
    let report = fs::read_to_string(&out)?;
    let row = report.lines().find(|line| line.ends_with("  compilation") && !line.contains("own ms"));
    let count = row.and_then(|row| row.split_whitespace().next()?.parse::<usize>().ok());
    ensure!(
        compiled.len() > 10 && count == Some(compiled.len()),
        "{count:?} are reported, and {} events are {compiled:#?}\n{}",
        compiled.len(),
        finished.report()
    );
    Ok(())
}

pub(crate) fn compilations_and_loads_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let (launch, out) = run("startup", "startup", version, "txt")?;
    let finished = launch.env("STARTUP_TOP", "1000000").run()?.ok()?;
    let report = fs::read_to_string(&out)?;
    let with_report = || finished.report();
    ensure!(!report.contains("beyond the limit"), "{}", with_report());
    let [methods, classes, modules, assemblies] =
        ["compilation", "class load", "module load", "assembly load"].map(|kind| listed(&report, kind));
    let mut facts = 0;
    for (fact, name) in stated(&finished.stdout) {
        let is_right = match fact {
            "compiled" => methods.contains(name),
            "loaded" => classes.contains(name),
            "module" => modules.contains(name),
            "assembly" => assemblies.contains(name),
            "never" => !methods.contains(name) && !classes.contains(name),
            _ => continue,
        };
        facts += 1;
        ensure!(
            is_right,
            "{fact} {name}\n{methods:?}\n{classes:?}\n{modules:?}\n{assemblies:?}\n{}",
            with_report()
        );
    }
    ensure!(facts > 10, "{facts} facts\n{}", with_report());
    let precompiled = report.lines().find(|line| line.ends_with("  System.Private.CoreLib.dll"));
    let row = report.lines().rfind(|line| line.ends_with("  System.Private.CoreLib.dll"));
    let count = row.and_then(|row| row.split_whitespace().next()?.parse::<u64>().ok());
    ensure!(precompiled.is_some() && count.is_some_and(|count| count > 10), "{row:?}\n{}", with_report());

    // The same as a timeline: what is nested lies within what it is nested in.
    let (launch, out) = run("startup", "startup", version, "trace.json")?;
    let finished = launch.run()?.ok()?;
    let file: serde_json::Value = serde_json::from_slice(&fs::read(&out)?)?;
    let events = file["traceEvents"].as_array().context("no events")?;
    let mut spans: Vec<(u64, f64, f64)> = Vec::new();
    let mut names = BTreeSet::new();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let number = |key: &str| event[key].as_f64().context("no number");
        spans.push((event["tid"].as_u64().context("no row")?, number("ts")?, number("dur")?));
        names.insert(event["name"].as_str().unwrap_or_default());
    }
    for name in ["compilation StartedMethods.CalledOne", "class load StartedType"] {
        ensure!(names.contains(name), "{name}\n{}", finished.report());
    }
    spans.sort_by(|one, other| {
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(other.2.total_cmp(&one.2))
    });
    let mut open: Vec<(u64, f64)> = Vec::new();
    for (row, begin, length) in spans {
        open.retain(|(of_row, end)| *of_row == row && *end > begin);
        // A tenth of a microsecond is lost to rounding.
        ensure!(open.iter().all(|(_, end)| begin + length <= end + 0.1), "{begin} {length} {open:?}");
        open.push((row, begin + length));
    }

    // And as stacks: a type is loaded for the method that is compiled, a line ends with its time in nanoseconds.
    let (launch, out) = run("startup", "startup", version, "folded")?;
    let finished = launch.run()?.ok()?;
    let folded = fs::read_to_string(&out)?;
    for name in ["compilation StartedMethods.CalledOne", "class load StartedType"] {
        let line = folded.lines().find(|line| line.contains(name));
        let time = line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
        ensure!(time.is_some_and(|time| time > 0), "{name}\n{folded}\n{}", finished.report());
    }
    let has_nested =
        folded.lines().any(|line| line.contains(";compilation ") && line.contains(";class load "));
    ensure!(has_nested, "nothing is loaded for a compilation\n{folded}");
    Ok(())
}
