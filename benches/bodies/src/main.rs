//! The table: everyone in turn, round after round, so that what else the machine does falls on all alike.
//!
//! `ASSEMBLY` is the file whose bodies are read, `ROUNDS` how often, and `REFLECTION` the command of the contender on .NET, a line
//! for each word. Below the table is the time of the worst body for the layout of branches.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../crates/cilbody/tests/it/assembly.rs"]
mod assembly;
mod contenders;
mod corpus;
mod lengthened;
mod reflection;

use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use contenders::{CONTENDERS, Contender};
use corpus::Corpus;
use reflection::Reflection;

/// The contender on .NET.
const REFLECTION: &str = "System.Reflection.Metadata 9.0";

/// One pass over all bodies.
struct Pass {
    time: Duration,
    /// The number of bodies that were not read, or not written as they were.
    failed: usize,
    /// The sum of what was read or written.
    sum: u64,
}

/// What was measured of one contender.
struct Row {
    name: &'static str,
    does: &'static str,
    pass: Box<dyn FnMut(&Corpus<'_>) -> io::Result<Pass>>,
    passes: Vec<Duration>,
    failed: usize,
    sum: u64,
}

impl Row {
    fn best(&self) -> f64 {
        self.passes.iter().min().copied().unwrap_or_default().as_secs_f64()
    }

    /// The middle of the ratios to another contender's passes of the same rounds.
    fn ratio(&self, other: &Self) -> f64 {
        let pairs = self.passes.iter().zip(&other.passes);
        let mut ratios: Vec<f64> =
            pairs.map(|(own, other)| own.as_secs_f64() / other.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

fn main() -> io::Result<ExitCode> {
    let path = env::var_os("ASSEMBLY")
        .map(PathBuf::from)
        .ok_or_else(|| io::Error::other("ASSEMBLY is not set; `cargo xtask bench bodies` sets it"))?;
    let rounds = env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(40);
    let file = fs::read(&path)?;
    let corpus = Corpus::new(&path, &file)?;
    let mut rows: Vec<Row> = CONTENDERS.iter().map(row).collect();
    for (does, request) in [("decodes and encodes", "encode"), ("decodes", "decode")] {
        let mut reflection = Reflection::start()?;
        let pass = Box::new(move |_: &Corpus<'_>| reflection.pass(request));
        let name = REFLECTION;
        rows.push(Row { name, does, pass, passes: Vec::new(), failed: 0, sum: 0 });
    }
    for row in &mut rows {
        let first = (row.pass)(&corpus)?;
        (row.failed, row.sum) = (first.failed, first.sum);
    }
    for _ in 0..rounds {
        for row in &mut rows {
            row.passes.push((row.pass)(&corpus)?.time);
        }
    }
    print(&corpus, rounds, &rows);
    print_lengthened(rounds)?;
    same_work(&rows)?;
    let own = rows.iter().filter(|row| row.name == "cilbody");
    match own.map(|row| row.failed).sum::<usize>() {
        0 => Ok(ExitCode::SUCCESS),
        failed => {
            eprintln!("error: cil does not read, write or accept {failed} bodies");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// A contender that runs here.
fn row(&Contender { name, does, run }: &'static Contender) -> Row {
    let pass = Box::new(move |corpus: &Corpus<'_>| {
        let begin = Instant::now();
        let (sum, failed) = black_box(run(black_box(corpus)));
        Ok(Pass { time: begin.elapsed(), failed, sum })
    });
    Row { name, does, pass, passes: Vec::new(), failed: 0, sum: 0 }
}

/// Fails unless `cilbody` and System.Reflection.Metadata have read the same instructions and clauses.
fn same_work(rows: &[Row]) -> io::Result<()> {
    let sum =
        |name: &str| rows.iter().find(|row| row.does == "decodes" && row.name == name).map(|row| row.sum);
    match (sum("cilbody"), sum(REFLECTION)) {
        (Some(own), Some(other)) if own == other => Ok(()),
        sums => Err(io::Error::other(format!("what was read differs: {sums:?}"))),
    }
}

fn print(corpus: &Corpus<'_>, rounds: usize, rows: &[Row]) {
    let bytes: usize = corpus.bodies.iter().map(|body| body.bytes.len()).sum();
    println!("{} bodies, {bytes} bytes, {rounds} rounds\n", corpus.bodies.len());
    println!("| | does | ns per body | MB/s | times cilbody | not done |\n|---|---|--:|--:|--:|--:|");
    for row in rows {
        let Row { name, does, .. } = row;
        let same = rows.iter().find(|other| other.name == "cilbody" && other.does == *does);
        let ratio = same.map_or(f64::NAN, |same| row.ratio(same));
        let nanoseconds = row.best() * 1e9 / corpus.bodies.len() as f64;
        let speed = bytes as f64 / row.best() / 1e6;
        println!("| {name} | {does} | {nanoseconds:.0} | {speed:.0} | {ratio:.2} | {} |", row.failed);
    }
    println!("\nns and MB/s: the best of all rounds. Times cil: the median of what the rounds give.");
}

/// Prints the time of the worst body for the layout of branches.
fn print_lengthened(rounds: usize) -> io::Result<()> {
    let lengthened::Measured { size, times } = lengthened::measure(rounds)?;
    let milliseconds = |index: usize| times.get(index).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
    let (best, median) = (milliseconds(0), milliseconds(times.len() / 2));
    println!(
        "\ncilbody encodes {size} bytes, all branches lengthened by others: {best:.1} ms, median {median:.1}"
    );
    Ok(())
}
