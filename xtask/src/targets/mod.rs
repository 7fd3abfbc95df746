//! `cargo xtask targets`: the published crates and the example profilers are checked for other targets than this machine's,
//! `calltrace` is built and linked for each, and the library is looked at: what it exports, and what it needs.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the targets, and the steps for each |
//! | `toolchain` | a compiler with each target's standard library |
//! | `zig` | a linker; the other one is `crate::mingw` |
//! | `library` | exports and needed symbols |
//! | `musl` | loads the library with a C program that is linked with musl |
//!
//! Dependencies are unpacked below `target/targets`, from Debian and PyPI; nothing is installed.

mod library;
pub(crate) mod musl;
mod toolchain;
mod zig;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};

use self::library::Needs;
use self::toolchain::Debian;
use self::zig::Zig;
use crate::machine::{self, Foreign, Machine};
use crate::mingw::Mingw;
use crate::{paths, process};

/// The oldest GNU C library that a release supports.
const GLIBC: (u32, u32) = (2, 17);

/// The crates whose unit tests are run.
const TESTED: [&str; 5] = ["corprof", "corprof-calls", "argvalues", "recording", "diagport"];

/// A target, and the name of a library there.
struct Target {
    name: &'static str,
    library: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gnu,
    Musl,
    Windows,
    Mac,
}

const TARGETS: [Target; 6] = [
    Target { name: "x86_64-unknown-linux-gnu", library: "libcalltrace.so", kind: Kind::Gnu },
    Target { name: "aarch64-unknown-linux-gnu", library: "libcalltrace.so", kind: Kind::Gnu },
    Target { name: "x86_64-unknown-linux-musl", library: "libcalltrace.so", kind: Kind::Musl },
    Target { name: "x86_64-pc-windows-gnu", library: "calltrace.dll", kind: Kind::Windows },
    Target { name: "x86_64-apple-darwin", library: "libcalltrace.dylib", kind: Kind::Mac },
    Target { name: "aarch64-apple-darwin", library: "libcalltrace.dylib", kind: Kind::Mac },
];

/// What is done for each target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// `calltrace` is linked.
    Link,
    /// Everything is checked, and `calltrace` is linked.
    All,
    /// The unit tests of some crates are run.
    Test,
}

/// Compiles for the named targets, or for all.
///
/// # Errors
///
/// When something does not compile, a library has wrong exports or dependencies, or a test fails.
pub(crate) fn run(names: &[String], work: Work) -> Result<()> {
    let all = TARGETS.map(|target| target.name);
    names.iter().try_for_each(|name| toolchain::unknown(name, &all))?;
    let folder = paths::targets_dir();
    let zig = Zig::provision(&folder)?;
    let mut failures = Vec::new();
    let is_wanted = |target: &&Target| names.is_empty() || names.iter().any(|name| name == target.name);
    for target in TARGETS.iter().filter(is_wanted) {
        let begin = Instant::now();
        println!("{}", target.name);
        let done = match work {
            Work::Test => target.test(&zig, &folder),
            Work::Link => target.link(&zig, &folder),
            Work::All => target.check(&zig, &folder).and_then(|()| target.link(&zig, &folder)),
        };
        if let Err(error) = done {
            eprintln!("    FAILED: {error:#}");
            failures.push(target.name);
        }
        println!("    {:.1} s", begin.elapsed().as_secs_f64());
    }
    ensure!(failures.is_empty(), "{} failed; the messages are above", failures.join(", "));
    Ok(())
}

/// Builds the shared library of a package of the workspace for a target whose programs can be run here.
///
/// # Errors
///
/// When it does not build.
pub(crate) fn library_for(target: Foreign, package: &str) -> Result<PathBuf> {
    Ok(built_for(target, package)?.join(machine::library_file(target, package)))
}

/// Builds the program `name` of a package of the workspace for a target whose programs can be run here.
///
/// # Errors
///
/// When it does not build.
pub fn program_for(target: Foreign, package: &str, name: &str) -> Result<PathBuf> {
    Ok(built_for(target, package)?.join(machine::program_file(target, name)))
}

