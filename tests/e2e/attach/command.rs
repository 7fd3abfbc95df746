//! `corprof ps` and `corprof attach` on the command line, and the mistakes of their user.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use e2e::app::{App, Build};
use e2e::command::{self, corprof, refused};
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::{Launch, scratch};

use crate::subject::{PATIENCE, Subject, as_is};

/// A user who owns nothing.
const NOBODY: u32 = 65534;

/// `corprof attach` on the command line: lists, attaches, prints, and detaches when it is interrupted.
#[test]
fn the_command_attaches_until_it_is_interrupted() -> Result<()> {
    let mut subject = Subject::new("command", RuntimeVersion::V9_0, as_is)?;
    let pid = subject.program.pid().to_string();
    let listed = corprof(&["ps"])?.output()?;
    let table = String::from_utf8_lossy(&listed.stdout).into_owned();
    let row = table
        .lines()
        .find(|line| line.trim_start().starts_with(&format!("{pid} ")))
        .context(table.clone())?;
    ensure!(row.contains(" 9.0") && row.ends_with("attached.dll"), "{row}");

    let library = subject.watch.library.display().to_string();
    let mut attached =
        corprof(&["attach", &pid, "watch", "--library", &library, "--events", "exceptions,gc"])?
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
    let mut lines = BufReader::new(attached.stdout.take().context("no output")?).lines();
    let mut until = |part: &str| -> Result<String> {
        for line in lines.by_ref() {
            let line = line?;
            if line.contains(part) {
                return Ok(line);
            }
        }
        bail!("no line with {part:?}")
    };
    until("already there")?;
    subject.program.request("throw System.InvalidOperationException")?;
    until("exception  System.InvalidOperationException")?;
    let interrupted = Command::new("kill").args(["-INT", &attached.id().to_string()]).status()?;
    ensure!(interrupted.success(), "{interrupted}");
    until("detached")?;
    ensure!(attached.wait()?.success(), "it failed");

    refused(&corprof(&["attach", &pid, "calltrace"])?.output()?, &["corprof run calltrace"])?;
    subject.quit()?;
    Ok(())
}

/// Output of the command, started by another user; `None` if this user may not do that.
fn as_nobody(arguments: &[&str]) -> Result<Option<Output>> {
    if fs::metadata("/proc/self")?.uid() != 0 {
        println!("not run: only root can start a process of another user");
        return Ok(None);
    }
    // The folder of the build may be closed to other users.
    let copy = std::env::temp_dir().join(format!("corprof-{}", std::process::id()));
    if !copy.exists() {
        fs::copy(command::path()?, &copy)?;
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755))?;
    }
    Ok(Some(Command::new(&copy).args(arguments).current_dir("/").uid(NOBODY).gid(NOBODY).output()?))
}

#[test]
fn mistakes_name_the_remedy() -> Result<()> {
    let subject = Subject::new("mistakes", RuntimeVersion::V9_0, as_is)?;
    let (pid, library) = (subject.program.pid().to_string(), subject.watch.library.display().to_string());
    let attach = |pid: &str, library: &str| -> Result<Output> {
        Ok(corprof(&["attach", pid, "--library", library])?.output()?)
    };
    refused(&attach("999999999", &library)?, &["there is no process 999999999", "corprof ps"])?;
    let own = std::process::id().to_string();
    refused(&attach(&own, &library)?, &["no .NET runtime is loaded", &format!("corprof doctor {own}")])?;
    refused(&attach(&pid, "/nowhere/libx.so")?, &["cannot read the library /nowhere/libx.so", "build it"])?;
    let wrong = "{11111111-2222-3333-4444-555555555555}";
    let other = corprof(&["attach", &pid, "--library", &library, "--clsid", wrong])?.output()?;
    refused(&other, &[wrong, "the library has {5A0F3A1E-9D0B-4E9B-8F43-2B7A5C9E6D10}", "omit --clsid"])?;
    let copy = scratch("attach-architecture")?.join("libother.so");
    let mut bytes = fs::read(&library)?;
    // The machine in the header of an ELF file: any other than this one.
    bytes[18] ^= 1;
    fs::write(&copy, bytes)?;
    refused(&attach(&pid, &copy.display().to_string())?, &["cannot load the profiler"])?;
    if let Some(output) = as_nobody(&["attach", &pid, "--library", &library])? {
        refused(&output, &["belongs to user 0", "sudo -u '#0' corprof attach"])?;
    }
    subject.quit()?;

    let disabled = Subject::new("mistakes-off", RuntimeVersion::V9_0, |launch| {
        launch.env("DOTNET_EnableDiagnostics", "0")
    })?;
    let pid = disabled.program.pid().to_string();
    refused(&attach(&pid, &library)?, &["DOTNET_EnableDiagnostics=0", "start the process without"])?;
    let doctor = corprof(&["doctor", &pid])?.output()?;
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    ensure!(!doctor.status.success() && said.contains("DOTNET_EnableDiagnostics=0"), "{said}");
    disabled.quit()?;
    Ok(())
}

/// A program in a PID namespace of its own, killed on drop.
struct Contained(Child);

impl Contained {
    /// `None` if this user may not make one.
    fn start() -> Result<Option<Self>> {
        let may = Command::new("unshare").args(["--pid", "--fork", "--mount-proc", "true"]).output();
        if !may.is_ok_and(|output| output.status.success()) {
            println!("not run: this user may not make PID namespaces");
            return Ok(None);
        }
        let app = App::compile("attached", RuntimeVersion::V9_0, Build::Optimised)?;
        let program = Launch::new(&runtime(RuntimeVersion::V9_0)?, &app.dll).command()?;
        let mut command = Command::new("unshare");
        command
            .args(["--pid", "--fork", "--mount-proc", "--kill-child"])
            .arg(program.get_program())
            .args(program.get_args());
        for (name, value) in program.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        Ok(Some(Self(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?)))
    }

    /// The id of the program outside of its namespace, once it runs.
    fn pid(&mut self) -> Result<String> {
        let mut ready = String::new();
        BufReader::new(self.0.stdout.take().context("no output")?).read_line(&mut ready)?;
        ensure!(ready == "ready 1\n", "{ready:?}");
        let children = format!("/proc/{0}/task/{0}/children", self.0.id());
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if let Some(pid) = fs::read_to_string(Path::new(&children))?.split_ascii_whitespace().next() {
                return Ok(pid.to_owned());
            }
        }
        bail!("it has no child")
    }
}

impl Drop for Contained {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_of_a_container_is_found_or_the_remedy_is_named() -> Result<()> {
    let Some(mut contained) = Contained::start()? else { return Ok(()) };
    let pid = contained.pid()?;
    let listed = corprof(&["ps"])?.output()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    ensure!(listed.lines().any(|line| line.trim_start().starts_with(&format!("{pid} "))), "{listed}");
    let doctor = corprof(&["doctor", &pid])?.output()?;
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    ensure!(said.contains("another one, where the process is 1"), "{said}");
    if let Some(output) = as_nobody(&["attach", &pid, "--library", "/nowhere"])? {
        refused(&output, &["runs in a container", "run in that container, or as root"])?;
    }
    Ok(())
}
