//! Machines other than this one: targets whose programs are run here by an emulator, or with another C library.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | how a program of another target is started |
//! | `wine` | Windows x86-64, by Wine |
//! | `qemu` | Linux arm64, by QEMU's user mode |
//! | `musl` | Linux x86-64 with musl, in a root folder |

mod musl;
mod qemu;
mod wine;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, anyhow};

pub use self::musl::Musl;
pub use self::qemu::Qemu;
pub use self::wine::Wine;
pub use crate::foreign::Foreign;
use crate::paths;

/// The variable that names the target of end-to-end tests.
pub const VARIABLE: &str = "CORPROF_TARGET";

/// Returns the target that the variable `CORPROF_TARGET` names; `None` for this machine itself.
///
/// # Errors
///
/// If the variable names no target whose programs can be run here.
pub fn of_tests() -> Result<Option<Foreign>> {
    match env::var(VARIABLE) {
        Ok(name) if !name.is_empty() => name.parse().map(Some).map_err(|error: String| anyhow!(error)),
        _ => Ok(None),
    }
}

/// What runs a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Machine {
    /// This machine.
    This,
    /// Wine.
    Wine(Wine),
    /// QEMU's user mode.
    Qemu(Qemu),
    /// A root folder with musl.
    Musl(Musl),
}

impl Machine {
    /// Returns what runs programs of a target, provisioned now if need be.
    ///
    /// # Errors
    ///
    /// If it cannot be downloaded or set up.
    pub fn of(target: Foreign) -> Result<Self> {
        let folder = paths::targets_dir();
        match target {
            Foreign::WindowsX64 => Ok(Self::Wine(Wine::provision(&folder)?)),
            Foreign::LinuxArm64 => Ok(Self::Qemu(Qemu::provision(&folder)?)),
            Foreign::LinuxMusl => Ok(Self::Musl(Musl::provision(&folder)?)),
        }
    }

    /// Returns a command that starts `program`, ready for arguments.
    #[must_use]
    pub fn command(&self, program: &Path) -> Command {
        match self {
            Self::This => Command::new(program),
            Self::Wine(wine) => wine.command(program),
            Self::Qemu(qemu) => qemu.command(program),
            Self::Musl(musl) => musl.command(program),
        }
    }

    /// Returns a path of this machine as the machine's programs write it.
    #[must_use]
    pub fn path(&self, path: &Path) -> OsString {
        match self {
            Self::Wine(_) => wine::path(path).into(),
            Self::This | Self::Qemu(_) | Self::Musl(_) => path.into(),
        }
    }

    /// Returns whether its programs take several times as long as here.
    #[must_use]
    pub fn is_emulated(&self) -> bool {
        matches!(self, Self::Wine(_) | Self::Qemu(_))
    }

    /// Returns whether it is this machine.
    #[must_use]
    pub fn is_this(&self) -> bool {
        *self == Self::This
    }

    /// Lets cargo run the tests that it builds for `target`.
    pub fn run_tests(&self, target: Foreign, cargo: &mut Command) {
        let name = target.triple().to_uppercase().replace('-', "_");
        let runner = match self {
            Self::This => return,
            Self::Wine(wine) => wine.runner(),
            Self::Qemu(qemu) => qemu.runner(),
            Self::Musl(musl) => musl.runner(),
        };
        cargo.env(format!("CARGO_TARGET_{name}_RUNNER"), runner);
    }
}

/// The extension of an executable, by its first bytes.
#[must_use]
pub(crate) fn executable_extension(bytes: &[u8]) -> &'static str {
    if bytes.starts_with(b"MZ") { ".exe" } else { "" }
}

/// A library's file name there.
#[must_use]
pub fn library_file(target: Foreign, package: &str) -> PathBuf {
    let name = package.replace('-', "_");
    match target {
        Foreign::WindowsX64 => format!("{name}.dll").into(),
        Foreign::LinuxArm64 | Foreign::LinuxMusl => format!("lib{name}.so").into(),
    }
}

/// A program's file name there.
#[must_use]
pub fn program_file(target: Foreign, name: &str) -> PathBuf {
    match target {
        Foreign::WindowsX64 => format!("{name}.exe").into(),
        Foreign::LinuxArm64 | Foreign::LinuxMusl => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_names_libraries_and_programs_differently() {
        assert_eq!(library_file(Foreign::WindowsX64, "names-bench"), Path::new("names_bench.dll"));
        assert_eq!(library_file(Foreign::LinuxArm64, "calltrace"), Path::new("libcalltrace.so"));
        assert_eq!(program_file(Foreign::WindowsX64, "corprof"), Path::new("corprof.exe"));
        assert_eq!(program_file(Foreign::LinuxArm64, "corprof"), Path::new("corprof"));
        assert_eq!((executable_extension(b"MZ\x90"), executable_extension(b"\x7fELF")), (".exe", ""));
    }
}
