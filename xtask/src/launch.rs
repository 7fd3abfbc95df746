//! Runs a program on a runtime, under a profiler if wanted, and keeps all that it says: for tests.
//!
//! ```no_run
//! use xtask::dotnet::{self, RuntimeVersion};
//! use xtask::launch::Launch;
//!
//! let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
//! let calltrace = xtask::example::find("calltrace")?.profiler()?;
//! let finished = Launch::new(&runtime, "target/hello.dll")
//!     .arg("world")
//!     .env("CALLTRACE_OUT", "target/hello.trace")
//!     .attach("target/hello.trace")
//!     .profiler(&calltrace)
//!     .run()?
//!     .ok()?;
//! println!("{}", finished.stdout);
//! # anyhow::Ok(())
//! ```

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::dotnet::Runtime;
use crate::profiler::{Profiler, StartedFile};
use crate::{diagnose, dotnet, process};

/// How many lines of each output a report shows.
const REPORTED_LINES: usize = 200;

/// A program that is about to be run.
#[derive(Debug, Clone)]
pub struct Launch {
    runtime: Runtime,
    program: PathBuf,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, Option<OsString>)>,
    directory: Option<PathBuf>,
    input: Vec<u8>,
    /// How many lines of output standard input stays open for.
    answers: usize,
    profiler: Option<Profiler>,
    timeout: Duration,
    attached: Vec<PathBuf>,
}

impl Launch {
    /// Runs `program` on `runtime`: a `.dll` through the muxer, anything else as it is.
    #[must_use]
    pub fn new(runtime: &Runtime, program: impl Into<PathBuf>) -> Self {
        Self {
            runtime: runtime.clone(),
            program: program.into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            directory: None,
            input: Vec::new(),
            answers: 0,
            profiler: None,
            timeout: Duration::from_secs(60),
            attached: Vec::new(),
        }
    }

    /// Adds an argument of the program.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments of the program.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets a variable of the program's environment.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Removes a variable from the program's environment.
    #[must_use]
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), None));
        self
    }

    /// The folder that it runs in; otherwise ours.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// What it reads from standard input; otherwise nothing.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Keeps standard input open until the program has written so many lines to standard output: for one that serves
    /// requests until there can be no more. Otherwise it is closed when all is written.
    #[must_use]
    pub fn answers(mut self, lines: usize) -> Self {
        self.answers = lines;
        self
    }

    /// The profiler that the runtime loads; otherwise none.
    #[must_use]
    pub fn profiler(mut self, profiler: &Profiler) -> Self {
        self.profiler = Some(profiler.clone());
        self
    }

    /// How long it may take, before it and its children are killed; otherwise a minute.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// A file that reports show too, such as the profiler's output.
    #[must_use]
    pub fn attach(mut self, file: impl Into<PathBuf>) -> Self {
        self.attached.push(file.into());
        self
    }

    /// The command, for those who want to run it in their own way.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = self.runtime.command(&self.program);
        for variable in process::PROFILER_VARIABLES {
            command.env_remove(variable);
        }
        if let Some(profiler) = &self.profiler {
            command.envs(profiler.variables());
        }
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command.args(&self.arguments);
        command
    }

    /// Runs it to its end, or to its timeout.
    ///
    /// # Errors
    ///
    /// When it cannot be started. What it does then is in the result.
    pub fn run(self) -> Result<Finished> {
        let mut command = self.command();
        let repeat = self.shown(&command);
        let started_file = self.profiler.as_ref().map(|_| StartedFile::new(&mut command));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if self.input.is_empty() { Stdio::null() } else { Stdio::piped() });
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let begin = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot start `{repeat}`"))?;
        let (answer, answered) = mpsc::channel();
        if let Some(mut stdin) = child.stdin.take() {
            let (input, answers) = (self.input.clone(), self.answers);
            thread::spawn(move || {
                // The program need not read it all.
                drop(stdin.write_all(&input));
                let mut lines = 0;
                while lines < answers {
                    // Nothing comes when the output has ended.
                    let Ok(more) = answered.recv() else { break };
                    lines += more;
                }
            });
        }
        let stdout = read(child.stdout.take(), Some(answer));
        let stderr = read(child.stderr.take(), None);
        let status = wait(&mut child, begin + self.timeout)?;
        let timed_out = status.is_none();
        let status = match status {
            Some(status) => status,
            None => {
                kill_group(&mut child);
                child.wait().context("cannot wait for the program")?
            }
        };
        let duration = begin.elapsed();
        // A child of its own may still hold the pipes open.
        let grace = Instant::now() + Duration::from_secs(3);
        let [stdout, stderr] = [stdout, stderr].map(|output| {
            let left = grace.saturating_duration_since(Instant::now());
            output.recv_timeout(left).or_else(|_| {
                kill_group(&mut child);
                output.recv_timeout(Duration::from_secs(3))
            })
        });
        Ok(Finished {
            status,
            stdout: text(&stdout.unwrap_or_default()),
            stderr: text(&stderr.unwrap_or_default()),
            timed_out,
            duration,
            profiler_started: started_file.map(|file| file.is_there()),
            repeat,
            launch: self,
        })
    }

    /// The command as it would be typed in a shell, with its variables and its folder.
    #[must_use]
    pub fn shown(&self, command: &Command) -> String {
        let directory =
            self.directory.as_ref().map(|dir| format!("cd {} && ", process::quoted(dir.as_os_str())));
        format!("{}{}", directory.unwrap_or_default(), process::shown(command))
    }
}

