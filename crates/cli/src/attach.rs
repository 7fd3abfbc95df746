//! `corprof attach`: loads a profiler into a running process.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgMatches, Command, value_parser};
use diagport::{AttachProfiler, HResult, Port};

use crate::choice::{self, Choice};
use crate::profiler::Profiler;
use crate::tool::{Flag, Tool};
use crate::{diagnose, paths};

/// The time limit for an attached profiler to connect.
#[cfg(unix)]
const CONNECTS_WITHIN: Duration = Duration::from_secs(10);

/// The `attach` command, with one command below it per tool.
#[must_use]
pub(crate) fn command(tools: &[Tool]) -> Command {
    Command::new("attach")
        .about("Attach a tool or a profiler to a running .NET process")
        .long_about(
            "Attach a tool or a profiler to a running .NET process\n\nBuilds a tool of a cargo workspace first, and \
             requests the process's runtime, at its diagnostics port, to load the profiler. The output of a tool is \
             printed here until the program ends, or until Ctrl-C, which detaches it. The program continues.",
        )
        .override_usage(
            "corprof attach <PID> <TOOL> [OPTIONS]\n       \
             corprof attach <PID> --library <FILE> [--clsid <GUID>] [--data <TEXT>]",
        )
        .after_help(
            "Examples:\n  corprof ps\n  corprof attach 4711 watch\n  \
             corprof attach 4711 watch --events exceptions,gc --seconds 30\n  \
             corprof attach 4711 --library /tmp/libmine.so\n\nAn attached profiler cannot see calls, nor, before \
             .NET 10, change how code is compiled: for that, start the program with `corprof run`.",
        )
        .arg_required_else_help(true)
        .subcommand_negates_reqs(true)
        .subcommand_value_name("TOOL")
        .subcommand_help_heading("Tools")
        .arg(Arg::new("PID").value_parser(value_parser!(u32)).required(true).help("The process; `corprof ps` lists them"))
        .args([choice::library(), choice::clsid(), data(), timeout()])
        .subcommands(tools.iter().map(tool_command))
}

fn tool_command(tool: &Tool) -> Command {
    let name = &tool.name;
    Command::new(name.clone())
        .about(tool.description.clone())
        .after_help(format!("Example: corprof attach 4711 {name}"))
        .next_help_heading(format!("Options of {name}"))
        .args(tool.settings.flags.iter().map(choice::flag_argument))
        .next_help_heading("Options")
        .args([choice::library(), choice::clsid(), timeout()])
}

fn data() -> Arg {
    Arg::new("DATA").long("data").value_name("TEXT").help("The client data that the profiler gets")
}

fn timeout() -> Arg {
    Arg::new("TIMEOUT")
        .long("timeout")
        .value_name("SECONDS")
        .value_parser(value_parser!(u64).range(1..))
        .default_value("10")
        .help("The time limit for the runtime's response")
}

/// Runs `attach`.
///
/// # Errors
///
/// If there is no such process or port, the tool cannot be built, or the runtime refuses.
pub(crate) fn main(tools: &[Tool], matches: &ArgMatches) -> Result<ExitCode> {
    let Some(&pid) = matches.get_one::<u32>("PID") else {
        bail!("no process was named; `corprof ps` lists them");
    };
    let choice = Choice::of(tools, matches)?;
    if let Some(tool) = choice.tool.filter(|tool| !tool.settings.attachable) {
        let attachable = tools.iter().filter(|tool| tool.settings.attachable);
        let attachable: Vec<&str> = attachable.map(|tool| tool.name.as_str()).collect();
        bail!(
            "{0} cannot be attached: it needs what the runtime gives only to a profiler that is there from the \
             start, such as hooks. Start the program with `corprof run {0} -- app.dll`, or attach one of \
             these: {1}",
            tool.name,
            attachable.join(", ")
        );
    }
    let port = port(pid, Duration::from_secs(*choice.matches.get_one("TIMEOUT").unwrap_or(&10)))?;
    let target = Target::of(pid, &port);
    let profiler = choice.profiler(|library| target.file(library))?;
    target.check(&profiler)?;
    let data = match choice.tool {
        Some(_) => None,
        None => Some(choice.matches.get_one::<String>("DATA").cloned().unwrap_or_default().into_bytes()),
    };
    // With --out, the lines go to that file. A process in another container cannot reach our socket.
    let out = choice.flags().iter().any(|flag| flag.is_path() && choice.matches.contains_id(&flag.name));
    let socket = choice.tool.and_then(|tool| tool.settings.socket.as_deref());
    let socket = socket.filter(|_| !out && target.root.is_none());
    let (name, settings) = (choice.name(), settings(choice.flags(), choice.variables()));
    Attachment { port: &port, pid, name: &name, profiler: &profiler, settings, data, socket }.run()?;
    Ok(ExitCode::SUCCESS)
}

fn port(pid: u32, timeout: Duration) -> Result<Port> {
    let error = match Port::of(pid) {
        Ok(port) => return Ok(port.with_timeout(timeout)),
        Err(error) => error,
    };
    match error {
        diagport::Error::NotPermitted { owner: Some(owner), .. } => {
            bail!("{error}; run the command as that user, with `sudo -u '#{owner}' corprof attach {pid} …`")
        }
        diagport::Error::NoSuchProcess { .. } => {
            bail!("{error}; `corprof ps` lists those that can be reached")
        }
        _ => bail!("{error}; `corprof doctor {pid}` examines the process"),
    }
}

/// The process that a profiler is attached to.
struct Target {
    pid: u32,
    /// Its root folder, if it is in a container.
    root: Option<PathBuf>,
}

