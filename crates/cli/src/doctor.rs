//! `corprof doctor`: what profilers depend on, on this machine or in one process. It changes nothing.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use corprof_in_process::printable::Printable;
use diagport::Port;
use method_filter::{OwnCode, Why};

use crate::dotnet::{self, NETCORE_APP};
use crate::native::{self, Libc};
use crate::program::{obstacle, obstacle_of_executable};
use crate::{diagnose, find, paths, process};

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Examine this process or this program, by its path, instead of the machine
    #[arg(value_name = "TARGET")]
    subject: Option<OsString>,
}

/// The outcome of an examination.
struct Doctor<'o> {
    out: &'o mut dyn Write,
    problems: u32,
}

impl Doctor<'_> {
    fn fine(&mut self, what: &str, detail: &str) -> Result<()> {
        Ok(writeln!(self.out, "  ok       {what:20} {}", Printable(detail))?)
    }

    fn wrong(&mut self, what: &str, detail: &str, remedy: &str) -> Result<()> {
        self.problems += 1;
        Ok(writeln!(self.out, "  PROBLEM  {what:20} {}\n           {:20} → {remedy}", Printable(detail), "")?)
    }

    fn finish(self) -> Result<ExitCode> {
        let Self { out, problems } = self;
        if problems == 0 {
            writeln!(out, "\nNo problem was found.")?;
            return Ok(ExitCode::SUCCESS);
        }
        let noun = if problems == 1 { "problem was" } else { "problems were" };
        writeln!(out, "\n{problems} {noun} found; the line after each names the remedy (→).")?;
        Ok(ExitCode::FAILURE)
    }
}

/// Examines the machine, or a process.
///
/// # Errors
///
/// If the output cannot be written.
pub(crate) fn main(arguments: &DoctorArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let mut doctor = Doctor { out, problems: 0 };
    match &arguments.subject {
        Some(subject) => match subject.to_str().and_then(|text| text.parse().ok()) {
            Some(pid) => process(&mut doctor, pid)?,
            None => program(&mut doctor, Path::new(subject))?,
        },
        None => machine(&mut doctor)?,
    }
    doctor.finish()
}

fn machine(doctor: &mut Doctor<'_>) -> Result<()> {
    runtimes(doctor)?;
    doctor.fine("architecture", env::consts::ARCH)?;
    if cfg!(target_os = "linux") {
        match libcs().as_slice() {
            [] => doctor.wrong(
                "C library",
                "no loader of glibc or musl was found",
                "the runtime is a dynamic program; install the C library of the distribution",
            )?,
            found => doctor.fine("C library", &found.join(", "))?,
        }
    }
    variables(doctor)?;
    match find::tools() {
        Ok(tools) if tools.is_empty() => {
            let place = format!("none in {}, in a workspace here, or beside the command", find::VARIABLE);
            doctor.fine("tools", &format!("{place}; --library runs a profiler without one"))?;
        }
        Ok(tools) => {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            doctor.fine("tools", &names.join(", "))?;
        }
        Err(error) => doctor.wrong("tools", &format!("{error:#}"), "correct the file or the variable")?,
    }
    match paths::on_path("cargo") {
        Some(cargo) => doctor.fine("cargo", &cargo.display().to_string())?,
        None => doctor.fine("cargo", "not found; it is needed to build tools and profilers only")?,
    }
    attaching(doctor)
}

fn runtimes(doctor: &mut Doctor<'_>) -> Result<()> {
    let installations = dotnet::installations();
    for found in &installations {
        let versions = found.frameworks.iter().filter(|(name, ..)| name == NETCORE_APP);
        let versions: Vec<&str> = versions.map(|(_, version, _)| version.as_str()).collect();
        doctor.fine("runtime", &format!("{}: {}", found.dotnet.display(), versions.join(", ")))?;
    }
    if installations.is_empty() {
        doctor.wrong(
            "runtime",
            "no `dotnet` in DOTNET_ROOT, PATH and the usual folders",
            "install one from https://dot.net/download, or set DOTNET_ROOT; a self-contained program needs none",
        )?;
    }
    Ok(())
}

