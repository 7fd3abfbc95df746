//! The cost of a call: a loop over a nearly empty method.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{self, CSharp, Runtime, RuntimeVersion};
use corprof_testkit::launch::Launch;
use corprof_testkit::paths;

use super::tracers::{Tracer, Tracers, Whose};

/// A row: the called method, the number of threads, the profiler.
struct Row {
    label: &'static str,
    method: &'static str,
    threads: u32,
    tracer: Tracer,
    /// The label of the row with the reference.
    peer: Option<&'static str>,
    /// The best round of each turn, in nanoseconds for a call.
    times: Vec<f64>,
    /// The same of the other checkout's profiler, if there is one.
    others: Vec<f64>,
}

const fn row(
    label: &'static str,
    (method, threads): (&'static str, u32),
    tracer: Tracer,
    peer: Option<&'static str>,
) -> Row {
    Row { label, method, threads, tracer, peer, times: Vec::new(), others: Vec::new() }
}

/// `static int Add(int, int)` on one thread, on two, `static int Length(string)`, and the same of an object of six fields and
/// of an array of 16 numbers.
const INTS: (&str, u32) = ("ints", 1);
const INTS_TWICE: (&str, u32) = ("ints", 2);
const TEXT: (&str, u32) = ("text", 1);
const OBJECT: (&str, u32) = ("object", 1);
const ARRAY: (&str, u32) = ("array", 1);

fn rows() -> Vec<Row> {
    use Tracer::{C, Calltrace, None as Untraced, Rust};
    vec![
        row("no profiler", INTS, Untraced, None),
        row("C: fast hooks that return at once (`ret`)", INTS, C("empty"), None),
        row("C: fast hooks, empty function", INTS, C("called"), None),
        row("corprof: fast hooks, empty", INTS, Rust("empty"), Some("C: fast hooks, empty function")),
        row("C: fast hooks, counted", INTS, C("counted"), None),
        row("corprof: fast hooks, counted", INTS, Rust("counted"), Some("C: fast hooks, counted")),
        row("C: fast hooks, `(int, int)` and result, one time", INTS, C("captured"), None),
        row(
            "corprof: fast hooks, `(int, int)` and result, one time",
            INTS,
            Rust("captured"),
            Some("C: fast hooks, `(int, int)` and result, one time"),
        ),
        row("C: fast hooks, `(int, int)` and result, both times", INTS, C("timed"), None),
        row(
            "corprof: fast hooks, `(int, int)` and result, both times",
            INTS,
            Rust("timed"),
            Some("C: fast hooks, `(int, int)` and result, both times"),
        ),
        row("corprof: fast hooks, decoded to a record", INTS, Rust("decoded"), None),
        row("C: hooks with info, counted", INTS, C("info-counted"), None),
        row(
            "corprof: hooks with info, counted",
            INTS,
            Rust("info-counted"),
            Some("C: hooks with info, counted"),
        ),
        row("C: hooks with info, `(int, int)` and result captured", INTS, C("info-captured"), None),
        row(
            "corprof: hooks with info, `(int, int)` and result captured",
            INTS,
            Rust("info-captured"),
            Some("C: hooks with info, `(int, int)` and result captured"),
        ),
        row("corprof: hooks with info, decoded to a record", INTS, Rust("info-decoded"), None),
        row("calltrace to a recording, fast hooks", INTS, Calltrace("fast", "binary"), None),
        row("calltrace to a recording, hooks with info", INTS, Calltrace("with-info", "binary"), None),
        row("calltrace to jsonl, fast hooks", INTS, Calltrace("fast", "jsonl"), None),
        row("calltrace to jsonl, hooks with info", INTS, Calltrace("with-info", "jsonl"), None),
        row("`(string)`: no profiler", TEXT, Untraced, None),
        row("`(string)`: corprof, fast hooks, decoded to a record", TEXT, Rust("decoded"), None),
        row("`(string)`: corprof, hooks with info, decoded to a record", TEXT, Rust("info-decoded"), None),
        row("`(string)`: calltrace to a recording, fast hooks", TEXT, Calltrace("fast", "binary"), None),
        row("`(object of 6 fields)`: no profiler", OBJECT, Untraced, None),
        row(
            "`(object of 6 fields)`: corprof, fast hooks, decoded to a record",
            OBJECT,
            Rust("decoded"),
            None,
        ),
        row(
            "`(object of 6 fields)`: calltrace to a recording, fast hooks",
            OBJECT,
            Calltrace("fast", "binary"),
            None,
        ),
        row("`(int[16])`: no profiler", ARRAY, Untraced, None),
        row("`(int[16])`: corprof, fast hooks, decoded to a record", ARRAY, Rust("decoded"), None),
        row("`(int[16])`: calltrace to a recording, fast hooks", ARRAY, Calltrace("fast", "binary"), None),
        row("2 threads: no profiler", INTS_TWICE, Untraced, None),
        row("2 threads: C, fast hooks, counted", INTS_TWICE, C("counted"), None),
        row(
            "2 threads: corprof, fast hooks, counted",
            INTS_TWICE,
            Rust("counted"),
            Some("2 threads: C, fast hooks, counted"),
        ),
        row("2 threads: corprof, fast hooks, captured, one time", INTS_TWICE, Rust("captured"), None),
        row("2 threads: corprof, fast hooks, decoded to a record", INTS_TWICE, Rust("decoded"), None),
        row("2 threads: calltrace to a recording, fast hooks", INTS_TWICE, Calltrace("fast", "binary"), None),
    ]
}

/// Runs the rows in turn, all or those with a text in their label, and prints the table.
pub(super) fn run(runtime: &Runtime, tracers: &Tracers, turns: u32, line: Option<&str>) -> Result<()> {
    let source = paths::workspace().join("benches/hooks/Loop.cs");
    let output = paths::apps_dir().join("bench-hooks").join("Loop.dll");
    let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, [source], output))?;
    let mut rows = rows();
    rows.retain(|row| line.is_none_or(|line| row.label.contains(line)));
    ensure!(!rows.is_empty(), "no line of the table has {line:?}; without --line all are measured");
    for turn in 1..=turns {
        eprint!("\rturn {turn} of {turns}");
        for row in &mut rows {
            let launch = Launch::new(runtime, &program);
            let time = turn_of(row, Whose::Ours, launch.clone(), tracers).with_context(|| row.label)?;
            row.times.push(time);
            if tracers.has_others() && matches!(row.tracer, Tracer::Rust(_) | Tracer::Calltrace(..)) {
                let time = turn_of(row, Whose::Others, launch, tracers);
                row.others.push(time.with_context(|| format!("{}, the other checkout", row.label))?);
            }
        }
    }
    eprintln!();
    print(&rows, turns, tracers.has_others());
    Ok(())
}

