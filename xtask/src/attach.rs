//! `cargo xtask attach`: loads an example profiler into a running process.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use diagport::{AttachProfiler, Error, Guid, HResult, Port};

use printable::Printable;

use crate::example::{Example, Flag};
use crate::profiler::Profiler;
use crate::run::{chosen_profiler, flag_argument, flag_variables, profiler_arguments};
use crate::{paths, process};

/// The time limit for an attached profiler to connect.
#[cfg(unix)]
const CONNECTS_WITHIN: Duration = Duration::from_secs(10);

/// The time limit for the description of a listed process.
const LISTED_WITHIN: Duration = Duration::from_secs(2);

/// The `attach` command, with one command below it per example.
#[must_use]
pub fn command(examples: &[Example]) -> Command {
    Command::new("attach")
        .about("Attach an example profiler to a running .NET process")
        .long_about(
            "Attach an example profiler to a running .NET process\n\nBuilds the example, and requests the process's \
             runtime, at its diagnostics port, to load it. The profiler's output is printed here until the program \
             ends, or until Ctrl-C, which detaches it. The program continues.",
        )
        .override_usage("cargo xtask attach --list\n       cargo xtask attach <PID> <EXAMPLE> [OPTIONS]")
        .after_help(
            "Examples:\n  cargo xtask attach --list\n  cargo xtask attach 4711 watch\n  \
             cargo xtask attach 4711 watch --events exceptions,gc --seconds 30\n\nAn attached profiler cannot see \
             calls, nor change how code is compiled: for that, start the program with `cargo xtask run`.",
        )
        .display_order(2)
        .arg_required_else_help(true)
        .subcommand_value_name("EXAMPLE")
        .subcommand_help_heading("Examples")
        .arg(
            Arg::new("LIST")
                .long("list")
                .action(ArgAction::SetTrue)
                .help("List the processes that a profiler can be attached to: id, runtime, command line"),
        )
        .arg(
            Arg::new("PID")
                .value_parser(value_parser!(u32))
                .required_unless_present("LIST")
                .help("The process"),
        )
        .subcommands(examples.iter().map(example_command))
}

fn example_command(example: &Example) -> Command {
    let name = &example.name;
    Command::new(name.clone())
        .about(example.description.clone())
        .after_help(format!("Example: cargo xtask attach 4711 {name}"))
        .next_help_heading(format!("Options of {name}"))
        .args(example.flags.iter().map(flag_argument))
        .next_help_heading("Options")
        .args(profiler_arguments())
        .arg(
            Arg::new("TIMEOUT")
                .long("timeout")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..))
                .default_value("10")
                .help("How long to wait for the runtime's answer"),
        )
}

/// Runs `attach`.
///
/// # Errors
///
/// If there is no such process or port, the example cannot be built, or the runtime refuses.
pub fn main(examples: &[Example], matches: &ArgMatches) -> Result<ExitCode> {
    if matches.get_flag("LIST") {
        print!("{}", list()?);
        return Ok(ExitCode::SUCCESS);
    }
    let pid = *matches.get_one::<u32>("PID").context("no process was named; `cargo xtask attach --list`")?;
    let attachable: Vec<&str> =
        examples.iter().filter(|example| example.attachable).map(|example| example.name.as_str()).collect();
    let Some((name, matches)) = matches.subcommand() else {
        bail!("no example was named; these can be attached: {}", attachable.join(", "));
    };
    let example = examples.iter().find(|example| example.name == name).context("there is no such example")?;
    if !example.attachable {
        bail!(
            "{name} cannot be attached: it needs what the runtime gives only to a profiler that is there from the \
             start, such as hooks. Start the program with `cargo xtask run {name} -- app.dll`, or attach one of \
             these: {}",
            attachable.join(", ")
        );
    }
    let port = port(pid, Duration::from_secs(*matches.get_one("TIMEOUT").unwrap_or(&10)))?;
    let profiler = chosen_profiler(example, matches)?;
    let settings = settings(&example.flags, matches);
    // With --out, the lines go to that file. A process in another container cannot reach our socket.
    let out = example.flags.iter().any(|flag| is_file(flag) && matches.contains_id(&flag.name));
    let socket = example.socket.as_deref().filter(|_| !out && !port.path().starts_with("/proc"));
    Attachment { port: &port, pid, name, profiler: &profiler, settings, socket }.run()?;
    Ok(ExitCode::SUCCESS)
}

