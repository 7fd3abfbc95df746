//! `corprof run`: runs a program under a profiler, as if it had been started directly.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, ExitCode, ExitStatus};

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::choice::{self, Choice};
use crate::opened::Opened;
use crate::patterns::Patterns;
use crate::profiler::Profiler;
use crate::tool::Tool;
use crate::{diagnose, dotnet, outputs, paths, process, program};

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
    process.args(words).envs(choice.variables()).envs(patterns.variable());
    let (host, version) = match runtime {
        Some(runtime) if dotnet::is_assembly(&program) => (runtime.dotnet, Some(runtime.version)),
        _ => (program, None),
    };
    let obstacles = diagnose::obstacles(&profiler, &host, version.as_deref());
    if !obstacles.is_empty() {
        bail!("the program was not started, because the profiler cannot be: {}", obstacles.join("\nand "));
    }
    outputs::remove_old(&choice)?;
    let ended = Run { process, host, profiler: &profiler }.run()?;
    Ok(if patterns.warn()? && ended.code == ExitCode::SUCCESS { ExitCode::FAILURE } else { ended.code })
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
        let status = wait(&mut child)?;
        self.complete();
        // A library that was opened may still fail to load. Without a watch, for instance on Windows, nothing is known to be wrong.
        let profiled = opened.is_none_or(|opened| opened.seen())
            && diagnose::is_loadable(&self.profiler.library, &self.host);
        if !profiled {
            eprint!("{}", diagnose::explain(self.profiler, &self.host));
            eprintln!("The command was: {shown}");
        }
        Ok(Ended { code: exit_code(status), profiled })
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

/// Waits for the program, and forwards the signals that were sent to us alone.
#[cfg(unix)]
fn wait(child: &mut Child) -> Result<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::WithOrigin;

    let passed = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
    let mut signals = SignalsInfo::<WithOrigin>::new(passed).context("cannot watch for signals")?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let handle = signals.handle();
    let forward = std::thread::spawn(move || {
        for origin in signals.forever() {
            // A terminal also sends its signals to the program; they have no sender.
            let signal = Signal::from_named_raw(origin.signal);
            if let (Some(_), Some(pid), Some(signal)) = (origin.process, pid, signal) {
                // It may have ended in the meantime.
                let _ = kill_process(pid, signal);
            }
        }
    });
    let status = child.wait().context("cannot wait for the program");
    handle.close();
    // The thread has no reason to panic, and the program's status is known by now.
    drop(forward.join());
    status
}

#[cfg(not(unix))]
fn wait(child: &mut Child) -> Result<ExitStatus> {
    child.wait().context("cannot wait for the program")
}

fn exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = match (status.code(), signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 1,
    };
    u8::try_from(code).map_or_else(|_| std::process::exit(code), ExitCode::from)
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
