//! The table: all candidates in turn, round after round, so that other work on the machine affects all alike.
//!
//!     argvalues-benches                        the table
//!     argvalues-benches pass CASE WAY COUNT    calls of one case, for callgrind

mod baseline;
mod cases;
// Both benchmarks count in the same way.
#[path = "../../src/count.rs"]
mod count;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, io};

use argvalues::{
    Decoder, Direct, JsonWriter, Limits, RecordNames, RecordReader, RecordWriter, Scratch, TextWriter,
};

use cases::{Case, Scripted};

/// How many calls are timed at once.
const CALLS: u32 = 2000;

/// Ways to decode a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Baseline,
    Record,
    Text,
    Json,
}

impl Way {
    const ALL: [Self; 4] = [Self::Baseline, Self::Record, Self::Text, Self::Json];

    const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "C++ to text",
            Self::Record => "argvalues to a record",
            Self::Text => "argvalues to text",
            Self::Json => "argvalues to JSON",
        }
    }
}

/// The state of a thread between calls.
struct Bench {
    runtime: Scripted,
    memory: Direct,
    scratch: Scratch,
    names: RecordNames,
    record: Vec<u8>,
    line: String,
}

impl Bench {
    /// Decodes a call, and returns the number of produced bytes.
    #[inline(never)]
    fn decode(&mut self, case: &mut Case, way: Way) -> usize {
        if way == Way::Baseline {
            return case.baseline.decode().len();
        }
        if way == Way::Record {
            self.record.clear();
            case.plan.decode_with(
                case.ranges.iter().copied(),
                &self.memory,
                || Decoder::new(&self.memory, &self.runtime, Limits::DEFAULT, &mut self.scratch),
                &mut RecordWriter::new(&mut self.record, &mut self.names),
            );
            return self.record.len();
        }
        let mut decoder = Decoder::new(&self.memory, &self.runtime, Limits::DEFAULT, &mut self.scratch);
        self.line.clear();
        match way {
            Way::Baseline | Way::Record => {}
            Way::Text => {
                for (argument, name) in case.plan.arguments(&case.ranges).zip(&case.parameters) {
                    self.line.push_str(if self.line.is_empty() { "" } else { ", " });
                    self.line.push_str(name);
                    self.line.push_str(": ");
                    argument.decode(&mut decoder, &mut TextWriter::new(&mut self.line));
                }
            }
            Way::Json => {
                for argument in case.plan.arguments(&case.ranges) {
                    self.line.push_str(if self.line.is_empty() { "[" } else { "," });
                    argument.decode(&mut decoder, &mut JsonWriter::new(&mut self.line));
                }
                self.line.push(']');
            }
        }
        self.line.len()
    }

    /// Checks that both decoders produce the same text, and that the record decodes to that text.
    fn check(&mut self, case: &mut Case) {
        self.decode(case, Way::Text);
        let theirs = case.baseline.decode();
        assert_eq!(self.line.as_bytes(), theirs, "C++ says {:?}", String::from_utf8_lossy(theirs));
        let text = self.line.clone();
        self.decode(case, Way::Record);
        let mut reader = RecordReader::new(&self.record, &self.names);
        let mut told = String::new();
        for name in &case.parameters {
            told += &format!("{}{name}: ", if told.is_empty() { "" } else { ", " });
            reader.value(&mut TextWriter::new(&mut told)).expect("it is a record");
        }
        assert!(reader.is_at_end());
        assert_eq!(told, text);
    }
}

/// The measurements of one candidate for one case.
struct Row {
    way: Way,
    rounds: Vec<Duration>,
    bytes: usize,
    allocations: u64,
    instructions: Option<u64>,
}

impl Row {
    fn nanoseconds(&self) -> f64 {
        let best = self.rounds.iter().min().copied().unwrap_or_default();
        best.as_secs_f64() * 1e9 / f64::from(CALLS)
    }

