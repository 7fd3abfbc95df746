//! How a program ends: the report is there, and the command says why it may lack the last moment.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::traced::records;

use crate::running::{self, Running, THROWN, output, signal, wait_for};

/// What the report has on the exceptions of the program.
fn row() -> String {
    format!("{THROWN} ")
}

/// Ends in which the runtime lets the tool know, with the exit code.
const ANNOUNCED: [(&str, i32); 3] = [("return 0", 0), ("return 5", 5), ("exit", 5)];

/// Others, with the exit code and what the command says.
const SUDDEN: [(&str, i32, &str); 6] = [
    ("native", 5, "the program has ended with exit code 5 before the last report"),
    ("quick", 5, "the program has ended with exit code 5 before the last report"),
    ("abort", 134, "the program was ended by signal 6 (SIGABRT) before the last report"),
    ("failfast", 134, "the program was ended by signal 6 (SIGABRT) before the last report"),
    ("overflow", 134, "the program was ended by signal 6 (SIGABRT) before the last report"),
    ("throw", 134, "the program was ended by signal 6 (SIGABRT) before the last report"),
];

pub(crate) fn every_end_has_a_report(version: RuntimeVersion) -> Result<()> {
    for (end, code) in ANNOUNCED {
        let (_folder, file, out) = output("exceptions.txt")?;
        let mut running = Running::start(version, "exceptions", &["--out", &out])?;
        running.send(end)?;
        let ended = running.end()?;
        ensure!(ended.code == Some(code), "{end}: {:?} {}", ended.code, ended.stderr);
        ensure!(
            ended.stdout.is_empty() && ended.stderr.is_empty(),
            "{end}: {}{}",
            ended.stdout,
            ended.stderr
        );
        check(&fs::read_to_string(&file)?)?;
        ensure!(fs::metadata(&file)?.permissions().mode() & 0o777 == 0o600, "others may read {out}");
    }
    for (end, code, sentence) in SUDDEN {
        let (_folder, file, out) = output("exceptions.txt")?;
        let mut running = Running::start(version, "exceptions", &["--every", "0.1", "--out", &out])?;
        wait_for(&file, &row())?;
        running.send(end)?;
        let ended = running.end()?;
        ensure!(ended.code == Some(code), "{end}: {:?} {}", ended.code, ended.stderr);
        let own = ended.stderr.lines().filter(|line| line.starts_with("exceptions: "));
        let own: Vec<&str> = own.collect();
        let [line] = own[..] else { anyhow::bail!("{end}: {}", ended.stderr) };
        ensure!(line.contains(sentence) && line.contains(&out), "{end}: {line}");
        let report = fs::read_to_string(&file)?;
        check(&report)?;
        // It comes in the last moment.
        let is_uncaught = report
            .contains("System.InvalidOperationException: nobody catches this\n    caught in [not caught]");
        ensure!(is_uncaught == (end == "throw"), "{end}: {report}");
    }
    // Without a file, on standard error.
    let mut running = Running::start(version, "exceptions", &[])?;
    running.send("return 0")?;
    let ended = running.end()?;
    ensure!(ended.code == Some(0) && ended.stdout.is_empty(), "{:?} {}", ended.code, ended.stdout);
    check(&ended.stderr)
}

fn check(report: &str) -> Result<()> {
    let mut rows = report.lines().filter(|line| line.contains("System.FormatException"));
    ensure!(
        rows.any(|line| line.split_whitespace().next() == Some(row().trim())),
        "{THROWN} are missing: {report}"
    );
    Ok(())
}

/// Tools that send a report while the program runs.
const TOOLS: [&str; 6] = ["cpu", "alloc", "gc", "locks", "startup", "exceptions"];

pub(crate) fn every_tool_has_a_report_of_a_kill(version: RuntimeVersion) -> Result<()> {
    for tool in TOOLS {
        // Before .NET 5 there are no events of locks, and no samples of allocations.
        if ["alloc", "locks"].contains(&tool) && version == RuntimeVersion::V3_1 {
            continue;
        }
        let (_folder, file, out) = output("report.txt")?;
        // Of what records, the report is made at the end, unless it is wanted before.
        let options: &[&str] =
            if records(tool) { &["--out", &out, "--every", "0.1"] } else { &["--out", &out] };
        let mut running = Running::start(version, tool, options)?;
        wait_for(&file, "")?;
        running.send("wait")?;
        signal(running.program, "-KILL")?;
        let ended = running.end()?;
        ensure!(ended.code == Some(137), "{tool}: {:?} {}", ended.code, ended.stderr);
        let sentence =
            "the program was ended by signal 9 (SIGKILL) before the last report; the report is what";
        ensure!(
            ended.stderr.contains(sentence) && ended.stderr.lines().count() == 1,
            "{tool}: {}",
            ended.stderr
        );
        ensure!(!fs::read_to_string(&file)?.is_empty(), "{tool}: an empty report");
    }
    // What tools write themselves.
    let (_folder, file, out) = output("calls.txt")?;
    let running = Running::start(version, "calltrace", &["--out", &out])?;
    signal(running.program, "-KILL")?;
    let ended = running.end()?;
    ensure!(ended.code == Some(137), "{:?} {}", ended.code, ended.stderr);
    ensure!(ended.stderr.contains("what calltrace had written until then is in"), "{}", ended.stderr);
    let text = fs::read_to_string(&file)?;
    ensure!(text.matches("→ Ends.Program.Throw(").count() == THROWN, "{text}");
    Ok(())
}