/// A program that was run.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Whether it was killed because it took too long.
    pub timed_out: bool,
    /// How long it took.
    pub duration: Duration,
    /// Whether the runtime called the profiler's `Initialize`; nothing when there was no profiler.
    pub profiler_started: Option<bool>,
    /// The command line that runs it again.
    pub repeat: String,
    launch: Launch,
}

impl Finished {
    /// Its exit code; nothing when a signal ended it.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The signal that ended it.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        #[cfg(unix)]
        return std::os::unix::process::ExitStatusExt::signal(&self.status);
        #[cfg(not(unix))]
        None
    }

    /// Fails with the [report](Self::report) unless it ended in time, with exit code 0, and with its
    /// profiler started.
    ///
    /// # Errors
    ///
    /// When one of those does not hold.
    pub fn ok(self) -> Result<Self> {
        self.ends_with(0)
    }

    /// As [`ok`](Self::ok), for a program that ends with another exit code.
    ///
    /// # Errors
    ///
    /// When it did not end so.
    pub fn ends_with(self, code: i32) -> Result<Self> {
        if self.timed_out || self.code() != Some(code) || self.profiler_started == Some(false) {
            bail!("the program should have ended with exit code {code}\n{}", self.report());
        }
        Ok(self)
    }

    /// What the program and its profiler said, and how to run it again: for a test that failed.
    #[must_use]
    pub fn report(&self) -> String {
        let mut report = format!("==== command\n{}\n==== end\n", self.repeat);
        let seconds = self.duration.as_secs_f64();
        let _ = if self.timed_out {
            writeln!(report, "killed after {seconds:.1} s: it took too long")
        } else {
            writeln!(report, "{} after {seconds:.1} s", self.status)
        };
        if let (Some(false), Some(profiler)) = (self.profiler_started, &self.launch.profiler) {
            let program = &self.launch.program;
            let runtime =
                if dotnet::locate::is_assembly(program) { &self.launch.runtime.dotnet } else { program };
            report += &diagnose::explain(profiler, None, runtime);
        }
        section(&mut report, "standard output", &self.stdout);
        section(&mut report, "standard error", &self.stderr);
        for file in &self.launch.attached {
            let name = file.display().to_string();
            match fs::read(file) {
                Ok(bytes) => section(&mut report, &name, &text(&bytes)),
                Err(error) => section(&mut report, &name, &error.to_string()),
            }
        }
        report
    }
}

