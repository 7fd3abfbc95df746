//! A root folder in which nothing of this machine is visible, and the command in it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::process;

use super::unpack;

/// The root folder.
pub(super) struct Root {
    folder: PathBuf,
    /// The command, as it is found in the root.
    command: PathBuf,
}

impl Root {
    /// Makes a root folder, and unpacks the archive in it.
    pub(super) fn new(archive: &Path, folder: &Path) -> Result<Self> {
        for name in ["app", "dev", "opt", "proc", "tmp"] {
            fs::create_dir_all(folder.join(name))?;
        }
        File::create(folder.join("dev/null"))?;
        let unpacked = unpack(archive, &folder.join("opt"))?;
        let name = unpacked.file_name().context("the archive is empty")?;
        Ok(Self { folder: folder.to_path_buf(), command: Path::new("/opt").join(name).join("corprof") })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path in the root of a file of the archive.
    pub(super) fn unpacked(&self, file: &str) -> PathBuf {
        self.command.with_file_name(file)
    }

    /// Runs the command with these arguments, and returns what it prints.
    ///
    /// # Errors
    ///
    /// If it fails.
    pub(super) fn corprof(&self, arguments: &[&str]) -> Result<Printed> {
        self.program("corprof", arguments)
    }

    /// Runs a program of the archive, and returns what it prints.
    ///
    /// # Errors
    ///
    /// If it fails.
    pub(super) fn program(&self, name: &str, arguments: &[&str]) -> Result<Printed> {
        let output = self.output(name, arguments)?;
        let printed = Printed::of(&output);
        ensure!(
            output.status.success(),
            "`{name} {}` failed ({})\n{}{}",
            arguments.join(" "),
            output.status,
            printed.out,
            printed.error
        );
        Ok(printed)
    }

    /// Returns what `corprof doctor` prints, which fails where there is no runtime.
    pub(super) fn doctor(&self) -> Result<String> {
        Ok(Printed::of(&self.output("corprof", &["doctor"])?).out)
    }

    /// Runs a program in the root. Nothing of this machine's folders is visible there.
    fn output(&self, name: &str, arguments: &[&str]) -> Result<Output> {
        let script = "mount -t proc proc \"$0/proc\" && mount --bind /dev/null \"$0/dev/null\" && \
                      root=$0 && exec chroot \"$root\" \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", script]).arg(&self.folder);
        command.arg(self.unpacked(name)).args(arguments);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("PATH", path).env("DOTNET_ROOT", "/dotnet");
        process::output(&mut command)
    }
}

/// What a program has printed.
pub(super) struct Printed {
    pub(super) out: String,
    pub(super) error: String,
}

impl Printed {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { out: text(&output.stdout), error: text(&output.stderr) }
    }
}