impl Target {
    fn of(pid: u32, port: &Port) -> Self {
        // The port of a process with another root folder is found below that folder.
        let root = format!("/proc/{pid}/root");
        let is_contained = port.path().starts_with(&root);
        Self { pid, root: is_contained.then(|| root.into()) }
    }

    /// Returns the file that the process finds at `path`. Fails if the process is in a container that has no such file, with the
    /// remedy.
    fn file(&self, path: &Path) -> Result<PathBuf> {
        let absolute = paths::absolute(path);
        let Some(root) = &self.root else { return Ok(absolute) };
        let file = root.join(absolute.strip_prefix("/").unwrap_or(&absolute));
        if !file.exists() {
            let pid = self.pid;
            let (shown, name) = (path.display(), path.file_name().unwrap_or_default().display());
            bail!(
                "process {pid} runs in a container, which has no file {shown}; copy the library there, for instance with \
                 `cp {shown} /proc/{pid}/root/tmp/`, and name its path in the container: `--library /tmp/{name}`"
            );
        }
        Ok(file)
    }

    /// Fails if the process cannot load the library, with the remedy.
    fn check(&self, profiler: &Profiler) -> Result<()> {
        let pid = self.pid;
        let library = self.file(&profiler.library)?;
        let host = PathBuf::from(format!("/proc/{pid}/exe"));
        // Another user's executable cannot be read; the runtime then reports what is wrong.
        if std::fs::File::open(&host).is_err() {
            return Ok(());
        }
        let seen = Profiler { library, clsid: profiler.clsid };
        let obstacles = diagnose::obstacles_in_process(&seen, &host);
        if !obstacles.is_empty() {
            bail!("process {pid} cannot load the profiler: {}", obstacles.join("\nand "));
        }
        Ok(())
    }
}

/// Returns the variables of flags, with absolute paths, because the process has another working folder.
fn settings(flags: &[Flag], mut variables: Vec<(String, String)>) -> Vec<(String, String)> {
    for (name, value) in &mut variables {
        if flags.iter().any(|flag| flag.is_path() && flag.env == *name) {
            *value = paths::absolute(Path::new(value)).display().to_string();
        }
    }
    variables
}

/// A profiler that is about to be attached.
struct Attachment<'a> {
    port: &'a Port,
    pid: u32,
    /// The name of the tool or library.
    name: &'a str,
    profiler: &'a Profiler,
    settings: Vec<(String, String)>,
    /// The client data, if not the settings.
    data: Option<Vec<u8>>,
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
        // A tool that would write to a socket of ours writes to its default.
        let output = match self.socket {
            Some(_) => "to the standard error of that process",
            None => "where its settings say",
        };
        eprintln!("attached {} to process {}; it writes {output}", self.name, self.pid);
        Ok(())
    }

    fn attach(&self) -> Result<()> {
        let profiler = AttachProfiler {
            clsid: self.profiler.clsid,
            library: &self.profiler.library,
            client_data: &match &self.data {
                Some(data) => data.clone(),
                None => client_data(&self.settings)?,
            },
        };
        let Err(error) = self.port.attach_profiler(&profiler) else { return Ok(()) };
        let library = self.profiler.library.display();
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
    use crate::tool::{Library, Settings};

    fn tool(attachable: bool) -> Tool {
        let flag = |name: &str, value: &str| Flag {
            name: name.to_owned(),
            env: format!("X_{}", name.to_uppercase()),
            help: String::new(),
            value: Some(value.to_owned()),
            values: Vec::new(),
            separator: None,
        };
        let flags = vec![flag("out", "FILE"), flag("depth", "N")];
        Tool {
            name: "x".to_owned(),
            description: String::new(),
            settings: Settings { attachable, flags, ..Settings::default() },
            library: Library::Built("libx.so".into()),
        }
    }

    fn parse(line: &str) -> Result<ArgMatches, clap::Error> {
        command(&[tool(true)]).try_get_matches_from(line.split(' '))
    }

    #[test]
    fn flags_become_client_data_and_files_absolute() {
        let matches = parse("attach 4711 x --out trace --depth 3").unwrap();
        assert_eq!(matches.get_one::<u32>("PID"), Some(&4711));
        let tools = [tool(true)];
        let choice = Choice::of(&tools, &matches).unwrap();
        let out = std::env::current_dir().unwrap().join("trace");
        let settings = settings(choice.flags(), choice.variables());
        let data = String::from_utf8(client_data(&settings).unwrap()).unwrap();
        assert_eq!(data, format!("X_OUT={}\nX_DEPTH=3\n", out.display()));
        assert!(client_data(&[("X_OUT".to_owned(), "a\nb".to_owned())]).is_err());
    }

    #[test]
    fn a_tool_that_cannot_be_attached_is_an_error_with_a_remedy() {
        let matches = parse("attach 4711 x").unwrap();
        let error = main(&[tool(false)], &matches).unwrap_err().to_string();
        assert!(error.contains("corprof run x"), "{error}");
        let error = main(&[tool(true)], &parse("attach x").unwrap()).unwrap_err().to_string();
        assert!(error.contains("no process was named"), "{error}");
        let error = main(&[tool(true)], &parse("attach 4711").unwrap()).unwrap_err().to_string();
        assert!(error.contains("no tool was named; the tools are: x;"), "{error}");
    }

    #[test]
    fn invalid_arguments_are_refused() {
        for line in ["attach", "attach -1 x", "attach 4711 y", "attach 4711 x --timeout 0"] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("attach 4711 --library libx.so --data a=b").is_ok());
    }
}