fn section(report: &mut String, title: &str, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let skipped = lines.len().saturating_sub(REPORTED_LINES);
    let _ = writeln!(report, "==== {title}, {} lines", lines.len());
    if skipped > 0 {
        let _ = writeln!(report, "({skipped} lines before these)");
    }
    for line in &lines[skipped..] {
        let _ = writeln!(report, "{line}");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All that comes, and on the way the numbers of lines that end.
fn read(
    from: Option<impl Read + Send + 'static>,
    lines: Option<mpsc::Sender<usize>>,
) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut from) = from {
        thread::spawn(move || {
            let (mut bytes, mut room) = (Vec::new(), [0; 1 << 16]);
            loop {
                let length = match from.read(&mut room) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    // What was read until the pipe broke is what there is.
                    Ok(0) | Err(_) => break,
                    Ok(length) => length,
                };
                let more = &room[..length];
                bytes.extend_from_slice(more);
                if let Some(lines) = &lines {
                    let _ = lines.send(more.iter().filter(|&&byte| byte == b'\n').count());
                }
            }
            drop(sender.send(bytes));
        });
    }
    receiver
}

/// Waits for its end; nothing when `deadline` comes first.
fn wait(child: &mut Child, deadline: Instant) -> Result<Option<ExitStatus>> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the program")? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Kills the program and the children that it left in its group.
fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It is gone when there is nothing to kill.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    drop(child.kill());
}

/// The folder `name` for the files of one test, empty.
///
/// # Errors
///
/// When it cannot be emptied.
pub fn scratch(name: &str) -> Result<PathBuf> {
    let dir = crate::paths::dotnet_dir().join("scratch").join(name);
    crate::piece::remove(&dir)?;
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(Path::new(&dir).to_path_buf())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::dotnet::Origin;

    fn shell(script: &str) -> Launch {
        let runtime = Runtime {
            dotnet: "/nowhere/dotnet".into(),
            version: "9.0.1".into(),
            assemblies: "/nowhere".into(),
            origin: Origin::Machine,
        };
        Launch::new(&runtime, "/bin/sh").args(["-c", script])
    }

    #[test]
    fn output_input_and_exit_code_are_kept() {
        let finished = shell("cat; echo no >&2; exit 3").stdin("yes").run().unwrap();
        assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("yes", "no\n"));
        assert_eq!((finished.code(), finished.signal(), finished.timed_out), (Some(3), None, false));
        assert!(finished.clone().ends_with(3).is_ok());
        let report = format!("{:#}", finished.ok().unwrap_err());
        assert!(report.contains("/bin/sh -c 'cat; echo no >&2; exit 3'"), "{report}");
        assert!(report.contains("exit status: 3"), "{report}");
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_its_children() {
        let finished =
            shell("sleep 60 & echo begun; wait").timeout(Duration::from_millis(300)).run().unwrap();
        assert!(finished.timed_out && finished.duration < Duration::from_secs(10));
        assert_eq!(finished.stdout, "begun\n");
        assert_eq!(finished.signal(), Some(9));
    }

    #[test]
    fn a_profiler_that_does_not_report_is_explained() {
        let clsid = "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}".parse().unwrap();
        let profiler = Profiler::new(Path::new("/nowhere/libx.so"), clsid);
        let finished = shell("echo $CORECLR_PROFILER").profiler(&profiler).run().unwrap();
        assert_eq!(finished.stdout.trim(), clsid.to_string());
        assert_eq!(finished.profiler_started, Some(false));
        assert!(finished.report().contains("cannot read /nowhere/libx.so"));

        let finished = shell("touch $CORPROF_STARTED_FILE").profiler(&profiler).run().unwrap();
        assert_eq!(finished.profiler_started, Some(true));
    }

    #[test]
    fn a_profiler_of_our_own_environment_is_not_inherited() {
        let command = shell("").command();
        let removed = command.get_envs().any(|(name, value)| name == "CORECLR_PROFILER" && value.is_none());
        assert!(removed);
    }
}
