//! `corprof run`: runs a program under a profiler, as if it had been started directly.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::child::{exit_code, wait};
use crate::choice::{self, Choice};
#[cfg(unix)]
use crate::held;
use crate::opened::Opened;
use crate::patterns::Patterns;
use crate::profiler::Profiler;
#[cfg(not(unix))]
use crate::ran::Recordings;
#[cfg(unix)]
use crate::recorded::Plan;
use crate::tool::Tool;
use crate::{diagnose, dotnet, glob, outputs, paths, process, program};

/// The milliseconds that a test host may take to end. Without it, `dotnet test` kills one after 100: a last report may take longer.
#[cfg(unix)]
const TEST_HOST: (&str, &str) = ("VSTEST_TESTHOST_SHUTDOWN_TIMEOUT", "10000");

/// The `run` command, with one command below it per tool.
#[must_use]
pub fn command(tools: &[Tool]) -> Command {
    Command::new("run")
        .about("Run a program under a tool or a profiler")
        .long_about(
            "Run a program under a tool or a profiler\n\nBuilds a tool of a cargo workspace first, and starts the \
             program with the environment variables that make the runtime load the profiler. Standard input and \
             output, signals and the exit code are the program's.",
        )
        .override_usage(
            "corprof run [--runtime <VERSION|PATH>] <TOOL> [OPTIONS] -- <PROGRAM> [ARGUMENTS]...\n       \
             corprof run --library <FILE> [--clsid <GUID>] -- <PROGRAM> [ARGUMENTS]...",
        )
        .after_help(
            "Examples:\n  corprof run calltrace -- app.dll\n  corprof run calltrace --help\n  \
             corprof run calltrace --runtime 8.0 -- app.dll --port 80\n  \
             corprof run --library target/release/libmine.so -- app.dll\n\n\
             Tools are found in the folders of CORPROF_TOOLS (built tools, or a clone of the repository), in the cargo workspace of this folder, and in the folder \
             `tools` beside the command.",
        )
        .arg_required_else_help(true)
        .subcommand_negates_reqs(true)
        .subcommand_value_name("TOOL")
        .subcommand_help_heading("Tools")
        .args([choice::library(), choice::clsid()])
        .arg(runtime())
        .arg(program().last(true))
        .subcommands(tools.iter().map(tool_command))
}

fn tool_command(tool: &Tool) -> Command {
    let name = &tool.name;
    Command::new(name.clone())
        .about(tool.description.clone())
        .after_help(format!(
            "Example: corprof run {name} -- app.dll\n\nThe runtime's variables are set for the program: \
             CORECLR_ENABLE_PROFILING=1, CORECLR_PROFILER and CORECLR_PROFILER_PATH, and the same with DOTNET_, which \
             .NET 11 reads."
        ))
        .next_help_heading(format!("Options of {name}"))
        .args(tool.settings.flags.iter().map(choice::flag_argument))
        .next_help_heading("Options")
        .arg(strict())
        .args((cfg!(unix) && tool.settings.client).then(processes))
        .arg(runtime())
        .args([choice::library(), choice::clsid()])
        .arg(program().trailing_var_arg(true))
}

fn runtime() -> Arg {
    Arg::new("RUNTIME")
        .long("runtime")
        .value_name("VERSION|PATH")
        .value_parser(value_parser!(OsString))
        .help("An installed version such as 8.0, or the path of a `dotnet`; otherwise the one that the program was compiled for")
}

fn strict() -> Arg {
    Arg::new("STRICT")
        .long("strict")
        .action(ArgAction::SetTrue)
        .help("Fail if a pattern for methods, such as that of --include, matches no method that was seen")
}

fn processes() -> Arg {
    Arg::new("PROCESS")
        .long("process")
        .value_name("GLOB")
        .value_parser(glob::pattern)
        .action(ArgAction::Append)
        .help(
            "Measure the processes with such a name or command line, instead of the program; may be repeated",
        )
}

fn program() -> Arg {
    Arg::new("PROGRAM")
        .value_names(["PROGRAM", "ARGUMENTS"])
        .value_parser(value_parser!(OsString))
        .required(true)
        .num_args(1..)
        .help("A .dll, which `dotnet` runs, or any other program, and its arguments")
}

