//! Runs a program on a runtime, optionally under a profiler, and keeps its output: for tests.
//!
//! ```no_run
//! use corprof_testkit::dotnet::{self, RuntimeVersion};
//! use corprof_testkit::launch::Launch;
//!
//! let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
//! let calltrace = corprof_testkit::example::find("calltrace")?.profiler()?;
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

mod finished;
mod running;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};

pub use self::finished::Finished;
use crate::dotnet::Runtime;
use crate::{Profiler, process};

/// A program to be run.
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
    /// Runs `program` on `runtime`: a `.dll`, or anything else as it is.
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

    /// Sets the folder that it runs in; by default ours.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets its standard input; by default empty.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Keeps standard input open until the program has written so many lines to standard output: for a program that serves
    /// requests until the end of its input. By default it is closed when all is written.
    #[must_use]
    pub fn answers(mut self, lines: usize) -> Self {
        self.answers = lines;
        self
    }

    /// Sets the profiler that the runtime loads; by default none.
    #[must_use]
    pub fn profiler(mut self, profiler: &Profiler) -> Self {
        self.profiler = Some(profiler.clone());
        self
    }

    /// Sets the time limit, after which the program and its children are killed; by default a minute. An emulated program has ten
    /// times as long.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The time limit on the runtime's machine.
    fn limit(&self) -> Duration {
        if self.runtime.machine.is_emulated() { self.timeout * 10 } else { self.timeout }
    }

    /// A file that reports show too, such as the profiler's output.
    #[must_use]
    pub fn attach(mut self, file: impl Into<PathBuf>) -> Self {
        self.attached.push(file.into());
        self
    }

    /// Returns the command, for callers that run it themselves.
    ///
    /// # Errors
    ///
    /// When what starts the program cannot be made.
    pub fn command(&self) -> Result<Command> {
        let mut command = self.runtime.command(&self.program)?;
        for variable in process::PROFILER_VARIABLES {
            command.env_remove(variable);
        }
        if let Some(profiler) = &self.profiler {
            let library = self.runtime.machine.path(&profiler.library);
            command.envs(profiler.variables_with(library.to_string_lossy().into_owned()));
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
        Ok(command)
    }

    /// The command as it would be typed in a shell, with its variables and its folder.
    #[must_use]
    pub fn shown(&self, command: &Command) -> String {
        let directory =
            self.directory.as_ref().map(|dir| format!("cd {} && ", process::quoted(dir.as_os_str())));
        format!("{}{}", directory.unwrap_or_default(), process::shown(command))
    }
}

/// The folder `name` for the files of one test, empty.
///
/// # Errors
///
/// When it cannot be emptied.
pub fn scratch(name: &str) -> Result<PathBuf> {
    let dir = crate::paths::scratch_dir().join(name);
    crate::piece::remove(&dir)?;
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(Path::new(&dir).to_path_buf())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::dotnet::{Launcher, Origin};

    fn shell(script: &str) -> Launch {
        let runtime = Runtime {
            launcher: Launcher::Muxer("/nowhere/dotnet".into()),
            version: "9.0.1".into(),
            assemblies: "/nowhere".into(),
            origin: Origin::Machine,
            machine: crate::machine::Machine::This,
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

        let library = tempfile::NamedTempFile::new().unwrap();
        let profiler = Profiler::new(library.path(), clsid);
        let finished = shell("cat $CORECLR_PROFILER_PATH").profiler(&profiler).run().unwrap();
        assert_eq!(finished.profiler_started, Some(true));
    }

    #[test]
    fn a_profiler_of_our_own_environment_is_not_inherited() {
        let command = shell("").command().unwrap();
        let removed = command.get_envs().any(|(name, value)| name == "CORECLR_PROFILER" && value.is_none());
        assert!(removed);
    }
}
