//! `gc`: every collection with its generation, reason, pause and sizes.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use xtask::dotnet::RuntimeVersion;

use crate::{run, stated};

/// A listed collection.
#[derive(Debug)]
struct Row<'r> {
    generation: u32,
    reason: &'r str,
    paused: f64,
    suspending: f64,
    sizes: Vec<(u64, u64)>,
}

/// The listed collections by number.
fn rows(report: &str) -> Result<BTreeMap<u64, Row<'_>>> {
    let lines = report.lines().skip_while(|line| !line.trim_start().starts_with("number  ")).skip(1);
    let mut rows = BTreeMap::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        ensure!(words.len() > 8, "{line}");
        let sizes = words[8..].join(" ");
        let sizes = sizes.split(", ").filter_map(|pair| {
            let (before, after) = pair.split_once(" → ")?;
            Some((before.parse().ok()?, after.parse().ok()?))
        });
        let row = Row {
            generation: words[2].parse()?,
            reason: words[3],
            paused: words[4].parse()?,
            suspending: words[5].parse()?,
            sizes: sizes.collect(),
        };
        rows.insert(words[0].parse()?, row);
    }
    Ok(rows)
}

pub(crate) fn collections_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let (launch, out) = run("gc", "gc", version, "txt")?;
    // A background collection ends at any time.
    let finished = launch
        .env("GC_LAST", "100000")
        .env("DOTNET_gcConcurrent", "0")
        .env("COMPlus_gcConcurrent", "0")
        .run()?
        .ok()?;
    let report = fs::read_to_string(&out)?;
    let with_report = || finished.report();
    let rows = rows(&report).with_context(with_report)?;
    ensure!(!report.contains("did not fit"), "{}", with_report());

    let facts: BTreeMap<&str, &str> = stated(&finished.stdout).collect();
    for generation in 0..=2 {
        let seen = rows.values().filter(|row| row.generation >= generation).count();
        let counted = facts.get(format!("collections of {generation}").as_str()).copied();
        ensure!(
            counted == Some(seen.to_string().as_str()),
            "{counted:?}, {seen} of {generation}\n{}",
            with_report()
        );
    }
    let induced = facts
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix("collection ")?.parse::<u64>().ok()?, *value)));
    let induced: BTreeMap<u64, &str> = induced.collect();
    ensure!(induced.len() == 11, "{induced:?}");
    // Before .NET 9 the runtime does not report that the program has induced a compacting collection, the last one.
    let compacting = induced.keys().next_back().filter(|_| version <= RuntimeVersion::V8_0);
    for (number, row) in &rows {
        let is_induced = induced.contains_key(number) && Some(number) != compacting;
        ensure!((row.reason == "induced") == is_induced, "{number} {row:?}\n{}", with_report());
        ensure!(row.suspending <= row.paused, "{number} {row:?}");
    }
    let mut wrong = Vec::new();
    for (number, facts) in &induced {
        let row = rows.get(number).with_context(with_report)?;
        let words: Vec<&str> = facts.split(' ').collect();
        ensure!(words[0] == row.generation.to_string(), "{number} {facts} {row:?}");
        let [_, paused, before, after] = words[..] else { continue };
        // The runtime's own measure begins after the first callback, and ends before the last one; each clock is read some
        // microseconds from the other, more on a machine that is busy.
        let paused: f64 = paused.parse()?;
        if row.paused < 0.95 * paused - 0.1 {
            wrong.push(format!("{number}: paused {} ms, {paused} by the program", row.paused));
        }
        let numbers = |text: &str| text.split(',').map(str::parse).collect::<Result<Vec<u64>, _>>();
        let sizes: Vec<(u64, u64)> = numbers(before)?.into_iter().zip(numbers(after)?).collect();
        println!("{number}: paused {} ms, {paused}\n  {:?}\n  {sizes:?}", row.paused, row.sizes);
    }
    // The thread may lose its processor between the two measures; twice in a tenth of a second is no chance.
    ensure!(wrong.len() <= 1, "{wrong:#?}\n{}", with_report());

    // The whole pause, within what the callbacks themselves take.
    if let Some(paused) = facts.get("paused") {
        let paused: f64 = paused.parse()?;
        let ours: f64 = rows.values().map(|row| row.paused).sum();
        ensure!(
            ours >= 0.95 * paused - 0.5 && ours <= 1.2 * paused + 5.0,
            "{ours} ms, {paused} ms\n{}",
            with_report()
        );
    }
    Ok(())
}
