//! `corprof run` that is in progress, and whose program the test controls.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use e2e::app::{App, Build};
use e2e::command::{corprof, words};
use e2e::traced::profiler;

/// The time limit of a step, for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The exceptions that a program throws.
pub(crate) const THROWN: usize = 37;

/// `corprof run TOOL OPTIONS -- ends.dll ARGUMENTS`.
pub(crate) fn command(
    version: RuntimeVersion,
    tool: &str,
    options: &[&str],
    arguments: &[&str],
) -> Result<Command> {
    let app = App::compile("ends", version, Build::Optimised)?;
    let (own, program) = words(&runtime(version)?, &app.dll)?;
    let mut command = corprof(&["run", tool, "--library"])?;
    command.arg(profiler(tool)?.library).args(own).args(options).arg("--").arg(program).args(arguments);
    Ok(command)
}

/// A run, whose processes are killed on drop.
pub(crate) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// The process of the program.
    pub(crate) program: u32,
}

/// How a run has ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Running {
    /// Starts a run, and waits until the program has thrown its exceptions.
    pub(crate) fn start(version: RuntimeVersion, tool: &str, options: &[&str]) -> Result<Self> {
        let mut command = command(version, tool, options, &[&THROWN.to_string()])?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().context("no output")?);
        let mut running = Self { child, stdin, stdout, program: 0 };
        let line = running.next_line()?;
        let Some(program) = line.strip_prefix("ready ").and_then(|number| number.parse().ok()) else {
            bail!("{tool}: it is not ready: {line:?} {}", running.end()?.stderr);
        };
        running.program = program;
        Ok(running)
    }

    pub(crate) fn next_line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    pub(crate) fn send(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.stdin.as_mut().context("no input")?, "{line}")?)
    }

    /// Sends a signal to the command.
    pub(crate) fn signal(&self, name: &str) -> Result<()> {
        signal(self.child.id(), name)
    }

    /// Waits for the end of the command.
    pub(crate) fn end(mut self) -> Result<Ended> {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdin = None;
        self.stdout.read_to_string(&mut stdout)?;
        self.child.stderr.take().context("no output")?.read_to_string(&mut stderr)?;
        Ok(Ended { code: self.child.wait()?.code(), stdout, stderr })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // They may have ended.
        if self.program != 0 && self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = signal(self.program, "-KILL");
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn signal(process: u32, name: &str) -> Result<()> {
    let sent = Command::new("kill").args([name, &process.to_string()]).status()?;
    ensure!(sent.success(), "{sent}");
    Ok(())
}

/// Waits until a file has a text.
pub(crate) fn wait_for(file: &Path, part: &str) -> Result<()> {
    let begin = Instant::now();
    while !std::fs::read_to_string(file).is_ok_and(|text| text.contains(part)) {
        ensure!(begin.elapsed() < PATIENCE, "no {part} in {}", file.display());
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// A new folder, and the path of a file in it.
pub(crate) fn output(name: &str) -> Result<(tempfile::TempDir, PathBuf, String)> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(name);
    let shown = file.display().to_string();
    Ok((folder, file, shown))
}
