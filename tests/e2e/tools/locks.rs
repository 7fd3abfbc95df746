//! `locks`: every wait with its kind, time, lock and owner.

use std::fs;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::RuntimeVersion;

use crate::{run, stated};

/// A site of the report.
#[derive(Debug)]
struct Site<'r> {
    milliseconds: f64,
    waits: u64,
    class: &'r str,
    stack: Vec<&'r str>,
    owner: Vec<&'r str>,
}

fn sites(report: &str) -> Result<Vec<Site<'_>>> {
    let mut sites = Vec::new();
    for part in
        report.split("\n\n").filter(|part| part.contains(" ms in ")).filter(|part| part.contains(" × "))
    {
        let (heading, lines) = part.split_once('\n').context("no stack")?;
        let (milliseconds, rest) = heading.split_once(" ms in ").context("no time")?;
        let (waits, class) = rest.split_once(" × ").context("no lock")?;
        let (owner, stack): (Vec<&str>, Vec<&str>) = lines
            .lines()
            .partition(|line| line.starts_with("    held at ") || line.starts_with("         at "));
        sites.push(Site {
            milliseconds: milliseconds.parse()?,
            waits: waits.parse()?,
            class,
            stack: stack.into_iter().filter_map(|line| line.strip_prefix("    at ")).collect(),
            owner: owner.into_iter().filter_map(|line| Some(line.split_once(" at ")?.1)).collect(),
        });
    }
    Ok(sites)
}

pub(crate) fn waits_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let (launch, out) = run("locks", "locks", version, "txt")?;
    let finished = launch.env("LOCKS_TOP", "1000").run()?.ok()?;
    let report = fs::read_to_string(&out)?;
    let with_report = || finished.report();
    let sites = sites(&report).with_context(with_report)?;
    ensure!(report.contains(": 8 waits for locks in ") && !report.contains("no stack"), "{}", with_report());
    let mut facts = 0;
    for (name, value) in stated(&finished.stdout) {
        let Some(class) = name.strip_prefix("waits ") else { continue };
        let (waits, waited) = value.split_once(' ').context("no time")?;
        let class = format!("Monitor.Enter of Locked.{class}");
        let of_class: Vec<_> = sites.iter().filter(|site| site.class == class).collect();
        let seen: u64 = of_class.iter().map(|site| site.waits).sum();
        ensure!(
            seen.to_string() == waits,
            "{class}: {seen} waits, {waits} by the program\n{}",
            with_report()
        );
        // The program's measure begins before the thread spins, and ends when it runs again.
        let (seen, waited): (f64, f64) =
            (of_class.iter().map(|site| site.milliseconds).sum(), waited.parse()?);
        println!("{class}: {seen} ms, {waited} ms by the program");
        ensure!(seen <= waited && seen >= 0.9 * waited - 5.0, "{class}: {seen}, {waited}\n{}", with_report());
        for site in &of_class {
            // Since .NET 10 a part of Monitor is managed, and since .NET 11 all of it.
            let mut own = site.stack.iter().filter(|frame| !frame.starts_with("System."));
            ensure!(own.next() == Some(&"Locked.Take"), "{site:?}\n{}", with_report());
            let is_owner = site.owner.contains(&"Locked.Hold") && !site.owner.contains(&"Locked.Take");
            ensure!(site.owner.is_empty() || is_owner, "{site:?}\n{}", with_report());
        }
        // To take each owner's stack could cost too much on a busy machine.
        ensure!(of_class.iter().any(|site| !site.owner.is_empty()), "no owner\n{}", with_report());
        facts += 1;
    }
    ensure!(facts == 2, "{facts} facts\n{}", with_report());
    Ok(())
}

/// A row of the table by kind and method: waits, milliseconds, and those of the longest.
fn row(report: &str, kind: &str, method: &str) -> Option<(u64, f64, f64)> {
    report.lines().find_map(|line| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [waits, waited, longest, of, at] = cells[..] else { return None };
        let is_row = of == kind && at == method;
        is_row.then(|| Some((waits.parse().ok()?, waited.parse().ok()?, longest.parse().ok()?)))?
    })
}

/// The waits that are no acquisitions of a lock, where the runtime reports them.
pub(crate) fn other_waits_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let (launch, out) = run("locks", "waits", version, "txt")?;
    let finished = launch.env("LOCKS_TOP", "1000").run()?.ok()?;
    let report = fs::read_to_string(&out)?;
    let with_report = || finished.report();
    if version < RuntimeVersion::V9_0 {
        let says = "this runtime reports waits for locks alone: those of Monitor.Wait";
        ensure!(report.contains(says) && !report.contains("other waits"), "{}", with_report());
        return Ok(());
    }
    let mut facts = 0;
    for (name, value) in stated(&finished.stdout) {
        let Some((kind, method)) = name.strip_prefix("waits ").and_then(|name| name.split_once(" in "))
        else {
            continue;
        };
        let (waits, times) = value.split_once(' ').context("no times")?;
        let times: Vec<f64> = times.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [waited, called, longest, longest_call] = times[..] else { bail!("{value}") };
        let row = row(&report, kind, &format!("Waiting.{method}"));
        let (seen, seen_waited, seen_longest) =
            row.with_context(|| format!("no row of {kind} in {method}\n{}", with_report()))?;
        println!("{kind} in {method}: {seen_waited} ms, {waited} to {called} ms by the program");
        ensure!(seen.to_string() == waits, "{kind}: {seen}, {waits}\n{}", with_report());
        // The program has seen the threads wait, and then measured until they were to be woken. The calls have begun before, and ended later.
        for (seen, least, most) in [(seen_waited, waited, called), (seen_longest, longest, longest_call)] {
            // Of rounded numbers.
            let is_right = (least - 0.1..=most + 0.1).contains(&seen);
            ensure!(is_right, "{kind} in {method}: {seen}, {least} to {most}\n{}", with_report());
        }
        facts += 1;
    }
    ensure!(facts == 9, "{facts} facts\n{}", with_report());
    // Nothing else waits, and the object of `Monitor.Wait` has its class.
    ensure!(report.contains("\n36 other waits; waited "), "{}", with_report());
    let of_class = sites(&report)?.into_iter().find(|site| site.class == "Monitor.Wait of Waiting.Bell");
    let site = of_class.with_context(with_report)?;
    ensure!(site.waits == 4 && site.stack.contains(&"Waiting.OnMonitor"), "{site:?}\n{}", with_report());
    ensure!(!report.contains("no stack") && !report.contains("no end"), "{}", with_report());
    Ok(())
}

/// A runtime without these events is named, and the program runs.
pub(crate) fn an_old_runtime_is_refused(version: RuntimeVersion) -> Result<()> {
    let (launch, _) = run("locks", "locks", version, "folded")?;
    let finished = launch.run()?.ok()?;
    ensure!(finished.stderr.contains("before .NET 5"), "{}", finished.report());
    Ok(())
}
