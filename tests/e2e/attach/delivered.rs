//! What a tool measures belongs to who has attached it: the command stays, and writes the report as its own; nothing of it appears in
//! the program.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::command::corprof;
use e2e::traced::profiler;

use crate::mapped::mappings;
use crate::subject::{PATIENCE, Subject, as_is};

/// `corprof attach` that has attached a tool; killed on drop.
struct Attached {
    child: Child,
    said: BufReader<ChildStderr>,
}

impl Attached {
    /// Attaches a tool, and waits until the command says so.
    fn new(subject: &Subject, tool: &str, options: &[&str]) -> Result<Self> {
        let mut child = command(subject, tool, options)?.spawn()?;
        let mut said = BufReader::new(child.stderr.take().context("no output")?);
        let mut line = String::new();
        said.read_line(&mut line)?;
        let expected = format!("attached {tool} to process {}; Ctrl-C ends it\n", subject.program.pid());
        if line != expected {
            said.read_to_string(&mut line)?;
            bail!("{tool} was not attached: {line}{}", subject.program.report());
        }
        Ok(Self { child, said })
    }

    fn signal(&self, name: &str) -> Result<()> {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status()?;
        ensure!(sent.success(), "{sent}");
        Ok(())
    }

    /// Waits for its end: the exit code, what it has printed, and what it has said.
    fn end(mut self) -> Result<(Option<i32>, String, String)> {
        let (mut printed, mut said) = (String::new(), String::new());
        self.child.stdout.take().context("no output")?.read_to_string(&mut printed)?;
        self.said.read_to_string(&mut said)?;
        Ok((self.child.wait()?.code(), printed, said))
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(subject: &Subject, tool: &str, options: &[&str]) -> Result<Command> {
    let library = profiler(tool)?.library.display().to_string();
    let pid = subject.program.pid().to_string();
    let mut command = corprof(&[&["attach", &pid, tool, "--library", &library], options].concat())?;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

fn sockets(folder: &Path) -> Result<usize> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names = names.collect::<Result<Vec<String>>>()?;
    Ok(names.iter().filter(|name| name.starts_with("corprof-")).count())
}

/// Tools, and what their reports have of a program that has thrown `FormatException`s, collected, and worked.
const TOOLS: [(&str, &str); 7] = [
    ("cpu", "samples"),
    ("alloc", "allocat"),
    ("gc", "collections"),
    ("exceptions", "System.FormatException"),
    ("locks", "waits"),
    ("startup", "compil"),
    ("heap", "objects"),
];

/// Each report tool, one after the other in one process: Ctrl-C, the report is printed or written, and the program goes on.
pub(crate) fn reports_arrive(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("delivers", version, as_is)?;
    let folder = tempfile::tempdir()?;
    let said_before = subject.program.stderr().len();
    for (index, (tool, part)) in TOOLS.into_iter().enumerate() {
        let out = folder.path().join(format!("{tool}.txt"));
        let to_file = index % 2 == 1;
        let path = out.display().to_string();
        let options: &[&str] = if to_file { &["--out", &path] } else { &[] };
        let attached = Attached::new(&subject, tool, options)?;
        subject.program.request("throw System.FormatException")?;
        subject.program.request("collect 1")?;
        attached.signal(if to_file { "-TERM" } else { "-INT" })?;
        let (code, printed, said) = attached.end()?;
        ensure!(code == Some(0) && said.contains("detached"), "{tool}: {code:?} {said}");
        let report = if to_file { fs::read_to_string(&out)? } else { printed.clone() };
        ensure!(printed.is_empty() == to_file, "{tool}: {printed}");
        ensure!(report.to_lowercase().contains(&part.to_lowercase()), "{tool} lacks {part}: {report}");
        if to_file {
            ensure!(fs::metadata(&out)?.permissions().mode() & 0o777 == 0o600, "others may read {path}");
        }
    }
    // By time, and a format that the name chooses.
    let out = folder.path().join("cpu.svg");
    let path = out.display().to_string();
    let (code, _, said) = Attached::new(&subject, "cpu", &["--seconds", "0.3", "--out", &path])?.end()?;
    ensure!(code == Some(0) && said.contains(&path), "{code:?} {said}");
    ensure!(fs::read_to_string(&out)?.contains("<svg"), "it is no picture");
    let subject = subject.quit()?;
    ensure!(subject.program.stderr()[said_before..].is_empty(), "{}", subject.program.report());
    Ok(())
}

/// What was measured for one client is not counted again for the next: the events of a session end with its tool.
pub(crate) fn sessions_count_for_themselves(version: RuntimeVersion) -> Result<()> {
    const COLLECTED: usize = 10;
    let mut subject = Subject::new("sessions-count", version, as_is)?;
    for session in 0..3 {
        let attached = Attached::new(&subject, "gc", &["--last", "1000"])?;
        for _ in 0..COLLECTED {
            subject.program.request("collect 1")?;
        }
        attached.signal("-INT")?;
        let (code, report, said) = attached.end()?;
        ensure!(code == Some(0), "{code:?} {said}");
        let rows = report.lines().skip_while(|line| !line.trim_start().starts_with("number  ")).skip(1);
        let numbers = rows.filter_map(|row| row.split_whitespace().next()?.parse::<u64>().ok());
        let numbers: Vec<u64> = numbers.collect();
        let different: BTreeSet<u64> = numbers.iter().copied().collect();
        ensure!(numbers.len() == different.len(), "session {session} has collections twice: {report}");
        // The program may collect by itself.
        ensure!((COLLECTED..2 * COLLECTED).contains(&numbers.len()), "session {session}: {report}");
    }
    subject.quit().map(drop)
}

/// A setting that the tool does not accept is an error here, and nothing was done there.
pub(crate) fn a_wrong_setting_is_refused(version: RuntimeVersion) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let mut subject = Subject::new("settings", version, |launch| launch.env("TMPDIR", temporary.path()))?;
    let wrong: [(&str, &[&str], &str); 7] = [
        ("cpu", &["--hz", "0"], "CPU_HZ=\"0\" is not a valid setting: it is a number from 1 to 1000"),
        (
            "gc",
            &["--every", "soon"],
            "invalid value 'soon' for '--every <SECONDS>': it is no time in seconds",
        ),
        ("gc", &["--seconds", "abc"], "invalid value 'abc' for '--seconds <N>': it is no time in seconds"),
        ("gc", &["--last", "few"], "invalid value 'few' for '--last <N>': it is no number from 0 upwards"),
        ("gc", &["--every", "0"], "invalid value '0' for '--every <SECONDS>': it is no time in seconds"),
        (
            "alloc",
            &["--mode", "exact"],
            "ALLOC_MODE=\"exact\" is not a valid setting: the runtime reports all",
        ),
        ("inject", &[], "INJECT_METHODS names no methods"),
    ];
    for (tool, options, message) in wrong {
        let output = command(&subject, tool, options)?.output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(2), "{:?} {said}", output.status);
        ensure!(said.starts_with("error: ") && said.contains(message), "{said}");
        ensure!(output.stdout.is_empty(), "it has output");
    }
    ensure!(sockets(temporary.path())? == 0, "a socket was left");
    // The next one works.
    let attached = Attached::new(&subject, "exceptions", &[])?;
    subject.program.request("throw System.FormatException")?;
    attached.signal("-INT")?;
    let (code, printed, said) = attached.end()?;
    ensure!(code == Some(0) && printed.contains("System.FormatException"), "{code:?} {printed}{said}");
    ensure!(sockets(temporary.path())? == 0, "a socket was left");
    let subject = subject.quit()?;
    ensure!(subject.program.stderr().is_empty(), "{}", subject.program.report());
    Ok(())
}

