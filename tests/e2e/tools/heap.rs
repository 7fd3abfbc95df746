//! `heap`: every object of a known graph, and what holds it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;

use crate::{run, stated};

/// The rows of the table with this last heading: the other columns by the last one.
fn table<'r>(report: &'r str, heading: &str) -> BTreeMap<&'r str, Vec<&'r str>> {
    let rows = report.lines().skip_while(|line| !line.ends_with(heading)).skip(1);
    let rows = rows.take_while(|line| {
        line.starts_with(' ') || line.starts_with(char::is_numeric) || line.starts_with(['+', '-'])
    });
    let mut table = BTreeMap::new();
    for row in rows {
        let columns = heading.split("  ").filter(|column| !column.is_empty()).count();
        let mut rest = row.trim_start();
        let mut cells = Vec::new();
        for _ in 1..columns {
            let (cell, more) = rest.split_once("  ").unwrap_or((rest, ""));
            cells.push(cell.trim());
            rest = more.trim_start();
        }
        table.insert(rest, cells);
    }
    table
}

/// The paths of the report: class, objects, and the holders, the nearest last.
fn paths(report: &str) -> BTreeMap<&str, Vec<(u64, String)>> {
    let mut paths: BTreeMap<&str, Vec<(u64, String)>> = BTreeMap::new();
    for part in report.split("\n\n").filter(|part| part.contains(" × ")) {
        let mut lines = part.lines();
        let class = lines.next().and_then(|line| line.split_once(" × ")).map_or("", |(_, class)| class);
        let of_class = paths.entry(class).or_default();
        for line in lines {
            if let Some(holder) = line.strip_prefix("    in ") {
                if let Some((_, path)) = of_class.last_mut() {
                    *path = if path.is_empty() { holder.to_owned() } else { format!("{holder} < {path}") };
                }
            } else if let Some(count) = line.trim().split(' ').next().and_then(|count| count.parse().ok()) {
                of_class.push((count, String::new()));
            }
        }
    }
    paths
}

/// Whether a line of a text has these words.
fn has(text: &str, words: &str) -> bool {
    text.lines().any(|line| line.split_whitespace().eq(words.split(' ')))
}

const CLASSES: &str = "objects    bytes  retained bytes  class";

/// Compares a snapshot with what the program states of it.
fn check(report: &str, stdout: &str, snapshot: usize) -> Result<()> {
    let heading = report.lines().find(|line| line.ends_with("retained bytes  class")).unwrap_or(CLASSES);
    let (classes, paths) = (table(report, heading), paths(report));
    let mut facts = 0;
    for (class, fact) in stated(stdout) {
        let words: Vec<&str> = fact.splitn(3, ' ').collect();
        let expected = words[snapshot];
        let held = class.strip_prefix("held ");
        let class = held.unwrap_or(class);
        let counted = classes.get(class).map_or("0", |row| row[0]);
        ensure!(
            held.is_some() || counted == expected,
            "{class}: {counted} objects, {expected} by the program"
        );
        let Some(holders) = words.get(2) else { continue };
        let seen = paths.get(class).with_context(|| format!("no path to {class}"))?;
        let on_path: u64 = seen.iter().filter(|(_, path)| path == holders).map(|(count, _)| count).sum();
        ensure!(on_path.to_string() == expected, "{class}: {seen:?} instead of {expected} {holders}");
        facts += 1;
    }
    ensure!(facts == 13, "{facts} facts");
    Ok(())
}

pub(crate) fn objects_are_those_of_the_program(version: RuntimeVersion) -> Result<()> {
    let (launch, out) = run("heap", "heap", version, "txt")?;
    let when = out.with_file_name("when");
    let launch = launch.env("TOOLED_WHEN", &when).env("HEAP_WHEN", &when).env("HEAP_TOP", "100000");
    let finished = launch.run()?.ok()?;
    let with_report = || finished.report();
    let read = |number: usize| -> Result<String> {
        Ok(fs::read_to_string(Path::new(&format!("{}.{number}", out.display())))?)
    };
    let (first, second) = (read(1)?, read(2)?);
    check(&first, &finished.stdout, 0).with_context(|| first.clone()).with_context(with_report)?;
    check(&second, &finished.stdout, 1).with_context(|| second.clone()).with_context(with_report)?;
    for report in [&first, &second] {
        for part in
            ["objects have no known size", "without the inner part", "no known root", "outside of the heap"]
        {
            ensure!(!report.contains(part), "{report}");
        }
    }

    // Duplicates, boxes, large objects: the size of a string is 22 bytes and two for each character, rounded up.
    // The literal is one more.
    for line in [format!("201 {} planted twice", 201 * 48), format!("30 {} {}…", 30 * 224, "é".repeat(80))]
    {
        ensure!(has(&first, &line), "{line}\n{first}");
    }
    let part = |title: &str| first.split("\n\n").find(|part| part.starts_with(title)).unwrap_or_default();
    let boxes = part("boxed values");
    ensure!(has(boxes, &format!("70 {} Money", 70 * 32)), "{boxes}");
    let ints = boxes.lines().find(|line| line.ends_with("  int")).context("no boxed int")?;
    let ints: u64 = ints.split_whitespace().next().unwrap_or_default().parse()?;
    // The framework has some boxes of its own.
    ensure!((300..330).contains(&ints), "{ints} boxes of int\n{boxes}");
    ensure!(has(part("large objects"), &format!("6 {} Wide[]", 6 * 160_024)), "{first}");

    // What the program has added and removed between the snapshots.
    let growth =
        second.split("\n\n").find(|part| part.starts_with("since the snapshot at")).unwrap_or_default();
    for line in [format!("+234 +{} Leaked", 234 * 24), "-1 -24 Link".to_owned()] {
        ensure!(has(growth, &line), "{line}\n{growth}");
    }
    Ok(())
}
