//! The table: all candidates in turn, round after round, so that other work on the machine affects all alike.
//!
//!     sigparse-benches                      the table
//!     sigparse-benches pass NAME COUNT      passes of one candidate, for callgrind

mod count;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, io};

use sigparse_benches::{CONTENDERS, Contender, Corpus, MISSING};

/// The measurements of one candidate.
struct Row {
    contender: &'static Contender,
    /// The time of each pass.
    passes: Vec<Duration>,
    allocations: u64,
    failed: usize,
    /// The instructions of a pass.
    instructions: Option<u64>,
}

impl Row {
    fn best(&self) -> Duration {
        self.passes.iter().min().copied().unwrap_or_default()
    }

    /// The median of the ratios to the reference's pass of the same round.
    fn ratio(&self, reference: &Row) -> f64 {
        let pairs = self.passes.iter().zip(&reference.passes);
        let mut ratios: Vec<f64> =
            pairs.map(|(own, other)| own.as_secs_f64() / other.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

fn main() -> io::Result<ExitCode> {
    let corpus = Corpus::from_environment()?;
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [pass, name, count] = arguments.as_slice()
        && pass == "pass"
    {
        let contender = CONTENDERS.iter().find(|contender| contender.name == name);
        let contender =
            contender.ok_or_else(|| io::Error::other(format!("there is no contender {name:?}")))?;
        for _ in 0..count.parse::<u32>().map_err(io::Error::other)? {
            black_box((contender.run)(black_box(&corpus)));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let rounds = match env::var("ROUNDS") {
        Ok(rounds) => rounds.parse().map_err(io::Error::other)?,
        Err(_) => 40,
    };
    let mut rows = measured(&corpus, rounds);
    let callgrind = count_instructions(&mut rows);
    print(&corpus, rounds, &rows, callgrind);
    // A decoder of ours that refuses a signature, or counts other types than the one in C, is a defect.
    let counting = ["C walker, recursive", "sigparse walk", "sigparse views, deep"];
    let counting = CONTENDERS.iter().filter(|contender| counting.contains(&contender.name));
    let counts: Vec<u64> = counting.map(|contender| (contender.run)(&corpus).0).collect();
    let ours = rows.iter().filter(|row| row.contender.name.starts_with("sigparse"));
    if counts.iter().any(|&count| count != counts[0]) || ours.map(|row| row.failed).sum::<usize>() > 0 {
        eprintln!("error: the walkers do not agree: {counts:?} types");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn measured(corpus: &Corpus, rounds: usize) -> Vec<Row> {
    let rows = CONTENDERS.iter().map(|contender| {
        let before = count::allocations();
        let (_, failed) = black_box((contender.run)(corpus));
        let allocations = count::allocations() - before;
        Row { contender, passes: Vec::with_capacity(rounds), allocations, failed, instructions: None }
    });
    let mut rows: Vec<Row> = rows.collect();
    for _ in 0..rounds {
        for row in &mut rows {
            let begin = Instant::now();
            black_box((row.contender.run)(black_box(corpus)));
            row.passes.push(begin.elapsed());
        }
    }
    rows
}

/// Counts instructions: those of three passes minus those of one. Prints the reason if it cannot.
fn count_instructions(rows: &mut [Row]) -> Result<(), String> {
    let count = |name: &str, passes: &str| count::instructions(&["pass", name, passes]);
    for row in rows {
        let (one, three): (u64, u64) = (count(row.contender.name, "1")?, count(row.contender.name, "3")?);
        row.instructions = Some((three - one) / 2);
    }
    Ok(())
}

fn print(corpus: &Corpus, rounds: usize, rows: &[Row], callgrind: Result<(), String>) {
    let signatures = corpus.blobs().len() as f64;
    let (reference, per) = (&rows[0], |count: u64| count as f64 / signatures);
    println!("{} signatures, {} bytes, {rounds} rounds", corpus.blobs().len(), corpus.parts().0.len());
    println!(
        "Rust: {}, opt-level {}; C: {}\n",
        env!("RUSTC_VERSION"),
        env!("RUST_OPT_LEVEL"),
        env!("C_COMPILER")
    );
    println!(
        "| decoder | makes | ns per signature | times the C walker | instructions | times the C walker | allocations | not read |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    for row in rows {
        let nanoseconds = row.best().as_secs_f64() * 1e9 / signatures;
        let (instructions, times) = match (row.instructions, reference.instructions) {
            (Some(own), Some(other)) => {
                (format!("{:.0}", per(own)), format!("{:.2}", own as f64 / other as f64))
            }
            _ => ("–".to_owned(), "–".to_owned()),
        };
        println!(
            "| {} | {} | {nanoseconds:.1} | {:.2} | {instructions} | {times} | {:.2} | {} |",
            row.contender.name,
            row.contender.makes,
            row.ratio(reference),
            per(row.allocations),
            row.failed,
        );
    }
    println!();
    println!("ns: the best of all rounds. Times the C walker: the median of what the rounds give.");
    if let Err(reason) = callgrind {
        println!("Instructions are not counted: {}", reason.lines().next().unwrap_or_default());
    }
    for name in MISSING {
        println!("{name} is not in this build.");
    }
}