/// The number of timed rounds in a process, and the number of calls in a round.
const ROUNDS: u32 = 100;
const CALLS: u32 = 10_000;
/// The same for calls that take microseconds.
const SLOW: [u32; 2] = [2, 2_000];

/// One process: the best of its rounds, in nanoseconds for a call.
fn turn_of(row: &Row, whose: Whose, launch: Launch, tracers: &Tracers) -> Result<f64> {
    let is_slow = matches!(row.tracer, Tracer::Calltrace(_, "jsonl"));
    let [rounds, calls] = if is_slow { SLOW } else { [ROUNDS, CALLS] };
    let launch = launch
        .arg(row.method)
        .args([row.threads, rounds, calls].map(|number| number.to_string()))
        // Full optimisation at the first call: the same code from the first call to the last.
        .env("DOTNET_TieredCompilation", "0")
        .timeout(Duration::from_secs(120));
    let finished = tracers.put(row.tracer, whose, launch, false)?.run()?.ok()?;
    let said = finished.stdout.trim().split_once(' ');
    let (hundredths, made) = said.with_context(|| finished.report())?;
    let made: u64 = made.parse()?;
    // Loop.dll has other methods besides the one that is called in the loop.
    let is_all = |seen: u64| seen >= made && seen - made < 1000;
    match row.tracer {
        Tracer::C("empty" | "called") | Tracer::Rust("empty") | Tracer::None | Tracer::Discarded(_) => {}
        // At least 8 bytes for two time stamps and two numbers.
        Tracer::Calltrace(_, "binary") => {
            let bytes = tracers.bytes()?;
            ensure!(bytes >= 8 * made, "{made} calls were made, and {bytes} bytes recorded");
        }
        Tracer::Calltrace(..) => {
            let lines = tracers.lines()?;
            ensure!(is_all(lines / 2), "{made} calls were made, and {lines} lines written");
        }
        Tracer::C(_) | Tracer::Rust(_) => {
            let [enters, leaves] = Tracers::seen(&finished.stderr).with_context(|| finished.report())?;
            ensure!(
                is_all(enters) && enters == leaves,
                "{made} calls were made, {enters} entered, {leaves} left"
            );
        }
    }
    Ok(hundredths.parse::<f64>()? / 100.0)
}

fn print(rows: &[Row], turns: u32, has_others: bool) {
    println!(
        "\nA call, nanoseconds of the thread's processor time: best and middle of {turns} turns, each the best of \
         {ROUNDS} rounds of {CALLS} calls\n(calltrace to jsonl: {} of {}). Times C: by the best, and the median of the \
         turns' ratios.\n",
        SLOW[0], SLOW[1]
    );
    let [titles, lines] = match has_others {
        true => [" other, best | times other, best | times other, middle |", "--:|--:|--:|"],
        false => [""; 2],
    };
    println!("| | ns, best | ns, middle | times C, best | times C, middle |{titles}");
    println!("|---|--:|--:|--:|--:|{lines}");
    for row in rows {
        let (best, middle) = (least(&row.times), middle(row.times.clone()));
        let peer = rows.iter().find(|other| Some(other.label) == row.peer);
        let times = peer.map_or(" | ".to_owned(), |peer| times(&row.times, &peer.times));
        let beside = match row.others.as_slice() {
            [] if has_others => " | | |".to_owned(),
            [] => String::new(),
            others => format!(" {:.1} | {} |", least(others), self::times(&row.times, others)),
        };
        println!("| {} | {best:.1} | {middle:.1} | {times} |{beside}", row.label);
    }
}

/// Our times by others': the best by the best, and the median of the turns' ratios.
fn times(ours: &[f64], others: &[f64]) -> String {
    let ratios = ours.iter().zip(others).map(|(ours, theirs)| ours / theirs).collect();
    format!("{:.2} | {:.2}", least(ours) / least(others), middle(ratios))
}

pub(super) fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

pub(super) fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
