//! The other examples under faults: the program behaves as it does without them, and their files are printable and private.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::command::corprof;
use e2e::is_long;
use e2e::traced::{profiler, records};

use crate::each;
use crate::run::{app, inside, wait};

/// An example, and the variable that names its output.
#[derive(Clone, Copy, Debug)]
struct Example {
    name: &'static str,
    out: &'static str,
    settings: &'static [(&'static str, &'static str)],
}

const EXAMPLES: [Example; 11] = [
    Example { name: "inject", out: "INJECT_OUT", settings: &[("INJECT_METHODS", "hostile*!*;*!Evil*")] },
    Example { name: "methodnames", out: "METHODNAMES_OUT", settings: &[] },
    Example { name: "watch", out: "WATCH_OUT", settings: &[] },
    Example { name: "coverage", out: "COVERAGE_OUT", settings: &[] },
    Example { name: "exceptions", out: "EXCEPTIONS_OUT", settings: &[] },
    Example { name: "gc", out: "GC_OUT", settings: &[] },
    Example { name: "alloc", out: "ALLOC_OUT", settings: &[("ALLOC_MODE", "exact")] },
    Example { name: "cpu", out: "CPU_OUT", settings: &[("CPU_HZ", "200")] },
    Example { name: "heap", out: "HEAP_OUT", settings: &[("HEAP_EVERY", "0.2")] },
    Example { name: "startup", out: "STARTUP_OUT", settings: &[] },
    Example { name: "locks", out: "LOCKS_OUT", settings: &[] },
];

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    FullDisk,
    /// Files of the process are limited to 4 KiB.
    FileLimit,
    ClosedStream,
    BlockedStream,
    Fifo,
    /// `TMPDIR` names a folder that does not exist.
    NoTemporary,
}

const FAULTS: [Fault; 7] = [
    Fault::Nothing,
    Fault::FullDisk,
    Fault::FileLimit,
    Fault::ClosedStream,
    Fault::BlockedStream,
    Fault::Fifo,
    Fault::NoTemporary,
];

const PROGRAMS: [&str; 4] = ["errno", "names", "exceptions", "children"];

#[derive(Clone, Copy, Debug)]
struct Case {
    example: Option<Example>,
    version: RuntimeVersion,
    fault: Fault,
    program: &'static str,
}

/// Output, exit code and signal.
type Ended = (String, Option<i32>, Option<i32>);

/// Runs a command through a shell script.
fn through_a_shell(script: &str, command: &Command) -> Command {
    inside(Path::new("/bin/sh"), &["-c", script, "sh"], command)
}

impl Case {
    fn run(&self, folder: &Path) -> Result<Ended> {
        let mut launch = Launch::new(&runtime(self.version)?, &app(self.version)?.dll).arg(self.program);
        launch = launch.env("DOTNET_EnableWriteXorExecute", "0");
        if self.fault == Fault::NoTemporary {
            launch = launch.env("TMPDIR", "/nowhere");
        }
        if let Some(example) = self.example {
            launch = launch.profiler(&profiler(example.name)?);
            for (name, value) in example.settings {
                launch = launch.env(name, value);
            }
            let out = folder.join(if records(example.name) { "out.clrec" } else { "out" });
            if self.fault == Fault::Fifo {
                ensure!(Command::new("mkfifo").arg(&out).status()?.success(), "no FIFO");
            }
            let is_stream = matches!(self.fault, Fault::ClosedStream | Fault::BlockedStream);
            match self.fault {
                Fault::FullDisk => launch = launch.env(example.out, "/dev/full"),
                // `coverage` writes to a folder only.
                _ if is_stream && example.name != "coverage" => {}
                _ => launch = launch.env(example.out, out),
            }
        }
        let command = launch.command()?;
        let mut command = match self.fault {
            Fault::FileLimit => through_a_shell(r#"ulimit -f 8; exec "$@""#, &command),
            Fault::ClosedStream => through_a_shell(r#"exec "$@" 2>&-"#, &command),
            _ => command,
        };
        command.stdin(Stdio::null()).stdout(Stdio::piped()).current_dir(folder);
        match self.fault {
            Fault::BlockedStream => command.stderr(Stdio::piped()),
            _ => command.stderr(Stdio::null()),
        };
        let mut child = command.spawn()?;
        let mut stdout = child.stdout.take().context("no output")?;
        let reader = std::thread::spawn(move || std::io::read_to_string(&mut stdout));
        let status = wait(&mut child)?;
        let stdout = reader.join().map_err(|_| anyhow::anyhow!("the reader panicked"))??;
        Ok((stdout, status.code(), status.signal()))
    }
}

/// The files in a folder and below.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match fs::symlink_metadata(&path)? {
            metadata if metadata.is_dir() => found.extend(files(&path)?),
            metadata if metadata.is_file() => found.push(path),
            _ => {}
        }
    }
    Ok(found)
}