fn port(pid: u32, timeout: Duration) -> Result<Port> {
    match Port::of(pid) {
        Ok(port) => Ok(port.with_timeout(timeout)),
        Err(error) => bail!("{error}; `cargo xtask attach --list` lists the processes that can be reached"),
    }
}

/// Returns the processes with a port, as a table.
fn list() -> Result<String> {
    let mut table = String::new();
    for port in Port::list()? {
        let pid = port.pid().unwrap_or_default();
        let (version, command_line) = match port.with_timeout(LISTED_WITHIN).process_info() {
            Ok(info) => (info.runtime_version.unwrap_or_else(|| "5".to_owned()), info.command_line),
            // The diagnostics port of 3.0 and 3.1 does not report it.
            Err(Error::NotSupported { .. }) => ("3.x".to_owned(), command_line(pid)),
            Err(error) => ("?".to_owned(), format!("{} ({error})", command_line(pid))),
        };
        let (version, command_line) = (Printable(&version).to_string(), Printable(&command_line));
        writeln!(table, "{pid:>7}  {version:8}  {command_line}")?;
    }
    if table.is_empty() {
        table.push_str("there is no .NET process that a profiler could be attached to\n");
    }
    Ok(table)
}

/// Returns the command line of a process, where the system provides it.
fn command_line(pid: u32) -> String {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ")
}

/// Returns the environment variables of the given flags. Paths are made absolute, because the process has another working folder.
fn settings(flags: &[Flag], matches: &ArgMatches) -> Vec<(String, String)> {
    let mut variables = flag_variables(flags, matches);
    for (name, value) in &mut variables {
        if flags.iter().any(|flag| is_file(flag) && flag.env == *name) {
            *value = paths::absolute(Path::new(value)).display().to_string();
        }
    }
    variables
}

fn is_file(flag: &Flag) -> bool {
    flag.value.as_deref() == Some("FILE")
}

/// A profiler that is about to be attached.
struct Attachment<'a> {
    port: &'a Port,
    pid: u32,
    /// The example's name.
    name: &'a str,
    profiler: &'a Profiler,
    settings: Vec<(String, String)>,
    /// The variable with the socket that the profiler writes to.
    socket: Option<&'a str>,
}

impl Attachment<'_> {
    #[cfg(unix)]
    fn run(mut self) -> Result<()> {
        let Some(variable) = self.socket else {
            self.attach()?;
            eprintln!("attached {} to process {}; it writes where its settings say", self.name, self.pid);
            return Ok(());
        };
        let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
        let path = folder.path().join("socket");
        let listener = std::os::unix::net::UnixListener::bind(&path)
            .with_context(|| format!("cannot listen at {}", path.display()))?;
        if let Some(owner) = self.port.owner() {
            share(owner, &[folder.path(), &path]).with_context(|| {
                format!("process {} runs as user {owner}, who may not connect to us", self.pid)
            })?;
        }
        self.settings.push((variable.to_owned(), path.display().to_string()));
        self.attach()?;
        // The profiler connects while it is being attached.
        let stream = accept(&listener).context("the profiler has not connected")?;
        eprintln!("attached {} to process {}; Ctrl-C detaches it", self.name, self.pid);
        relay(stream)
    }

    #[cfg(not(unix))]
    fn run(self) -> Result<()> {
        self.attach()?;
        eprintln!("attached {} to process {}; it writes where its settings say", self.name, self.pid);
        Ok(())
    }

    fn attach(&self) -> Result<()> {
        let clsid = self.profiler.clsid.to_string();
        let profiler = AttachProfiler {
            clsid: Guid::try_parse(&clsid).with_context(|| format!("{clsid} is no class id"))?,
            library: &self.profiler.library,
            client_data: &client_data(&self.settings)?,
        };
        let Err(error) = self.port.attach_profiler(&profiler) else { return Ok(()) };
        let library = process::quoted(OsStr::new(&self.profiler.library));
        let hint = match error.hresult() {
            Some(HResult::E_FAIL) => {
                "\nThe profiler itself refused, or could not be started; its reason is on the program's standard error."
            }
            _ => "",
        };
        bail!("{} ({library}) was not attached to process {}: {error}{hint}", self.name, self.pid)
    }
}

