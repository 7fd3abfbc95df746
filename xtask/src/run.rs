//! `cargo xtask run`: runs a program under an example profiler, as if it had been started directly.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, ExitStatus};

use anyhow::{Context as _, Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::diagnose;
use crate::dotnet::{self, Runtime, RuntimeVersion, locate};
use crate::example::{Example, Flag};
use crate::opened::Opened;
use crate::profiler::{Clsid, Profiler};
use crate::{paths, process};

/// The `run` command, with one command below it per example.
#[must_use]
pub fn command(examples: &[Example]) -> Command {
    Command::new("run")
        .about("Run a program under an example profiler")
        .long_about(
            "Run a program under an example profiler\n\nBuilds the example, and starts the program with the \
             environment variables that make the runtime load it. Standard input and output, signals and the exit \
             code are the program's.",
        )
        .after_help(
            "Examples:\n  cargo xtask run calltrace -- app.dll\n  cargo xtask run calltrace --help\n  \
             cargo xtask run calltrace --runtime 3.1 -- app.dll --port 80",
        )
        .display_order(1)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("EXAMPLE")
        .subcommand_help_heading("Examples")
        .subcommands(examples.iter().map(example_command))
}

fn example_command(example: &Example) -> Command {
    let name = &example.name;
    Command::new(name.clone())
        .about(example.description.clone())
        .after_help(format!("Example: cargo xtask run {name} -- app.dll\n\nThe runtime's variables are set for the program: CORECLR_ENABLE_PROFILING=1,\nCORECLR_PROFILER={} and CORECLR_PROFILER_PATH, and the same with DOTNET_, which .NET 11 reads.", example.clsid))
        .next_help_heading(format!("Options of {name}"))
        .args(example.flags.iter().map(flag_argument))
        .next_help_heading("Options")
        .arg(
            Arg::new("RUNTIME")
                .long("runtime")
                .value_name("VERSION|PATH")
                .value_parser(value_parser!(OsString))
                .help("3.1, 8.0, 9.0, 10.0, or the path of a `dotnet`; otherwise the one that the program was compiled for"),
        )
        .args(profiler_arguments())
        .arg(
            Arg::new("PROGRAM")
                .value_names(["PROGRAM", "ARGUMENTS"])
                .value_parser(value_parser!(OsString))
                .required(true)
                .num_args(1..)
                .trailing_var_arg(true)
                .help("A .dll, which `dotnet` runs, or any other program, and its arguments"),
        )
}

/// The arguments that replace the example's own profiler library.
pub(crate) fn profiler_arguments() -> [Arg; 2] {
    [
        Arg::new("LIBRARY")
            .long("library")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("A profiler library that is built already"),
        Arg::new("CLSID")
            .long("clsid")
            .value_name("GUID")
            .value_parser(value_parser!(Clsid))
            .help("The class id to request from the library, if not the example's"),
    ]
}

/// The profiler of [`profiler_arguments`]; by default the example, which is built now.
pub(crate) fn chosen_profiler(example: &Example, matches: &ArgMatches) -> Result<Profiler> {
    let mut profiler = match matches.get_one::<PathBuf>("LIBRARY") {
        Some(library) => Profiler::new(library, example.clsid),
        None => example.profiler()?,
    };
    if let Some(&clsid) = matches.get_one::<Clsid>("CLSID") {
        profiler.clsid = clsid;
    }
    Ok(profiler)
}

pub(crate) fn flag_argument(flag: &Flag) -> Arg {
    let argument = Arg::new(flag.name.clone()).long(flag.name.clone()).help(flag.help.clone());
    if flag.is_switch() {
        return argument.action(ArgAction::SetTrue);
    }
    let argument = argument.value_name(flag.value.clone().unwrap_or_else(|| flag.name.to_uppercase()));
    let argument = match flag.separator {
        Some(_) => argument.action(ArgAction::Append),
        None => argument.action(ArgAction::Set),
    };
    if flag.values.is_empty() {
        return argument;
    }
    let argument = argument.value_parser(PossibleValuesParser::new(flag.values.clone()));
    // Several values may be given at once, in the format of the variable.
    match flag.separator.as_deref().and_then(|separator| separator.chars().next()) {
        Some(separator) => argument.value_delimiter(separator),
        None => argument,
    }
}

/// The variables of the given flags.
pub(crate) fn flag_variables(flags: &[Flag], matches: &ArgMatches) -> Vec<(String, String)> {
    let value = |flag: &Flag| {
        if flag.is_switch() {
            return matches.get_flag(&flag.name).then(|| "1".to_owned());
        }
        let values: Vec<String> = matches.get_many(&flag.name)?.cloned().collect();
        Some(values.join(flag.separator.as_deref().unwrap_or_default()))
    };
    flags.iter().filter_map(|flag| Some((flag.env.clone(), value(flag)?))).collect()
}

/// Runs the program of the arguments of `run`, and returns its exit code.
///
/// # Errors
///
/// When the example cannot be built, or the program not be started.
pub fn main(examples: &[Example], matches: &ArgMatches) -> Result<ExitCode> {
    let (name, matches) =
        matches.subcommand().context("no example was named; see `cargo xtask run --help`")?;
    let example = examples.iter().find(|example| example.name == name).context("there is no such example")?;
    let mut words = matches.get_many::<OsString>("PROGRAM").into_iter().flatten();
    let program = words.next().context("no program was named; see `cargo xtask run --help`")?;
    let program = find_program(program)?;
    let runtime = match matches.get_one::<OsString>("RUNTIME") {
        Some(runtime) => chosen_runtime(runtime)?,
        None => locate::runtime_for(&program)?,
    };
    let profiler = chosen_profiler(example, matches)?;
    let run = Run {
        runtime: &runtime,
        program: &program,
        arguments: words.cloned().collect(),
        variables: flag_variables(&example.flags, matches),
        profiler: &profiler,
        expected: (!matches.contains_id("LIBRARY")).then_some(example.clsid),
    };
    Ok(run.run()?.code)
}

/// A runtime as `--runtime` names it.
pub(crate) fn chosen_runtime(name: &OsString) -> Result<Runtime> {
    match name.to_str().and_then(|name| name.parse::<RuntimeVersion>().ok()) {
        Some(version) => dotnet::runtime(version),
        None => dotnet::runtime_at(Path::new(name)),
    }
}

/// A program that exists, or one that `PATH` has.
fn find_program(name: &OsString) -> Result<PathBuf> {
    let path = Path::new(name);
    if path.is_file() {
        // A shell would not look in this folder, but the file was found there.
        return Ok(if path.components().count() == 1 {
            Path::new(".").join(path)
        } else {
            path.to_path_buf()
        });
    }
    match name.to_str().and_then(paths::on_path) {
        Some(program) => Ok(program),
        None => bail!(
            "there is no program {}; `cargo xtask compile` makes one from C# files, \
             and `cargo xtask demo` needs none",
            path.display()
        ),
    }
}

/// A program to run in our place.
pub(crate) struct Run<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) profiler: &'a Profiler,
    /// The class id of the library, if known.
    pub(crate) expected: Option<Clsid>,
}

