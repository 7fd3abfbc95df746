//! Lines to a stream that does not wait: none is lost, none is written twice.

use std::io::{BufRead as _, BufReader};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::on_each_runtime;
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::calltrace;

use crate::run::{app, wait};

/// The depth of the calls: two lines for each.
const DEPTH: usize = 5000;

fn launch(version: RuntimeVersion, hooks: &str, format: &str) -> Result<Launch> {
    let launch = Launch::new(&runtime(version)?, &app(version)?.dll).args(["deep", &DEPTH.to_string()]);
    let launch = launch.profiler(&calltrace()?).env("CALLTRACE_HOOKS", hooks);
    Ok(launch.env("CALLTRACE_FORMAT", format))
}

fn every_line_arrives(version: RuntimeVersion) -> Result<()> {
    for (&hooks, format) in KINDS_OF_HOOKS.iter().zip(["text", "jsonl"]) {
        let file = scratch(&format!("hostile/stream-{}-{hooks}", version.short()))?.join("trace");
        launch(version, hooks, format)?.env("CALLTRACE_OUT", &file).run()?.ok()?;
        let expected = std::fs::read_to_string(&file)?.lines().count();
        ensure!(expected > DEPTH * 2, "{expected} lines in the file");

        let (writer, reader) = UnixStream::pair()?;
        // The flag belongs to the open stream, so that the program's standard error has it too.
        writer.set_nonblocking(true)?;
        let mut command = launch(version, hooks, format)?.command()?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::from(OwnedFd::from(writer)));
        let mut child = command.spawn()?;
        drop(command);
        let reading = std::thread::spawn(move || -> Result<(usize, Option<String>)> {
            let (mut count, mut wrong) = (0, None);
            for line in BufReader::new(reader).lines() {
                let line = line?;
                let is_event = if format == "text" { line.starts_with('[') } else { line.starts_with('{') };
                if line.is_empty() || !is_event || line.contains("] … ") || line.contains("\"lost\"") {
                    wrong.get_or_insert(line);
                }
                count += 1;
                // The writer is faster than the reader, so that the stream is full most of the time.
                if count % 100 == 0 {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            Ok((count, wrong))
        });
        let status = wait(&mut child)?;
        let (count, wrong) = reading.join().ok().context("the reader panicked")??;
        println!("{version} {hooks} {format}: {count} lines of {expected}");
        ensure!(status.success(), "{status}");
        ensure!(wrong.is_none(), "{version} {hooks} {format}: {wrong:?}");
        ensure!(count == expected, "{version} {hooks} {format}: {count} lines of {expected} arrived");
    }
    Ok(())
}

on_each_runtime! {
    a_stream_that_does_not_wait_gets_every_line on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]: every_line_arrives;
}
