//! `alloc`: every allocation by class and site, and estimates of them.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, anyhow, ensure};
use corprof_testkit::dotnet::RuntimeVersion;

use crate::{run, stated};

/// A site of the report.
#[derive(Debug)]
struct Site<'r> {
    objects: u64,
    bytes: u64,
    error: u64,
    class: &'r str,
    stack: Vec<&'r str>,
}

fn sites(report: &str) -> Result<Vec<Site<'_>>> {
    let mut sites = Vec::new();
    for part in report.split("\n\n").filter(|part| part.contains(" bytes in ")).skip(1) {
        let mut lines = part.lines();
        let heading = lines.next().unwrap_or_default();
        let (numbers, class) = heading.split_once(" × ").with_context(|| heading.to_owned())?;
        let (bytes, objects) = numbers.split_once(" bytes in ").with_context(|| heading.to_owned())?;
        let (bytes, error) = bytes.split_once(" ± ").unwrap_or((bytes, "0"));
        sites.push(Site {
            objects: objects.parse()?,
            bytes: bytes.parse()?,
            error: error.parse()?,
            class,
            stack: lines.filter_map(|line| line.strip_prefix("    at ")).collect(),
        });
    }
    Ok(sites)
}

pub(crate) fn allocations_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let (launch, out) = run("alloc", "alloc", version, "txt")?;
    let finished = launch.env("ALLOC_MODE", "exact").env("ALLOC_TOP", "100000").run()?.ok()?;
    let report = fs::read_to_string(&out)?;
    let with_report = || finished.report();
    ensure!(!report.contains("ignored") && !report.contains("no exact stack"), "{}", with_report());
    let sites = sites(&report).with_context(with_report)?;
    let mut facts = 0;
    for (name, value) in stated(&finished.stdout) {
        let Some(site) = name.strip_prefix("allocated ") else { continue };
        let (count, rest) = value.split_once(' ').context("no count")?;
        let (bytes, class) = rest.split_once(' ').context("no class")?;
        let method = format!("Allocated.{site}");
        // A recursive method is deeper than the lines of a stack: the class is allocated there alone, or the frames are.
        let here = || sites.iter().filter(|site| site.stack.iter().any(|frame| *frame == method));
        let objects: u64 = here().filter(|site| site.class == class).map(|site| site.objects).sum();
        let all: u64 = here().map(|site| site.bytes).sum();
        facts += 1;
        // Since .NET 10 the runtime calls back for a box only where it needs a new piece of memory for the thread: once in 8 KiB.
        if version >= RuntimeVersion::V10_0 && site == "MakeBoxes" {
            let boxes: u64 = count.parse()?;
            ensure!((1..boxes / 10).contains(&objects), "{site}: {objects} of {class}\n{}", with_report());
            continue;
        }
        ensure!(
            objects.to_string() == count,
            "{site}: {objects} of {class}, {count} by the program\n{}",
            with_report()
        );
        // .NET Core 3.1 has no callback for some objects of its own, and does not count large objects.
        let (is_counted, slack) = match version {
            RuntimeVersion::V3_1 => (site != "MakeLarge", 600),
            _ => (true, 0),
        };
        let expected: u64 = bytes.parse()?;
        ensure!(
            !is_counted || all <= expected && all + slack >= expected,
            "{site}: {all} bytes, {expected} by the program\n{}",
            with_report()
        );
    }
    ensure!(facts == 9, "{facts} facts\n{}", with_report());
    Ok(())
}

/// The standard score of the report's errors: 95 % of estimates are within them.
const SCORE: f64 = 1.96;

