//! `corprof attach`: loads a profiler into a running process.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::{Arg, ArgMatches, Command, value_parser};
#[cfg(unix)]
use corprof_in_process::printable::Printable;
#[cfg(unix)]
use corprof_link::{Reply, Request, TOOL};
use diagport::{AttachProfiler, HResult, Port};

#[cfg(unix)]
use crate::attached::{self, Wanted};
use crate::choice::{self, Choice};
use crate::profiler::Profiler;
#[cfg(unix)]
use crate::recorded::Plan;
use crate::tool::Tool;
use crate::{diagnose, outputs, paths};

/// The time that a profiler may take to be gone after its detach was requested.
const DETACHES_WITHIN: Duration = Duration::from_secs(3);

/// The `attach` command, with one command below it per tool.
#[must_use]
pub(crate) fn command(tools: &[Tool]) -> Command {
    Command::new("attach")
        .about("Attach a tool or a profiler to a running .NET process")
        .long_about(
            "Attach a tool or a profiler to a running .NET process\n\nBuilds a tool of a cargo workspace first, and \
             requests the process's runtime, at its diagnostics port, to load the profiler. Ctrl-C, or the end of \
             --seconds, ends it: its report is printed here, or written to --out, and it is detached. The program \
             continues.",
        )
        .override_usage(
            "corprof attach <PID> <TOOL> [OPTIONS]\n       \
             corprof attach <PID> --library <FILE> [--clsid <GUID>] [--data <TEXT>]",
        )
        .after_help(
            "Examples:\n  corprof ps\n  corprof attach 4711 watch\n  \
             corprof attach 4711 cpu --seconds 30 --out cpu.svg\n  \
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
        .override_usage(format!("corprof attach <PID> {name} [OPTIONS]"))
        // One that cannot be attached is known, and refused with the reason.
        .hide(!tool.settings.attachable)
        .after_help(format!("Example: corprof attach 4711 {name}"))
        .next_help_heading(format!("Options of {name}"))
        .args(tool.settings.flags.iter().map(choice::flag_argument))
        .next_help_heading("Options")
        .args([choice::library(), choice::clsid(), timeout()])
        .args(cfg!(unix).then(|| own_seconds(tool)).flatten())
}

/// The argument `--seconds`, for a tool that has no such flag.
fn own_seconds(tool: &Tool) -> Option<Arg> {
    let has_own = tool.settings.flags.iter().any(|flag| flag.name == "seconds");
    let help = "End it after so many seconds";
    (!has_own)
        .then(|| Arg::new("seconds").long("seconds").value_name("N").value_parser(choice::seconds).help(help))
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
    outputs::check(&choice)?;
    let (name, settings) = (choice.name(), choice::absolute(choice.flags(), choice.variables()));
    let attachment = Attachment { port: &port, pid, name: &name, profiler: &profiler, settings, data };
    #[cfg(unix)]
    if choice.tool.is_some() {
        return attachment.stay(&choice, target.root.as_deref());
    }
    attachment.attach("")?;
    eprintln!(
        "attached {name} to process {pid}{}",
        if cfg!(unix) { "" } else { "; it writes where its settings say" }
    );
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
}

impl Attachment<'_> {
    /// Attaches a tool, and stays until its end: what it measures comes here.
    #[cfg(unix)]
    fn stay(mut self, choice: &Choice<'_>, root: Option<&Path>) -> Result<ExitCode> {
        let (seconds, is_kept) = (choice.seconds(), choice.is_kept());
        let plan = Plan::of(choice, &mut self.settings)?;
        let mut out = plan.as_ref().and_then(|plan| plan.out.clone());
        for flag in choice.flags().iter().filter(|flag| flag.is_output() && !is_kept) {
            let Some((_, value)) = self.settings.iter_mut().find(|(name, _)| *name == flag.env) else {
                continue;
            };
            // The tool needs to know the format only.
            let name = Path::new(&*value).file_name().unwrap_or_default().to_string_lossy().into_owned();
            out = Some(PathBuf::from(core::mem::replace(value, name)));
        }
        // The time ends here.
        let ours = choice.flags().iter().find(|flag| flag.name == "seconds").map(|flag| flag.env.clone());
        self.settings.retain(|(name, _)| Some(name) != ours.as_ref());
        let timeout = self.port.timeout();
        let wanted =
            Wanted { name: self.name, pid: self.pid, port: self.port, root, timeout, seconds, out, plan };
        attached::run(&wanted, |line| self.attach(line))
    }

    /// Starts a session of the tool, if there is an agent in the process.
    #[cfg(unix)]
    fn start_in_agent(&self, data: &[u8]) -> Result<bool> {
        let request = Request::Start { tool: self.name.to_owned(), data: data.to_vec() };
        match crate::agent::ask(self.port, self.pid, &request, self.port.timeout())? {
            None => Ok(false),
            Some(Reply::Started(_)) => Ok(true),
            Some(Reply::Refused(why)) => {
                bail!("{} was not started in process {}: {}", self.name, self.pid, Printable(&why))
            }
            Some(_) => bail!("the agent in process {} answers something else", self.pid),
        }
    }

    /// Attaches it, with a further line of client data.
    fn attach(&self, line: &str) -> Result<()> {
        let data = match &self.data {
            Some(data) => data.clone(),
            None => client_data(&self.settings, line)?,
        };
        #[cfg(unix)]
        let request = data.clone();
        #[cfg(unix)]
        if self.data.is_none() && self.start_in_agent(&request)? {
            return Ok(());
        }
        // For an agent, which has more tools.
        #[cfg(unix)]
        let data = match self.data {
            Some(_) => data,
            None => [data, format!("{TOOL}={}\n", self.name).into_bytes()].concat(),
        };
        let profiler = AttachProfiler {
            clsid: self.profiler.clsid,
            library: &self.profiler.library,
            client_data: &data,
        };
        let begin = Instant::now();
        let error = loop {
            match self.port.attach_profiler(&profiler) {
                Ok(()) => return Ok(()),
                // One that is being detached is gone soon.
                Err(error) if is_going(&error) && begin.elapsed() < DETACHES_WITHIN => {
                    std::thread::sleep(Duration::from_millis(20));
                    // Another command may have attached an agent meanwhile.
                    #[cfg(unix)]
                    if self.data.is_none() && self.start_in_agent(&request)? {
                        return Ok(());
                    }
                }
                Err(error) => break error,
            }
        };
        let library = self.profiler.library.display();
        let hint = match error.hresult() {
            Some(HResult::E_FAIL) => {
                "\nThe profiler itself refused, or could not be started; its reason is on the program's standard error."
            }
            Some(HResult::CORPROF_E_PROFILER_CANCEL_ACTIVATION) => {
                "\nThe tool could not connect to this command, or the time limit of --timeout was over before."
            }
            _ if matches!(error, diagport::Error::TimedOut { .. }) && !line.is_empty() => {
                "\nIf the process goes on later, it is not measured."
            }
            _ => "",
        };
        bail!("{} ({library}) was not attached to process {}: {error}{hint}", self.name, self.pid)
    }
}

/// Whether a profiler is active that may be about to be detached.
fn is_going(error: &diagport::Error) -> bool {
    let code = error.hresult();
    code == Some(HResult::CORPROF_E_PROFILER_ALREADY_ACTIVE)
        || code == Some(HResult::CORPROF_E_PROFILER_DETACHING)
}

/// Settings as an attached profiler reads them: lines of `NAME=value`, and a further line.
fn client_data(settings: &[(String, String)], line: &str) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    for (name, value) in settings {
        if value.contains('\n') {
            bail!("the value of {name} has more than one line, which an attached profiler cannot be given");
        }
        lines.extend(format!("{name}={value}\n").into_bytes());
    }
    if !line.is_empty() {
        lines.extend(format!("{line}\n").into_bytes());
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{Flag, Library, Settings};

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
        let settings = choice::absolute(choice.flags(), choice.variables());
        let data = String::from_utf8(client_data(&settings, "LINK=1").unwrap()).unwrap();
        assert_eq!(data, format!("X_OUT={}\nX_DEPTH=3\nLINK=1\n", out.display()));
        assert!(client_data(&[("X_OUT".to_owned(), "a\nb".to_owned())], "").is_err());
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