/// A process that was stopped when it was to be attached, and goes on later, is not measured.
pub(crate) fn a_stopped_program_is_not_measured(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("asleep", version, as_is)?;
    let pid = subject.program.pid();
    let signal = |name: &str| Command::new("kill").args([name, &pid.to_string()]).status();
    ensure!(signal("-STOP")?.success(), "it was not stopped");
    let output = command(&subject, "exceptions", &["--timeout", "1"])?.output();
    ensure!(signal("-CONT")?.success(), "it does not go on");
    let output = output?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(1) && said.contains("it is not measured"), "{said}");
    let library = profiler("exceptions")?.library;
    let begin = Instant::now();
    // The runtime loads it when it goes on, and asks it whether it runs.
    while mappings(pid, &library)?.is_empty() && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
    }
    subject.program.request("throw System.FormatException")?;
    // One that measures would keep the next one out.
    let attached = Attached::new(&subject, "exceptions", &[])?;
    subject.program.request("throw System.ArgumentException")?;
    attached.signal("-INT")?;
    let (code, printed, said) = attached.end()?;
    ensure!(code == Some(0) && printed.contains("System.ArgumentException"), "{code:?} {printed}{said}");
    ensure!(!printed.contains("System.FormatException"), "{printed}");
    let subject = subject.quit()?;
    ensure!(subject.program.stderr().is_empty(), "{}", subject.program.report());
    Ok(())
}

