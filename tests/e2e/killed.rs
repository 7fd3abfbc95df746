//! A program that is killed at any moment: each call that it has reported before is in the trace.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_cli::trace;
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::app::{App, Build};
use e2e::is_long;
use e2e::record::{Event, Record};
use e2e::traced::Tracing;

/// The number of threads that call and report.
const THREADS: usize = 2;
/// The bytes of a report: a thread and a number.
const REPORT: usize = 8;

/// The last number that each thread has reported.
type Reported = BTreeMap<i64, i64>;

/// Runs the program, and kills it some time after its first report.
fn killed(
    version: RuntimeVersion,
    [hooks, format]: [&str; 2],
    after: Duration,
) -> Result<(Reported, std::path::PathBuf)> {
    let app = App::compile("recorded", version, Build::Optimised)?;
    let tracing = Tracing::app(&app, &format!("killed-{hooks}-{format}"))?.set("HOOKS", hooks);
    let tracing = match format {
        "compressed" => tracing.set("FORMAT", "binary").set("COMPRESS", "1"),
        format => tracing.set("FORMAT", format),
    };
    let tracing = tracing.with(|launch| launch.args(["report", &THREADS.to_string()]));
    let (mut command, file) = tracing.command()?;
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut pipe = child.stdout.take().context("no output")?;
    let mut first = [0; REPORT];
    pipe.read_exact(&mut first).context("nothing was reported")?;
    let reader = std::thread::spawn(move || -> std::io::Result<Vec<u8>> {
        let mut all = first.to_vec();
        pipe.read_to_end(&mut all)?;
        Ok(all)
    });
    std::thread::sleep(after);
    child.kill()?;
    child.wait()?;
    let reports = reader.join().map_err(|_| anyhow::anyhow!("the reader panicked"))??;
    let mut reported = Reported::new();
    for report in reports.as_chunks::<REPORT>().0 {
        let [thread, number] =
            [0, 4].map(|at| report[at..].first_chunk().copied().map_or(0, i32::from_le_bytes));
        reported.insert(thread.into(), number.into());
    }
    Ok((reported, file))
}

/// The first and second argument of every call of `Work.Add`, by thread.
fn calls(file: &Path, format: &str) -> Result<BTreeMap<i64, Vec<i64>>> {
    let mut found = BTreeMap::<_, Vec<_>>::new();
    let mut out = Vec::new();
    if matches!(format, "binary" | "compressed") {
        // Completes the recording itself.
        trace::run([Path::new("print"), file, Path::new("--format"), Path::new("jsonl")], &mut out)?;
    } else {
        trace::run([Path::new("complete"), file], &mut std::io::sink())?;
        out = fs::read(file)?;
    }
    let text = String::from_utf8(out)?;
    ensure!(text.ends_with('\n'), "the last line is cut");
    for line in text.lines() {
        let [number, thread] = if format == "text" {
            let Some((_, arguments)) = line.split_once("→ Recorded.Work.Add(a: ") else { continue };
            let arguments = arguments.strip_suffix(')').context("the line is cut")?;
            let (number, thread) = arguments.split_once(", b: ").context("an argument is missing")?;
            [number.parse()?, thread.parse()?]
        } else {
            let record = Record::parse(line)?;
            let Event::Enter { args, .. } = &record.event else { continue };
            if record.method != "Recorded.Work.Add" {
                continue;
            }
            let value = |index: usize| args.get(index).and_then(|slot| slot.value.as_ref()?.as_i64());
            [value(0).context("no number")?, value(1).context("no thread")?]
        };
        found.entry(thread).or_default().push(number);
    }
    Ok(found)
}

#[test]
fn every_call_that_was_reported_before_a_kill_is_in_the_trace() -> Result<()> {
    // One run of each format and kind of hooks, or 200 in all, over the runtimes.
    let versions: &[_] = if is_long() { &RuntimeVersion::PINNED } else { &[RuntimeVersion::V9_0] };
    let repeated = if is_long() { 7 } else { 1 };
    let (mut runs, mut all) = (0_u64, 0);
    for &version in versions {
        for format in ["jsonl", "binary", "compressed", "text"] {
            for hooks in ["fast", "with-info"] {
                for _ in 0..repeated {
                    runs += 1;
                    // From 0 to 150 ms, without regularity.
                    let after = Duration::from_micros(runs * 7_919_003 % 150_000);
                    let (reported, file) = killed(version, [hooks, format], after)?;
                    let found = calls(&file, format)?;
                    for (thread, last) in &reported {
                        let context =
                            || format!("{version} {hooks} {format} {after:?}: thread {thread}, {last}");
                        let numbers = found.get(thread).with_context(context)?;
                        ensure!(
                            numbers.iter().copied().eq((0..).take(numbers.len())),
                            "{}: a gap",
                            context()
                        );
                        ensure!(numbers.last() >= Some(last), "{}: only {:?}", context(), numbers.last());
                        all += last + 1;
                    }
                }
            }
        }
    }
    println!("{runs} kills, {all} calls were reported, all are in the traces");
    Ok(())
}
