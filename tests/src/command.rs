//! The command `corprof`, as a user starts it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{Launcher, Runtime};
use corprof_testkit::{example, paths, process};

/// The command, built once per test run.
///
/// # Errors
///
/// When it does not build.
pub fn path() -> Result<PathBuf> {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    if let Some(path) = BUILT.get() {
        return Ok(path.clone());
    }
    let built = process::cargo(["build", "--quiet", "--package", "corprof-cli"]).status()?;
    ensure!(built.success(), "the command does not build");
    let metadata = example::metadata()?;
    let target = metadata["target_directory"].as_str().context("there is no target folder")?;
    let name = format!("debug/corprof{}", std::env::consts::EXE_SUFFIX);
    Ok(BUILT.get_or_init(|| Path::new(target).join(name)).clone())
}

/// A command line that begins with `corprof`, in the folder of the workspace, whose tools it finds.
///
/// # Errors
///
/// When the command does not build.
pub fn corprof(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(path()?);
    command.args(arguments).current_dir(paths::workspace());
    Ok(command)
}

/// The words of `corprof run` that start an assembly on a runtime: options, and the program.
///
/// # Errors
///
/// When the host of the program cannot be made.
pub fn words(runtime: &Runtime, assembly: &Path) -> Result<(Vec<OsString>, PathBuf)> {
    Ok(match &runtime.launcher {
        Launcher::Muxer(dotnet) => (vec!["--runtime".into(), dotnet.into()], assembly.to_path_buf()),
        Launcher::Embedded(_) | Launcher::AppHost(_) => (Vec::new(), runtime.executable(assembly)?),
    })
}

/// Fails unless the command has failed with one message, which has each of these parts, and no other output.
///
/// # Errors
///
/// When the outcome is another one.
pub fn refused(output: &Output, parts: &[&str]) -> Result<()> {
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(!output.status.success(), "it did not fail\n{said}");
    ensure!(output.stdout.is_empty(), "it has output: {}\n{said}", String::from_utf8_lossy(&output.stdout));
    ensure!(said.matches("error: ").count() == 1, "not one message:\n{said}");
    for part in parts {
        ensure!(said.contains(part), "the message lacks {part:?}:\n{said}");
    }
    Ok(())
}