/// Runs the program of the arguments of `run`, and returns its exit code.
///
/// # Errors
///
/// If the tool cannot be built, the profiler cannot be loaded, or the program cannot be started.
pub fn main(tools: &[Tool], matches: &ArgMatches) -> Result<ExitCode> {
    let choice = Choice::of(tools, matches)?;
    let given = choice.matches;
    let mut words = given.get_many::<OsString>("PROGRAM").into_iter().flatten();
    let program = words.next().context("no program was named; see `corprof run --help`")?;
    let program = find_program(program)?;
    if let Some(obstacle) = program::obstacle(&program) {
        bail!("{} was not started, because no profiler can be: {obstacle}", program.display());
    }
    let runtime = given.get_one::<OsString>("RUNTIME").or_else(|| matches.get_one("RUNTIME"));
    let runtime = match runtime {
        Some(runtime) => Some(dotnet::chosen(runtime, &program)?),
        None => dotnet::runtime_for(&program)?,
    };
    outputs::check(&choice)?;
    let profiler = choice.profiler(|library| Ok(library.to_path_buf()))?;
    let mut process = match &runtime {
        Some(runtime) => runtime.command(&program),
        None => dotnet::native(&program),
    };
    let patterns = Patterns::new(&choice)?;
    process.args(words).envs(patterns.variable());
    let holds = cfg!(unix) && choice.tool.is_some_and(|tool| tool.settings.client);
    #[cfg(unix)]
    let wanted = holds.then(|| wanted(&choice)).transpose()?;
    #[cfg(not(unix))]
    let mut variables = choice.variables();
    #[cfg(not(unix))]
    let mut recordings = Recordings::prepare(&choice, &mut variables)?;
    #[cfg(unix)]
    let variables = choice.variables();
    if !holds {
        process.envs(variables);
    }
    let (host, version) = match runtime {
        Some(runtime) if dotnet::is_assembly(&program) => (runtime.dotnet, Some(runtime.version)),
        _ => (program, None),
    };
    let obstacles = diagnose::obstacles(&profiler, &host, version.as_deref());
    if !obstacles.is_empty() {
        bail!("the program was not started, because the profiler cannot be: {}", obstacles.join("\nand "));
    }
    outputs::remove_old(&choice)?;
    let run = Run { process, host, profiler: &profiler };
    #[cfg(unix)]
    let ended = match wanted {
        Some(wanted) => run.hold(wanted)?,
        None => run.run()?,
    };
    #[cfg(not(unix))]
    let ended = {
        if let Some(recordings) = &mut recordings {
            recordings.watch()?;
        }
        let ended = run.run()?;
        recordings.map(Recordings::finish).transpose()?;
        ended
    };
    Ok(if patterns.warn()? && ended.code == ExitCode::SUCCESS { ExitCode::FAILURE } else { ended.code })
}

/// What the processes of the program are to measure.
#[cfg(unix)]
fn wanted(choice: &Choice<'_>) -> Result<held::Wanted> {
    let flags = choice.flags();
    let mut settings = choice::absolute(flags, choice.settings());
    let plan = Plan::of(choice, &mut settings)?;
    let mut out = plan.as_ref().and_then(|plan| plan.out.clone()).map(|path| held::Out {
        setting: String::new(),
        path,
        is_shared: false,
    });
    for flag in flags {
        if flag.name == "seconds" {
            // The time ends here.
            settings.retain(|(name, _)| *name != flag.env);
        } else if flag.is_output()
            && let Some(at) = settings.iter().position(|(name, value)| *name == flag.env && !value.is_empty())
        {
            let (setting, path) = settings.remove(at);
            let is_shared = flag.value.as_deref() == Some("FOLDER") || choice.is_kept();
            out = Some(held::Out { setting, path: path.into(), is_shared });
        }
    }
    let patterns = choice.matches.get_many::<globset::GlobMatcher>("PROCESS").into_iter().flatten().cloned();
    let (name, seconds, processes) = (choice.name(), choice.seconds(), patterns.collect());
    Ok(held::Wanted { name, settings, out, plan, seconds, processes })
}

/// A program that exists, or one that `PATH` has.
fn find_program(name: &OsString) -> Result<PathBuf> {
    let path = Path::new(name);
    if path.is_file() {
        can_be_started(path)?;
        // A shell would not look in this folder, but the file was found there.
        return Ok(if path.components().count() == 1 {
            Path::new(".").join(path)
        } else {
            path.to_path_buf()
        });
    }
    match name.to_str().and_then(paths::on_path) {
        Some(program) => Ok(program),
        None => bail!("there is no program {}; name a .dll or an executable by its path", path.display()),
    }
}

/// Fails for a file that the system does not start, with the remedy. An assembly is started by `dotnet`.
fn can_be_started(path: &Path) -> Result<()> {
    if dotnet::is_assembly(path) || !cfg!(unix) {
        return Ok(());
    }
    let shown = path.display();
    let mut first = [0; 2];
    let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok();
    if is_read && first == *b"MZ" {
        let assembly = path.with_extension("dll");
        let remedy = match assembly.is_file() {
            true => format!("name {}", assembly.display()),
            false => "name a .dll, or publish it for this system".to_owned(),
        };
        bail!("{shown} is a program of Windows; {remedy}");
    }
    if !paths::is_executable(path) {
        bail!("{shown} is not executable; name a .dll, or allow its execution with `chmod +x {shown}`");
    }
    Ok(())
}