/// Signals to the command are the program's, whose end gives the exit code.
pub(crate) fn signals_end_the_program_and_the_report_stays(version: RuntimeVersion) -> Result<()> {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let (_folder, file, out) = output("exceptions.txt")?;
        let mut running = Running::start(version, "exceptions", &["--every", "0.1", "--out", &out])?;
        wait_for(&file, &row())?;
        running.send("wait")?;
        running.signal(name)?;
        let ended = running.end()?;
        // Before .NET 10, SIGTERM is an ordinary end.
        ensure!(ended.code == Some(code), "{name}: {:?} {}", ended.code, ended.stderr);
        check(&fs::read_to_string(&file)?)?;
    }
    Ok(())
}

/// The report comes soon after an interrupt, and the program is waited for.
pub(crate) fn a_program_that_goes_on_after_an_interrupt(version: RuntimeVersion) -> Result<()> {
    let (_folder, file, out) = output("exceptions.txt")?;
    let mut running = Running::start(version, "exceptions", &["--every", "1000", "--out", &out])?;
    running.send("stubborn")?;
    ensure!(running.next_line()? == "stubborn", "it has not begun");
    running.signal("-INT")?;
    ensure!(running.next_line()? == "no", "it was not interrupted");
    wait_for(&file, &row())?;
    running.send("")?;
    let ended = running.end()?;
    ensure!(ended.code == Some(5), "{:?} {}", ended.code, ended.stderr);
    ensure!(ended.stderr.starts_with("the program goes on after the signal"), "{}", ended.stderr);
    check(&fs::read_to_string(&file)?)
}

/// The program goes on as if there were no tool.
pub(crate) fn a_killed_client_leaves_the_program_alone(version: RuntimeVersion) -> Result<()> {
    let (_folder, file, out) = output("exceptions.txt")?;
    let mut running = Running::start(version, "exceptions", &["--every", "0.1", "--out", &out])?;
    wait_for(&file, &row())?;
    running.send("stubborn")?;
    ensure!(running.next_line()? == "stubborn", "it has not begun");
    running.signal("-KILL")?;
    signal(running.program, "-INT")?;
    ensure!(running.next_line()? == "no", "it does not go on");
    running.send("")?;
    let ended = running.end()?;
    ensure!(ended.code.is_none() && ended.stderr.is_empty(), "{:?} {}", ended.code, ended.stderr);
    Ok(())
}

/// What can be known before is refused before the program starts, and the rest while it starts: it runs without the tool.
pub(crate) fn wrong_settings_do_not_harm_the_program(version: RuntimeVersion) -> Result<()> {
    let run = |tool: &str, options: &[&str]| -> Result<_> {
        let mut command = running::command(version, tool, options, &["1"])?;
        let output = command.stdin(Stdio::null()).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((output.status.code(), text(&output.stdout), text(&output.stderr)))
    };
    for (tool, options, part) in [
        ("cpu", ["--seconds", "abc"], "invalid value 'abc' for '--seconds <N>'"),
        ("cpu", ["--hz", "many"], "invalid value 'many' for '--hz <N>'"),
        ("calltrace", ["--format", "xml"], "invalid value 'xml' for '--format"),
    ] {
        let (code, stdout, stderr) = run(tool, &options)?;
        ensure!(code == Some(2) && stdout.is_empty() && stderr.contains(part), "{code:?} {stdout}{stderr}");
    }
    for (tool, options, part) in [
        ("cpu", ["--hz", "0"], "CPU_HZ=\"0\" is not a valid setting: it is a number from 1 to 1000"),
        ("calltrace", ["--max-file", "large"], "CALLTRACE_MAX_FILE=\"large\" is not a valid setting"),
        ("watch", ["--events", "gc"], ""),
    ] {
        let (code, stdout, stderr) = run(tool, &options)?;
        let expected = if part.is_empty() { 0 } else { 2 };
        ensure!(code == Some(expected) && stdout.starts_with("ready "), "{code:?} {stdout}{stderr}");
        ensure!(stderr.contains(part) && stderr.contains("error: ") != part.is_empty(), "{stderr}");
    }
    // By time: the rest of the program is not measured.
    let mut running = Running::start(version, "exceptions", &["--seconds", "0.5"])?;
    std::thread::sleep(Duration::from_millis(1));
    running.send("return 0")?;
    ensure!(running.end()?.code == Some(0), "it was harmed");
    Ok(())
}
