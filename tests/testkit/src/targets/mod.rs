//! Builds for other targets than this machine's, with compilers and linkers that need not be installed.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the targets, and the cargo command for each |
//! | `toolchain` | a compiler with each target's standard library |
//! | `zig` | a linker; the other one is `crate::mingw` |
//!
//! Dependencies are unpacked below `target/targets`, from Debian and PyPI; nothing is installed.

mod toolchain;
mod zig;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

pub use self::toolchain::Debian;
use self::zig::Zig;
use crate::machine::{self, Foreign};
use crate::mingw::Mingw;
use crate::{paths, process};

/// The oldest GNU C library that a release supports.
pub const GLIBC: (u32, u32) = (2, 17);

/// A target, and the name of a library there.
#[derive(Debug)]
pub struct Target {
    /// The name for rustc.
    pub name: &'static str,
    /// The file of `calltrace`.
    pub library: &'static str,
    /// What differs between targets.
    pub kind: Kind,
}

/// The systems that builds differ by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Linux with glibc.
    Gnu,
    /// Linux with musl.
    Musl,
    /// Windows.
    Windows,
    /// macOS.
    Mac,
}

/// The targets.
pub const TARGETS: [Target; 6] = [
    Target { name: "x86_64-unknown-linux-gnu", library: "libcalltrace.so", kind: Kind::Gnu },
    Target { name: "aarch64-unknown-linux-gnu", library: "libcalltrace.so", kind: Kind::Gnu },
    Target { name: "x86_64-unknown-linux-musl", library: "libcalltrace.so", kind: Kind::Musl },
    Target { name: "x86_64-pc-windows-gnu", library: "calltrace.dll", kind: Kind::Windows },
    Target { name: "x86_64-apple-darwin", library: "libcalltrace.dylib", kind: Kind::Mac },
    Target { name: "aarch64-apple-darwin", library: "libcalltrace.dylib", kind: Kind::Mac },
];

/// Builds the shared library of a package of the workspace for a target whose programs can be run here.
///
/// # Errors
///
/// When it does not build.
pub fn library_for(target: Foreign, package: &str) -> Result<PathBuf> {
    Ok(built_for(target, &[package])?.join(machine::library_file(target, package)))
}

/// Builds the program `name` of a package of the workspace for a target whose programs can be run here.
///
/// # Errors
///
/// When it does not build.
pub fn program_for(target: Foreign, package: &str, name: &str) -> Result<PathBuf> {
    Ok(built_for(target, &[package])?.join(machine::program_file(target, name)))
}

/// Builds packages of the workspace at once for a target whose programs can be run here; returns the folder with their libraries and
/// programs.
///
/// # Errors
///
/// When one does not build.
pub fn built_for(target: Foreign, packages: &[&str]) -> Result<PathBuf> {
    let found = TARGETS.iter().find(|known| known.name == target.triple());
    let found = found.with_context(|| format!("{target} is not one of the targets"))?;
    succeed(found.cargo("zigbuild")?.args(packages.iter().flat_map(|package| ["-p", package])))?;
    Ok(found.built())
}

/// A cargo command that builds for a target of a release, in its release profile: `root` is the workspace, and `flags` are the
/// compiler's.
///
/// # Errors
///
/// When the target has no name here, or its tools cannot be provisioned.
pub fn released(name: &str, root: &Path, into: &Path, flags: &[String]) -> Result<Command> {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.with_context(|| format!("{name} is not one of the targets"))?;
    let mut command = target.tools("zigbuild")?;
    command.current_dir(root).arg("--locked").arg("--target-dir").arg(into);
    let own = target.flags().into_iter().map(str::to_owned);
    let flags: Vec<String> = own.chain(flags.iter().cloned()).collect();
    ensure!(
        flags.iter().all(|flag| !flag.contains(char::is_whitespace)),
        "a path has a space, which cannot be passed to the compiler: {}",
        flags.join(" ")
    );
    command.env(target.flags_variable(), flags.join(" "));
    Ok(command)
}

/// Runs a command with its output, or fails with its command line.
///
/// # Errors
///
/// When the command fails.
pub fn succeed(command: &mut Command) -> Result<()> {
    let shown = process::shown(command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    Ok(())
}

impl Target {
    /// A cargo command for this target that links with zig, with a subcommand of `cargo-zigbuild`.
    ///
    /// # Errors
    ///
    /// When a tool cannot be provisioned.
    pub fn cargo(&self, subcommand: &str) -> Result<Command> {
        let mut command = self.tools(subcommand)?;
        command.arg("--target-dir").arg(paths::targets_dir().join("build"));
        self.environment(&mut command);
        Ok(command)
    }

    /// As [`cargo`](Self::cargo), without a target folder and with the profile of a release.
    fn tools(&self, subcommand: &str) -> Result<Command> {
        let folder = paths::targets_dir();
        let has_std = toolchain::has_std(self.name)?;
        let debian = if has_std { None } else { Some(Debian::provision(&folder)?) };
        let cargo = debian.as_ref().map_or_else(|| process::cargo::<&str>([]), Debian::cargo);
        let mut command = match self.kind {
            Kind::Windows => {
                let mut command = Mingw::provision(&folder)?.with_linker(cargo);
                command.arg(if subcommand == "zigbuild" { "build" } else { subcommand });
                command
            }
            Kind::Gnu | Kind::Musl | Kind::Mac => Zig::provision(&folder)?.cargo(subcommand, &cargo),
        };
        if let Some(debian) = &debian {
            if !debian.has_std(self.name) {
                command.arg("-Zbuild-std");
            }
            // This cargo accepts unstable options; clippy of the other one reports its warnings.
            command.arg("-Zwarnings");
            // rustc warns of a missing SDK, which zig does not need.
            if self.kind != Kind::Mac {
                command.env("CARGO_BUILD_WARNINGS", "deny");
            }
        }
        let named = match self.kind {
            Kind::Gnu => format!("{}.{}.{}", self.name, GLIBC.0, GLIBC.1),
            Kind::Musl | Kind::Windows | Kind::Mac => self.name.to_owned(),
        };
        command.args(["--release", "--quiet", "--target", &named]);
        eprintln!("    by {}", if debian.is_some() { "Debian's rustc" } else { "this toolchain" });
        Ok(command)
    }

    /// The folder with what [`cargo`](Self::cargo) has built.
    #[must_use]
    pub fn built(&self) -> PathBuf {
        paths::targets_dir().join("build").join(self.name).join("release")
    }

    fn environment(&self, build: &mut Command) {
        // Build time matters more than the speed of the output.
        for (name, value) in [("OPT_LEVEL", "0"), ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0")] {
            build.env(format!("CARGO_PROFILE_RELEASE_{name}"), value);
        }
        build.env("CARGO_INCREMENTAL", "0");
        if self.kind == Kind::Mac {
            // The tool that strips Mach-O files is not installed.
            build.env("CARGO_PROFILE_RELEASE_STRIP", "none");
        }
        if !self.flags().is_empty() {
            build.env(self.flags_variable(), self.flags().join(" "));
        }
    }

    /// The flags of the compiler without which a library is wrong.
    fn flags(&self) -> Vec<&'static str> {
        match self.kind {
            // A library that a program loads uses that program's C library.
            Kind::Musl => vec!["-Ctarget-feature=-crt-static"],
            Kind::Gnu | Kind::Windows | Kind::Mac => Vec::new(),
        }
    }

    /// The variable with the flags of the compiler, which does not replace those of the workspace.
    fn flags_variable(&self) -> String {
        format!("CARGO_TARGET_{}_RUSTFLAGS", self.name.to_uppercase().replace('-', "_"))
    }
}