/// The program that replaces this process.
#[derive(Debug)]
pub struct Run<'a> {
    /// The command that starts it, without the variables of the profiler.
    pub process: Process,
    /// The executable that has or loads the runtime.
    pub host: PathBuf,
    /// The profiler.
    pub profiler: &'a Profiler,
}

/// The outcome of such a run.
#[derive(Debug)]
pub struct Ended {
    /// The program's exit code, or 128 + n when signal n ended it.
    pub code: ExitCode,
    /// Whether its runtime loaded the library of the profiler. Where that cannot be observed, whether the library can be loaded.
    pub profiled: bool,
}

impl Run<'_> {
    /// Runs the program; explains it when the profiler was not started.
    ///
    /// # Errors
    ///
    /// If the program cannot be started.
    pub fn run(self) -> Result<Ended> {
        let library = self.profiler.library.to_string_lossy().into_owned();
        self.run_with(library)
    }

    /// As [`run`](Self::run), with the path of the library as the program sees it.
    ///
    /// # Errors
    ///
    /// If the program cannot be started.
    pub fn run_with(mut self, library: String) -> Result<Ended> {
        self.process.envs(self.profiler.variables_with(library));
        let shown = process::shown(&self.process);
        let opened = Opened::watch(&self.profiler.library);
        let mut child = self.process.spawn().with_context(|| {
            let program = Path::new(self.process.get_program());
            format!("cannot start `{shown}`; is {} executable?", program.display())
        })?;
        let status = wait(&mut child, |_| {})?;
        self.complete();
        let profiled = self.is_profiled(opened.as_ref(), &shown);
        Ok(Ended { code: exit_code(status), profiled })
    }

    /// Returns whether the library was loaded; explains it if not.
    fn is_profiled(&self, opened: Option<&Opened>, shown: &str) -> bool {
        // A library that was opened may still fail to load. Without a watch, for instance on Windows, nothing is known to be wrong.
        let profiled =
            opened.is_none_or(Opened::seen) && diagnose::is_loadable(&self.profiler.library, &self.host);
        if !profiled {
            eprint!("{}", diagnose::explain(self.profiler, &self.host));
            eprintln!("The command was: {shown}");
        }
        profiled
    }

    /// Runs the program under a tool that reports to this command.
    #[cfg(unix)]
    fn hold(mut self, wanted: held::Wanted) -> Result<Ended> {
        let name = wanted.name.clone();
        let held = held::Held::listen(wanted)?;
        let library = self.profiler.library.to_string_lossy().into_owned();
        self.process.envs(self.profiler.variables_with(library));
        let shown = process::shown(&self.process);
        let (variable, value) = held.variable();
        self.process.env(variable, value);
        if std::env::var_os(TEST_HOST.0).is_none() {
            self.process.env(TEST_HOST.0, TEST_HOST.1);
        }
        let opened = Opened::watch(&self.profiler.library);
        let ended = held.run(&mut self.process).with_context(|| {
            let program = Path::new(self.process.get_program());
            format!("cannot run `{shown}`; is {} executable?", program.display())
        })?;
        let profiled = ended.is_connected || self.is_profiled(opened.as_ref(), &shown);
        if profiled && !ended.is_connected {
            eprintln!(
                "{name}: nothing was measured: no .NET process has connected to this command. One of another user (sudo), or with \
                 another root folder, cannot; run `corprof` as that user or in there"
            );
        }
        let code = match ended.failure.filter(|_| ended.status.success()) {
            Some(failure) => ExitCode::from(failure),
            None => exit_code(ended.status),
        };
        Ok(Ended { code, profiled })
    }
}

impl Run<'_> {
    /// Appends the journals that a program has left, which was killed.
    fn complete(&self) {
        let files = self.process.get_envs().filter_map(|(_, value)| Some(Path::new(value?)));
        for file in files.filter(|file| recording::Journal::path_of(file).is_file()) {
            if let Err(error) = recording::complete(file) {
                eprintln!("warning: the end of {} is missing: {error}", file.display());
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn files_that_cannot_be_started_are_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let [windows, text] = ["shop.exe", "shop.txt"].map(|name| folder.path().join(name));
        std::fs::write(&windows, "MZ\u{90}").unwrap();
        std::fs::write(&text, "").unwrap();
        let refused = |path: &Path| can_be_started(path).unwrap_err().to_string();
        assert!(
            refused(&windows)
                .ends_with("is a program of Windows; name a .dll, or publish it for this system")
        );
        assert!(refused(&text).contains("is not executable; name a .dll, or allow"));
        let assembly = folder.path().join("shop.dll");
        std::fs::write(&assembly, "MZ\u{90}").unwrap();
        assert!(refused(&windows).ends_with(&format!("name {}", assembly.display())));
        assert!(can_be_started(&assembly).is_ok() && can_be_started(Path::new("/bin/sh")).is_ok());
    }
}
