//! The queries of `docs/queries.md`, run by `DuckDB` over an exported recording: they give the rows that the program states. Polars
//! opens the same tables.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use corprof_cli::trace;
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::paths;
use e2e::app::{App, Build};
use e2e::engines;
use e2e::traced::Tracing;
use serde_json::{Value, json};

/// Runs each query of standard input, and prints its rows.
const DUCKDB: &str = "
import duckdb, json, sys
print(json.dumps([duckdb.sql(query).fetchall() for query in json.load(sys.stdin)]))
";

/// Prints the calls by outcome, and the numbers in the values that have one.
const POLARS: &str = "
import json, polars
calls = polars.scan_parquet('trace/calls/*.parquet')
values = polars.scan_parquet('trace/values/*.parquet')
print(json.dumps([
    calls.group_by('outcome').len().sort('outcome').collect().rows(),
    values.filter(name='id').select(polars.col('number').sum()).collect().item(),
]))
";

/// The milliseconds that the program sleeps in one call of a page.
const SLEPT: f64 = 50.0;

/// Runs a script in the folder of the tables. Returns what it prints.
fn python(folder: &Path, script: &str, input: &Value) -> Result<Value> {
    let mut python = engines::python()?
        .args(["-c", script])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start Python")?;
    python.stdin.take().context("no input")?.write_all(&serde_json::to_vec(input)?)?;
    let output = python.wait_with_output()?;
    ensure!(output.status.success(), "the script failed; its message is above");
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The blocks of SQL in the document.
fn queries() -> Result<Vec<String>> {
    let text = fs::read_to_string(paths::workspace().join("docs/queries.md"))?;
    let blocks = text.split("```sql\n").skip(1);
    Ok(blocks.filter_map(|block| block.split("```").next()).map(str::to_owned).collect())
}

fn rows(rows: &Value) -> &[Value] {
    rows.as_array().map_or(&[], Vec::as_slice)
}

/// Rows, each with its number of occurrences.
fn counted(rows: &[Value]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(row.to_string()).or_default() += 1;
    }
    counts
}

/// Rows whose last column is a number of occurrences.
fn counts(rows: &[Value]) -> BTreeMap<String, u64> {
    let split = |row: &Value| {
        let (last, others) = row.as_array()?.split_last()?;
        let key = if let [one] = others { one.to_string() } else { json!(others).to_string() };
        Some((key, last.as_u64()?))
    };
    rows.iter().filter_map(split).collect()
}

/// The slowest page of each customer, by the program's clock, and the number of pages.
fn pages(stated: &[Value]) -> BTreeMap<&str, (u64, f64)> {
    let mut pages: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
    for row in stated {
        let (customer, took) = (row[0].as_str().unwrap_or_default(), row[1].as_f64().unwrap_or_default());
        let (count, slowest) = pages.entry(customer).or_default();
        *count += 1;
        *slowest = slowest.max(took);
    }
    pages
}

/// The program's clock runs around the recorded calls.
fn check_slowest(found: &[Value], stated: &[Value]) -> Result<()> {
    let pages = pages(stated);
    ensure!(found.len() == pages.len(), "{found:?} of {pages:?}");
    let mut last = f64::INFINITY;
    for row in found {
        let (customer, count, took) = (row[0].as_str(), row[1].as_u64(), row[2].as_f64());
        let (customer, took) = customer.zip(took).context("a row without a customer")?;
        let (pages, slowest) = pages.get(customer).context("a customer without pages")?;
        ensure!(count == Some(*pages), "{row} of {pages} pages");
        ensure!(took <= slowest * 1.01 && took <= last, "{row}, the program took {slowest} ms");
        ensure!(customer != "bob" || took >= SLEPT * 0.99, "{row}, the program slept {SLEPT} ms");
        last = took;
    }
    Ok(())
}

#[test]
fn queries_of_the_document_find_what_the_program_states() -> Result<()> {
    let app = App::compile("shop", RuntimeVersion::V10_0, Build::Optimised)?;
    let tracing = Tracing::app(&app, "queries")?.set("EXCLUDE", "*!Shop.Expected.*");
    let traced = tracing.set("FORMAT", "binary").run()?;
    let folder = traced.trace.with_file_name("tables");
    let export = |to: &str, options: &[&str]| {
        let to = folder.join(to);
        let words = ["export", "--format", "parquet", "--output"].map(Path::new);
        let words = words.into_iter().chain([to.as_path(), traced.trace.as_path()]);
        trace::run(words.chain(options.iter().map(Path::new)), &mut Vec::new())
    };
    traced.expect((|| {
        ensure!(traced.finished.code() == Some(0), "the program failed");
        let mut stated: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in traced.finished.stdout.lines() {
            stated.extend(serde_json::from_str::<BTreeMap<String, Vec<Value>>>(line)?);
        }
        let stated =
            |name: &str| stated.get(name).with_context(|| format!("the program does not state {name}"));
        let report = export("trace", &[])?;
        ensure!(report.ending == Some(recording::Ending::Finished { lost: 0 }), "{report:?}");
        ensure!(export("trace", &[]).is_err(), "an export into another one is not refused");

        let found = python(&folder, DUCKDB, &json!(queries()?))?;
        let [slowest, many, values, exceptions, stacks] = rows(&found) else { anyhow::bail!("{found}") };
        check_slowest(rows(slowest), stated("slowest")?)?;
        ensure!(rows(many) == stated("many")? && rows(many).len() == 1, "{many}");
        ensure!(rows(values) == stated("values")? && rows(values).len() == 4, "{values}");
        ensure!(counts(rows(exceptions)) == counted(stated("exceptions")?), "{exceptions}");
        let calls = counts(stated("stacks")?);
        let of_stacks: Vec<Value> = rows(stacks).iter().map(|row| json!([row[0], row[1]])).collect();
        ensure!(counts(&of_stacks) == calls && calls.len() >= 8, "{stacks}\nthe program states {calls:?}");

        // Own times sum up to the time of the outermost calls.
        let own = rows(stacks).iter().filter_map(|row| row[2].as_f64()).sum::<f64>();
        let all: u64 = calls.values().sum();
        let loads: u64 =
            calls.iter().filter(|(path, _)| path.ends_with("Load\"")).map(|(_, count)| count).sum();
        export("loads", &["--method", "Shop.Store.Load"])?;
        let others = json!([
            "SELECT sum(duration) / 1e6 FROM 'trace/calls/*.parquet' WHERE caller IS NULL",
            "SELECT count(*), count(DISTINCT call), count(arguments) FROM 'trace/calls/*.parquet'",
            "SELECT count(*) FROM 'loads/calls/*.parquet'",
        ]);
        let found = python(&folder, DUCKDB, &others)?;
        let outermost = found[0][0][0].as_f64().context("no time")?;
        ensure!((own - outermost).abs() < 1e-3, "{own} ms in stacks of {outermost} ms");
        ensure!(found[1] == json!([[all, all, all]]), "{} of {all} calls", found[1]);
        ensure!(found[2] == json!([[loads]]), "{} of {loads} calls", found[2]);

        let found = python(&folder, POLARS, &Value::Null)?;
        let thrown = stated("exceptions")?.len() as u64;
        ensure!(found[0] == json!([["leave", all - thrown], ["unwind", thrown]]), "{found}");
        let ids = 1 + 13 - 1 - 1 + 2 + (100..140).sum::<i64>() + 7 + 3 + 4;
        ensure!(found[1].as_f64() == Some(f64::from(i32::try_from(ids)?)), "{found}");
        println!("{all} calls in {} stacks", calls.len());
        Ok(())
    })())
}