/// The outcome of such a run.
pub(crate) struct Ended {
    /// The program's exit code, or 128 + n when signal n ended it.
    pub(crate) code: ExitCode,
    /// Whether its runtime loaded the library of the profiler.
    pub(crate) profiled: bool,
}

impl Run<'_> {
    /// Runs the program; explains it when the profiler was not started.
    pub(crate) fn run(&self) -> Result<Ended> {
        let mut command = self.runtime.command(self.program)?;
        command
            .envs(self.profiler.variables(&self.runtime.machine))
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.args(&self.arguments);
        let shown = process::shown(&command);
        let host = self.runtime.host(self.program);
        let opened = Opened::watch(&self.profiler.library);
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start `{shown}`; is {} executable?", self.program.display()))?;
        let status = wait(&mut child)?;
        self.complete();
        // A library that was opened may still fail to load.
        let profiled = opened.is_some_and(|opened| opened.seen())
            && diagnose::is_loadable(&self.profiler.library, &host);
        if !profiled {
            eprint!("{}", diagnose::explain(self.profiler, self.expected, &host));
            eprintln!("The command was: {shown}");
        }
        Ok(Ended { code: exit_code(status), profiled })
    }
}

impl Run<'_> {
    /// Appends the journals that a program has left, which was killed.
    fn complete(&self) {
        let files = self.variables.iter().map(|(_, value)| Path::new(value));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Example {
        let flag = |name: &str, value: Option<&str>, values: &[&str], separator: Option<&str>| Flag {
            name: name.to_owned(),
            env: format!("X_{}", name.to_uppercase()),
            help: String::new(),
            value: value.map(str::to_owned),
            values: values.iter().map(|&value| value.to_owned()).collect(),
            separator: separator.map(str::to_owned),
        };
        Example {
            name: "x".to_owned(),
            description: String::new(),
            clsid: "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}".parse().unwrap(),
            attachable: false,
            socket: None,
            flags: vec![
                flag("all", None, &[], None),
                flag("format", None, &["text", "jsonl"], None),
                flag("include", Some("GLOB"), &[], Some(";")),
                flag("depth", Some("N"), &[], None),
                flag("events", None, &["gc", "threads"], Some(",")),
            ],
        }
    }

    fn parse(line: &str) -> Result<ArgMatches, clap::Error> {
        command(&[example()]).try_get_matches_from(line.split(' '))
    }

    #[test]
    fn flags_become_variables() {
        let matches = parse("run x --all --include A --format jsonl --include B -- app.dll --all").unwrap();
        let (_, matches) = matches.subcommand().unwrap();
        let expected = [("X_ALL", "1"), ("X_FORMAT", "jsonl"), ("X_INCLUDE", "A;B")];
        assert_eq!(
            flag_variables(&example().flags, matches),
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        let words: Vec<_> = matches.get_many::<OsString>("PROGRAM").unwrap().collect();
        assert_eq!(words, ["app.dll", "--all"]);
    }

    #[test]
    fn several_values_may_be_given_at_once_or_one_by_one() {
        for line in ["run x --events gc,threads -- app.dll", "run x --events gc --events threads -- app.dll"]
        {
            let matches = parse(line).unwrap();
            let (_, matches) = matches.subcommand().unwrap();
            let expected = [("X_EVENTS".to_owned(), "gc,threads".to_owned())];
            assert_eq!(flag_variables(&example().flags, matches), expected, "{line}");
        }
    }

    #[test]
    fn the_programs_own_flags_are_passed_on_without_dashes_too() {
        let matches = parse("run x --runtime 3.1 app.dll --runtime 7").unwrap();
        let (_, matches) = matches.subcommand().unwrap();
        assert_eq!(matches.get_one::<OsString>("RUNTIME").unwrap(), "3.1");
        assert_eq!(matches.get_many::<OsString>("PROGRAM").unwrap().count(), 3);
    }

    #[test]
    fn invalid_arguments_are_refused() {
        for line in [
            "run",
            "run y -- a",
            "run x",
            "run x --format xml -- a",
            "run x --events gc,calls -- a",
            "run x --clsid 7 -- a",
            "run x --nope -- a",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