fn check(case: &Case, folder: &Path) -> Result<()> {
    let Some(example) = case.example else { return Ok(()) };
    let written = files(folder)?;
    for path in &written {
        let mode = fs::metadata(path)?.permissions().mode() & 0o777;
        ensure!(mode == 0o600, "{} has mode {mode:o}", path.display());
        if path.extension().is_some_and(|extension| extension == "counts") {
            continue;
        }
        let text = match path.extension() {
            Some(extension) if extension == "clrec" => {
                let output = corprof(&["report", &path.display().to_string()])?.output()?;
                ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                String::from_utf8(output.stdout)?
            }
            _ => fs::read_to_string(path)?,
        };
        let hostile =
            text.lines().find(|line| !line.chars().all(corprof_in_process::printable::is_printable));
        // The counts' definitions are read by `coverage-report` alone, which escapes what it shows.
        ensure!(hostile.is_none() || example.name == "coverage", "{}: {hostile:?}", path.display());
    }
    let expected = match (case.fault, case.program, example.name) {
        // Its events came with .NET 5.
        (_, _, "locks") if case.version == RuntimeVersion::V3_1 => 0,
        (Fault::Nothing | Fault::NoTemporary, "children", "coverage") => 6,
        (Fault::Nothing | Fault::NoTemporary, "children", _) => 3,
        (Fault::Nothing | Fault::NoTemporary, _, "coverage") => 2,
        (Fault::Nothing | Fault::NoTemporary, ..) => 1,
        _ => return Ok(()),
    };
    ensure!(written.len() == expected, "{} files instead of {expected}: {written:?}", written.len());
    for path in &written {
        // A short program ends before `inject` has changed a method.
        let is_written = fs::metadata(path)?.len() > 0 || example.name == "inject";
        ensure!(is_written, "{} is empty", path.display());
    }
    Ok(())
}

/// By default every fourth combination of example, fault and runtime, with the programs in turn; with `--long` all.
#[test]
fn the_other_examples_leave_a_program_alone() -> Result<()> {
    let mut cases = Vec::new();
    for (v, version) in RuntimeVersion::PINNED.into_iter().enumerate() {
        for (e, example) in EXAMPLES.into_iter().enumerate() {
            for (f, fault) in FAULTS.into_iter().enumerate() {
                for (p, program) in PROGRAMS.into_iter().enumerate() {
                    if is_long() || (v + e + f) % 4 == 0 && p == (v + e / 2 + f / 2) % PROGRAMS.len() {
                        cases.push(Case { example: Some(example), version, fault, program });
                    }
                }
            }
        }
    }
    let wrong = each(&cases, |case| {
        let name = case.example.map_or("", |example| example.name);
        let named = format!("{} {} {name} {:?}", case.program, case.version, case.fault);
        let judged = (|| {
            let folder =
                |kind: &str| scratch(&format!("hostile/examples-{kind}-{}", named.replace([' ', '.'], "-")));
            // These faults affect the program too: 3.1 does not start without a folder for temporary files, and a program for 10.0
            // that writes to a closed standard error ends with SIGABRT.
            let is_for_both =
                matches!(case.fault, Fault::FileLimit | Fault::NoTemporary | Fault::ClosedStream);
            let fault = if is_for_both { case.fault } else { Fault::Nothing };
            let plain = Case { example: None, fault, ..*case }.run(&folder("plain")?)?;
            let traced = folder("traced")?;
            let found = case.run(&traced)?;
            ensure!(plain == found, "without it {plain:?}, with it {found:?}");
            if plain.1 == Some(0) { check(case, &traced) } else { Ok(()) }
        })();
        judged.with_context(|| named.clone())
    });
    println!("{} runs", cases.len());
    if !wrong.is_empty() {
        bail!("{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    }
    Ok(())
}
