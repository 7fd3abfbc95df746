//! Paths of the workspace, of cargo's outputs, and of provisioned files.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use corprof_cli::paths::{absolute, is_executable, on_path};

/// The root folder of the workspace whose tests are running: the nearest folder with a `Cargo.lock`, from that of the package
/// that cargo runs, or without cargo from the current folder.
#[must_use]
pub fn workspace() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let begin = package.or_else(|| env::current_dir().ok()).unwrap_or_default();
    let root = begin.ancestors().find(|folder| folder.join("Cargo.lock").is_file());
    root.unwrap_or(&begin).to_path_buf()
}

/// The folder that holds the runtimes and the C# compiler.
///
/// It is `target/dotnet` of the workspace, whatever `CARGO_TARGET_DIR` says: runtimes are no build
/// output, and several target folders can share them. `CORPROF_DOTNET_DIR` names another one.
#[must_use]
pub fn dotnet_dir() -> PathBuf {
    match env::var_os("CORPROF_DOTNET_DIR") {
        Some(dir) if !dir.is_empty() => absolute(Path::new(&dir)),
        _ => workspace().join("target").join("dotnet"),
    }
}

/// The folder of the compiled C# programs. Like [`scratch_dir`], it belongs to this checkout: another checkout that shares the
/// runtimes has programs of the same names. Tests of another target have a folder of their own, because programs link to the
/// runtime that runs them.
#[must_use]
pub fn apps_dir() -> PathBuf {
    of_target(workspace().join("target").join("apps"))
}

/// The folder in `folder` of the target whose tests are running.
fn of_target(folder: PathBuf) -> PathBuf {
    match env::var_os(crate::machine::VARIABLE) {
        Some(target) if !target.is_empty() => folder.join(target),
        _ => folder,
    }
}

/// The folder of what is compiled for other targets, and of the tools that it needs.
#[must_use]
pub fn targets_dir() -> PathBuf {
    workspace().join("target").join("targets")
}

/// The folder of what tests and benchmarks write. Tests of another target have a folder of their own, since they may run beside others.
#[must_use]
pub fn scratch_dir() -> PathBuf {
    of_target(workspace().join("target").join("scratch"))
}

/// The `cargo` that runs us, or the one on `PATH`.
#[must_use]
pub fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// `path` for messages: relative to the workspace when it lies inside.
#[must_use]
pub fn shown(path: &Path) -> String {
    path.strip_prefix(workspace()).unwrap_or(path).display().to_string()
}
