//! A limit for the length of the output file: the file keeps to it and is readable, and what is missing is said.

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};
use e2e::on_each_runtime;
use e2e::traced::calltrace;

use crate::run::app;
use crate::trace::{Found, read};

/// The depth of the calls: two events for each.
const DEPTH: &str = "20000";

/// The largest length in KiB. The whole output is longer in each format.
const MOST: u64 = 200;

fn run(version: RuntimeVersion, format: &str, most: &str) -> Result<(Finished, u64, Found)> {
    let limit = if most.is_empty() { "all" } else { "limited" };
    let file = scratch(&format!("hostile/limited-{}-{format}-{limit}", version.short()))?.join("trace");
    let launch = Launch::new(&runtime(version)?, &app(version)?.dll).args(["deep", DEPTH]);
    let launch = launch.profiler(&calltrace()?).env("CALLTRACE_FORMAT", format);
    let finished = launch.env("CALLTRACE_OUT", &file).env("CALLTRACE_MAX_FILE", most).run()?.ok()?;
    let length = std::fs::metadata(&file)?.len();
    Ok((finished, length, read(&file, format)?))
}

fn files_keep_to_their_limit(version: RuntimeVersion) -> Result<()> {
    for format in ["text", "jsonl", "binary"] {
        let (_, whole, all) = run(version, format, "")?;
        ensure!(whole > 2 * (MOST << 10), "{format}: the whole output has only {whole} bytes");
        let (finished, length, found) = run(version, format, &format!("{MOST}K"))?;
        let judged = || {
            println!(
                "{version} {format}: {length} bytes of {whole}, {} events of {}",
                found.events, all.events
            );
            ensure!(length <= MOST << 10, "the file has {length} bytes");
            ensure!(length > MOST << 9, "the file has only {length} bytes");
            ensure!(
                found.events > 0 && found.events < all.events,
                "{} events of {}",
                found.events,
                all.events
            );
            let reason = "the file has the length that it may have";
            ensure!(finished.stderr.contains(reason), "the reason is not reported");
            if format == "binary" {
                ensure!(found.is_cut, "the recording has an end");
                ensure!(
                    finished.stderr.contains("bytes of records are missing"),
                    "nothing is said to be missing"
                );
            } else {
                let missing = finished.stderr.split_once(" lines of the trace could not be written");
                let missing = missing.and_then(|(before, _)| before.rsplit(' ').next());
                let missing: u64 = missing.context("nothing is said to be missing")?.parse()?;
                let said = found.events + missing;
                ensure!(
                    said == all.events,
                    "{} events and {missing} missing of {}",
                    found.events,
                    all.events
                );
            }
            Ok(())
        };
        judged().with_context(|| finished.report())?;
    }
    Ok(())
}

on_each_runtime! {
    output_files_keep_to_their_limit on [on_9_0] long [on_3_1 on_8_0 on_10_0 on_11_0]: files_keep_to_their_limit;
}