/// Nobody wants what a tool measures whose client was killed: it leaves.
pub(crate) fn a_killed_client_ends_the_tool(version: RuntimeVersion) -> Result<()> {
    let subject = Subject::new("orphan", version, as_is)?;
    for tool in ["watch", "cpu"] {
        let attached = Attached::new(&subject, tool, &[])?;
        attached.signal("-KILL")?;
        ensure!(attached.end()?.0.is_none(), "it was not killed");
        // Refused while a profiler is active, which the request waits for.
        subject.watch("WATCH_EVENTS=gc")?.disconnect()?;
    }
    let subject = subject.quit()?;
    ensure!(subject.program.stderr().is_empty(), "{}", subject.program.report());
    Ok(())
}

/// The client keeps the last whole report of a program that was killed, and says so.
pub(crate) fn a_program_that_is_killed(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("killed", version, as_is)?;
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("exceptions.txt");
    let attached =
        Attached::new(&subject, "exceptions", &["--every", "0.1", "--out", &out.display().to_string()])?;
    subject.program.request("throw System.FormatException")?;
    let begin = Instant::now();
    while !fs::read_to_string(&out).is_ok_and(|report| report.contains("System.FormatException")) {
        ensure!(begin.elapsed() < PATIENCE, "no report has come");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-KILL", &subject.program.pid().to_string()]).status()?;
    ensure!(killed.success(), "{killed}");
    let (code, _, said) = attached.end()?;
    ensure!(code == Some(1), "{code:?} {said}");
    ensure!(said.contains("has ended before exceptions could send its last report; the report is"), "{said}");
    ensure!(fs::read_to_string(&out)?.contains("System.FormatException"), "the report is gone");
    Ok(())
}

/// A recording of a program that was killed is read as far as it had arrived.
pub(crate) fn a_recording_of_a_killed_program(version: RuntimeVersion) -> Result<()> {
    const COLLECTED: f64 = 5.0;
    let mut subject = Subject::new("killed-recorded", version, as_is)?;
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("gc.clrec");
    let path = out.display().to_string();
    let attached = Attached::new(&subject, "gc", &["--out", &path])?;
    for _ in 0..5 {
        subject.program.request("collect 1")?;
    }
    let begin = Instant::now();
    loop {
        let output = corprof(&["report", &path, "--metric", "collections.rows.count"])?.output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        // The program may collect by itself.
        let count = said.trim().strip_prefix("collections.rows.count ").and_then(|count| count.parse().ok());
        if count.is_some_and(|count: f64| count >= COLLECTED) {
            break;
        }
        ensure!(begin.elapsed() < PATIENCE, "{said}{}", String::from_utf8_lossy(&output.stderr));
        std::thread::sleep(Duration::from_millis(20));
    }
    ensure!(fs::metadata(&out)?.permissions().mode() & 0o777 == 0o600, "others may read {path}");
    let killed = Command::new("kill").args(["-KILL", &subject.program.pid().to_string()]).status()?;
    ensure!(killed.success(), "{killed}");
    let (code, _, said) = attached.end()?;
    ensure!(code == Some(1) && said.contains("has ended before gc could send its last report"), "{said}");
    let output = corprof(&["report", &path])?.output()?;
    let report = String::from_utf8_lossy(&output.stdout);
    let count = report.split_once(": ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    ensure!(count.is_some_and(|count: f64| count >= COLLECTED), "{report}");
    Ok(())
}

/// The runtime keeps a profiler that has used ReJIT: the code is taken away, and the command says that the library stays.
pub(crate) fn code_is_taken_away(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("taken", version, as_is)?;
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("calls.txt");
    let path = out.display().to_string();
    let options = ["--methods", "*!Attached.Program.Throw", "--out", &path];
    let attached = Attached::new(&subject, "inject", &options)?;
    let log = || fs::read_to_string(&out).unwrap_or_default();
    let begin = Instant::now();
    while !log().contains(" Attached.Program.Throw(") {
        ensure!(begin.elapsed() < PATIENCE, "no call was logged\n{}\n{}", log(), subject.program.report());
        subject.program.request("throw System.FormatException")?;
    }
    attached.signal("-INT")?;
    let (code, printed, said) = attached.end()?;
    ensure!(code == Some(0) && printed.is_empty(), "{code:?} {printed}{said}");
    ensure!(said.contains("inject stays in process") && said.contains("CORPROF_E_IRREVERSIBLE"), "{said}");
    ensure!(log().contains("reverted 1 methods"), "{}", log());
    subject.program.request("throw System.FormatException")?;
    let subject = subject.quit()?;
    ensure!(subject.program.stderr().is_empty(), "{}", subject.program.report());
    Ok(())
}