/// Builds a package; returns the folder with its libraries and programs.
fn built_for(target: Foreign, package: &str) -> Result<PathBuf> {
    let folder = paths::targets_dir();
    let found = TARGETS.iter().find(|known| known.name == target.triple());
    let found = found.with_context(|| format!("{target} is not one of the targets"))?;
    let mut command = found.cargo("zigbuild", &Zig::provision(&folder)?, &folder)?;
    succeed(command.args(["-p", package]))?;
    Ok(folder.join("build").join(found.name).join("release"))
}

/// A cargo command that builds for a target of a release, in its release profile: `root` is the workspace, and `flags` are the
/// compiler's.
///
/// # Errors
///
/// When the target has no name here, or its tools cannot be provisioned.
pub(crate) fn released(name: &str, root: &Path, into: &Path, flags: &[String]) -> Result<Command> {
    let folder = paths::targets_dir();
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.with_context(|| format!("{name} is not one of the targets"))?;
    let mut command = target.tools("zigbuild", &Zig::provision(&folder)?, &folder)?;
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
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let shown = process::shown(command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    Ok(())
}

impl Target {
    /// A cargo command for this target that links with zig, with a subcommand of `cargo-zigbuild`.
    fn cargo(&self, subcommand: &str, zig: &Zig, folder: &Path) -> Result<Command> {
        let mut command = self.tools(subcommand, zig, folder)?;
        command.arg("--target-dir").arg(folder.join("build"));
        self.environment(&mut command);
        Ok(command)
    }

    /// As [`cargo`](Self::cargo), without a target folder and with the profile of a release.
    fn tools(&self, subcommand: &str, zig: &Zig, folder: &Path) -> Result<Command> {
        let debian = if toolchain::has_std(self.name)? { None } else { Some(Debian::provision(folder)?) };
        let cargo = debian.as_ref().map_or_else(|| process::cargo::<&str>([]), Debian::cargo);
        let mut command = match self.kind {
            Kind::Windows => {
                let mut command = Mingw::provision(folder)?.with_linker(cargo);
                command.arg(if subcommand == "zigbuild" { "build" } else { subcommand });
                command
            }
            Kind::Gnu | Kind::Musl | Kind::Mac => zig.cargo(subcommand, &cargo),
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

    fn check(&self, zig: &Zig, folder: &Path) -> Result<()> {
        succeed(&mut self.cargo("check", zig, folder)?)?;
        println!("    everything compiles");
        Ok(())
    }

    fn link(&self, zig: &Zig, folder: &Path) -> Result<()> {
        succeed(self.cargo("zigbuild", zig, folder)?.args(["-p", "calltrace"]))?;
        self.look_at(&folder.join("build").join(self.name).join("release").join(self.library), folder)
    }

    /// Runs the unit tests of some crates, if programs of the target can be run.
    fn test(&self, zig: &Zig, folder: &Path) -> Result<()> {
        let mut command = self.cargo("test", zig, folder)?;
        command.args(["--lib", "--no-fail-fast"]).args(TESTED.iter().flat_map(|name| ["-p", name]));
        if self.name != "x86_64-unknown-linux-gnu" {
            let target: Foreign = self.name.parse().map_err(anyhow::Error::msg)?;
            Machine::of(target)?.run_tests(target, &mut command);
        }
        succeed(&mut command)
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

    fn look_at(&self, path: &Path, folder: &Path) -> Result<()> {
        let bytes = library::read(path)?;
        library::exports(&bytes)?;
        println!("    linked, and exports what the runtime looks for");
        match self.kind {
            Kind::Gnu => Needs::read(&bytes)?.at_most_glibc(GLIBC),
            Kind::Musl => {
                Needs::read(&bytes)?.nothing_of_glibc()?;
                musl::loads(&Debian::provision(folder)?, path, &folder.join("musl"))
            }
            Kind::Windows | Kind::Mac => Ok(()),
        }
    }
}