/// The estimates are within four of their standard deviations; with all tests, over many runs, as often within their errors as
/// these claim.
pub(crate) fn sampled_allocations_are_within_their_error(version: RuntimeVersion) -> Result<()> {
    let runs = if e2e::is_long() { 40 } else { 1 };
    let mut within: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..runs {
        let (launch, out) = run("alloc", "much", version, "txt")?;
        let finished = launch.env("ALLOC_TOP", "100000").run()?.ok()?;
        let report = fs::read_to_string(&out)?;
        let with_report = || finished.report();
        let sites = sites(&report).with_context(with_report)?;
        let facts: BTreeMap<&str, &str> = stated(&finished.stdout).collect();
        for (fact, method) in [("most", "Allocated.Most"), ("rest", "Allocated.Rest")] {
            let truth: f64 = facts.get(fact).context("no fact")?.parse()?;
            let here = || sites.iter().filter(|site| site.stack.first() == Some(&method));
            #[allow(clippy::cast_precision_loss, reason = "compared with an estimate")]
            let (bytes, variance) = (
                here().map(|site| site.bytes as f64).sum::<f64>(),
                here().map(|site| (site.error as f64 / SCORE).powi(2)).sum::<f64>(),
            );
            let (difference, deviation) = ((bytes - truth).abs(), variance.sqrt());
            println!("{method}: {bytes} bytes ± {:.0}, {truth} by the program", SCORE * deviation);
            *within.entry(method).or_default() += usize::from(difference <= SCORE * deviation);
            // One run of 15,000 fails by chance.
            let bound = 4.0 * deviation;
            ensure!(difference <= bound, "{method}: {bytes}, {truth} ± {bound}\n{}", with_report());
            ensure!(bound < 0.3 * truth, "{bound} of {truth}\n{}", with_report());
        }
    }
    println!("{version}: within the errors of 95 %, of {runs} runs: {within:?}");
    // If the errors are what they claim, one of 300 tests has fewer than 34 of 40.
    ensure!(!e2e::is_long() || within.values().all(|count| count * 40 >= runs * 34), "{within:?} of {runs}");
    Ok(())
}

/// The rows of a table of the report by their names: the bytes and their error.
///
/// The rows of the methods have two of these, of which those with callees are the second.
fn rows<'r>(report: &'r str, heading: &str) -> Result<BTreeMap<String, (f64, f64)>> {
    let is_number = |cell: &&str| cell.bytes().all(|byte| byte.is_ascii_digit());
    let table =
        report.split("\n\n").find(|part| part.lines().next().is_some_and(|line| line.ends_with(heading)));
    let row = |line: &'r str| {
        let cells: Vec<&str> = line.split(' ').filter(|cell| !cell.is_empty()).collect();
        let numbers: Vec<f64> = cells
            .iter()
            .take_while(|cell| **cell == "±" || is_number(cell))
            .filter_map(|cell| cell.parse().ok())
            .collect();
        let name = cells.get(numbers.len() + (numbers.len() - 1) / 2..).unwrap_or_default().join(" ");
        let [.., bytes, error] = numbers[..] else { return Err(anyhow!("no row: {line}")) };
        Ok((name, (bytes, error)))
    };
    let lines = table.with_context(|| format!("no table with {heading}"))?.lines().skip(1);
    lines.filter(|line| !line.contains(" more ")).map(row).collect()
}

/// Of a mixed load on two threads, each class and each method has a row whose bytes are within five of its standard deviations of the
/// program's own count, half of them are within 4 %, and large objects are all counted. With all tests 2 %, of a larger load.
pub(crate) fn mixed_allocations_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    /// What the runtime allocates beside the program's methods, at its start: it describes its events by reflection.
    const BESIDE: f64 = 1e6;
    let (megabytes, most) = if e2e::is_long() { ("12000", 0.02) } else { ("2000", 0.04) };
    let (launch, out) = run("alloc", "mixed", version, "txt")?;
    let finished = launch.arg(megabytes).env("ALLOC_TOP", "100000").run()?.ok()?;
    let report = fs::read_to_string(&out)?;
    let with_report = || finished.report();
    for (kind, heading, facts) in [("class ", " class", 15), ("method ", " method", 12)] {
        let rows = rows(&report, heading).with_context(with_report)?;
        let mut errors = Vec::new();
        for (fact, truth) in stated(&finished.stdout) {
            let (Some(name), truth) = (fact.strip_prefix(kind), truth.parse::<f64>()) else { continue };
            let truth = truth?;
            let (bytes, error) = rows.get(name).with_context(|| format!("no {fact}\n{}", with_report()))?;
            let difference = (bytes - truth).abs();
            println!(
                "{fact}: {bytes} bytes ± {error}, {truth} by the program: {:.2} %",
                100.0 * difference / truth
            );
            ensure!(
                difference <= 5.0 / SCORE * error + BESIDE,
                "{fact}: {bytes}, {truth}\n{}",
                with_report()
            );
            let is_large = ["char[]", "double[]", "Mixed.MakeLarge", "Mixed.MakeLarger"].contains(&name);
            ensure!(!is_large || difference <= BESIDE, "{fact}: {bytes}, {truth}\n{}", with_report());
            errors.push(difference / truth);
        }
        ensure!(errors.len() == facts, "{} facts\n{}", errors.len(), with_report());
        errors.sort_by(f64::total_cmp);
        let median = errors.get(facts / 2).copied().unwrap_or(f64::NAN);
        println!("{version}, {kind}: the median of the errors is {:.2} %", 100.0 * median);
        ensure!(median <= most, "{median}\n{}", with_report());
    }
    Ok(())
}
