//! `corprof ps` and `corprof attach` on the command line, and the mistakes of their user.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::command::{self, corprof, refused};
use e2e::traced::profiler;

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
    let folder = tempfile::tempdir()?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    let copy = folder.path().join("corprof");
    // A file that a thread of this process writes could not be started while another thread starts a process.
    let copied = Command::new("cp").arg(command::path()?).arg(&copy).status()?;
    ensure!(copied.success(), "cp: {copied}");
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
    fs::write(&copy, &bytes)?;
    let parts = ["cannot load the profiler", "architecture: ", "cargo build --target"];
    refused(&attach(&pid, &copy.display().to_string())?, &parts)?;
    bytes[18] ^= 1;
    // The name that libraries for musl need.
    let (glibc, musl) = (b"libc.so.6\0", b"libc.so\0\0\0");
    let at = bytes.windows(glibc.len()).position(|window| window == glibc).context("glibc is not needed")?;
    bytes[at..at + musl.len()].copy_from_slice(musl);
    fs::write(&copy, bytes)?;
    let parts = ["cannot load the profiler", "linked with musl", "-unknown-linux-gnu"];
    refused(&attach(&pid, &copy.display().to_string())?, &parts)?;
    if let Some(output) = as_nobody(&["attach", &pid, "--library", &library])? {
        refused(&output, &["belongs to user 0", "sudo -u '#0' corprof attach"])?;
    }
    if let Some(output) = as_nobody(&["doctor", &pid])? {
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(!output.status.success(), "{said}");
        ensure!(
            said.contains("belongs to user 0") && said.contains("→ run the command as that user"),
            "{said}"
        );
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

/// Starts the other arguments in the root folder of the first, which has everything of this one except `/tmp`.
const OTHER_ROOT: &str = r#"
for path in /*; do
    case $path in
        /proc | /tmp) mkdir -p "$0$path" ;;
        *) if [ -L "$path" ]; then cp -P "$path" "$0/"
           elif [ -d "$path" ]; then mkdir -p "$0$path" && mount --rbind "$path" "$0$path"
           fi ;;
    esac
done
mount -t proc proc "$0/proc" && exec chroot "$0" "$@"
"#;

impl Contained {
    /// Starts it, in another root folder if one is given; `None` if this user may not do that.
    fn start(root: Option<&Path>) -> Result<Option<Self>> {
        let may = Command::new("unshare").args(["--pid", "--fork", "--mount-proc", "true"]).output();
        if !may.is_ok_and(|output| output.status.success()) {
            println!("not run: this user may not make PID namespaces");
            return Ok(None);
        }
        let app = App::compile("attached", RuntimeVersion::V9_0, Build::Optimised)?;
        let program = Launch::new(&runtime(RuntimeVersion::V9_0)?, &app.dll).command()?;
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--mount-proc", "--kill-child"]);
        if let Some(root) = root {
            command.args(["sh", "-euc", OTHER_ROOT]).arg(root);
        }
        command.arg(program.get_program()).args(program.get_args());
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
    let Some(mut contained) = Contained::start(None)? else { return Ok(()) };
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

#[test]
fn a_library_that_a_container_lacks_is_copied_there_as_the_message_says() -> Result<()> {
    let root = tempfile::tempdir()?;
    let Some(mut contained) = Contained::start(Some(root.path()))? else { return Ok(()) };
    let pid = contained.pid()?;
    // The folder of temporary files is not the container's.
    let library = root.path().join("libcopy.so");
    fs::copy(&profiler("watch")?.library, &library)?;
    let attach = |library: &Path| -> Result<Output> {
        Ok(corprof(&["attach", &pid, "--library"])?.arg(library).output()?)
    };
    let copied = format!("/proc/{pid}/root/tmp/");
    let parts = ["runs in a container, which has no file", &format!("{} {copied}`", library.display())];
    refused(&attach(&library)?, &[&parts[..], &["`--library /tmp/libcopy.so`"]].concat())?;
    fs::copy(&library, Path::new(&copied).join("libcopy.so"))?;
    let attached = attach(Path::new("/tmp/libcopy.so"))?;
    ensure!(attached.status.success(), "{}", String::from_utf8_lossy(&attached.stderr));
    Ok(())
}
