//! `alloc`: every allocation by class and site, and estimates of them.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};
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
        // .NET 10 allocates most boxes without a callback.
        if version == RuntimeVersion::V10_0 && site == "MakeBoxes" {
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
    are_within_their_error(version, "1", "500", 0.3)
}

/// The same if the program allocates so much that only some of the samples are kept.
pub(crate) fn kept_allocations_are_within_their_error(version: RuntimeVersion) -> Result<()> {
    are_within_their_error(version, "10", "20000", 0.3)
}

/// Compares estimates of a program that allocates so many times as much, with this rate of samples. Four standard deviations are less than
/// `most` of the truth.
fn are_within_their_error(version: RuntimeVersion, times: &str, rate: &str, most: f64) -> Result<()> {
    let runs = if e2e::is_long() { 40 } else { 1 };
    let mut within: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..runs {
        let (launch, out) = run("alloc", "much", version, &format!("{times}.txt"))?;
        let launch = launch.env("TOOLED_TIMES", times).env("ALLOC_RATE", rate).env("ALLOC_TOP", "100000");
        let finished = launch.run()?.ok()?;
        let report = fs::read_to_string(&out)?;
        let with_report = || finished.report();
        let is_thinned = report.contains("were left out at random");
        ensure!(is_thinned == (times != "1"), "samples were left out: {is_thinned}\n{}", with_report());
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
            ensure!(bound < most * truth, "{bound} of {truth}\n{}", with_report());
        }
    }
    println!("{version}, {times} times: within the errors of 95 %, of {runs} runs: {within:?}");
    // If the errors are what they claim, one of 300 tests has fewer than 34 of 40.
    ensure!(!e2e::is_long() || within.values().all(|count| count * 40 >= runs * 34), "{within:?} of {runs}");
    Ok(())
}