/// The C libraries whose loaders are there.
fn libcs() -> Vec<String> {
    let folders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
    let names = folders.iter().flat_map(fs::read_dir).flatten().flatten();
    let names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let mut found = Vec::new();
    if names.iter().any(|name| name.starts_with("ld-linux-")) {
        let version = process::capture(std::process::Command::new("getconf").arg("GNU_LIBC_VERSION"));
        found.push(version.map_or_else(|_| Libc::Glibc.to_string(), |version| version.trim().to_owned()));
    }
    if names.iter().any(|name| name.starts_with("ld-musl-")) {
        found.push(Libc::Musl.to_string());
    }
    found
}

/// Variables that keep profilers away from programs that are started here.
fn variables(doctor: &mut Doctor<'_>) -> Result<()> {
    let findings = diagnose::environment();
    if findings.is_empty() {
        doctor.fine("diagnostics", "not disabled by the environment")?;
    }
    for finding in findings {
        doctor.wrong("diagnostics", finding.text(), "unset the variable before the program is started")?;
    }
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let set: Vec<&str> = process::PROFILER_VARIABLES.into_iter().filter(is_set).collect();
    match set.is_empty() {
        true => doctor.fine("profiler variables", "none is set"),
        false => doctor.wrong(
            "profiler variables",
            &format!("set here: {}", set.join(", ")),
            "unset them: another profiler is loaded into every .NET program",
        ),
    }
}

/// What attaching depends on.
fn attaching(doctor: &mut Doctor<'_>) -> Result<()> {
    if cfg!(target_os = "linux") {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        let user = field("Uid:").split_ascii_whitespace().nth(1).unwrap_or("?").to_owned();
        let who = match user.as_str() {
            "0" => "root: processes of every user can be reached".to_owned(),
            user => format!("user {user}: processes of this user can be reached"),
        };
        doctor.fine("permissions", &who)?;
        let depth = field("NSpid:").split_ascii_whitespace().count();
        let first = fs::read_to_string("/proc/1/comm").unwrap_or_default();
        let first = first.trim();
        doctor.fine(
            "PID namespace",
            &match (depth, first) {
                (0 | 1, "systemd" | "init") => "that of the machine".to_owned(),
                _ => format!("process 1 is {first:?}: in a container, only its own processes can be reached"),
            },
        )?;
    }
    match Port::list() {
        Ok(ports) => doctor.fine("processes", &format!("{} can be attached to (`corprof ps`)", ports.len())),
        Err(error) => {
            doctor.wrong("processes", &error.to_string(), "mount /proc, or run as the user of the program")
        }
    }
}

/// A program that is to be started.
fn program(doctor: &mut Doctor<'_>, path: &Path) -> Result<()> {
    let shown = path.display().to_string();
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            return doctor.wrong(
                "program",
                &format!("cannot read {shown}: {error}"),
                "name a .dll or an executable by its path",
            );
        }
    };
    doctor.fine("program", &shown)?;
    if dotnet::is_assembly(path) {
        match dotnet::runtime_for(path) {
            Ok(Some(runtime)) => {
                doctor.fine("runtime", &format!("{}, {}", runtime.dotnet.display(), runtime.version))?
            }
            Ok(None) => {}
            Err(error) => doctor.wrong(
                "runtime",
                &format!("{error:#}"),
                "install it, or name another one with --runtime",
            )?,
        }
    } else if let Ok(file) = object::File::parse(&*bytes) {
        let libc = native::libc(&file, &bytes).map_or_else(String::new, |libc| format!(", {libc}"));
        doctor.fine("architecture", &format!("{}{libc}", native::machine(&file)))?;
    }
    match obstacle(path) {
        Some(obstacle) => doctor.wrong("profilers", "none can be loaded", &obstacle)?,
        None => doctor.fine("profilers", "nothing in the file is against one")?,
    }
    own_code(doctor, path)?;
    variables(doctor)
}