/// Changes the owner of our files to the user who has to access them, if that is another user. Only root can.
#[cfg(unix)]
fn share(owner: u32, paths: &[&Path]) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, chown};

    paths.iter().try_for_each(|path| match std::fs::metadata(path)?.uid() == owner {
        true => Ok(()),
        false => chown(path, Some(owner), None),
    })
}

/// Waits for a connection until the time limit.
#[cfg(unix)]
fn accept(listener: &std::os::unix::net::UnixListener) -> std::io::Result<std::os::unix::net::UnixStream> {
    use std::io::ErrorKind::{Interrupted, TimedOut, WouldBlock};

    listener.set_nonblocking(true)?;
    let deadline = std::time::Instant::now() + CONNECTS_WITHIN;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(stream);
            }
            Err(error) if matches!(error.kind(), WouldBlock | Interrupted) => {}
            Err(error) => return Err(error),
        }
        if std::time::Instant::now() > deadline {
            return Err(TimedOut.into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Settings as an attached profiler reads them: lines of `NAME=value`.
fn client_data(settings: &[(String, String)]) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    for (name, value) in settings {
        if value.contains('\n') {
            bail!("the value of {name} has more than one line, which an attached profiler cannot be given");
        }
        lines.extend(format!("{name}={value}\n").into_bytes());
    }
    Ok(lines)
}

/// Prints the profiler's output until its end. The first Ctrl-C closes the connection, which makes the profiler request its
/// detach; its last lines are still printed.
#[cfg(unix)]
fn relay(mut stream: std::os::unix::net::UnixStream) -> Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    let mut signals =
        signal_hook::iterator::Signals::new([SIGINT, SIGTERM]).context("cannot watch for signals")?;
    let handle = signals.handle();
    let writing = stream.try_clone().context("cannot use the connection")?;
    let waiting = std::thread::spawn(move || {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            // It fails when the other end has closed the connection; then no request is needed.
            let _ = writing.shutdown(std::net::Shutdown::Write);
        }
        if let Some(signal) = signals.next() {
            std::process::exit(128 + signal);
        }
    });
    let copied = std::io::copy(&mut stream, &mut std::io::stdout());
    handle.close();
    // The thread has no reason to panic.
    drop(waiting.join());
    copied.map(drop).context("cannot print what the profiler sees")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(attachable: bool) -> Example {
        let flag = |name: &str, value: &str| Flag {
            name: name.to_owned(),
            env: format!("X_{}", name.to_uppercase()),
            help: String::new(),
            value: Some(value.to_owned()),
            values: Vec::new(),
            separator: None,
        };
        Example {
            name: "x".to_owned(),
            description: String::new(),
            clsid: "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}".parse().unwrap(),
            attachable,
            socket: None,
            flags: vec![flag("out", "FILE"), flag("depth", "N")],
        }
    }

    fn parse(line: &str) -> Result<ArgMatches, clap::Error> {
        command(&[example(true)]).try_get_matches_from(line.split(' '))
    }

    #[test]
    fn flags_become_client_data_and_files_absolute() {
        let matches = parse("attach 4711 x --out trace --depth 3").unwrap();
        assert_eq!(matches.get_one::<u32>("PID"), Some(&4711));
        let (_, matches) = matches.subcommand().unwrap();
        let out = std::env::current_dir().unwrap().join("trace");
        let settings = settings(&example(true).flags, matches);
        let data = String::from_utf8(client_data(&settings).unwrap()).unwrap();
        assert_eq!(data, format!("X_OUT={}\nX_DEPTH=3\n", out.display()));
        assert!(client_data(&[("X_OUT".to_owned(), "a\nb".to_owned())]).is_err());
    }

    #[test]
    fn a_profiler_that_cannot_be_attached_is_an_error_with_a_remedy() {
        let matches = parse("attach 4711 x").unwrap();
        let error = main(&[example(false)], &matches).unwrap_err().to_string();
        assert!(error.contains("cargo xtask run x"), "{error}");
        let error = main(&[example(true)], &parse("attach 4711").unwrap()).unwrap_err().to_string();
        assert!(error.contains("these can be attached: x"), "{error}");
    }

    #[test]
    fn invalid_arguments_are_refused() {
        for line in ["attach", "attach x", "attach -1 x", "attach 4711 y", "attach 4711 x --timeout 0"] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("attach --list").unwrap().get_flag("LIST"));
    }
}
