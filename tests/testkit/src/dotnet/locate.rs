//! Finds the runtimes and SDKs of the machine, and chooses the runtime for a program.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use corprof_cli::dotnet as installed;
pub use corprof_cli::dotnet::{installations, is_assembly, numbers, series, wanted_version};
use installed::Installed;

use super::{RuntimeVersion, app_host, embedded, given, provision};
use crate::machine::Machine;

/// Where a runtime comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The machine has it.
    Machine,
    /// It was provisioned below [`dotnet_dir`](crate::paths::dotnet_dir).
    Provisioned,
}

/// What starts programs on a runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launcher {
    /// The muxer, `dotnet`.
    Muxer(PathBuf),
    /// The folder of a host that holds the runtime. Each program gets a copy of it.
    Embedded(PathBuf),
    /// The folder of a runtime without a muxer. Each program gets a host beside it, which loads the runtime.
    AppHost(PathBuf),
}

/// A runtime that programs can be run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// What starts programs on it.
    pub launcher: Launcher,
    /// The exact version of `Microsoft.NETCore.App`.
    pub version: String,
    /// The folder of that version's assemblies.
    pub assemblies: PathBuf,
    /// Where it comes from.
    pub origin: Origin,
    /// What runs it.
    pub machine: Machine,
}

impl Runtime {
    /// Returns the command that runs `program` on this runtime: a `.dll`, or a native executable.
    ///
    /// A `.dll` that was compiled for another version is run on this one all the same.
    ///
    /// # Errors
    ///
    /// If the host of the program cannot be created.
    pub fn command(&self, program: &Path) -> Result<Command> {
        let mut command = match &self.launcher {
            Launcher::Muxer(dotnet) if self.machine.is_this() => {
                return Ok(self.installed(dotnet).command(program));
            }
            Launcher::Muxer(dotnet) => {
                let words = self.installed(dotnet).command(program);
                let mut command = self.machine.command(Path::new(words.get_program()));
                for word in words.get_args() {
                    let is_program = Path::new(word) == program;
                    command.arg(if is_program { self.machine.path(program) } else { word.to_owned() });
                }
                command
            }
            Launcher::Embedded(_) | Launcher::AppHost(_) => self.machine.command(&self.executable(program)?),
        };
        if let Launcher::AppHost(root) = &self.launcher {
            command.env("DOTNET_ROOT", root).env("DOTNET_ROLL_FORWARD", "Major");
        }
        // What the emulators have is not looked for.
        if !self.machine.is_this() || installed::lacks_icu() {
            command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
        }
        Ok(command)
    }

    fn installed(&self, dotnet: &Path) -> Installed {
        let (version, assemblies) = (self.version.clone(), self.assemblies.clone());
        Installed { dotnet: dotnet.to_path_buf(), version, assemblies }
    }

    /// Returns the executable that is started to run `program`.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn executable(&self, program: &Path) -> Result<PathBuf> {
        match &self.launcher {
            _ if !is_assembly(program) => Ok(program.to_path_buf()),
            Launcher::Muxer(dotnet) => Ok(dotnet.clone()),
            Launcher::Embedded(root) => embedded::prepare(root, &self.version, program)
                .with_context(|| format!("cannot run {} on {}", program.display(), self.version)),
            Launcher::AppHost(root) => app_host::prepare(root, program)
                .with_context(|| format!("cannot run {} on {}", program.display(), self.version)),
        }
    }

    /// Returns the executable that holds or loads the runtime of `program`.
    #[must_use]
    pub fn host(&self, program: &Path) -> PathBuf {
        if is_assembly(program) { self.path() } else { program.to_path_buf() }
    }

    /// Returns the executable that holds or loads the runtime of assemblies.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        match &self.launcher {
            Launcher::Muxer(dotnet) => dotnet.clone(),
            Launcher::Embedded(root) => embedded::host(root),
            Launcher::AppHost(root) => app_host::host(root),
        }
    }
}

impl From<Installed> for Runtime {
    fn from(found: Installed) -> Self {
        Self {
            launcher: Launcher::Muxer(found.dotnet),
            version: found.version,
            assemblies: found.assemblies,
            origin: Origin::Machine,
            machine: Machine::This,
        }
    }
}

/// The runtime of this version: the machine's, or else that of the folder of archives, or else the provisioned one.
///
/// # Errors
///
/// When the machine has none and none can be provisioned.
pub fn runtime(version: RuntimeVersion) -> Result<Runtime> {
    match machine_runtime(version) {
        Some(runtime) => Ok(runtime),
        None if given::has(version) => given::runtime(version),
        None => provision::runtime(version),
    }
}

/// The machine's own runtime of this version, if it has one.
#[must_use]
pub fn machine_runtime(version: RuntimeVersion) -> Option<Runtime> {
    installed::installed(version.short()).map(Runtime::from)
}

/// The newest runtime of the muxer at `path`, which may be `dotnet` or its folder.
///
/// # Errors
///
/// When there is no muxer, or it has no runtime.
pub fn runtime_at(path: &Path) -> Result<Runtime> {
    Ok(installed::runtime_at(path, None)?.into())
}