/// Which assemblies of a program are the user's own code, and why.
fn own_code(doctor: &mut Doctor<'_>, path: &Path) -> Result<()> {
    let assemblies = OwnCode::of_program(path).map(|own| own.assemblies()).unwrap_or_default();
    let (own, others): (Vec<_>, Vec<_>) = assemblies.iter().partition(|(_, decision)| decision.is_own);
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (path, decision) in &own {
        doctor.fine("own code", &format!("{} ({})", name(path), decision.why))?;
    }
    if own.is_empty() {
        return Ok(());
    }
    let is_of_net = |why: &Why| *why == Why::Framework || is_of_runtime(why);
    let (of_net, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(_, decision)| is_of_net(&decision.why));
    for (path, decision) in others {
        doctor.fine("others' code", &format!("{} ({})", name(path), decision.why))?;
    }
    if !of_net.is_empty() {
        doctor.fine("others' code", &format!("{} assemblies of .NET", of_net.len()))?;
    }
    doctor.fine("to correct this", "`--own GLOB` of a tool")
}

/// Whether it is a part of the runtime that a self-contained program has with it.
fn is_of_runtime(why: &Why) -> bool {
    matches!(why, Why::Listed(library) if library.starts_with("runtimepack."))
}

fn process(doctor: &mut Doctor<'_>, pid: u32) -> Result<()> {
    let folder = format!("/proc/{pid}");
    if let Ok(executable) = fs::read_link(format!("{folder}/exe")) {
        doctor.fine("executable", &executable.display().to_string())?;
    }
    if let Ok(bytes) = fs::read(format!("{folder}/exe"))
        && let Ok(file) = object::File::parse(&*bytes)
    {
        let libc = native::libc(&file, &bytes).map_or_else(String::new, |libc| format!(", {libc}"));
        doctor.fine("architecture", &format!("{}{libc}", native::machine(&file)))?;
        if let Some(obstacle) = obstacle_of_executable(&bytes) {
            return doctor.wrong("profilers", "none can be loaded", &obstacle);
        }
    }
    let environment = fs::read(format!("{folder}/environ")).unwrap_or_default();
    for name in diagnose::forbidding(&environment) {
        doctor.wrong(
            "profilers",
            &format!("{name} of the process forbids them"),
            "start the program again without it",
        )?;
    }
    if let Ok(status) = fs::read_to_string(format!("{folder}/status")) {
        let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
        if let Some(own) = ids.split_ascii_whitespace().nth(1) {
            doctor.fine("PID namespace", &format!("another one, where the process is {own}"))?;
        }
    }
    match Port::of(pid) {
        Ok(port) => {
            doctor.fine("diagnostics port", &port.path().display().to_string())?;
            match port.process_info() {
                Ok(info) => {
                    let version = info.runtime_version.unwrap_or_else(|| "5".to_owned());
                    doctor.fine("runtime", &version)
                }
                Err(diagport::Error::NotSupported { .. }) => doctor.fine("runtime", "3.x"),
                Err(error) => doctor.wrong("runtime", &error.to_string(), "continue the process, or wait"),
            }
        }
        Err(error) => {
            let remedy = match &error {
                diagport::Error::NotPermitted { owner: Some(owner), .. } => {
                    format!("run the command as that user, with `sudo -u '#{owner}' corprof doctor {pid}`")
                }
                diagport::Error::NoSuchProcess { .. } => {
                    "`corprof ps` lists the processes that can be reached".to_owned()
                }
                _ => "start the program with `corprof run`, which needs no port, if this cannot be changed"
                    .to_owned(),
            };
            doctor.wrong("diagnostics port", &error.to_string(), &remedy)
        }
    }
}