    /// The ratio to the other candidate, from the best rounds of both: other work on the machine makes rounds longer,
    /// never shorter.
    fn times_as_fast_as(&self, other: &Self) -> f64 {
        other.nanoseconds() / self.nanoseconds()
    }
}

fn main() -> io::Result<ExitCode> {
    let (runtime, memory, mut cases) = cases::all();
    let mut bench = Bench {
        runtime,
        memory,
        scratch: Scratch::new(),
        names: RecordNames::new(),
        record: Vec::new(),
        line: String::new(),
    };
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [pass, case, way, count] = arguments.as_slice()
        && pass == "pass"
    {
        let case = cases.iter_mut().find(|known| known.name == case).ok_or(io::ErrorKind::NotFound)?;
        let way = Way::ALL.into_iter().find(|known| known.name() == way).ok_or(io::ErrorKind::NotFound)?;
        for _ in 0..count.parse::<u32>().map_err(io::Error::other)? {
            black_box(bench.decode(black_box(case), way));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let rounds = match env::var("ROUNDS") {
        Ok(rounds) => rounds.parse().map_err(io::Error::other)?,
        Err(_) => 40,
    };
    println!("{CALLS} calls a round, {rounds} rounds");
    println!(
        "Rust: {}, opt-level {}; C++: {}\n",
        env!("RUSTC_VERSION"),
        env!("RUST_OPT_LEVEL"),
        env!("CXX_COMPILER")
    );
    println!("| call | decoder | ns | times as fast | instructions | times fewer | bytes | allocations |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|");
    let mut callgrind = Ok(());
    for case in &mut cases {
        bench.check(case);
        let mut rows = measured(&mut bench, case, rounds);
        if callgrind.is_ok() {
            callgrind = count_instructions(case.name, &mut rows);
        }
        print(case.name, &rows);
    }
    println!();
    println!(
        "ns: a call in the best of all rounds. Times as fast as the decoder in C++: by the best rounds of both."
    );
    println!("Both sides write the same text, and the records are read back to it, which is checked first.");
    if let Err(reason) = callgrind {
        println!("Instructions are not counted: {}", reason.lines().next().unwrap_or_default());
    }
    Ok(ExitCode::SUCCESS)
}

fn measured(bench: &mut Bench, case: &mut Case, rounds: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for way in Way::ALL {
        let mut row =
            Row { way, rounds: Vec::with_capacity(rounds), bytes: 0, allocations: 0, instructions: None };
        // Buffers that grow at the first call have grown.
        row.bytes = bench.decode(case, way);
        let before = count::allocations() + baseline::allocations();
        bench.decode(case, way);
        row.allocations = count::allocations() + baseline::allocations() - before;
        rows.push(row);
    }
    for _ in 0..rounds {
        for row in &mut rows {
            let begin = Instant::now();
            for _ in 0..CALLS {
                black_box(bench.decode(black_box(case), row.way));
            }
            row.rounds.push(begin.elapsed());
        }
    }
    rows
}

/// Counts the instructions of a call: those of many calls minus those of few. Prints the reason if it cannot.
fn count_instructions(case: &str, rows: &mut [Row]) -> Result<(), String> {
    let counted = |way: Way, calls: u64| count::instructions(&["pass", case, way.name(), &calls.to_string()]);
    for row in rows {
        let (few, many) = (counted(row.way, 100)?, counted(row.way, 1100)?);
        row.instructions = Some((many - few) / 1000);
    }
    Ok(())
}

fn print(case: &str, rows: &[Row]) {
    let reference = &rows[0];
    for row in rows {
        let (instructions, fewer) = match (row.instructions, reference.instructions) {
            (Some(own), Some(other)) => (own.to_string(), format!("{:.1}", other as f64 / own as f64)),
            _ => ("–".to_owned(), "–".to_owned()),
        };
        println!(
            "| `{case}` | {} | {:.0} | {:.1} | {instructions} | {fewer} | {} | {} |",
            row.way.name(),
            row.nanoseconds(),
            row.times_as_fast_as(reference),
            row.bytes,
            row.allocations,
        );
    }
}
